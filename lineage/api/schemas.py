"""The JSON of the HTTP API as schemas (JSON Schema 2020-12, as OpenAPI 3.1 has it), each with an example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from lineage.records.request import RECORDS_MAX

Schema: TypeAlias = Mapping[str, object]

_ROOT = "flights/2013-01-01.csv"
_READ = "8f14e45f-ceea-467f-a8b1-3a2d5f1c7e10"
_CHECK = "c9f0f895-fb98-4b91-9f41-1f0e3c9d2b55"


# Of a node's `data`.
OUTLINE = (
    "Ours: null for a neighbour in a namespace that the caller may not see, where the deployment is strict about that."
)


def _text(most: int, description: str) -> Schema:
    """A string bounded in bytes: `maxLength` counts characters, so it says only what is surely too long."""
    rule = f"{description} 1 to {most} bytes of UTF-8."
    return {"type": "string", "minLength": 1, "maxLength": most, "description": rule}


def _seconds(description: str) -> Schema:
    return {"type": "integer", "minimum": 0, "description": f"{description} Whole seconds since 1970 UTC."}


def list_of(items: Schema) -> Schema:
    """An array."""
    return {"type": "array", "items": items}


def object_of(properties: Mapping[str, Schema], *, optional: Sequence[str] = (), **more: object) -> Schema:
    """An object, whose properties are all required but the optional ones."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, **more}


def ref(name: str) -> Schema:
    """A reference to one of `SCHEMAS`."""
    return {"$ref": f"#/components/schemas/{name}"}


ROOT_ID = _text(2048, "What the records come from; it need not be a record itself.")
NODE_ID = _text(1024, "Names a record within its root.")
ACTION = _text(1024, "What was done to the parent to make this node.")
_PARENT_ID = _text(2048, "The node that the action was taken on; for the first step the root id.")
LOCATION = _text(2048, "Where the outcome of the action lies.")
_RUN_ID = _text(256, "The run that did it, by OpenLineage's run id.")
_RECORDED_AT = _seconds("When the action was taken.")

_OWN = {"root_id": ROOT_ID, "parent_id": _PARENT_ID, "action_taken": ACTION}
_RECORD_FORM = object_of(
    {**_OWN, "node_id": NODE_ID, "storage_location": LOCATION}, optional=(*_OWN, "node_id", "storage_location")
)
_NODE = object_of({"node_id": NODE_ID, "storage_location": LOCATION})
_STEP = {
    "node_id": NODE_ID,
    "parent_id": _PARENT_ID,
    "action_taken": ACTION,
    "recordedAt": _RECORDED_AT,
    "storage_location": LOCATION,
    "run_id": _RUN_ID,
    "metadata": {
        "type": "object",
        "additionalProperties": {"type": "string"},
        "description": "What the load function's enrichers added.",
    },
}
RECORD_FIELDS = {"root_id": ROOT_ID, **_STEP}
RECORD_OPTIONAL = ("run_id", "metadata")
_UNSURE = {
    "complete": {
        "const": False,
        "description": "There when the path does not lead to the root; why is said beside it.",
    },
    "missing": {**list_of({"type": "string"}), "description": "Parents that are not known."},
    "cycle": {**list_of({"type": "string"}), "description": "Nodes that lead into each other."},
}

READ_RECORD = {
    "root_id": _ROOT,
    "parent_id": _ROOT,
    "action_taken": "READ",
    "recordedAt": 1763640000,
    "storage_location": "s3://lake/raw/2013-01-01.parquet",
    "node_id": _READ,
    "ttl_expiry": 1763726400,
}
_CHECK_RECORD = {
    **READ_RECORD,
    "parent_id": _READ,
    "action_taken": "CHECK",
    "storage_location": "s3://lake/checked/2013-01-01.parquet",
    "node_id": _CHECK,
}
_PLACE_EXAMPLE = {
    "record": _CHECK_RECORD,
    "path": [READ_RECORD, _CHECK_RECORD],
    "descendants": [],
    "truncated": False,
}


def _steps_of(*records: Mapping[str, object]) -> list[Mapping[str, object]]:
    return [{name: record[name] for name in _STEP if name in record} for record in records]


REQUESTS: list[Schema] = [
    {
        "root_id": _ROOT,
        "parent_id": _ROOT,
        "action_taken": "READ",
        "storage_location": "s3://lake/raw/2013-01-01.parquet",
        "request_id": "flights-2013-01-01-read",
        "requested_at": 1763640000,
    },
    {
        "root_id": _ROOT,
        "parent_id": _READ,
        "action_taken": "SPLIT",
        "records": [
            {"node_id": "UA", "storage_location": "s3://lake/split/UA.parquet"},
            {"storage_location": "s3://lake/split/B6.parquet"},
        ],
    },
    {
        "requested_at": 1763640000,
        "records": [
            {
                "root_id": _ROOT,
                "parent_id": "UA",
                "action_taken": "CHECKED",
                "node_id": "UA1545",
                "storage_location": "s3://lake/checked/UA.parquet",
            },
        ],
    },
]


def _of_all(field: Schema) -> Schema:
    return {**field, "description": f"{field['description']} Beside `record` or `records` it overrides each one's own."}


