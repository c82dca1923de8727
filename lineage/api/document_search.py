"""The part of the OpenAPI document that tells of searching records."""

from __future__ import annotations

from collections.abc import Mapping

from lineage.api.document_parts import Json, answer_of, in_query, operation
from lineage.api.schemas import (
    ACTION,
    LOCATION,
    NODE_ID,
    READ_RECORD,
    RECORD_FIELDS,
    RECORD_OPTIONAL,
    ROOT_ID,
    Schema,
    list_of,
    object_of,
    ref,
)
from lineage.api.search import LIMIT_MAX

_TIME: Schema = {"type": "string", "examples": ["1763640000", "now-7d"]}
_FOUND = {
    "ttl_expiry": {
        "type": ["integer", "null"],
        "description": "When it leaves the table, in whole seconds since 1970 UTC; null where the table was not asked.",
    },
    "archivedOn": {
        "type": ["string", "null"],
        "description": "The day under which the archive's tables have it; null if they do not have it yet.",
    },
}
_LIVE = {**READ_RECORD, "archivedOn": None}
_ARCHIVED = {
    **READ_RECORD,
    "recordedAt": 1763553600,
    "storage_location": "s3://lake/raw/2012-12-31.parquet",
    "ttl_expiry": None,
    "archivedOn": "2025-11-19",
}
SCHEMAS: Mapping[str, Schema] = {
    "FoundRecord": object_of(
        {**RECORD_FIELDS, **_FOUND},
        optional=RECORD_OPTIONAL,
        description="A record, and where it was found.",
        examples=[_LIVE, _ARCHIVED],
    ),
    "SearchPage": object_of(
        {
            "records": list_of(ref("FoundRecord")),
            "cursor": {"type": ["string", "null"], "description": "For the next page; null at the end."},
            "truncated": {
                "type": "boolean",
                "description": "On the last page: whether there was more than a search may look at.",
            },
        },
        examples=[{"records": [_LIVE, _ARCHIVED], "cursor": None, "truncated": False}],
    ),
}


def paths() -> Mapping[str, Json]:
    """Path -> its operations."""
    return {"/api/v1/records/search": {"get": _get()}}


def _get() -> Json:
    limit: Schema = {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX, "default": 100}
    return operation(
        "searchRecords",
        "Records in the table and in the archive, by what they are",
        {"200": answer_of("In no order; a page may be short, or empty, and not be the last.", "SearchPage")},
        errors=("400", "503"),
        description="At least one of `root`, `node`, `action`, `location` and `start` is given; all given must hold. "
        "Each record is told once. While the archive is searched, a page comes with `Retry-After`: its cursor goes on "
        "waiting.",
        parameters=[
            in_query("root", ROOT_ID, "Records of this root."),
            in_query("node", NODE_ID, "Records of this node id, of whatever root."),
            in_query("action", ACTION, "Records that this action made."),
            in_query("location", LOCATION, "Records whose storage location begins so."),
            in_query("start", _TIME, "Recorded from then on: whole seconds since 1970, or `now` and steps."),
            in_query("end", _TIME, "Recorded before then, in the same form."),
            in_query("limit", limit, "The most records of a page."),
            in_query("cursor", {"type": "string", "minLength": 1}, "As the last answer to the same question gave it."),
        ],
    )
