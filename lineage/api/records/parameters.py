"""Parameters of the routes of records."""

from __future__ import annotations

from pydantic import ConfigDict, TypeAdapter

from lineage.api.parameters import checked, checked_segment, number, value
from lineage.api.records import types
from lineage.records import field_types

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
LIMIT = number("limit", "The most records of a page.", least=1, most=1000, default=100)
CURSOR = value("cursor", "As the last response to the same request gave it.")
