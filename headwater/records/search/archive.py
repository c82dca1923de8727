"""The published part of a search: one query of Athena, its result page by page.

Athena and DuckDB both read the SQL. Values stand in the text, as literals: Athena takes parameters of 1,024 characters,
and ids have up to 2,048 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import orjson

from headwater.aws.athena import Athena
from headwater.records.record import LineageRecord
from headwater.records.search.criteria import ArchiveCursor, Horizon, SearchCriteria, SearchRecord, SearchStep
from headwater_model.archive_tables import DAY, RECORDS
from headwater_model.errors import Invalid, NotFound, Unavailable

# The most rows of a search; a row above it shows that there are more.
ROWS_MAX = 100_000
_METADATA = "metadata"
_CONTROL = re.compile("([\x00-\x1f\x7f])")
COLUMNS = (*(column.name for column in RECORDS.columns), DAY.name)
# Athena takes a second or two for the smallest query.
_POLL_S = 0.5


def render_sql(criteria: SearchCriteria, horizon: Horizon) -> str:
    """Render the query of published records; maps become JSON, as Athena's own text of a map cannot be parsed."""
    # Under its own name it would hide the column from the conditions.
    columns = ", ".join(f"CAST({name} AS JSON) AS {name}" if name == _METADATA else name for name in COLUMNS)
    conditions = " AND ".join(_conditions(criteria, horizon))
    order = f"{DAY.name}, root_id, node_id"
    return f"SELECT {columns} FROM {RECORDS.name} WHERE {conditions} ORDER BY {order} LIMIT {ROWS_MAX + 1}"  # noqa: S608 - literals are quoted


def _conditions(criteria: SearchCriteria, horizon: Horizon) -> Iterator[str]:
    yield f"{DAY.name} <= {literal(horizon.day)}"
    if horizon.first is not None:
        yield f"{DAY.name} >= {literal(horizon.first)}"
    equal = (("root_id", criteria.root), ("node_id", criteria.node), ("action_taken", criteria.action))
    yield from (f"{name} = {literal(value)}" for name, value in equal if value is not None)
    if criteria.location is not None:
        yield f"starts_with(storage_location, {literal(criteria.location)})"
    if criteria.start_s is not None:
        yield f"recorded_at >= {criteria.start_s:d}"
    if criteria.end_s is not None:
        yield f"recorded_at < {criteria.end_s:d}"


def literal(text: str) -> str:
    r"""Quote the text as an SQL literal: quotes are doubled, control characters are written by number.

    >>> literal("it's"), literal("a\n")
    ("'it''s'", "('a' || chr(10))")
    """
    parts = [_part(part) for part in _CONTROL.split(text) if part]
    return parts[0] if len(parts) == 1 else f"({' || '.join(parts)})" if parts else "''"


def _part(part: str) -> str:
    if _CONTROL.fullmatch(part):
        return f"chr({ord(part)})"
    return "'" + part.replace("'", "''") + "'"


class StaleCursor(NotFound):
    """A cursor of a different search, or into a result that Athena no longer keeps."""


@dataclass(frozen=True, slots=True)
class ArchiveSearch:
    """The published part of a search; `sleep` waits so many seconds for a query."""

    athena: Athena
    sleep: Callable[[float], None]

    def steps(
        self, criteria: SearchCriteria, horizon: Horizon, place: ArchiveCursor
    ) -> Iterator[SearchStep[ArchiveCursor]]:
        """Yield the tables' records by day, root and node; during the query, yield a cursor now and then.

        Raises:
            StaleCursor: the cursor is of a different search.
            Invalid: the query would read more than its workgroup allows.
            Unavailable: Athena refused, or the query failed.
        """
        sql = render_sql(criteria, horizon)
        is_resumed = place.waiting
        if place.execution is None:
            place = self._start(sql, place)
            yield SearchStep(place)
        try:
            for waiting in self._wait(criteria, sql, place, again=is_resumed):
                yield SearchStep(waiting)
                place = waiting
            yield from self._records(replace(place, waiting=False))
        except NotFound as error:
            raise StaleCursor(str(error)) from error

    def _start(self, sql: str, place: ArchiveCursor) -> ArchiveCursor:
        return replace(place, execution=self.athena.start(sql), token=None, row=0, waiting=True)

    def _wait(
        self, criteria: SearchCriteria, sql: str, place: ArchiveCursor, *, again: bool
    ) -> Iterator[ArchiveCursor]:
        """Yield a cursor at each poll of a running query; a query that failed since the last request starts anew."""
        while True:
            query = self.athena.get(place.execution or "")
            if query.sql != sql:
                raise StaleCursor("the query is another one")
            if query.done:
                return
            if query.over_the_limit:
                raise self._too_much(criteria)
            if query.failed is not None:
                if not again:
                    raise Unavailable(f"the archive could not be searched: Athena says {query.failed}")
                place, again = self._start(sql, place), False
            yield place
            self.sleep(_POLL_S)

    def _too_much(self, criteria: SearchCriteria) -> Invalid:
        most = self.athena.bytes_max()
        limit = f"the {most:,} bytes that" if most else "as much as"
        rule = f"must be later: this search would read more of the archive than {limit} one may"
        return Invalid.because("start", criteria.start_s, rule)

    def _records(self, place: ArchiveCursor) -> Iterator[SearchStep[ArchiveCursor]]:
        while True:
            page = self.athena.rows(place.execution or "", place.token)
            for row in page.rows[place.row :]:
                if place.returned == ROWS_MAX:
                    yield SearchStep(replace(place, truncated=True))
                    return
                place = replace(place, row=place.row + 1, returned=place.returned + 1)
                yield SearchStep(place, _parse_row(row))
            if page.token is None:
                return
            place = replace(place, token=page.token, row=0)
            yield SearchStep(place)


def _parse_row(row: Sequence[str | None]) -> SearchRecord:
    root_id, node_id, parent_id, action, location, recorded_at, run_id, metadata, day = row
    record = LineageRecord(
        root_id=root_id or "",
        node_id=node_id or "",
        parent_id=parent_id or "",
        action_taken=action or "",
        storage_location=location or "",
        recorded_at=int(recorded_at or 0),
        run_id=run_id,
        metadata=tuple(sorted(orjson.loads(metadata).items())) if metadata else (),
    )
    return SearchRecord(record, None, day)
