"""OpenLineage events made of another catalog's lineage."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any, TypeAlias

from headwater_model.ids import DatasetId, JobId

Json: TypeAlias = dict[str, Any]
# The source columns of an output's column.
Columns: TypeAlias = Mapping[str, Iterable[tuple[DatasetId, str]]]

PRODUCER = "urn:headwater:import"
_CORE = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs"
_FACETS = "https://openlineage.io/spec/facets"
# The time of a thing without a time: before all times.
NO_TIME_MS = 0


def make_job_event(
    job: JobId, inputs: Sequence[DatasetId], outputs: Sequence[DatasetId], columns: Mapping[DatasetId, Columns], ms: int
) -> Json:
    """Make the JobEvent of a job, whose outputs have these columns; `ms` are milliseconds since 1970."""
    return {
        **_head("JobEvent", ms),
        "job": {"namespace": job.namespace, "name": job.name, "facets": {}},
        "inputs": [_form(dataset) for dataset in inputs],
        "outputs": [{**_form(dataset), "facets": _column_facet(columns.get(dataset, {}))} for dataset in outputs],
    }


def make_run_event(job_event: Json, seed: str, ms: int) -> Json:
    """Make the COMPLETE event of a run of the job; equal seeds make equal run ids."""
    run_id = str(uuid.uuid5(uuid.NAMESPACE_URL, seed))
    return {**job_event, **_head("RunEvent", ms), "eventType": "COMPLETE", "run": {"runId": run_id, "facets": {}}}


def make_dataset_event(dataset: DatasetId, inputs: Sequence[DatasetId], columns: Columns, ms: int) -> Json:
    """Make the DatasetEvent of a dataset with sources but without a known job."""
    entry = {"inputs": [{**_form(each), "type": "DATASET"} for each in inputs]}
    fields = {
        name: {"inputs": [{**_form(each), "type": "DATASET", "field": field} for each, field in sources]}
        for name, sources in columns.items()
    }
    facet = {"_producer": PRODUCER, "_schemaURL": f"{_FACETS}/1-0-0/LineageFacet.json#/$defs/LineageDatasetFacet"}
    lineage = {**facet, **entry, **({"fields": fields} if fields else {})}
    return {**_head("DatasetEvent", ms), "dataset": {**_form(dataset), "facets": {"lineage": lineage}}}


def _head(kind: str, ms: int) -> Json:
    time = datetime.fromtimestamp(ms / 1000, timezone.utc).isoformat(timespec="milliseconds")
    return {"eventTime": time.replace("+00:00", "Z"), "producer": PRODUCER, "schemaURL": f"{_CORE}/{kind}"}


def _form(dataset: DatasetId) -> Json:
    return {"namespace": dataset.namespace, "name": dataset.name}


def _column_facet(columns: Columns) -> Json:
    fields = {
        name: {"inputFields": [{**_form(each), "field": field} for each, field in sources]}
        for name, sources in columns.items()
    }
    if not fields:
        return {}
    url = f"{_FACETS}/1-2-0/ColumnLineageDatasetFacet.json#/$defs/ColumnLineageDatasetFacet"
    return {"columnLineage": {"_producer": PRODUCER, "_schemaURL": url, "fields": fields}}