_LINEAGE_REQUEST: Schema = object_of(
    {
        "root_id": _of_all(ROOT_ID),
        "parent_id": _of_all(_PARENT_ID),
        "action_taken": _of_all(ACTION),
        "record": _RECORD_FORM,
        "records": {**list_of(_RECORD_FORM), "minItems": 1, "maxItems": RECORDS_MAX},
        "storage_location": {
            **LOCATION,
            "description": "The single record's; beside `record` or `records` it overrides each one's own.",
        },
        "node_id": {**NODE_ID, "description": "The single record's, where it is given without `record`."},
        "request_id": _text(256, "Names the request, so that a retry makes the same nodes and no others."),
        "requested_at": {
            "description": "When it was first sent, at most 24 hours ahead.",
            "anyOf": [_seconds(""), {"type": "string", "format": "date-time"}],
        },
        "run_id": _RUN_ID,
    },
    optional=(
        *_OWN,
        "record",
        "records",
        "storage_location",
        "node_id",
        "request_id",
        "requested_at",
        "run_id",
    ),
    description="One step of a pipeline: one of `record`, `records`, or `storage_location` alone says what it made.",
    anyOf=[
        {"required": ["record"]},
        {"required": ["records"]},
        {"required": [*_OWN, "storage_location"]},
    ],
    examples=REQUESTS,
)

_ACCEPTED_STEP = {
    "root_id": ROOT_ID,
    "action_taken": ACTION,
    "recordedAt": _RECORDED_AT,
    "ttl_expiry": _seconds("When the record leaves the table; its trace is archived by then."),
}
_PLACE: Schema = object_of(
    {
        "record": ref("Record"),
        "path": {**list_of(ref("Record")), "description": "From the root's first record to this one."},
        "descendants": {**list_of(ref("Record")), "description": "What came of it, nearest first."},
        "truncated": {"type": "boolean", "description": "Whether more was to be read than one question may."},
        **_UNSURE,
    },
    optional=tuple(_UNSURE),
    examples=[_PLACE_EXAMPLE],
)

SCHEMAS: Mapping[str, Schema] = {
    "LineageRequest": _LINEAGE_REQUEST,
    "LineageAnswer": {
        "description": "What the next step needs: its `parent_id` is a `node_id` of this answer.",
        "oneOf": [
            object_of({**_ACCEPTED_STEP, **{name: _STEP[name] for name in ("node_id", "storage_location")}}),
            object_of({**_ACCEPTED_STEP, "records": list_of(_NODE)}),
        ],
        "examples": [
            {
                "root_id": _ROOT,
                "action_taken": "READ",
                "recordedAt": 1763640000,
                "ttl_expiry": 1763726400,
                "node_id": _READ,
                "storage_location": "s3://lake/raw/2013-01-01.parquet",
            }
        ],
    },
    "Record": object_of(
        {**RECORD_FIELDS, "ttl_expiry": _seconds("When it leaves the table.")},
        optional=RECORD_OPTIONAL,
        examples=[READ_RECORD],
    ),
    "RecordPage": object_of(
        {
            "records": list_of(ref("Record")),
            "cursor": {"type": ["string", "null"], "description": "For the next page; null at the end."},
        },
        examples=[{"records": [READ_RECORD], "cursor": None}],
    ),
    "Place": _PLACE,
    "Places": object_of(
        {
            "matches": list_of(ref("Place")),
            "truncated": {"type": "boolean", "description": "Whether more roots have this node id."},
        },
        examples=[{"matches": [_PLACE_EXAMPLE], "truncated": False}],
    ),
    "TraceLine": object_of(
        {
            "record_id": {**NODE_ID, "description": "The leaf that this line leads to."},
            "root_id": ROOT_ID,
            **_UNSURE,
            "lineage": {
                **list_of(object_of(_STEP, optional=("run_id", "metadata"))),
                "description": "From the root's first record to the leaf; an archived line ends with DATA_COMPACTION.",
            },
        },
        optional=tuple(_UNSURE),
        description="One line of a trace.",
        examples=[{"record_id": _CHECK, "root_id": _ROOT, "lineage": _steps_of(READ_RECORD, _CHECK_RECORD)}],
    ),
    "TraceQueued": object_of(
        {"root_id": ROOT_ID, "status": {"const": "queued"}}, examples=[{"root_id": _ROOT, "status": "queued"}]
    ),
    "Elsewhere": object_of(
        {"location": {"type": "string", "format": "uri"}},
        examples=[{"location": "https://archive.s3.amazonaws.com/traces/year=2025/month=11/day=20/0a.1b.jsonl.gz"}],
    ),
    "Start": object_of(
        {"name": {"type": "string"}, "version": {"type": "string"}, "openapi": {"type": "string"}},
        examples=[{"name": "Headwater", "version": "1", "openapi": "openapi.json"}],
    ),
    "Error": object_of(
        {
            "code": {"type": "integer", "description": "The HTTP status."},
            "message": {"type": "string", "description": "The field, the rule, and the value as it was given."},
        },
        examples=[{"code": 404, "message": "root_id: no root 'flights/2013-13-01.csv' is known"}],
    ),
    "TooLarge": object_of(
        {
            "code": {"type": "integer", "description": "The HTTP status; missing where API Gateway itself refused."},
            "message": {"type": "string", "description": "The field, the rule, and the value as it was given."},
        },
        optional=["code"],
        examples=[{"code": 413, "message": "body: must be at most 33554432 bytes once unpacked"}],
    ),
}
