"""Descriptions of datasets by their facets, in Marquez's terms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict

from headwater.events.event import Facets
from headwater.facts.annotations import annotations_of
from headwater.facts.assertions import count_assertions
from headwater.facts.facts import NO_PARENT, DatasetFacts, is_dropped
from headwater.facts.run_facts import text_in
from headwater.queries.resolve import ResolvedDataset
from headwater.queries.results.entities import Dataset
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import FieldPath

_STREAMS = frozenset({"TOPIC", "STREAM"})


class Description(TypedDict):
    """The properties that facets give a dataset or a version of it."""

    type: str
    source_name: str
    fields: Sequence[Mapping[str, Any]]
    description: str | None
    lifecycle: str | None


def describe(facets: Facets) -> Description:
    """Return the type, source, fields, description and last lifecycle change that the facets give."""
    return Description(
        type="STREAM" if facets.get("datasetType", {}).get("datasetType") in _STREAMS else "DB_TABLE",
        source_name=text_in(facets.get("dataSource", {}), "name") or "default",
        fields=fields_of(facets),
        description=text_in(facets.get("documentation", {}), "description"),
        lifecycle=text_in(facets.get("lifecycleStateChange", {}), "lifecycleStateChange"),
    )


def fields_of(facets: Facets) -> Sequence[Mapping[str, Any]]:
    """Return the fields of the schema facet, as they were sent."""
    fields = facets.get("schema", {}).get("fields")
    return [field for field in fields if isinstance(field, dict)] if isinstance(fields, list) else []


def is_temporary(facts: DatasetFacts) -> bool:
    """True if the dataset is private storage: by its name, or because its only parent run dropped it at last."""
    if facts.temporary:
        return True
    return is_dropped(facts) and len(facts.parent_runs) == 1 and NO_PARENT not in facts.parent_runs


def dataset_of_group(group: ResolvedDataset, facets: Facets, *, hidden: bool = False, **more: Any) -> Dataset:
    """Return the dataset of a group with its current facets; `more` are fields from its versions."""
    described = describe(facets)
    return Dataset(
        id=group.primary,
        created=group.facts.first or group.facts.named_first or "",
        updated=group.facts.last or max(group.facts.named_at, default=""),
        physical_name=group.primary.name,
        **described,
        facets=facets,
        deleted=hidden or is_dropped(group.facts),
        temporary=is_temporary(group.facts),
        annotations=annotations_of(group.facts),
        assertions=count_assertions(group.facts.assertions),
        **more,
    )


# Levels of nested fields that are read: a producer may send a struct that holds itself.
_DEPTH_MAX = 50
# A path, and the fields that lie in it.
_Level: TypeAlias = tuple[FieldPath, Sequence[Mapping[str, Any]]]


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns of a dataset, and the type of every field in them; not `known` if no facet lists columns."""

    columns: tuple[FieldPath, ...]
    types: Mapping[FieldPath, str | None]

    @property
    def known(self) -> bool:
        """True if a facet lists the columns."""
        return bool(self.columns)


NO_SCHEMA = Schema((), {})


def schema_of(facets: Facets) -> Schema:
    """Return the schema of a dataset's facets.

    >>> schema_of({"schema": {"fields": [{"name": "plane", "type": "struct", "fields": [{"name": "seats"}]}]}}).types
    {('plane',): 'struct', ('plane', 'seats'): None}
    """
    types: dict[FieldPath, str | None] = {}
    fields = fields_of(facets)
    columns = tuple(parse_dotted(str(field.get("name"))) for field in fields)
    level: list[_Level] = [((), fields)]
    for _ in range(_DEPTH_MAX):
        level = [inner for outer, fields in level for inner in _described(outer, fields, types)]
    return Schema(tuple(dict.fromkeys(columns)), types)


def descriptions_in(facets: Facets) -> Mapping[FieldPath, str]:
    """Return the descriptions of fields in the schema facet, of nested ones too."""
    descriptions: dict[FieldPath, str] = {}
    level: list[_Level] = [((), fields_of(facets))]
    for _ in range(_DEPTH_MAX):
        for outer, fields in level:
            for field in fields:
                if text := text_in(field, "description"):
                    descriptions.setdefault((*outer, *parse_dotted(str(field.get("name")))), text)
        level = [inner for outer, fields in level for inner in _described(outer, fields, {})]
    return descriptions


def _described(
    outer: FieldPath, fields: Sequence[Mapping[str, Any]], types: dict[FieldPath, str | None]
) -> list[_Level]:
    inner: list[_Level] = []
    for field in fields:
        # OpenLineage has no other form for a nested field's name than a path.
        path = (*outer, *parse_dotted(str(field.get("name"))))
        kind = field.get("type")
        types.setdefault(path, kind if isinstance(kind, str) else None)
        nested = field.get("fields")
        if isinstance(nested, list) and nested:
            inner.append((path, [child for child in nested if isinstance(child, dict)]))
    return inner
