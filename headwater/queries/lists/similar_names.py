"""Datasets that are likely the same under several names: the last part of the name and all columns look the same.

So do two spellings of one name, with characters that cannot be seen, in any case or width, whatever their columns are.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from headwater.queries.descriptions import read_facets, schema_of
from headwater.queries.lists.name_lists import NameCatalogue
from headwater.queries.resolve import ResolvedDatasets
from headwater.queries.results.graphs import Similar, SimilarDatasets
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId

# Datasets of one report that are compared.
DATASETS_MAX = 2_000
# Datasets whose facts are read together.
_TOGETHER = 200


def similar_datasets(view: GraphView, *, datasets_max: int | None = DATASETS_MAX) -> Similar:
    """Return groups of datasets with the same last part of their names and the same columns, or the same whole name.

    Datasets that are one already, by another name, are one here. Of those with a last part that others have, too, it
    reads the facts of the first `datasets_max` (None: of all), by last part.
    """
    names = NameCatalogue(view).every_dataset(None)
    candidates = _with_the_same_end(names.ids)
    compared = candidates[:datasets_max]
    groups: dict[object, dict[DatasetId, frozenset[str]]] = {}
    for start in range(0, len(compared), _TOGETHER):
        for dataset, columns in _columns(compared[start : start + _TOGETHER], view):
            groups.setdefault(skeleton(f"{dataset.namespace}\0{dataset.name}"), {})[dataset] = columns
            if columns:
                groups.setdefault((last_part(dataset.name), columns), {})[dataset] = columns
    similar = {
        tuple(sorted(group)): len(frozenset.intersection(*group.values()))
        for group in groups.values()
        if len(group) > 1
    }
    return Similar(
        [SimilarDatasets(datasets, similar[datasets]) for datasets in sorted(similar)],
        names.truncated or len(compared) < len(candidates),
    )


def _with_the_same_end(names: Iterable[DatasetId]) -> list[DatasetId]:
    """Return the names whose last part another has, too, in order of that."""
    ends: dict[str, list[DatasetId]] = {}
    for name in names:
        ends.setdefault(last_part(name.name), []).append(name)
    return [name for end in sorted(ends) if len(ends[end]) > 1 for name in ends[end]]


def _columns(names: Sequence[DatasetId], view: GraphView) -> Iterator[tuple[DatasetId, frozenset[str]]]:
    resolved = ResolvedDatasets(view)
    resolved.load_names(names)
    groups = [resolved.group(name) for name in names]
    for group, facets in zip(groups, read_facets(groups, view), strict=True):
        yield group.primary, frozenset(skeleton(".".join(path)) for path in schema_of(facets).types)


def skeleton(text: str) -> str:
    """Return a text without characters that cannot be seen, in small letters of one form.

    >>> skeleton("Ca\u200bfe\u0301 ") == skeleton("ＣＡＦÉ")
    True
    """
    letters = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(letter for letter in letters if unicodedata.category(letter) != "Cf").strip()


def last_part(name: str) -> str:
    """Return the last part of a dataset's name, in small letters.

    >>> last_part("warehouse/flights.db/Checked/"), last_part("shop.public.orders")
    ('checked', 'orders')
    """
    return re.split(r"[./]", skeleton(name).rstrip("/"))[-1]
