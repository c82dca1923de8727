"""The difference between two schemas of a dataset: which columns came, went, or got another type."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.events.event import Facets
from headwater.queries.descriptions import schema_of
from headwater.queries.results.feed import SchemaChange
from headwater_model.field_paths import print_dotted
from headwater_model.ids import FieldPath


def compare_schemas(before: Facets, after: Facets) -> SchemaChange | None:
    """Return the difference between the `schema` facets of two states; None if their fields and types are equal.

    >>> before, after = ({"schema": {"fields": [{"name": "co2", "type": kind}]}} for kind in ("INT", "double"))
    >>> compare_schemas(before, after).retyped
    [('co2', 'INT', 'double')]
    """
    old, new = schema_of(before).types, schema_of(after).types
    change = SchemaChange(
        added=[(print_dotted(path), new[path]) for path in sorted(new.keys() - old.keys())],
        dropped=[(print_dotted(path), old[path]) for path in sorted(old.keys() - new.keys())],
        retyped=list(_retyped(old, new)),
    )
    return change if change.added or change.dropped or change.retyped else None


def _retyped(old: Mapping[FieldPath, str | None], new: Mapping[FieldPath, str | None]) -> list[tuple[str, str, str]]:
    """Return the fields whose types are both known and differ in more than case."""
    both = ((path, old[path], new[path]) for path in sorted(old.keys() & new.keys()))
    return [
        (print_dotted(path), before, after)
        for path, before, after in both
        if before and after and before.casefold() != after.casefold()
    ]
