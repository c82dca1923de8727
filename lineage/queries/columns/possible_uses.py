"""The datasets that a column may have gone into: what runs made of its dataset without a report of its columns.

A run that reports no columns may have made anything of all that it read. Then the dataset that it wrote stands for its
columns: a source without a field, of which may be made whatever is made of any column of the dataset.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from lineage_model.columns import ColumnLineage, ColumnSource, Sources, Transformation
from lineage_model.ids import DatasetId, FieldPath

How: TypeAlias = frozenset[Transformation]
# By path that something was made of, the columns that went into what was made (see `ColumnIndex.invert`).
Takers: TypeAlias = Mapping[FieldPath, Collection[FieldPath]]


@dataclass(frozen=True)
class PossibleUse:
    """Columns of `made`, as one report has them, that may be made of a source dataset; `takers` are its columns."""

    made: DatasetId
    columns: ColumnLineage
    source: DatasetId
    takers: Takers

    def of(self, node: ColumnSource) -> Iterator[tuple[ColumnSource, How]]:
        """Yield what may be made of a column of the source dataset, or (a node without a field) of any of them."""
        yield from (self._of_any if node.field is None else self._of_unnamed).items()
        if self._unnamed in self.columns.dataset_level and not self._is_named:
            yield ColumnSource(self.made), self.columns.dataset_level[self._unnamed]
        if node.field is not None and node.field in self._of_whole:
            yield ColumnSource(self.made), self._of_whole[node.field]

    @property
    def _unnamed(self) -> ColumnSource:
        return ColumnSource(self.source)

    @cached_property
    def _of_whole(self) -> Mapping[FieldPath, How]:
        """The columns that went into all of a dataset of which no column was reported, with how they did."""
        taken: dict[FieldPath, How] = {}
        for one, how in self.columns.dataset_level.items() if not self.columns.fields else ():
            if one.dataset == self.source and one.field is not None:
                taken.update((path, how | taken.get(path, how)) for path in self.takers.get(one.field, ()))
        return taken

    @cached_property
    def _of_unnamed(self) -> Mapping[ColumnSource, How]:
        """Return what was reported to be made of the source dataset, without its column."""
        fields = self.columns.fields.items()
        return {ColumnSource(self.made, path): own[self._unnamed] for path, own in fields if self._unnamed in own}

    @cached_property
    def _of_any(self) -> Mapping[ColumnSource, How]:
        """Return what is made of any column of the source dataset."""
        of_whole = self._taken({one: how for one, how in self.columns.dataset_level.items() if one.field is not None})
        if not self.columns.fields:
            return {} if of_whole is None else {ColumnSource(self.made): of_whole}
        # Columns that one operation made share their sources.
        every = {id(own): own for own in self.columns.fields.values()}
        taken = {
            place: [how for how in (self._taken(own), of_whole) if how is not None] for place, own in every.items()
        }
        found = {ColumnSource(self.made, path): taken[id(own)] for path, own in self.columns.fields.items()}
        return {column: frozenset[Transformation]().union(*hows) for column, hows in found.items() if hows}

    def _taken(self, sources: Sources) -> How | None:
        """Return how any column of the source dataset is taken; None if none is."""
        taken = [how for source, how in sources.items() if source.dataset == self.source]
        return frozenset[Transformation]().union(*taken) if taken else None

    @cached_property
    def _is_named(self) -> bool:
        """True if a column of the source dataset is reported: a dependency on all of it says nothing more then."""
        every = {id(some): some for some in (self.columns.dataset_level, *self.columns.fields.values())}
        return any(one.dataset == self.source and one.field is not None for some in every.values() for one in some)
