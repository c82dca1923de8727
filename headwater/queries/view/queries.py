"""Queries by their names: a class has a line for each, and a call of it makes the view.

class LineageQueries(Queries):
    find_tag = of_view(tags.find_tag)           # def find_tag(view: GraphView, name: str)
    find_job = of_reader(Jobs, Jobs.find)       # a method of a class that reads by a view

LineageQueries(table).find_tag("PII")
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, TypeVar

from typing_extensions import ParamSpec, Self

from headwater.facts.table import GraphReader
from headwater.facts.visibility import EVERYTHING, Visibility
from headwater.queries.view.graph_view import GraphView
from headwater.queries.view.rows import ReadAhead

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Reader = TypeVar("_Reader")


class Queries:
    """Queries over a graph table, as a caller sees it; nothing is remembered from one query to the next.

    With `trim_partitions` the deployment trims the partitions of the names in events (`NamingRules`). History before
    `oldest` may have expired.
    """

    def __init__(
        self,
        reader: GraphReader,
        caller: Visibility = EVERYTHING,
        *,
        trim_partitions: bool = True,
        oldest: Callable[[], str] = str,
    ) -> None:
        self._reader, self._caller, self._trim_partitions, self._oldest = reader, caller, trim_partitions, oldest

    def __init_subclass__(cls) -> None:
        # A traceback names the query of the class, not the function behind it.
        for name, method in vars(cls).items():
            if callable(method):
                method.__name__ = name

    def view(self) -> GraphView:
        """Make a view for one query; a feature makes its queries of it."""
        oldest = self._oldest()
        return GraphView(self._reader, caller=self._caller, trim_partitions=self._trim_partitions, oldest=oldest)

    def together(self) -> Self:
        """Make the same queries for a single response: they read each row once."""
        return self._over(ReadAhead.of(self._reader), self._caller)

    def seen_by(self, visibility: Visibility) -> Self:
        """Bound the same queries by a caller's visibility."""
        return self._over(self._reader, visibility)

    def _over(self, reader: GraphReader, caller: Visibility) -> Self:
        return type(self)(reader, caller, trim_partitions=self._trim_partitions, oldest=self._oldest)


def of_view(query: Callable[Concatenate[GraphView, _P], _T]) -> Callable[Concatenate[Queries, _P], _T]:
    """Make a method of a query, for a new view at each call."""

    @wraps(query)
    def method(queries: Queries, /, *args: _P.args, **options: _P.kwargs) -> _T:
        return query(queries.view(), *args, **options)

    return method


def of_reader(
    reader: Callable[[GraphView], _Reader], query: Callable[Concatenate[_Reader, _P], _T]
) -> Callable[Concatenate[Queries, _P], _T]:
    """Make a method of a reader's method, for a reader of a new view at each call."""

    @wraps(query)
    def method(queries: Queries, /, *args: _P.args, **options: _P.kwargs) -> _T:
        return query(reader(queries.view()), *args, **options)

    return method
