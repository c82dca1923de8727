"""What the routes of columns answer, as schemas with examples: Marquez's fields, and ours where it is said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from lineage.api import examples_columns as examples
from lineage.api.schemas import OUTLINE, Schema, list_of, object_of, ref
from lineage.graph.entities import State

_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_TIME_OR_NULL: Schema = {"type": ["string", "null"], "format": "date-time"}
_FLAG: Schema = {"type": "boolean"}
_ID = ref("Id")
_TRUNCATED: Schema = {
    "type": "boolean",
    "description": "Ours: whether there was more than an answer or question holds.",
}
_FIELD: Schema = {"type": "string", "description": "A path of names with dots between them."}
_PATH: Schema = {"type": ["string", "null"], "description": "A path of this API."}
_DEPRECATED: Mapping[str, Schema] = {
    "transformationDescription": {**_TEXT_OR_NULL, "deprecated": True},
    "transformationType": {
        **_TEXT_OR_NULL,
        "deprecated": True,
        "description": "IDENTITY, MASKED, or a producer's own word; null where `transformations` say more than that.",
    },
}
_DATASET: Mapping[str, Schema] = {
    "namespace": _TEXT,
    "name": {"type": "string", "description": "The dataset, as the proposal of this endpoint calls it."},
    "dataset": {"type": "string", "description": "The same, as Marquez calls it."},
}
_LINKS: Mapping[str, Schema] = {"version": _PATH, "run": _PATH}


def _or_null(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


_TELLER = object_of(
    {
        "run": _TEXT,
        "job": _or_null(_ID),
        "version": _TEXT_OR_NULL,
        "declared": {
            **_FLAG,
            "description": "By a Job- or DatasetEvent: `run` is an id derived from it, no run has it.",
        },
        "links": object_of(_LINKS),
    }
)
_DATA = object_of(
    {
        **_DATASET,
        "datasetVersion": {
            **_TEXT_OR_NULL,
            "description": "Of a graph of versions, else that which the one run made that tells of the column.",
        },
        "field": _FIELD,
        "fieldType": {"type": "string", "description": "`unknown` where nothing tells it."},
        "type": {"type": "string", "description": "The same, as the proposal calls it."},
        **_DEPRECATED,
        "inputFields": list_of(ref("SourceField")),
        "datasetDependencies": {
            **list_of(ref("SourceField")),
            "description": "Ours: datasets that this column comes from, of which no column was reported: `field` is "
            "null. What the dataset as a whole depends on stands once, in `datasets` beside `graph`.",
        },
        "schemaKnown": {**_FLAG, "description": "Ours: a schema tells the dataset's columns."},
        "stale": {**_FLAG, "description": "Ours: no job writes the dataset any more."},
        "lastWrittenBy": {
            **_or_null(object_of({"job": _ID, "runId": _TEXT, "endedAt": {"type": "string", "format": "date-time"}})),
            "description": "Ours: the run that last wrote the dataset, where it is stale.",
        },
        "tellers": {**list_of(_TELLER), "description": "Ours: who told of the column."},
        "links": {
            **object_of({"dataset": _PATH, **_LINKS, "origins": _PATH}),
            "description": "Ours: where to go on; a run where one alone tells of the column.",
        },
    }
)
_NODE = object_of(
    {
        "id": _TEXT,
        "type": {"const": "DATASET_FIELD"},
        "data": {**_or_null(_DATA), "description": OUTLINE},
        "inEdges": {**list_of(ref("Edge")), "description": "From this node to what it is made of."},
        "outEdges": {**list_of(ref("Edge")), "description": "To what is made of it; with `withDownstream`."},
    }
)
_DEPENDENT = object_of(
    {
        "id": _TEXT,
        "namespace": _TEXT,
        "name": _TEXT,
        "datasetVersion": _TEXT_OR_NULL,
        "datasetDependencies": {
            **list_of(ref("SourceField")),
            "description": "What all of its columns depend on (joins, filters); `field` is null where no column was "
            "reported.",
        },
    },
    examples=[examples.DATASET_DEPENDENCIES],
)
_ORIGIN = object_of(
    {
        "version": _TEXT,
        "run": _or_null(
            object_of(
                {
                    "id": _TEXT,
                    "job": _ID,
                    "state": {"enum": list(get_args(State))},
                    "startedAt": _TIME_OR_NULL,
                    "endedAt": _TIME_OR_NULL,
                }
            )
        ),
        "links": object_of(_LINKS),
        "roots": list_of(object_of({"rootId": _TEXT, "href": _PATH})),
        "rootsReportedBy": _TEXT_OR_NULL,
    }
)

SCHEMAS: Mapping[str, Schema] = {
    "Transformation": object_of(
        {
            "type": _TEXT,
            "subtype": _TEXT_OR_NULL,
            "description": _TEXT_OR_NULL,
            "masking": {"type": ["boolean", "null"]},
        },
        description="How a column comes from another, in OpenLineage's words.",
        examples=[{"type": "DIRECT", "subtype": "IDENTITY", "description": None, "masking": False}],
    ),
    "SourceField": object_of(
        {
            **_DATASET,
            "datasetVersion": {
                **_TEXT_OR_NULL,
                "description": "Of a graph of versions, else that which the runs read that reported this source; null "
                "if they read several.",
            },
            "field": {**_FIELD, "type": ["string", "null"]},
            **_DEPRECATED,
            "transformations": {
                **list_of(ref("Transformation")),
                "description": "Ours: as OpenLineage has them.",
            },
        },
        examples=[examples.SOURCE],
    ),
    "ColumnLineage": object_of(
        {"name": _FIELD, "inputFields": list_of(ref("SourceField")), **_DEPRECATED}, examples=[examples.COLUMN_LINEAGE]
    ),
    "ColumnGraph": object_of(
        {
            "graph": list_of(_NODE),
            "datasets": {
                **list_of(_DEPENDENT),
                "description": "Ours: the datasets of these nodes that depend on something as a whole.",
            },
            "truncated": _TRUNCATED,
        },
        description="Nodes by id; each tells its inputs and edges in full. Edges begin at the node that tells them.",
        examples=[examples.GRAPH],
    ),
    "Origins": object_of(
        {
            "field": object_of({"id": _TEXT, **_DATASET, "field": _FIELD}),
            "versions": list_of(_ORIGIN),
            "truncated": _TRUNCATED,
        },
        description="`roots` are the record roots that the run reported or, where it reported none, the run that "
        "started it (a captured write's application); `rootsReportedBy` is the run that they are of.",
        examples=[examples.ORIGINS],
    ),
}
