"""Queries by a name unknown to the graph: the rules of names give the dataset or field its stored name.

    result_by_name(dataset, query, view)    # a `query` whose result is None where the dataset is unknown
    of_dataset(query)                       # a method of a `query` with a result for an unknown dataset, too
    of_field(query)                         # a method of a `query` whose result is empty where the field is unknown

The rules, one row of the table, are read for an unknown name alone. A known name costs nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, TypeVar, cast

from typing_extensions import ParamSpec

from headwater.facts.keys import facts_key
from headwater.queries.view import GraphView, Queries
from headwater_model.columns import Column
from headwater_model.ids import DatasetId, FieldPath

if TYPE_CHECKING:
    from headwater.events.naming import NamingRules

_P = ParamSpec("_P")
_T = TypeVar("_T")


def _rules(view: GraphView) -> NamingRules:
    # A cold start does not pay for the imports of few requests.
    from headwater.events.naming import NamingRules
    from headwater.loading.stored_rules import read_stored_rules

    return NamingRules(trim_partitions=view.trim_partitions, names=read_stored_rules(view))


def renamed(view: GraphView, name: DatasetId) -> Sequence[DatasetId]:
    """Load the name like the name in an event; empty if the rules do not change it."""
    loaded = _rules(view).loaded(name)
    return () if loaded == name else (loaded,)


def untrimmed(name: DatasetId, view: GraphView) -> DatasetId:
    """Apply the rules to a dataset's name, and keep its partitions."""
    return replace(_rules(view), trim_partitions=False).loaded(name)


def find_name_by_rules(view: GraphView, dataset: DatasetId) -> DatasetId | None:
    """Find the name by the rules, with partitions; None if it stays or the caller may not see it."""
    name = untrimmed(dataset, view)
    return name if name != dataset and view.sees(name) else None


def find_trimmed(view: GraphView, dataset: DatasetId) -> DatasetId | None:
    """Find the dataset of a partition's name; None if the name is of no partition."""
    name = untrimmed(dataset, view)
    return next((other for other in renamed(view, name) if other != name), None)


def folded(name: DatasetId, field: FieldPath, view: GraphView) -> FieldPath:
    """Fold a field of a dataset like the field in an event."""
    return _rules(view).loaded_path(name, field)


def _seen_renamed(name: DatasetId, view: GraphView) -> Sequence[DatasetId]:
    """Rename a dataset by the rules; empty if the caller may not query the new name."""
    return [other for other in renamed(view, name) if view.sees(other)]


def result_by_name(dataset: DatasetId, query: Callable[[DatasetId], _T | None], view: GraphView) -> _T | None:
    """Query a dataset; without a result, query its name by the rules: `s3a://lake raw` becomes `s3://lake raw`."""
    result = query(dataset)
    if result is not None:
        return result
    results = (query(other) for other in _seen_renamed(dataset, view))
    return next((other for other in results if other is not None), None)


def of_dataset(
    query: Callable[Concatenate[GraphView, DatasetId, _P], _T],
) -> Callable[Concatenate[Queries, DatasetId, _P], _T]:
    """Make a method of a query with a result for an unknown dataset, too: then its name by the rules is queried.

    The query reads the facts of the dataset through the same view: the check costs no round.
    """

    @wraps(query)
    def method(queries: Queries, dataset: DatasetId, /, *args: _P.args, **options: _P.kwargs) -> _T:
        view = queries.view()
        result = query(view, dataset, *args, **options)
        if _is_known(dataset, view):
            return result
        other = next((other for other in _seen_renamed(dataset, view) if _is_known(other, view)), None)
        return result if other is None else query(view, other, *args, **options)

    return method


def of_field(
    query: Callable[Concatenate[GraphView, Column, _P], _T],
) -> Callable[Concatenate[Queries, DatasetId, FieldPath, _P], _T]:
    """Make a method of a query whose result is empty for an unknown field: then of the field as the rules fold it."""

    @wraps(query)
    def of_names(view: GraphView, dataset: DatasetId, field: FieldPath, /, *args: _P.args, **options: _P.kwargs) -> _T:
        result = query(view, Column(dataset, field), *args, **options)
        if any(getattr(result, member.name) for member in fields(cast("Any", result))):
            return result
        loaded = folded(dataset, field, view)
        return result if loaded == field else query(view, Column(dataset, loaded), *args, **options)

    return of_dataset(of_names)


def _is_known(dataset: DatasetId, view: GraphView) -> bool:
    """True if an event mentioned the dataset by this name."""
    return bool(view.get([facts_key(dataset)]))
