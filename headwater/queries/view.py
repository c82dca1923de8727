"""The graph as of a time, as one caller sees it, during one request: all that a walker, a list or a report reads by.

    view = GraphView(table, at="2025-11-20T12:00:00.000000Z", caller=visibility)
    view.get(keys)           # rows; nothing is read twice
    view.as_of(at)           # the same request's view of another time; `view.whole`: of all that there is

A view loads and bounds: it never walks, and never renders.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from headwater.facts.index_scan import run_of
from headwater.facts.keys import facts_key
from headwater.facts.table import GraphReader, Key, Row, RowPage, RowQuery
from headwater.facts.visibility import EVERYTHING, Visibility
from headwater.queries.prefetch import ReadAhead


class GraphView:
    """The rows that one request reads, the time as of which they count (`at`, None: now), and the caller.

    Views that are made of a view share its reads.
    """

    def __init__(self, reader: GraphReader, at: str | None = None, caller: Visibility = EVERYTHING) -> None:
        self.reader: ReadAhead = reader.reader if isinstance(reader, GraphView) else ReadAhead.of(reader)
        self.at, self.caller = at, caller

    @property
    def whole(self) -> GraphView:
        """The view of a caller who sees everything, at the same time."""
        return self if self.caller is EVERYTHING else GraphView(self.reader, self.at)

    def as_of(self, at: str | None) -> GraphView:
        """Return the same caller's view as of a time."""
        return GraphView(self.reader, at, self.caller)

    def get(self, keys: Iterable[Key]) -> dict[Key, Row]:
        """Return the rows of these keys that exist."""
        return self.reader.get(keys)

    def query(self, queries: Sequence[RowQuery]) -> list[RowPage]:
        """Return a page for each query."""
        return self.reader.query(queries)

    def read(self, keys: Iterable[Key], queries: Sequence[RowQuery]) -> tuple[dict[Key, Row], list[RowPage]]:
        """Return what `get` and `query` return, in one round."""
        return self.reader.read(keys, queries)

    def read_first(self, queries: Sequence[RowQuery]) -> None:
        """Read the first pages of scans of several kinds in one round, and expect the facts of the runs in them.

        The scans then share two rounds.
        """
        rows = (row for page in self.query(queries) for row in page.rows)
        self.expect(facts_key(run_of(row)) for row in rows if not row.sk.startswith("EVENT#"))

    def expect(self, keys: Iterable[Key] = (), queries: Iterable[RowQuery] = ()) -> None:
        """Announce reads that may follow: the next round reads them as well."""
        self.reader.expect(keys, queries)


class Queries:
    """Queries over a graph table, as a caller sees it; nothing is remembered from one query to the next."""

    def __init__(self, reader: GraphReader, caller: Visibility = EVERYTHING) -> None:
        self._reader, self._caller = reader, caller

    def _view(self) -> GraphView:
        """Return a view for one query."""
        return GraphView(self._reader, caller=self._caller)
