"""OpenLineage events for the bodies of Marquez's deprecated routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from headwater_model.ids import DatasetId, JobId

Json: TypeAlias = Mapping[str, Any]

ARGS_FACET = "marquez_args"
PRODUCER = "urn:headwater:marquez-api"
_TYPES = {"BATCH": "BATCH", "STREAM": "STREAMING", "SERVICE": "SERVICE"}


def dataset_event(dataset: DatasetId, body: Json, time: str) -> dict[str, Any]:
    """Build the DatasetEvent that describes a dataset by a body."""
    return {"eventTime": time, "producer": PRODUCER, "dataset": describe_dataset(dataset, body)}


def describe_dataset(dataset: DatasetId, body: Json) -> dict[str, Any]:
    """Build a dataset of an event, with the facets of a body."""
    fields = body.get("fields") or []
    tags = [_tag(name) for name in body.get("tags") or ()]
    tags += [{**_tag(name), "field": field.get("name")} for field in fields for name in field.get("tags") or ()]
    shown = ("name", "type", "description")
    schema = [{name: field[name] for name in shown if field.get(name) is not None} for field in fields]
    facets = {
        "schema": {"fields": schema} if schema else None,
        "dataSource": {"name": body["sourceName"]} if body.get("sourceName") is not None else None,
        "documentation": _documentation(body),
        "datasetType": {"datasetType": "STREAM"} if body.get("type") == "STREAM" else None,
        "tags": {"tags": tags} if tags else None,
    }
    return {"namespace": dataset.namespace, "name": dataset.name, "facets": _drop_missing(facets)}


def job_event(job: JobId, body: Json, time: str) -> dict[str, Any]:
    """Build the JobEvent that declares a job by a body, or the event of the run in the body."""
    facets = {
        "jobType": {"processingType": _TYPES[body.get("type", "BATCH")], "integration": "MARQUEZ"},
        "sourceCodeLocation": {"url": body["location"]} if body.get("location") is not None else None,
        "documentation": _documentation(body),
        "tags": {"tags": list(map(_tag, body["tags"]))} if body.get("tags") else None,
    }
    return {
        "eventTime": time,
        "producer": PRODUCER,
        **({"run": {"runId": body["runId"]}} if body.get("runId") is not None else {}),
        "job": {"namespace": job.namespace, "name": job.name, "facets": _drop_missing(facets)},
        "inputs": body.get("inputs") or [],
        "outputs": body.get("outputs") or [],
    }


def run_event(job: JobId, run: str, time: str, kind: str | None = None, **more: Any) -> dict[str, Any]:
    """Build an event of a run; an event without a type leaves the run's state as it is."""
    return {
        **({"eventType": kind} if kind else {}),
        "eventTime": time,
        "producer": PRODUCER,
        "run": {"runId": run, "facets": more.pop("run_facets", {})},
        "job": {"namespace": job.namespace, "name": job.name},
        **more,
    }


def run_facets(body: Json) -> dict[str, Any]:
    """Build the facets of a run in a body: its nominal times and its arguments."""
    times = _drop_missing({name: body.get(name) for name in ("nominalStartTime", "nominalEndTime")})
    args = {"args": body["args"]} if body.get("args") is not None else None
    return _drop_missing({"nominalTime": times or None, ARGS_FACET: args})


def _documentation(body: Json) -> dict[str, Any] | None:
    return {"description": body["description"]} if body.get("description") is not None else None


def _tag(name: str) -> dict[str, Any]:
    return {"key": name, "value": "true", "source": "MARQUEZ"}


def _drop_missing(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}
