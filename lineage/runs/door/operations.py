"""The run facet of ours that holds operations (docs/facets/headwater_operations.json), checked at the door.

A set is taken whole or refused whole, with its event, so that every set in the store makes sense.
"""

from __future__ import annotations

from lineage.errors import Fault, Invalid
from lineage.fields.checks import check_operations
from lineage.fields.operation_forms import parse_operations
from lineage.runs.door.column_forms import is_deleted

_FACET = "headwater_operations"
_WHERE = f"run.facets.{_FACET}.operations"


def operation_faults(body: object) -> tuple[Fault, ...]:
    """What is wrong with the operations of a run event as it was sent; nothing if it has none."""
    facet = body
    for name in ("run", "facets", _FACET):
        facet = facet.get(name) if isinstance(facet, dict) else None
    if not isinstance(facet, dict) or is_deleted(facet):
        return ()
    try:
        check_operations(parse_operations(facet.get("operations"), _WHERE), _WHERE)
    except Invalid as error:
        return error.faults
    return ()
