"""Datasets that are requested by a name that the graph does not have: the rules of names say which dataset is meant.

    result_by_name(dataset, query, view)     # a `query` whose result is None where the dataset is unknown
    result_if_known(dataset, query, view)    # a `query` that has a result for an unknown dataset, too

Only where a name is unknown are the rules read, one row of the table. What is known costs nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from headwater.facts.keys import facts_key
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId

_T = TypeVar("_T")


def renamed(name: DatasetId, view: GraphView) -> Sequence[DatasetId]:
    """Return the name under which an event that names the dataset is loaded; nothing if that is the name itself."""
    # A cold start does not pay for what few requests need.
    from headwater.events.naming import NamingRules
    from headwater.loading.stored_rules import read_stored_rules

    rules = NamingRules(trim_partitions=view.trim_partitions, names=read_stored_rules(view.reader))
    loaded = rules.dataset(name.namespace, name.name)
    return () if loaded == name else (loaded,)


def seen_renamed(name: DatasetId, view: GraphView) -> Sequence[DatasetId]:
    """Return those of the names that the rules make of a dataset's which the caller may query."""
    return [other for other in renamed(name, view) if view.sees(other)]


def result_by_name(dataset: DatasetId, query: Callable[[DatasetId], _T | None], view: GraphView) -> _T | None:
    """Return the result for a dataset; if there is none, the result for its name by the rules."""
    result = query(dataset)
    if result is not None:
        return result
    results = (query(other) for other in seen_renamed(dataset, view))
    return next((other for other in results if other is not None), None)


def result_if_known(dataset: DatasetId, query: Callable[[DatasetId], _T], view: GraphView) -> _T:
    """Return the result for a dataset, or for its name by the rules, if only that is known.

    The query reads the facts of the dataset through the same view, so that they are at hand.
    """
    result = query(dataset)
    if is_known(dataset, view):
        return result
    other = next((other for other in seen_renamed(dataset, view) if is_known(other, view)), None)
    return result if other is None else query(other)


def is_known(dataset: DatasetId, view: GraphView) -> bool:
    """True if an event mentioned the dataset by this name."""
    return bool(view.get([facts_key(dataset)]))
