"""OpenLineage events of the estate's runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from examples.company.model import Dataset, Job, Source, Write

Json = dict[str, Any]

_PRODUCER = "https://example.com/nordwind"
_SPEC = "https://openlineage.io/spec"
_FACETS = {
    "columnLineage": "1-2-0/ColumnLineageDatasetFacet",
    "errorMessage": "1-0-1/ErrorMessageRunFacet",
    "jobType": "2-0-3/JobTypeJobFacet",
    "lifecycleStateChange": "1-0-1/LifecycleStateChangeDatasetFacet",
    "outputStatistics": "1-0-2/OutputStatisticsOutputDatasetFacet",
    "ownership": "1-0-1/OwnershipDatasetFacet",
    "parent": "1-1-0/ParentRunFacet",
    "schema": "1-1-1/SchemaDatasetFacet",
    "sourceCodeLocation": "1-0-1/SourceCodeLocationJobFacet",
    "sql": "1-0-1/SQLJobFacet",
    "subset": "1-0-0/BaseSubsetDatasetFacet",
    "tags": "1-0-0/TagsDatasetFacet",
}


def a_facet(name: str, **fields: object) -> Json:
    """Build a facet of OpenLineage."""
    file = _FACETS[name].rpartition("/")[2]
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SPEC}/facets/{_FACETS[name]}.json#/$defs/{file}", **fields}


def an_event(
    kind: str, at: datetime, job: Json, run: Json, inputs: Sequence[Json] = (), outputs: Sequence[Json] = ()
) -> Json:
    """Build a run event."""
    return {
        "eventType": kind,
        "eventTime": render_time(at),
        "producer": _PRODUCER,
        "schemaURL": f"{_SPEC}/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": run,
        "job": job,
        "inputs": list(inputs),
        "outputs": list(outputs),
    }


def render_time(at: datetime) -> str:
    """Print a UTC time for an event."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.") + f"{at.microsecond // 1000:03}Z"


def job_of(job: Job) -> Json:
    """Build the job of an event, with its owner, kind, code and place."""
    kind = "STREAMING" if job.streams else "BATCH"
    integration = {"airflow": "AIRFLOW", "dbt": "DBT"}.get(job.namespace, "SPARK")
    file = f"{job.namespace}/{job.name.rpartition('.')[2]}.{'sql' if job.sql else 'py'}"
    facets = {
        "jobType": a_facet("jobType", processingType=kind, integration=integration, jobType="JOB"),
        "ownership": a_facet("ownership", owners=[{"name": job.owner, "type": "MAINTAINER"}]),
        "sourceCodeLocation": a_facet(
            "sourceCodeLocation", type="git", url=f"https://example.com/nordwind/data/{file}"
        ),
    }
    if job.sql:
        facets["sql"] = a_facet("sql", query=job.sql, dialect="snowflake")
    return {"namespace": job.namespace, "name": job.name, "facets": facets}


def parent_of(parent: Job, run_id: str, root: Job | None, root_run_id: str) -> Json:
    """Build the facet of a run's parent run, and of the root run."""

    def entry(job: Job, run: str) -> Json:
        return {"run": {"runId": run}, "job": {"namespace": job.namespace, "name": job.name}}

    return a_facet("parent", **entry(parent, run_id), **({"root": entry(root, root_run_id)} if root else {}))


def inputs_of(job: Job, day: date) -> list[Json]:
    """Build the inputs of a job's events of a day; a reader of the day before has that day's partition."""
    inputs = []
    for dataset in job.reads:
        rendered: Json = {"namespace": dataset.namespace, "name": dataset.name, "facets": {}}
        if job.reads_day_before and dataset.partition:
            rendered["inputFacets"] = {"subset": _part(dataset, day - timedelta(days=1), "input")}
        inputs.append(rendered)
    return inputs


def written_part(dataset: Dataset, day: date) -> Json:
    """Build the facet of the partition written on a day; empty for a dataset without daily partitions."""
    return {"subset": _part(dataset, day, "output")} if dataset.partition else {}


def _part(dataset: Dataset, day: date, side: str) -> Json:
    """Build the facet `subset` of a side, `input` or `output`: the partition of a day."""
    condition = {"type": "partition", "partitions": [{"dimensions": {dataset.partition: day.isoformat()}}]}
    facet = a_facet("subset", **{f"{side}Condition": condition})
    definition = f"{side.capitalize()}Subset{side.capitalize()}DatasetFacet"
    return {**facet, "_schemaURL": f"{_SPEC}/facets/{_FACETS['subset']}.json#/$defs/{definition}"}


def output_of(write: Write, columns: Mapping[str, str], *, is_whole: bool = True) -> Json:
    """Build an output of an event; a failed run knows its schema, owner and tags alone."""
    dataset = write.dataset
    facets = {"schema": a_facet("schema", fields=[{"name": name, "type": kind} for name, kind in columns.items()])}
    if dataset.owner:
        facets["ownership"] = a_facet("ownership", owners=[{"name": dataset.owner, "type": "MAINTAINER"}])
    tags = [_tag(*tag.split(":")) for tag in dataset.tags]
    tags += [{**_tag("pii"), "field": name} for name in sorted(dataset.personal) if name in columns]
    if tags:
        facets["tags"] = a_facet("tags", tags=tags)
    fields = {
        name: {"inputFields": [_source(source) for source in sources]}
        for name, sources in write.columns.items()
        if name in columns
    }
    if is_whole and fields:
        rows = {"dataset": [_source(source) for source in write.rows]} if write.rows else {}
        facets["columnLineage"] = a_facet("columnLineage", fields=fields, **rows)
    return {"namespace": dataset.namespace, "name": dataset.name, "facets": facets}


def _tag(key: str, value: str = "true") -> Json:
    return {"key": key, "value": value, "source": "catalogue"}


def _source(source: Source) -> Json:
    transformation: Json = {"type": "DIRECT", "subtype": "TRANSFORMATION" if source.expression else "IDENTITY"}
    if source.role:
        transformation = {"type": "INDIRECT", "subtype": source.role}
    elif source.expression.startswith(("sum(", "max(", "count(")):
        transformation["subtype"] = "AGGREGATION"
    transformation |= {"description": source.expression, "masking": source.masked}
    named = {"namespace": source.dataset.namespace, "name": source.dataset.name, "field": source.column}
    return {**named, "transformations": [transformation]}


def after(at: datetime, seconds: float) -> datetime:
    """Add seconds to a time."""
    return at + timedelta(seconds=seconds)
