"""Datasets that are likely the same under several names: the last part of the name and all columns are equal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from headwater.queries.current_facets import read_facets
from headwater.queries.descriptions import schema_of
from headwater.queries.lists.name_lists import NameCatalogue
from headwater.queries.resolve import ResolvedDatasets
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId

# Datasets whose facts are read together.
_TOGETHER = 200


def similar_datasets(view: GraphView) -> list[list[DatasetId]]:
    """Return groups of datasets with the same last part of their names, and the same columns; nothing without columns.

    Datasets that are one already, by another name, are one here. It reads the facts of every dataset.
    """
    groups: dict[tuple[str, frozenset[str]], list[DatasetId]] = {}
    names: Sequence[DatasetId] = NameCatalogue(view).every_dataset(None).ids
    for start in range(0, len(names), _TOGETHER):
        for dataset, columns in _columns(names[start : start + _TOGETHER], view):
            groups.setdefault((last_part(dataset.name), columns), []).append(dataset)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)


def _columns(names: Sequence[DatasetId], view: GraphView) -> Iterator[tuple[DatasetId, frozenset[str]]]:
    resolved = ResolvedDatasets(view)
    resolved.load_names(names)
    groups = [resolved.group(name) for name in names]
    for group, facets in zip(groups, read_facets(groups, view), strict=True):
        columns = frozenset(".".join(path).lower() for path in schema_of(facets).types)
        if columns:
            yield group.primary, columns


def last_part(name: str) -> str:
    """Return the last part of a dataset's name, in small letters.

    >>> last_part("warehouse/flights.db/Checked/"), last_part("shop.public.orders")
    ('checked', 'orders')
    """
    return re.split(r"[./]", name.rstrip("/"))[-1].lower()
