"""Datasets that a column may have flowed into: outputs of runs that read its dataset and reported no columns.

A run without a column report may have derived any output from any input. Then the output dataset, a source without a
field, stands for its columns; columns derived from any column of the dataset may be derived from this source.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from headwater_model.columns import ColumnLineage, ColumnSource, Sources, Transformation
from headwater_model.ids import DatasetId, FieldPath

How: TypeAlias = frozenset[Transformation]
# By path of a used column, the columns related to that path (see `ColumnIndex.invert`).
Takers: TypeAlias = Mapping[FieldPath, Collection[FieldPath]]


@dataclass(frozen=True)
class PossibleUse:
    """Columns of `derived` in one report that may derive from a source dataset; `takers` are the source's columns."""

    derived: DatasetId
    columns: ColumnLineage
    source: DatasetId
    takers: Takers

    def of(self, node: ColumnSource) -> Iterator[tuple[ColumnSource, How]]:
        """Yield the columns that may derive from a source column, or (for a node without a field) from any of them."""
        yield from (self._of_any if node.field is None else self._of_unnamed).items()
        if self._unnamed in self.columns.dataset_level and not self._is_named:
            yield ColumnSource(self.derived), self.columns.dataset_level[self._unnamed]
        if node.field is not None and node.field in self._of_whole:
            yield ColumnSource(self.derived), self._of_whole[node.field]

    @property
    def _unnamed(self) -> ColumnSource:
        return ColumnSource(self.source)

    @cached_property
    def _of_whole(self) -> Mapping[FieldPath, How]:
        """The columns that a dataset without reported columns depends on as a whole, with their transformations."""
        taken: dict[FieldPath, How] = {}
        for source, how in self.columns.dataset_level.items() if not self.columns.fields else ():
            if source.dataset == self.source and source.field is not None:
                taken.update((path, how | taken.get(path, how)) for path in self.takers.get(source.field, ()))
        return taken

    @cached_property
    def _of_unnamed(self) -> Mapping[ColumnSource, How]:
        """The reported columns that derive from the source dataset without a named column."""
        fields = self.columns.fields.items()
        return {ColumnSource(self.derived, path): own[self._unnamed] for path, own in fields if self._unnamed in own}

    @cached_property
    def _of_any(self) -> Mapping[ColumnSource, How]:
        """The columns that derive from any column of the source dataset."""
        of_whole = self._taken(
            {source: how for source, how in self.columns.dataset_level.items() if source.field is not None}
        )
        if not self.columns.fields:
            return {} if of_whole is None else {ColumnSource(self.derived): of_whole}
        # Columns that one operation made share their sources.
        source_sets = {id(own): own for own in self.columns.fields.values()}
        taken = {
            place: [how for how in (self._taken(own), of_whole) if how is not None]
            for place, own in source_sets.items()
        }
        uses = {ColumnSource(self.derived, path): taken[id(own)] for path, own in self.columns.fields.items()}
        return {column: frozenset[Transformation]().union(*hows) for column, hows in uses.items() if hows}

    def _taken(self, sources: Sources) -> How | None:
        """Return the transformations of the source dataset's columns; None if no column is taken."""
        taken = [how for source, how in sources.items() if source.dataset == self.source]
        return frozenset[Transformation]().union(*taken) if taken else None

    @cached_property
    def _is_named(self) -> bool:
        """True if a column of the source dataset is reported: a dependency on the whole dataset adds nothing then."""
        source_sets = {id(sources): sources for sources in (self.columns.dataset_level, *self.columns.fields.values())}
        return any(
            source.dataset == self.source and source.field is not None
            for sources in source_sets.values()
            for source in sources
        )
