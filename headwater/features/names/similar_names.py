"""Likely names of the same dataset: the last part of the name and all columns look the same.

Two spellings of a whole name also look the same, in any case or width or with invisible characters, with any columns.
Quotes make no difference: `"SC"."POS"` with a column `"nav"` is likely `sc.pos` with `NAV`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from headwater.aws.items import chunks
from headwater.events.field_folds import FieldFold
from headwater.queries.lists.name_lists import NameCatalogue
from headwater.queries.view import GraphView
from headwater.queries.view.descriptions import read_facets, schema_of
from headwater_model.ids import DatasetId, FieldPath

_Columns: TypeAlias = frozenset[FieldPath]
_UNQUOTED, _ALIKE = FieldFold(quotes=True), FieldFold(quotes=True, case="lower")
# Datasets compared for a report.
DATASETS_MAX = 2_000
# Datasets with a common read of their facts.
_TOGETHER = 200


@dataclass(frozen=True, slots=True)
class SimilarDatasets:
    """Likely names of the same dataset, by namespace and name, and the number of their common columns.

    `fold` spells their columns alike; None if they are equal already.
    """

    datasets: tuple[DatasetId, ...]
    columns: int
    fold: FieldFold | None = None


@dataclass(frozen=True, slots=True)
class Similar:
    """Groups of likely names of the same dataset; `truncated`: the rest was not compared.

    `claimed` has the locations of each name that several claim, and that joins none.
    """

    groups: Sequence[SimilarDatasets]
    truncated: bool
    claimed: Mapping[DatasetId, Sequence[DatasetId]] = field(default_factory=dict)


def similar_datasets(view: GraphView, *, datasets_max: int | None = DATASETS_MAX) -> Similar:
    """Group the datasets with the same last part of their names and the same columns, or the same whole name.

    Joined names are a single dataset here. A candidate shares its last part with another name; by last part, the facts
    of the first `datasets_max` candidates are read (None: of all).
    """
    names = NameCatalogue(view).every_dataset(None)
    candidates = _with_the_same_end(list(map(names.id_of, names.texts)))
    compared = candidates[:datasets_max]
    groups: dict[object, dict[DatasetId, _Columns]] = {}
    claimed: dict[DatasetId, list[DatasetId]] = {}
    for together in chunks(compared, _TOGETHER):
        for dataset, columns in _columns(together, view):
            groups.setdefault(skeleton(f"{dataset.namespace}\0{dataset.name}"), {})[dataset] = columns
            if columns:
                groups.setdefault((last_part(dataset.name), _alike(columns)), {})[dataset] = columns
            for name in view.group(dataset).claimed:
                claimed.setdefault(name, []).append(dataset)
    similar = {tuple(sorted(group, key=_plain_first)): group.values() for group in groups.values() if len(group) > 1}
    return Similar(
        [_group(datasets, similar[datasets]) for datasets in sorted(similar)],
        names.truncated or len(compared) < len(candidates),
        {name: sorted(claimed[name]) for name in sorted(claimed)},
    )


def _group(datasets: tuple[DatasetId, ...], spellings: Collection[_Columns]) -> SimilarDatasets:
    common = frozenset.intersection(*map(_alike, spellings))
    return SimilarDatasets(datasets, len(common), _fold_between(spellings))


def _plain_first(dataset: DatasetId) -> tuple[bool, DatasetId]:
    """Order a dataset in its group: a name without quotes is the better name."""
    return any(quote in dataset.name for quote in '"`['), dataset


def _fold_between(spellings: Iterable[_Columns]) -> FieldFold | None:
    """Find the fold by which these columns are spelled alike; None if they are equal already, or by no fold."""
    distinct = set(spellings)
    if len(distinct) == 1 or len({frozenset(map(_ALIKE.path, columns)) for columns in distinct}) > 1:
        return None
    unquoted = {frozenset(map(_UNQUOTED.path, columns)) for columns in distinct}
    return FieldFold(quotes=unquoted != distinct, case="lower" if len(unquoted) > 1 else None)


def _with_the_same_end(names: Iterable[DatasetId]) -> list[DatasetId]:
    """List the names that share their last part with another name, in the order of last parts."""
    ends: dict[str, list[DatasetId]] = {}
    for name in names:
        ends.setdefault(last_part(name.name), []).append(name)
    return [name for end in sorted(ends) if len(ends[end]) > 1 for name in ends[end]]


def _columns(names: Sequence[DatasetId], view: GraphView) -> Iterator[tuple[DatasetId, _Columns]]:
    view.load_names(names)
    groups = [view.group(name) for name in names]
    for group, facets in zip(groups, read_facets(groups, view), strict=True):
        yield group.primary, frozenset(schema_of(facets).types)


def _alike(columns: _Columns) -> _Columns:
    return frozenset(_ALIKE.path(tuple(map(skeleton, path))) for path in columns)


def skeleton(text: str) -> str:
    """Fold a text to small letters of a single form, without invisible characters.

    >>> skeleton("Ca\u200bfe\u0301 ") == skeleton("ＣＡＦÉ")
    True
    """
    letters = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Cf").strip()


def last_part(name: str) -> str:
    """Read the last part of a dataset's name, in small letters and without quotes.

    >>> last_part("warehouse/flights.db/Checked/"), last_part('"shop"."public"."Orders"')
    ('checked', 'orders')
    """
    return _ALIKE.path((re.split(r"[./]", skeleton(name).rstrip("/"))[-1],))[-1]
