"""Parameters of the routes of records."""

from __future__ import annotations

from datetime import date

from pydantic import ConfigDict, TypeAdapter

from headwater.api.http.parameters import Parameter, checked, checked_segment, number, value
from headwater.api.http.request import HttpRequest
from headwater.api.records import types
from headwater.records import field_types
from headwater_model.errors import Invalid

# Made when they are first used: a cold start pays for what it uses.
_DEFERRED = ConfigDict(defer_build=True)
_ROOT_ID: TypeAdapter[str] = TypeAdapter(field_types.RootId, config=_DEFERRED)
_NODE_ID: TypeAdapter[str] = TypeAdapter(field_types.NodeId, config=_DEFERRED)
_ACTION: TypeAdapter[str] = TypeAdapter(field_types.Action, config=_DEFERRED)
_LOCATION: TypeAdapter[str] = TypeAdapter(field_types.StorageLocation, config=_DEFERRED)

# In the path
ROOT_ID = checked_segment("root_id", types.ROOT_ID, _ROOT_ID)
NODE_ID = checked_segment("node_id", types.NODE_ID, _NODE_ID)

# In the query
ROOT = checked("root", "Records of this root.", types.ROOT_ID, _ROOT_ID)
NODE = checked("node", "Records of this node id, of whatever root.", types.NODE_ID, _NODE_ID)
ACTION = checked("action", "Only the records that this action made.", types.ACTION, _ACTION)
LOCATION = checked("location", "Records whose storage location begins so.", types.LOCATION, _LOCATION)
ROOT_PREFIX = checked("prefix", "Only the roots whose id begins so.", types.ROOT_ID, _ROOT_ID)
NODE_PREFIX = checked("prefix", "Only the records whose node id begins so.", types.NODE_ID, _NODE_ID)
LIMIT = number("limit", "The most records of a page.", least=1, most=1000, default=100)
CURSOR = value("cursor", "As the last response to the same request gave it.")


def _proven(request: HttpRequest) -> str:
    given = NODE.read(request)
    if given is None:
        raise Invalid.because("node", None, "must be given")
    return given


def _day(request: HttpRequest) -> str | None:
    given = request.value("after")
    try:
        return None if given is None else date.fromisoformat(given).isoformat()
    except ValueError as error:
        raise Invalid.because("after", given, "must be a day, as YYYY-MM-DD") from error


PROVEN = Parameter("node", "The record to prove, by its node id.", types.NODE_ID, _proven, required=True)
AFTER_DAY = Parameter(
    "after",
    "The digests after this day: `next` of the last response.",
    {"type": "string", "format": "date", "examples": ["2026-11-20"]},
    _day,
)
