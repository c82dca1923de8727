"""The fields that a schema facet tells, nested ones by their path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from lineage.fields.paths import parse_dotted
from lineage.names import FieldPath
from lineage.runs.answers.described import fields_of
from lineage.runs.event import Facets

# Fields within fields that are looked at: a struct may hold itself, and a schema is what its producer sent.
_DEPTH_MAX = 50
# A path, and the fields that lie in it.
_Level: TypeAlias = tuple[FieldPath, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a dataset, and the type of every field in them; not `known` if no facet tells any."""

    columns: tuple[FieldPath, ...]
    types: Mapping[FieldPath, str | None]

    @property
    def known(self) -> bool:
        """Whether a facet tells the columns."""
        return bool(self.columns)


NO_SCHEMA = Schema((), {})


def schema_of(facets: Facets) -> Schema:
    """The schema that a dataset's facets tell.

    >>> schema_of({"schema": {"fields": [{"name": "plane", "type": "struct", "fields": [{"name": "seats"}]}]}}).types
    {('plane',): 'struct', ('plane', 'seats'): None}
    """
    types: dict[FieldPath, str | None] = {}
    fields = fields_of(facets)
    columns = tuple(parse_dotted(str(one.get("name"))) for one in fields)
    level: list[_Level] = [((), fields)]
    for _ in range(_DEPTH_MAX):
        level = [inner for outer, fields in level for inner in _described(outer, fields, types)]
    return Schema(tuple(dict.fromkeys(columns)), types)


def _described(
    outer: FieldPath, fields: Sequence[Mapping[str, Any]], types: dict[FieldPath, str | None]
) -> list[_Level]:
    inner: list[_Level] = []
    for one in fields:
        # OpenLineage has no other form for a nested field's name than a path.
        path = (*outer, *parse_dotted(str(one.get("name"))))
        kind = one.get("type")
        types.setdefault(path, kind if isinstance(kind, str) else None)
        nested = one.get("fields")
        if isinstance(nested, list) and nested:
            inner.append((path, [field for field in nested if isinstance(field, dict)]))
    return inner
