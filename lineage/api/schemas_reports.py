"""What the reports answer, as schemas with examples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from lineage.api import examples_reports as examples
from lineage.api.schemas import Schema, list_of, object_of, ref
from lineage.queries.columns.results import Reason

_TEXT: Schema = {"type": "string"}
_TEXT_OR_NULL: Schema = {"type": ["string", "null"]}
_TIME: Schema = {"type": "string", "format": "date-time"}
_TEXTS: Schema = list_of(_TEXT)
_HOPS: Schema = {"type": "integer", "minimum": 0}
_OPERATIONS: Schema = {**_TEXTS, "description": "What was done, as told: of operations the names, in their order."}
_COLUMN, _ID = ref("ReportedColumn"), ref("Id")
_TRUNCATED: Schema = {"type": "boolean", "description": "There was more than a question may read."}


def _flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


_DIRECT = _flag("On some way, no step was merely a condition (a join, a filter, a sort).")
_MASKED = _flag("On every way, some step masked it.")
_FAILED = _flag("On every way, some step was reported by runs that failed or were aborted, and by no other.")
_CERTAIN = _flag("On some way, every run reported which columns it took and made.")
_HEAD: Mapping[str, Schema] = {"column": _COLUMN, "window": object_of({"start": _TIME, "end": _TIME})}
_RUN = object_of(
    {
        "id": _TEXT,
        "started": _TIME,
        "state": {**_TEXT_OR_NULL, "description": "Null for what a Job- or DatasetEvent declared."},
    }
)
_USE = object_of(
    {
        "kind": {
            "enum": ["CREATE", "READ", "WRITE", "DELETE"],
            "description": "READ: read it, and made `fields` of it. WRITE: wrote it, of `fields`. CREATE: wrote it of "
            "nothing. DELETE: dropped it, or what was made of it.",
        },
        "job": {"anyOf": [_ID, {"type": "null"}]},
        "first": {**_TIME, "description": "When the first of the runs started."},
        "last": {**_TIME, "description": "When the newest started."},
        "count": {"type": "integer", "minimum": 1, "description": "How many runs of the job reported this."},
        "states": {
            "type": "object",
            "additionalProperties": {"type": "integer", "minimum": 1},
            "description": "How many of them are in which state; declared ones have none.",
        },
        "runs": {**list_of(_RUN), "description": "The newest ten, newest first."},
        "fields": {
            **list_of(_COLUMN),
            "description": "Where it is not `known` which it used, those that it may have made of this field.",
        },
        "operations": _OPERATIONS,
        "known": _flag("Whether the run told which fields it used."),
    }
)
_FLOW = object_of(
    {
        "column": _COLUMN,
        "hops": _HOPS,
        "direct": _DIRECT,
        "masked": _MASKED,
        "certain": _CERTAIN,
        "failed": _FAILED,
        "status": {
            "enum": ["alive", "dropped", "unknown"],
            "description": "Whether the column is there now; unknown where its dataset's columns are not known.",
        },
        "jobs": list_of(_ID),
    }
)
_SOURCE = object_of(
    {
        "column": _COLUMN,
        "hops": {**_HOPS, "description": "0 for the column of the report itself."},
        "direct": _DIRECT,
        "masked": _MASKED,
        "reason": {
            "enum": list(get_args(Reason)),
            "description": "raw: no run that started before the end of the time range wrote it. generated: `runs` made "
            "it of nothing. unreported: `runs` wrote it, and did not report of which columns of `reads`. before: its "
            "last writer, in `runs`, started before the time range. elsewhere: it is in a namespace that the caller "
            "may not see, where the deployment is strict about that.",
        },
        "jobs": list_of(_ID),
        "runs": {**_TEXTS, "description": "The newest."},
        "reads": {**list_of(_ID), "description": "The datasets that the runs without a report read."},
    }
)
_STEP = object_of(
    {
        "source": _COLUMN,
        "destination": _COLUMN,
        "transformations": list_of(ref("Transformation")),
        "operations": _OPERATIONS,
        "jobs": list_of(_ID),
        "runs": _TEXTS,
    }
)

SCHEMAS: Mapping[str, Schema] = {
    "ReportedColumn": object_of(
        {
            "dataset": _ID,
            "field": {
                **_TEXT_OR_NULL,
                "description": "A path of names with dots between them; null for columns of the dataset that nobody "
                "reported.",
            },
        },
        examples=[examples.CO2],
    ),
    "UsageReport": object_of(
        {
            **_HEAD,
            "uses": {
                **list_of(_USE),
                "description": "What runs did with the field: runs of one job that reported the same are one use.",
            },
            "flows": {**list_of(_FLOW), "description": "What it went into, and that into others, nearest first."},
            "truncated": _TRUNCATED,
        },
        examples=[examples.USAGE],
    ),
    "ProvenanceReport": object_of(
        {
            **_HEAD,
            "sources": {**list_of(_SOURCE), "description": "Where the ways up end, and why; nearest first."},
            "steps": {**list_of(_STEP), "description": "Every step of the way between them."},
            "truncated": _TRUNCATED,
        },
        examples=[examples.PROVENANCE],
    ),
}
