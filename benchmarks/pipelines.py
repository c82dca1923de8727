"""The pipelines of the graph and event benchmarks, and the OpenLineage events of their runs.

A run sends START and COMPLETE. Facets are like a Spark job's under Airflow: schemas of ten columns, storage versions of
outputs (Iceberg), statistics, SQL, code location, nominal time, parent. The benchmarks of columns have datasets of
twenty columns. An output's columns have sources in the first input: sixteen are copies, four are computed from four
columns each.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any, TypeAlias

from headwater.events.event import Event
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.ids import JobId

NAMESPACE = "emissions"
STORE = "s3://carbonlake"
CHAIN = 10
_PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.40.1/integration/spark"
_SCHEMAS = "https://openlineage.io/spec/facets/1-1-1"
# In the past: the loader refuses events a day ahead of its clock.
_BEGIN = datetime(2025, 1, 1, tzinfo=timezone.utc)
# Time between the runs of a job; the jobs of a pipeline start fifty seconds apart.
_EACH = timedelta(minutes=10)
_TAKES = timedelta(seconds=40)
_QUERY = "INSERT INTO made SELECT r.*, d.distance * f.kg_co2 FROM read r JOIN rates f USING (carrier) WHERE origin = ?"
# The sources of each column.
Sources: TypeAlias = Mapping[str, Sequence[str]]
_COLUMNS = ("flight", "carrier", "origin", "dest", "tailnum", "year", "month", "day", "distance", "kg_co2")
_COPIED = (
    *("carrier", "flight", "tailnum", "origin", "dest", "year", "month", "day"),
    *("distance", "air_time", "dep_delay", "arr_delay", "seats", "engines", "model", "fuel_price"),
)
_COMPUTED = ("fuel_kg", "kg_co2", "kg_co2_per_seat", "speed")
_SOURCES: Sources = {
    **{column: (column,) for column in _COPIED},
    **{column: (column, "distance", "air_time", "seats") for column in _COMPUTED},
}


@dataclass(frozen=True, slots=True)
class Step:
    """A job with the names of its datasets, its parent job (`pipeline`), and its position in the pipeline."""

    job: str
    pipeline: str
    position: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    @property
    def id(self) -> JobId:
        """Id of the job."""
        return JobId(NAMESPACE, self.job)


# The events of a run of a job, by the run's number.
Sends: TypeAlias = Callable[[Step, int], list[dict[str, Any]]]


def chain(number: int) -> list[Step]:
    """Build ten jobs: each reads an output of the previous job and two tables of its own, and writes two datasets."""
    name = f"chain_{number:05}"
    return [
        Step(
            job=f"{name}.step_{position}",
            pipeline=f"{name}.nightly",
            position=position,
            inputs=(f"{name}/stage_{position}", f"{name}/rates_{position}", f"{name}/codes_{position}"),
            outputs=(f"{name}/stage_{position + 1}", f"{name}/rejected_{position}"),
        )
        for position in range(CHAIN)
    ]


def column_chain(number: int) -> list[Step]:
    """Build ten jobs: each reads the output of the previous job, and writes the input of the next."""
    name = f"columns_{number:05}"
    return [
        Step(
            f"{name}.step_{position}", f"{name}.nightly", position, (f"{name}/{position}",), (f"{name}/{position + 1}",)
        )
        for position in range(CHAIN)
    ]


def run_events(
    step: Step, run: int, *, columns: Sequence[str] = _COLUMNS, sources: Sources | None = None
) -> list[dict[str, Any]]:
    """Build the START and the COMPLETE of a run, as a producer sends them; `sources` make `columnLineage`."""
    start, schema = _run_start(step, run), _schema(columns)
    events = _event(step, run, "START", start, schema), _event(step, run, "COMPLETE", start + _TAKES, schema)
    for output in (output for event in events for output in event["outputs"]) if sources else ():
        output["facets"]["columnLineage"] = _column_lineage(step.inputs[0], sources or {})
    return list(events)


sends_schemas = partial(run_events, columns=tuple(_SOURCES))
sends_column_lineage = partial(sends_schemas, sources=_SOURCES)


def parsed_runs(step: Step, runs: int) -> list[Event]:
    """Build the parsed events of so many runs of a job, with column lineage."""
    rules = NamingRules()
    return [parse_event(event, rules, now=None) for run in range(runs) for event in sends_column_lineage(step, run)]


def _event(step: Step, run: int, kind: str, time: datetime, schema: dict[str, Any]) -> dict[str, Any]:
    """Build an event as a producer sends it; statistics come with COMPLETE."""
    done = kind == "COMPLETE"
    return {
        "eventType": kind,
        "eventTime": time.isoformat(),
        "producer": _PRODUCER,
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {
            "runId": _run_id(step, run),
            "facets": {
                "parent": _parent(step, run),
                "nominalTime": _nominal(step, run),
                "processing_engine": facet("ProcessingEngineRun", version="3.5.6", name="spark"),
            },
        },
        "job": {"namespace": NAMESPACE, "name": step.job, "facets": _job_facets(step)},
        "inputs": [_input(name, schema, done=done) for name in step.inputs],
        "outputs": [_output(name, schema, _version(step, run), done=done) for name in step.outputs],
    }


def _job_facets(step: Step) -> dict[str, Any]:
    url = f"https://github.com/carbonlake/pipelines/blob/8f14e45f/{step.job}.py"
    return {
        "jobType": facet("JobTypeJob", processingType="BATCH", integration="SPARK", jobType="SQL_JOB"),
        "sql": facet("SQLJob", query=_QUERY),
        "sourceCodeLocation": facet("SourceCodeLocationJob", type="git", url=url, version="8f14e45f"),
    }


def _input(name: str, schema: dict[str, Any], *, done: bool) -> dict[str, Any]:
    statistics = {"inputStatistics": facet("InputStatisticsInputDataset", rowCount=336_776, size=31_400_000)}
    return {
        "namespace": STORE,
        "name": name,
        "facets": _dataset_facets(name, schema),
        "inputFacets": statistics if done else {},
    }


def _output(name: str, schema: dict[str, Any], version: dict[str, Any], *, done: bool) -> dict[str, Any]:
    statistics = {"outputStatistics": facet("OutputStatisticsOutputDataset", rowCount=327_346, size=30_100_000)}
    return {
        "namespace": STORE,
        "name": name,
        "facets": {**_dataset_facets(name, schema), "version": version},
        "outputFacets": statistics if done else {},
    }


def _schema(columns: Sequence[str]) -> dict[str, Any]:
    return facet("SchemaDataset", fields=[{"name": column, "type": "string"} for column in columns])


def _column_lineage(dataset: str, sources: Sources) -> dict[str, Any]:
    fields = {
        column: {"inputFields": [_input_field(dataset, name, names == (column,)) for name in names]}
        for column, names in sources.items()
    }
    return facet("ColumnLineageDataset", fields=fields)


def _input_field(dataset: str, name: str, is_copy: bool) -> dict[str, Any]:
    subtype = "IDENTITY" if is_copy else "TRANSFORMATION"
    transformation = {"type": "DIRECT", "subtype": subtype, "description": "", "masking": False}
    return {"namespace": STORE, "name": dataset, "field": name, "transformations": [transformation]}


def _dataset_facets(name: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {
        "schema": schema,
        "dataSource": facet("DatasourceDataset", name="s3", uri=f"{STORE}/{name}"),
        "storage": facet("StorageDataset", storageLayer="iceberg", fileFormat="parquet"),
    }


def _version(step: Step, run: int) -> dict[str, Any]:
    snapshot = int(hashlib.sha256(f"{step.job} {run}".encode()).hexdigest()[:15], 16)
    return facet("DatasetVersionDataset", datasetVersion=f"{snapshot:019}")


def _parent(step: Step, run: int) -> dict[str, Any]:
    of = {"run": {"runId": _parent_id(step, run)}, "job": {"namespace": NAMESPACE, "name": step.pipeline}}
    return facet("ParentRun", **of)


def _nominal(step: Step, run: int) -> dict[str, Any]:
    return facet("NominalTimeRun", nominalStartTime=_run_start(step, run).isoformat())


def facet(kind: str, **fields: Any) -> dict[str, Any]:
    """Build a facet with the fields of every facet."""
    return {"_producer": _PRODUCER, "_schemaURL": f"{_SCHEMAS}/{kind}Facet.json", **fields}


def _run_start(step: Step, run: int) -> datetime:
    """Compute the start of a job's run, by its number."""
    return _BEGIN + run * _EACH + timedelta(seconds=50 * step.position)


def _run_id(step: Step, run: int) -> str:
    """Derive the id of a job's run, by its number."""
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{step.job} {run}"))


def _parent_id(step: Step, run: int) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_URL, f"{step.pipeline} {run}"))
