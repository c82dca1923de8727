"""What is told of a dataset's columns: which columns each is made of, and what the dataset as a whole depends on.

Operations and OpenLineage's facets all come to this; so do several tellings of one run, and several writers.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from lineage.fields.paths import parse_dotted, print_dotted
from lineage.names import DatasetId, FieldPath


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
        every = [self.whole, *self.fields.values()]
        return {source.dataset for sources in every for source in sources}


NO_COLUMNS = Columns()


def unite(every: Iterable[Columns]) -> Columns:
    """All that was told, together."""
    fields: dict[FieldPath, dict[Source, frozenset[Transformation]]] = {}
    whole: dict[Source, frozenset[Transformation]] = {}
    types: dict[FieldPath, str] = {}
    for columns in every:
        for path, sources in columns.fields.items():
            _add(fields.setdefault(path, {}), sources)
        _add(whole, columns.whole)
        types.update((path, max(kind, types.get(path, kind))) for path, kind in columns.types.items())
    return Columns(fields, whole, types)


def over(upper: Columns, lower: Columns) -> Columns:
    """What `upper` tells, and what `lower` tells of other columns."""
    both = unite((upper, lower))
    return Columns({**lower.fields, **upper.fields}, both.whole, {**both.types, **upper.types})


def _add(known: dict[Source, frozenset[Transformation]], sources: Sources) -> None:
    for source, transformations in sources.items():
        known[source] = known.get(source, frozenset()) | transformations


def columns_to_json(columns: Columns) -> dict[str, Any]:
    """As a row holds it: the same for equal columns."""
    fields = {print_dotted(path): _sources_to_json(sources) for path, sources in columns.fields.items()}
    types = {print_dotted(path): kind for path, kind in columns.types.items()}
    return {"fields": _sorted(fields), "whole": _sources_to_json(columns.whole), "types": _sorted(types)}


def columns_from_json(form: Mapping[str, Any]) -> Columns:
    """What a row holds."""
    fields = {parse_dotted(name): _sources_from_json(sources) for name, sources in form["fields"].items()}
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
