"""The column lineage of a dataset: the sources of each column, and of the dataset as a whole.

Operations and OpenLineage's facets are both translated to it. Reports of one run, and of several writers, are merged.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from headwater_model.field_paths import parse_dotted, print_dotted
from headwater_model.ids import DatasetId, FieldPath


@dataclass(frozen=True, slots=True)
class Transformation:
    """The derivation of a column from a source, as in OpenLineage: `DIRECT` or `INDIRECT`, then a free subtype."""

    type: str
    subtype: str | None = None
    description: str | None = None
    masking: bool | None = None


class Column(NamedTuple):
    """A column of a dataset, under its reported name; a tuple, since a query sorts and hashes thousands."""

    dataset: DatasetId
    field: FieldPath

    @property
    def node_id(self) -> str:
        """The column's node id, as Marquez prints it: `datasetField:s3://flights:checked:tail`."""
        return f"datasetField:{self.dataset.namespace}:{self.dataset.name}:{print_dotted(self.field)}"


@dataclass(frozen=True, slots=True)
class ColumnSource:
    """A source of a column or of a whole dataset; `field` is None for an unknown column of the source dataset."""

    dataset: DatasetId
    field: FieldPath | None = None

    @property
    def order(self) -> tuple[DatasetId, FieldPath]:
        """The sort key."""
        return self.dataset, self.field or ()

    def __lt__(self, other: ColumnSource) -> bool:
        return self.order < other.order


Sources: TypeAlias = Mapping[ColumnSource, frozenset[Transformation]]


@dataclass(frozen=True)
class ColumnLineage:
    """The column lineage of one dataset: `fields` maps columns to their sources, none if the column was generated.

    `dataset_level` are sources of the dataset as a whole. A column outside `fields` has unknown sources. `types` come
    from operations.
    """

    fields: Mapping[FieldPath, Sources] = field(default_factory=dict)
    dataset_level: Sources = field(default_factory=dict)
    types: Mapping[FieldPath, str] = field(default_factory=dict)

    @property
    def source_sets(self) -> Collection[Sources]:
        """The different sets of sources: columns of an operation share a set."""
        return {id(sources): sources for sources in (self.dataset_level, *self.fields.values())}.values()

    @cached_property
    def datasets(self) -> frozenset[DatasetId]:
        """The datasets of all sources, under their reported names."""
        return frozenset(source.dataset for sources in self.source_sets for source in sources)

    def fields_of(self, dataset: DatasetId) -> set[FieldPath]:
        """List the columns of a source dataset."""
        sources = (source for sources in self.source_sets for source in sources)
        return {source.field for source in sources if source.dataset == dataset and source.field is not None}


NO_COLUMNS = ColumnLineage()


def merge_columns(reports: Iterable[ColumnLineage]) -> ColumnLineage:
    """Merge all reports, `{a: x}` and `{a: y}` to `{a: {x, y}}`; unchanged columns keep a shared mapping of sources."""
    fields: dict[FieldPath, Sources] = {}
    whole: Sources = {}
    types: dict[FieldPath, str] = {}
    for columns in reports:
        for path, sources in columns.fields.items():
            fields[path] = _both(fields[path], sources) if path in fields else sources
        whole = _both(whole, columns.dataset_level)
        types.update((path, max(kind, types.get(path, kind))) for path, kind in columns.types.items())
    return ColumnLineage(fields, whole, types)


def overlay(upper: ColumnLineage, lower: ColumnLineage) -> ColumnLineage:
    """Put the columns of `upper` in place of equal columns of `lower`; dataset-level sources are merged."""
    whole = _both(upper.dataset_level, lower.dataset_level)
    return ColumnLineage({**lower.fields, **upper.fields}, whole, {**lower.types, **upper.types})


def sources_at(fields: Mapping[FieldPath, Sources], paths: Iterable[FieldPath]) -> Sources:
    """Merge the sources of the fields at the paths, such as `[("id",), ("address", "city")]`."""
    return merge_sources(fields[path] for path in paths)


def merge_sources(mappings: Iterable[Sources]) -> Sources:
    """Merge all sources: `{x: {COPY}}` and `{x: {SORT}, y: {}}` become `{x: {COPY, SORT}, y: {}}`."""
    united: Sources = {}
    for sources in mappings:
        united = _both(sources, united)
    return united


def _both(sources: Sources, other: Sources) -> Sources:
    if sources is other or not other:
        return sources
    added = {source: transformations | sources.get(source, frozenset()) for source, transformations in other.items()}
    return {**sources, **added} if sources else other


def columns_to_json(columns: ColumnLineage) -> dict[str, Any]:
    """Render the stored JSON, equal for equal columns: `fields` maps each column to an index into `sources`.

    Columns of the same operation share their sources: 1,500 columns of 1,500 columns are 3,000 entries.
    """
    shared = _Shared()
    fields = {print_dotted(path): sources for path, sources in columns.fields.items()}
    types = {print_dotted(path): kind for path, kind in columns.types.items()}
    return {
        "fields": {name: shared.index_of(fields[name]) for name in sorted(fields)},
        "sources": shared.documents,
        "whole": _sources_to_json(columns.dataset_level),
        "types": dict(sorted(types.items())),
    }


class _Shared:
    """A list of sources as JSON, each once; mappings are recognized by identity, so they must outlive the list."""

    def __init__(self) -> None:
        self.documents: list[Any] = []
        self._by_content: dict[str, int] = {}
        self._by_mapping: dict[int, int] = {}

    def index_of(self, sources: Sources) -> int:
        """Look up the index of the sources' JSON, or append it."""
        if id(sources) not in self._by_mapping:
            document = _sources_to_json(sources)
            index = self._by_content.setdefault(json.dumps(document), len(self.documents))
            if index == len(self.documents):
                self.documents.append(document)
            self._by_mapping[id(sources)] = index
        return self._by_mapping[id(sources)]


def columns_from_json(form: Mapping[str, Any]) -> ColumnLineage:
    """Parse the JSON of `columns_to_json`."""
    shared = [_sources_from_json(sources) for sources in form["sources"]]
    fields = {parse_dotted(name): shared[place] for name, place in form["fields"].items()}
    types = {parse_dotted(name): kind for name, kind in form["types"].items()}
    return ColumnLineage(fields, _sources_from_json(form["whole"]), types)


def _sources_to_json(sources: Sources) -> list[Any]:
    return [
        [
            source.dataset.namespace,
            source.dataset.name,
            None if source.field is None else print_dotted(source.field),
            [
                [applied.type, applied.subtype, applied.description, applied.masking]
                for applied in in_order(sources[source])
            ],
        ]
        for source in sorted(sources, key=lambda source: source.order)
    ]


def _sources_from_json(form: Sequence[Sequence[Any]]) -> Sources:
    return {
        ColumnSource(DatasetId(namespace, name), None if path is None else parse_dotted(path)): frozenset(
            Transformation(*values) for values in transformations
        )
        for namespace, name, path, transformations in form
    }


def in_order(transformations: Collection[Transformation]) -> tuple[Transformation, ...]:
    """Sort the transformations: `DIRECT` before `INDIRECT`, then by subtype."""
    if len(transformations) == 1:  # of nearly every source
        return tuple(transformations)
    return tuple(
        sorted(
            transformations,
            key=lambda applied: (applied.type, applied.subtype or "", applied.description or "", str(applied.masking)),
        )
    )
