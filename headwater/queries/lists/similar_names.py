"""Datasets that are likely the same under several names: the last part of the name and all columns are equal.

Quotes and case make no difference: `"SC"."POS"` with a column `"nav"` is likely `sc.pos` with `NAV`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from headwater.events.field_folds import FieldFold
from headwater.queries.descriptions import read_facets, schema_of
from headwater.queries.lists.name_lists import NameCatalogue
from headwater.queries.resolve import ResolvedDatasets
from headwater.queries.results.graphs import Similar, SimilarDatasets
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, FieldPath

_UNQUOTED, _ALIKE = FieldFold(quotes=True), FieldFold(quotes=True, case="lower")
# Datasets of one report that are compared.
DATASETS_MAX = 2_000
# Datasets whose facts are read together.
_TOGETHER = 200


def similar_datasets(view: GraphView, *, datasets_max: int | None = DATASETS_MAX) -> Similar:
    """Return groups of datasets with the same last part of their names, and the same columns; nothing without columns.

    Datasets that are one already, by another name, are one here. Of those with a last part that others have, too, it
    reads the facts of the first `datasets_max` (None: of all), by last part.
    """
    names = NameCatalogue(view).every_dataset(None)
    candidates = _with_the_same_end(names.ids)
    compared = candidates[:datasets_max]
    groups: dict[tuple[str, frozenset[FieldPath]], dict[DatasetId, frozenset[FieldPath]]] = {}
    for start in range(0, len(compared), _TOGETHER):
        for dataset, columns in _columns(compared[start : start + _TOGETHER], view):
            alike = frozenset(map(_ALIKE.path, columns))
            groups.setdefault((last_part(dataset.name), alike), {})[dataset] = columns
    similar = [
        SimilarDatasets(tuple(sorted(datasets, key=_plain_first)), len(columns), _fold_between(datasets.values()))
        for (_, columns), datasets in groups.items()
        if len(datasets) > 1
    ]
    return Similar(
        sorted(similar, key=lambda group: group.datasets), names.truncated or len(compared) < len(candidates)
    )


def _plain_first(dataset: DatasetId) -> tuple[bool, DatasetId]:
    """Return the place of a dataset in its group: a name without quotes is the better one."""
    return any(quote in dataset.name for quote in '"`['), dataset


def _fold_between(spellings: Iterable[frozenset[FieldPath]]) -> FieldFold | None:
    """Return the fold by which these columns are spelled alike; None if they are already."""
    distinct = set(spellings)
    if len(distinct) == 1:
        return None
    unquoted = {frozenset(map(_UNQUOTED.path, columns)) for columns in distinct}
    return FieldFold(quotes=unquoted != distinct, case="lower" if len(unquoted) > 1 else None)


def _with_the_same_end(names: Iterable[DatasetId]) -> list[DatasetId]:
    """Return the names whose last part another has, too, in order of that."""
    ends: dict[str, list[DatasetId]] = {}
    for name in names:
        ends.setdefault(last_part(name.name), []).append(name)
    return [name for end in sorted(ends) if len(ends[end]) > 1 for name in ends[end]]


def _columns(names: Sequence[DatasetId], view: GraphView) -> Iterator[tuple[DatasetId, frozenset[FieldPath]]]:
    resolved = ResolvedDatasets(view)
    resolved.load_names(names)
    groups = [resolved.group(name) for name in names]
    for group, facets in zip(groups, read_facets(groups, view), strict=True):
        columns = frozenset(schema_of(facets).types)
        if columns:
            yield group.primary, columns


def last_part(name: str) -> str:
    """Return the last part of a dataset's name, in small letters and without quotes.

    >>> last_part("warehouse/flights.db/Checked/"), last_part('"shop"."public"."Orders"')
    ('checked', 'orders')
    """
    return _ALIKE.path((re.split(r"[./]", name.rstrip("/"))[-1],))[-1]
