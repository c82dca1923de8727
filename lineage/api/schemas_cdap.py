"""What CDAP's routes answer, as schemas with examples: the designs' fields, and ours where the description says so."""

from __future__ import annotations

from collections.abc import Mapping

from lineage.api import examples_cdap as examples
from lineage.api.schemas import Schema, list_of, object_of, ref

_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_TEXTS: Schema = list_of(_TEXT)
_SECONDS: Schema = {"type": "integer", "description": "Whole seconds since 1970 UTC."}
_END_POINT, _NODE, _CONNECTION = (ref(name) for name in ("EndPoint", "FieldNode", "FieldConnection"))
_FIELD: Schema = {"type": "string", "description": "A path of names with slashes between them."}
_RUNS: Schema = {
    **_TEXTS,
    "description": "Those that took this way, newest first; of a run with parents the root's.",
}

_OPERATION = object_of(
    {
        "inputs": {**_TEXTS, "description": 'Fields; of a read the word "source".'},
        "outputs": _TEXTS,
        "name": _TEXT,
        "description": _TEXT_OR_NULL,
        "source": {**_END_POINT, "description": "Ours: what a read read."},
    },
    optional=("source",),
)
_EDGE = object_of(
    {
        "from": _FIELD,
        "to": _FIELD,
        "operations": {**_TEXTS, "description": "Between the two, in their order."},
        "source": {**_END_POINT, "description": "Whose field `from` is."},
    }
)
_DESTINATION: Schema = {**_END_POINT, "description": "Ours: the field's endpoint, where a run described it."}


def _path(ways: Mapping[str, Schema]) -> Schema:
    return object_of({**ways, "destination": _DESTINATION, "runs": _RUNS}, optional=("destination",))


SCHEMAS: Mapping[str, Schema] = {
    "EndPoint": object_of(
        {
            "namespace": _TEXT,
            "name": _TEXT,
            "description": {**_TEXT, "description": "Where the newest run that took the way gave one."},
        },
        optional=("description",),
        examples=[examples.CHECKED, examples.READ_FROM],
    ),
    "FieldMapping": object_of(
        {
            "source": _END_POINT,
            "destination": {**_END_POINT, "description": "Ours: the same, as one would spell it."},
            "Destination": _END_POINT,
            "fieldmap": {
                **list_of(object_of({"from": _FIELD, "to": _FIELD})),
                "description": "Empty where no run told which fields went into which.",
            },
        },
        examples=[examples.MAPPING],
    ),
    "FieldMappings": {**list_of(ref("FieldMapping")), "examples": [[examples.MAPPING]]},
    "FieldNode": object_of(
        {
            "id": {**_TEXT, "description": "`<operation>.<field>`; the operation made it."},
            "label": _FIELD,
            "sourceEndPoint": {**_END_POINT, "description": "What it was read from."},
            "destinationEndPoint": {**_END_POINT, "description": "What it was written to."},
        },
        optional=("sourceEndPoint", "destinationEndPoint"),
        examples=examples.DETAIL["nodes"],
    ),
    "FieldConnection": object_of(
        {"from": _TEXT, "to": _TEXT, "operation": _TEXT},
        description="That an operation made one node of another.",
        examples=examples.DETAIL["connections"],
    ),
    "FieldDetail": object_of(
        {
            "nodes": list_of(_NODE),
            "operations": list_of(object_of({"name": _TEXT, "description": _TEXT_OR_NULL})),
            "connections": list_of(_CONNECTION),
        },
        examples=[examples.DETAIL],
    ),
    "FieldPaths": object_of(
        {
            "fieldName": _FIELD,
            "startTimeInSeconds": _SECONDS,
            "endTimeInSeconds": _SECONDS,
            "paths": list_of(
                {
                    "anyOf": [
                        _path({"operations": list_of(_OPERATION)}),
                        _path({"edges": list_of(_EDGE)}),
                        _path({"nodes": list_of(_NODE), "edges": list_of(_CONNECTION)}),
                    ]
                }
            ),
        },
        description="Each path as its operations in their order; with `view=simple` as edges from source fields; with "
        "`view=detailed` as nodes and edges, every field on the way.",
        examples=[examples.PATHS, examples.SIMPLE, examples.DETAILED],
    ),
}
