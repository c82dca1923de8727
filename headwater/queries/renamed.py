"""Datasets and fields that are requested by a name that the graph does not have: the rules of names say what is meant.

    result_by_name(dataset, query, view)            # a `query` whose result is None where the dataset is unknown
    result_if_known(dataset, query, view)           # a `query` that has a result for an unknown dataset, too
    result_by_field(dataset, field, query, view)    # a `query` whose result is empty where the field is unknown

Only where a name is unknown are the rules read, one row of the table. What is known costs nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from headwater.facts.keys import facts_key
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, FieldPath

if TYPE_CHECKING:
    from headwater.events.naming import NamingRules

_T = TypeVar("_T")


def _loaded(name: DatasetId, rules: NamingRules) -> DatasetId:
    from headwater.events.canonical import tidy_name

    return rules.dataset(tidy_name(name.namespace), tidy_name(name.name))


def _rules(view: GraphView) -> NamingRules:
    # A cold start does not pay for what few requests need.
    from headwater.events.naming import NamingRules
    from headwater.loading.stored_rules import read_stored_rules

    return NamingRules(trim_partitions=view.trim_partitions, names=read_stored_rules(view))


def renamed(name: DatasetId, view: GraphView) -> Sequence[DatasetId]:
    """Return the name under which an event that names the dataset is loaded; nothing if that is the name itself."""
    loaded = _loaded(name, _rules(view))
    return () if loaded == name else (loaded,)


def untrimmed(name: DatasetId, view: GraphView) -> DatasetId:
    """Return the name that the rules make of a dataset's, with its partitions."""
    return _loaded(name, replace(_rules(view), trim_partitions=False))


def folded(name: DatasetId, field: FieldPath, view: GraphView) -> FieldPath:
    """Return a field of a dataset as an event that names it is loaded."""
    rules = _rules(view)
    fold = rules.fold(_loaded(name, rules))
    return fold.path(field) if fold else field


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


def result_by_field(dataset: DatasetId, field: FieldPath, query: Callable[[FieldPath], _T], view: GraphView) -> _T:
    """Return the result for a field of a dataset; if it is empty, the result for the field as the rules fold it."""
    result = query(field)
    if any(getattr(result, member.name) for member in fields(cast("Any", result))):
        return result
    loaded = folded(dataset, field, view)
    return result if loaded == field else query(loaded)


def is_known(dataset: DatasetId, view: GraphView) -> bool:
    """True if an event mentioned the dataset by this name."""
    return bool(view.get([facts_key(dataset)]))
