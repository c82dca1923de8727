"""Parameters of the routes of records."""

from __future__ import annotations

from collections.abc import Callable

from headwater.api.http.parameters import day, number, parsed, parsed_segment, value
from headwater.api.records import types
from headwater_model.json_checks import at_most, not_empty
from headwater_model.record_requests import LIMITS


def _bounded(field: str) -> Callable[[str], str]:
    """Make the parser of a record's field within its bounds."""
    bound = at_most(LIMITS[field])

    def parse(given: str) -> str:
        if broken := not_empty(given) or bound(given):
            raise ValueError(broken)
        return given

    return parse


_root_id, _node_id = _bounded("root_id"), _bounded("node_id")

# In the path
ROOT_ID = parsed_segment("root_id", types.ROOT_ID, _root_id)
NODE_ID = parsed_segment("node_id", types.NODE_ID, _node_id)

# In the query
ROOT = parsed("root", "Records of this root.", types.ROOT_ID, _root_id)
NODE = parsed("node", "Records of this node id, of whatever root.", types.NODE_ID, _node_id)
ACTION = parsed("action", "Only the records made by this action.", types.ACTION, _bounded("action_taken"))
LOCATION = parsed(
    "location",
    "Records whose storage location begins so.",
    types.LOCATION,
    _bounded("storage_location"),
)
ROOT_PREFIX = parsed("prefix", "Only the roots whose id begins so.", types.ROOT_ID, _root_id)
NODE_PREFIX = parsed("prefix", "Only the records whose node id begins so.", types.NODE_ID, _node_id)
PROVEN = parsed("node", "The record to prove, by its node id.", types.NODE_ID, _node_id).required()
AFTER_DAY = day("after", "The digests after this day: `next` of the last response.", "2026-11-20")
LIMIT = number("limit", "The most records of a page.", least=1, most=1000).default(100)
CURSOR = value("cursor", "As the last response to the same request gave it.")
