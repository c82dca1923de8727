"""Parameters of the routes of records."""

from __future__ import annotations

from pydantic import ConfigDict, TypeAdapter

from headwater.api.http.parameters import day, number, parsed, parsed_segment, value
from headwater.api.records import types
from headwater.records import field_types

# Built at the first use: a cold start pays only for its own use.
_DEFERRED = ConfigDict(defer_build=True)
_ROOT_ID: TypeAdapter[str] = TypeAdapter(field_types.RootId, config=_DEFERRED)
_NODE_ID: TypeAdapter[str] = TypeAdapter(field_types.NodeId, config=_DEFERRED)
_ACTION: TypeAdapter[str] = TypeAdapter(field_types.Action, config=_DEFERRED)
_LOCATION: TypeAdapter[str] = TypeAdapter(field_types.StorageLocation, config=_DEFERRED)


def _root_id(given: str) -> str:
    return _ROOT_ID.validate_python(given)


def _node_id(given: str) -> str:
    return _NODE_ID.validate_python(given)


# In the path
ROOT_ID = parsed_segment("root_id", types.ROOT_ID, _root_id)
NODE_ID = parsed_segment("node_id", types.NODE_ID, _node_id)

# In the query
ROOT = parsed("root", "Records of this root.", types.ROOT_ID, _root_id)
NODE = parsed("node", "Records of this node id, of whatever root.", types.NODE_ID, _node_id)
ACTION = parsed(
    "action", "Only the records made by this action.", types.ACTION, lambda given: _ACTION.validate_python(given)
)
LOCATION = parsed(
    "location",
    "Records whose storage location begins so.",
    types.LOCATION,
    lambda given: _LOCATION.validate_python(given),
)
ROOT_PREFIX = parsed("prefix", "Only the roots whose id begins so.", types.ROOT_ID, _root_id)
NODE_PREFIX = parsed("prefix", "Only the records whose node id begins so.", types.NODE_ID, _node_id)
PROVEN = parsed("node", "The record to prove, by its node id.", types.NODE_ID, _node_id).required()
AFTER_DAY = day("after", "The digests after this day: `next` of the last response.", "2026-11-20")
LIMIT = number("limit", "The most records of a page.", least=1, most=1000).default(100)
CURSOR = value("cursor", "As the last response to the same request gave it.")
