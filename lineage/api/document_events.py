"""The part of the OpenAPI document that tells of events coming in."""

from __future__ import annotations

from collections.abc import Mapping

from lineage.api.document_parts import JSON_TYPE, Json, answer_of, operation
from lineage.api.schemas import Schema, list_of, object_of, ref
from lineage.openlineage.facet_models import NAME_BYTES_MAX, NAMESPACE_CHARS_MAX
from lineage.openlineage.ingest import EVENTS_MAX

_PRODUCER = "https://github.com/OpenLineage/OpenLineage/tree/1.52.0/integration/spark"
_NAME: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": NAME_BYTES_MAX,
    "description": f"Not blank, at most {NAME_BYTES_MAX} bytes of UTF-8.",
}
_NAMESPACE: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": NAMESPACE_CHARS_MAX,
    "description": "Not blank, without control characters.",
}
_FACETS: Schema = {"type": "object", "additionalProperties": {"type": "object"}}
_NAMED: Mapping[str, Schema] = {"namespace": _NAMESPACE, "name": _NAME, "facets": _FACETS}
_DATASET = object_of(
    {**_NAMED, "inputFacets": _FACETS, "outputFacets": _FACETS}, optional=("facets", "inputFacets", "outputFacets")
)
_RUN: Schema = object_of({"runId": _NAME, "facets": _FACETS}, optional=("facets",), description="`runId`: any text.")

# The flights of a day are read: the event that the whole document tells of.
EXAMPLE: Schema = {
    "eventType": "COMPLETE",
    "eventTime": "2025-11-20T12:00:00Z",
    "producer": _PRODUCER,
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
    "run": {"runId": "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"},
    "job": {"namespace": "emissions", "name": "emissions.read_flights"},
    "inputs": [{"namespace": "s3://flights", "name": "landing/2013-01-01"}],
    "outputs": [{"namespace": "s3://flights", "name": "raw"}],
}

SCHEMAS: Mapping[str, Schema] = {
    "LineageEvent": object_of(
        {
            "eventType": {"type": "string", "examples": ["START", "RUNNING", "COMPLETE", "FAIL", "ABORT", "OTHER"]},
            "eventTime": {"type": "string", "format": "date-time", "description": "At most 24 hours ahead."},
            "producer": _NAME,
            "schemaURL": {"description": "Not asked for, and not trusted."},
            "run": _RUN,
            "job": object_of(_NAMED, optional=("facets",)),
            "dataset": _DATASET,
            "inputs": list_of(_DATASET),
            "outputs": list_of(_DATASET),
        },
        optional=("eventType", "schemaURL", "run", "job", "dataset", "inputs", "outputs"),
        description="An OpenLineage event of any version: of a run if it has `run` and `job`, of a job if it has only "
        "`job`, of a dataset if it has only `dataset`. Unknown fields and facets are kept.",
        anyOf=[{"required": ["run", "job"]}, {"required": ["job"]}, {"required": ["dataset"]}],
        examples=[EXAMPLE],
    ),
    "BatchResult": object_of(
        {
            "status": {"enum": ["success", "partial_success"]},
            "summary": object_of(
                {
                    name: {"type": "integer", "minimum": 0}
                    for name in ("received", "successful", "failed", "retriable", "non_retriable")
                }
            ),
            "failed_events": list_of(
                object_of(
                    {
                        "index": {"type": "integer", "minimum": 0, "description": "Its place in the batch."},
                        "reason": {"type": "string"},
                        "retriable": {"type": "boolean", "description": "AWS refused for now; send it again."},
                    }
                )
            ),
        },
        examples=[
            {
                "status": "partial_success",
                "summary": {"received": 2, "successful": 1, "failed": 1, "retriable": 0, "non_retriable": 1},
                "failed_events": [{"index": 1, "reason": "job.name: is required", "retriable": False}],
            }
        ],
    ),
}


def paths() -> Mapping[str, Mapping[str, Json]]:
    """Path -> its operations."""
    return {"/api/v1/lineage": {"post": _post_event()}, "/api/v1/lineage/batch": {"post": _post_events()}}


def _post_event() -> Json:
    return operation(
        "postEvent",
        "Take an OpenLineage event",
        {"201": {"description": "Durable in a queue; what it says can be asked for within seconds."}},
        errors=("400", "413", "422", "503"),
        description="It may come gzipped (`Content-Encoding: gzip`), 4 MB as sent. The same event twice is one.",
        requestBody=_body(ref("LineageEvent")),
    )


def _post_events() -> Json:
    return operation(
        "postEvents",
        "Take a batch of OpenLineage events",
        {
            "204": {"description": "All are durable."},
            "200": answer_of("Some are durable; which are not, and why.", "BatchResult"),
        },
        errors=("400", "413", "422"),
        description=f"Each is taken or refused by itself; at most {EVENTS_MAX}, 4 MB as sent, gzipped or not.",
        requestBody=_body({**list_of(ref("LineageEvent")), "maxItems": EVENTS_MAX}),
    )


def _body(schema: Schema) -> Json:
    return {"required": True, "content": {JSON_TYPE: {"schema": schema}}}
