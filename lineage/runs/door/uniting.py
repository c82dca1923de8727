"""Two mentions of one dataset in an event, as one: sent twice, or partitions of it by name."""

from __future__ import annotations

from typing import Any

from lineage.runs.door.canonical import canonical
from lineage.runs.door.column_forms import is_deleted
from lineage.runs.event import DatasetUse, Facets

# These tell of columns, of which each mention may tell its own.
_TELLING = frozenset({"columnLineage", "lineage"})


def unite_uses(one: DatasetUse, other: DatasetUse) -> DatasetUse:
    """Both mentions of a dataset: what facets tell of columns together, and of others the greater canonical JSON."""
    return DatasetUse(
        one.dataset,
        _united_facets(one.facets, other.facets),
        _united_facets(one.use_facets, other.use_facets),
        one.temporary or other.temporary,
    )


def _united_facets(one: Facets, other: Facets) -> Facets:
    merged = dict(one)
    for name, facet in other.items():
        known = merged.get(name, facet)
        merged[name] = _told(known, facet) if name in _TELLING else max(known, facet, key=canonical)
    return merged


def _told(one: Any, other: Any) -> Any:
    """Both, unless one says that the facet is no more."""
    if is_deleted(one) != is_deleted(other):
        return other if is_deleted(one) else one
    return _together(one, other)


def _together(one: Any, other: Any) -> Any:
    """Objects field by field, lists as the set of what is in them; of anything else the greater."""
    if one is None or other is None:
        return other if one is None else one
    if isinstance(one, dict) and isinstance(other, dict):
        return {**one, **{name: _together(one.get(name), value) for name, value in other.items()}}
    if isinstance(one, list) and isinstance(other, list):
        each = {canonical(entry): entry for entry in (*one, *other)}
        return [each[text] for text in sorted(each)]
    return max(one, other, key=canonical)
