"""Rows of the graph table during a query: each is read once, as of a time, for a caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from headwater.facts.index_scan import run_of
from headwater.facts.keys import facts_key
from headwater.facts.table import GraphReader, Key, Row, RowPage, RowQuery
from headwater.facts.visibility import EVERYTHING, Visibility
from headwater_model.ids import DatasetId, JobId

# Rows of a query in place of several: for each of them, and at most.
_ROWS_EACH, _SHARED_MAX = 8, 100


class ReadAhead(GraphReader):
    """The table during a query: each row and page is read once, with the first round after it is needed or expected.

    `expect` announces probable reads: they come with the next round, and cost no round of their own. Unused reads cost
    requests, and change no result.
    """

    def __init__(self, behind: GraphReader) -> None:
        self._behind = behind
        self._known: dict[Key, Row | None] = {}
        self._pages: dict[RowQuery, RowPage] = {}
        self._keys: dict[Key, None] = {}
        self._queries: dict[RowQuery, None] = {}

    @classmethod
    def of(cls, reader: GraphReader) -> ReadAhead:
        """Return the reader itself if it reads ahead; else put a new reader in front of it."""
        return reader if isinstance(reader, ReadAhead) else cls(reader)

    def expect(self, keys: Iterable[Key] = (), queries: Iterable[RowQuery] = ()) -> None:
        """Add reads to the next round, unless they were made."""
        self._keys.update(dict.fromkeys(keys))
        self._queries.update(dict.fromkeys(queries))

    def read(self, keys: Iterable[Key], queries: Sequence[RowQuery]) -> tuple[dict[Key, Row], list[RowPage]]:
        """Get rows and pages; unless all were read before, by a round with the expected reads."""
        unique_keys = list(dict.fromkeys(keys))
        if not (self._known.keys() >= set(unique_keys) and self._pages.keys() >= set(queries)):
            self._read_behind(dict.fromkeys((*unique_keys, *self._keys)), dict.fromkeys((*queries, *self._queries)))
        rows = {key: row for key in unique_keys if (row := self._known[key])}
        return rows, [self._pages[query] for query in queries]

    def _read_behind(self, keys: Iterable[Key], queries: Iterable[RowQuery]) -> None:
        new_keys = [key for key in keys if key not in self._known]
        new_queries = [query for query in queries if query not in self._pages]
        self._keys, self._queries = {}, {}
        shared = _shared(new_queries)
        sent = list(dict.fromkeys(shared.get(query, query) for query in new_queries))
        if not sent:
            rows, pages = self._behind.get(new_keys), list[RowPage]()
        elif not new_keys:
            rows, pages = {}, self._behind.query(sent)
        else:
            rows, pages = self._behind.read(new_keys, sent)
        read = dict(zip(sent, pages, strict=True))
        parts = {query: _part(query, read[wider]) for query, wider in shared.items()}
        # A part below the end of its page is read alone.
        left = [query for query, part in parts.items() if part is None]
        read.update(zip(left, self._behind.query(left) if left else (), strict=True))
        self._pages.update(read | {query: part for query, part in parts.items() if part is not None})
        read_rows = {row.key: row for page in read.values() for row in page.rows}
        self._keep({key: rows.get(key) for key in new_keys} | read_rows)

    def _keep(self, rows: Mapping[Key, Row | None]) -> None:
        self._known.update(rows)


def _shared(queries: Iterable[RowQuery]) -> dict[RowQuery, RowQuery]:
    """Map short queries of a range, each backwards from its own end, to a single query from the last of the ends."""
    ranges: dict[tuple[str, str], list[RowQuery]] = {}
    for query in queries:
        if query.newest_first and query.low and query.limit < _SHARED_MAX:
            ranges.setdefault((query.pk, query.low), []).append(query)
    return {
        query: replace(last, limit=min(_ROWS_EACH * sum(each.limit for each in group), _SHARED_MAX))
        for group in ranges.values()
        if len(group) > 1
        for last in [max(group, key=lambda each: each.high)]
        for query in group
    }


def _part(query: RowQuery, page: RowPage) -> RowPage | None:
    """Cut the page of a query out of a page that begins later; None if the page ends before it."""
    rows = [row for row in page.rows if row.sk <= query.high]
    if page.more and len(rows) < query.limit:
        return None
    return RowPage(rows[: query.limit], more=page.more or len(rows) > query.limit)


class GraphRows:
    """The rows of a request, as of a time (`at`, None: now), for a caller.

    `GraphRows(rows)` shares the reads of the rows.
    """

    def __init__(self, reader: GraphReader, at: str | None = None, caller: Visibility = EVERYTHING) -> None:
        self.reader: ReadAhead = reader.reader if isinstance(reader, GraphRows) else ReadAhead.of(reader)
        self.get, self.query = self.reader.get, self.reader.query
        self.read, self.expect = self.reader.read, self.reader.expect
        self.at, self.caller = at, caller

    def read_first(
        self, queries: Sequence[RowQuery], keys: Iterable[Key] = (), further: Sequence[RowQuery] = ()
    ) -> None:
        """Read rows, and first pages of several scans, in one round; expect the facts of the runs in the pages.

        The scans then share two rounds. No facts are expected of `further` pages.
        """
        pages = self.read(keys, [*queries, *further])[1][: len(queries)]
        rows = (row for page in pages for row in page.rows)
        self.expect(facts_key(run_of(row)) for row in rows if not row.sk.startswith("EVENT#"))

    def sees(self, thing: DatasetId | JobId) -> bool:
        """True if the caller may query the job or dataset."""
        return self.caller.sees(thing)

    def opens(self, *names: DatasetId | JobId) -> bool:
        """True if a job or dataset with these names is shown in full, and the graph behind it."""
        return self.caller.opens(*names)
