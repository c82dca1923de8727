"""What is told of a dataset's columns: which columns each is made of, and what the dataset as a whole depends on.

Operations and OpenLineage's facets all come to this; so do several tellings of one run, and several writers.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lineage_model.field_paths import parse_dotted, print_dotted
from lineage_model.ids import DatasetId, FieldPath


@dataclass(frozen=True, slots=True)
class Transformation:
    """How a column comes from another: OpenLineage's words (`DIRECT` or `INDIRECT`, then a free subtype)."""

    type: str
    subtype: str | None = None
    description: str | None = None
    masking: bool | None = None


@dataclass(frozen=True, order=True, slots=True)
class Column:
    """A column of a dataset, under whatever name it was told."""

    dataset: DatasetId
    field: FieldPath


@dataclass(frozen=True, slots=True)
class Source:
    """What a column, or a whole dataset, depends on: a column, or one of a dataset's (None) that nobody told."""

    dataset: DatasetId
    field: FieldPath | None = None

    @property
    def order(self) -> tuple[DatasetId, FieldPath]:
        """Where it stands among others."""
        return self.dataset, self.field or ()

    def __lt__(self, other: Source) -> bool:
        return self.order < other.order


Sources: TypeAlias = Mapping[Source, frozenset[Transformation]]


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of one dataset: `fields` by column its sources (none: it was generated), `whole` of all of it.

    A column that is not in `fields` is one of which nothing was told. `types` are those that operations gave.
    """

    fields: Mapping[FieldPath, Sources] = field(default_factory=dict)
    whole: Sources = field(default_factory=dict)
    types: Mapping[FieldPath, str] = field(default_factory=dict)

    @property
    def datasets(self) -> set[DatasetId]:
        """The datasets that it depends on, as they were told."""
        # Columns that one operation made share their sources.
        every = {id(sources): sources for sources in (self.whole, *self.fields.values())}
        return {source.dataset for sources in every.values() for source in sources}


NO_COLUMNS = Columns()


def unite(every: Iterable[Columns]) -> Columns:
    """All that was told, together; sources that columns share stay shared where nothing is added to them."""
    fields: dict[FieldPath, Sources] = {}
    whole: Sources = {}
    types: dict[FieldPath, str] = {}
    for columns in every:
        for path, sources in columns.fields.items():
            fields[path] = _both(fields[path], sources) if path in fields else sources
        whole = _both(whole, columns.whole)
        types.update((path, max(kind, types.get(path, kind))) for path, kind in columns.types.items())
    return Columns(fields, whole, types)


def over(upper: Columns, lower: Columns) -> Columns:
    """What `upper` tells, and what `lower` tells of other columns."""
    whole = _both(upper.whole, lower.whole)
    return Columns({**lower.fields, **upper.fields}, whole, {**lower.types, **upper.types})


def sources_at(fields: Mapping[FieldPath, Sources], paths: Iterable[FieldPath]) -> Sources:
    """Return the sources of some of the fields, together."""
    return unite_sources(fields[path] for path in paths)


def unite_sources(every: Iterable[Sources]) -> Sources:
    """Return all the sources together."""
    united: Sources = {}
    for sources in every:
        united = _both(sources, united)
    return united


def _both(one: Sources, other: Sources) -> Sources:
    if one is other or not other:
        return one
    added = {source: told | one.get(source, frozenset()) for source, told in other.items()}
    return {**one, **added} if one else other


def columns_to_json(columns: Columns) -> dict[str, Any]:
    """As a row holds it, the same for equal columns: `fields` tells by column the place of its sources in `sources`.

    Columns that one operation made share them, so 1,500 columns of 1,500 others are 3,000 entries.
    """
    shared = _Shared()
    fields = {print_dotted(path): sources for path, sources in columns.fields.items()}
    types = {print_dotted(path): kind for path, kind in columns.types.items()}
    return {
        "fields": {name: shared.place(fields[name]) for name in sorted(fields)},
        "sources": shared.forms,
        "whole": _sources_to_json(columns.whole),
        "types": _sorted(types),
    }


class _Shared:
    """Sources as JSON, each once. The same mapping is looked at once, so it must outlive this."""

    def __init__(self) -> None:
        self.forms: list[Any] = []
        self._by_content: dict[str, int] = {}
        self._by_mapping: dict[int, int] = {}

    def place(self, sources: Sources) -> int:
        """Where its JSON stands."""
        if id(sources) not in self._by_mapping:
            self._by_mapping[id(sources)] = self._place(_sources_to_json(sources))
        return self._by_mapping[id(sources)]

    def _place(self, form: Any) -> int:
        place = self._by_content.setdefault(json.dumps(form), len(self.forms))
        if place == len(self.forms):
            self.forms.append(form)
        return place


def columns_from_json(form: Mapping[str, Any]) -> Columns:
    """What a row holds."""
    shared = [_sources_from_json(sources) for sources in form["sources"]]
    fields = {parse_dotted(name): shared[place] for name, place in form["fields"].items()}
    types = {parse_dotted(name): kind for name, kind in form["types"].items()}
    return Columns(fields, _sources_from_json(form["whole"]), types)


def _sorted(form: Mapping[str, Any]) -> dict[str, Any]:
    return {name: form[name] for name in sorted(form)}


def _sources_to_json(sources: Sources) -> list[Any]:
    return [
        [
            source.dataset.namespace,
            source.dataset.name,
            None if source.field is None else print_dotted(source.field),
            [[one.type, one.subtype, one.description, one.masking] for one in in_order(sources[source])],
        ]
        for source in sorted(sources, key=lambda source: source.order)
    ]


def _sources_from_json(form: Sequence[Sequence[Any]]) -> Sources:
    return {
        Source(DatasetId(namespace, name), None if path is None else parse_dotted(path)): frozenset(
            Transformation(*one) for one in transformations
        )
        for namespace, name, path, transformations in form
    }


def in_order(transformations: Iterable[Transformation]) -> tuple[Transformation, ...]:
    """Transformations in one order, whatever set they come from."""
    return tuple(
        sorted(transformations, key=lambda one: (one.type, one.subtype or "", one.description or "", str(one.masking)))
    )
