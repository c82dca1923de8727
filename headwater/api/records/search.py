"""The route of a search of records, in the table and in the archive.

Every page but the last has a cursor: a page may be short, or empty, during the search. Times relative to the clock
(`now-1d`) and the published days are fixed by the first page.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from math import ceil

import orjson
from aws_lambda_powertools.event_handler import Response
from pydantic import TypeAdapter, ValidationError

from headwater.api.http.cursor import foreign, parse_cursor, render_cursor
from headwater.api.http.parameters import Parameter, parse_moment, value
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import RESPONSE_BYTES_MAX, respond, size_of
from headwater.api.records import types
from headwater.api.records.parameters import ACTION, CURSOR, LIMIT, LOCATION, NODE, ROOT
from headwater.api.records.views import render_found
from headwater.api.route import Services, Within, record_route
from headwater.records.search.archive import StaleCursor
from headwater.records.search.criteria import (
    ArchiveCursor,
    Horizon,
    LiveCursor,
    SearchCriteria,
    SearchCursor,
    SearchStep,
)
from headwater.times import shift
from headwater_model.errors import Invalid

_TEXTS: tuple[Parameter[str | None], ...] = (ROOT, NODE, ACTION, LOCATION)
_TIME = {"type": "string", "examples": ["1763640000", "now-7d"]}
_START = value("start", "Recorded from then on: whole seconds since 1970, or `now` and steps.", _TIME)
_END = value("end", "Recorded before then, in the same form.", _TIME)
_TIMES = (_START, _END)
# Seconds of the request's time for a further step.
_RESERVE_S = 9.0
_POLL_S = 1


@dataclass(frozen=True, slots=True)
class _Cursor:
    """The position of a search (`live` or `archive`), and the values fixed by the first page."""

    start_s: int | None
    end_s: int | None
    horizon: Horizon | None
    live: LiveCursor | None = None
    archive: ArchiveCursor | None = None

    @property
    def place(self) -> SearchCursor:
        return self.archive or self.live or LiveCursor()


@cache
def _cursors() -> TypeAdapter[_Cursor]:
    """Build the reader and writer of cursors, at the first search: a cold start pays only for its own use."""
    return TypeAdapter(_Cursor)


def search_records(services: Services, request: HttpRequest) -> Response[str]:
    """Search records in the table and in the archive, by their fields.

    At least one of `root`, `node`, `action`, `location` and `start` is required; all given criteria must hold. Each
    record comes once. During a search of the archive, a page comes with `Retry-After`: its cursor goes on waiting.

    Returns:
        In no order; a page may be short, or empty, and not be the last.
    """
    texts = _read_given(_TEXTS, request)
    times = _read_given(_TIMES, request)
    if not texts and "start" not in times:
        names = ", ".join(parameter.name for parameter in _TEXTS)
        raise Invalid.because("query", None, f"must name at least one of {names} and start")
    limit = LIMIT.read(request)
    bound = tuple(f"{name}={text}" for name, text in {**texts, **times}.items())
    text = CURSOR.read(request)
    searcher = services.searcher()
    # The first page fixes times and published days; later pages read them from the cursor.
    if text is None:
        start_s, end_s = (_second(times.get(name), name, services.now_s()) for name in ("start", "end"))
        if start_s is not None and end_s is not None and start_s > end_s:
            raise Invalid.because("end", times["end"], f"must not be before start ({times['start']})")
        criteria = SearchCriteria(**texts, start_s=start_s, end_s=end_s)
        cursor = _Cursor(start_s, end_s, searcher.horizon(criteria))
    else:
        cursor = _parse_cursor(bound, text)
        criteria = SearchCriteria(**texts, start_s=cursor.start_s, end_s=cursor.end_s)
    try:
        page = _fill(searcher.steps(criteria, cursor.horizon, cursor.place), cursor.place, limit, request)
    except StaleCursor as error:
        raise foreign(text or "") from error
    return _respond(page, bound, cursor)


def _read_given(parameters: Iterable[Parameter[str | None]], request: HttpRequest) -> dict[str, str]:
    return {parameter.name: text for parameter in parameters if (text := parameter.read(request)) is not None}


def _second(text: str | None, name: str, now_s: int) -> int | None:
    """Round up a time to whole seconds since 1970."""
    if text is None:
        return None
    try:
        return max(0, ceil(parse_moment(text, now_s) / 1000))
    except ValueError as error:
        raise Invalid.because(name, text, str(error)) from error


@dataclass(frozen=True, slots=True)
class _Page:
    """Rendered records, and the next position; `done`: there are no more."""

    records: list[types.SearchRecord]
    place: SearchCursor
    done: bool


def _fill(
    steps: Iterable[SearchStep[LiveCursor] | SearchStep[ArchiveCursor]],
    place: SearchCursor,
    limit: int,
    request: HttpRequest,
) -> _Page:
    """Collect the records that fit into a page, within the request's time."""
    records: list[types.SearchRecord] = []
    budget = RESPONSE_BYTES_MAX
    for step in steps:
        if step.found is not None:
            record = render_found(step.found)
            budget -= size_of(orjson.dumps(record)) + 1
            if budget < 0:
                return _Page(records, place, done=False)
            records.append(record)
        place = step.place
        if len(records) == limit or request.remaining_s() < _RESERVE_S:
            return _Page(records, place, done=False)
    return _Page(records, place, done=True)


def _respond(page: _Page, bound: tuple[str, ...], cursor: _Cursor) -> Response[str]:
    body: types.SearchPage = {"records": page.records, "cursor": None, "truncated": page.place.truncated}
    if page.done:
        return respond(body)
    live = page.place if isinstance(page.place, LiveCursor) else None
    archive = page.place if isinstance(page.place, ArchiveCursor) else None
    after = _cursors().dump_json(_Cursor(cursor.start_s, cursor.end_s, cursor.horizon, live, archive)).decode()
    waits = archive is not None and archive.waiting
    body["cursor"] = render_cursor(bound, after)
    return respond(body, headers={"Retry-After": str(_POLL_S)} if waits else None)


def _parse_cursor(bound: tuple[str, ...], text: str) -> _Cursor:
    try:
        cursor = _cursors().validate_json(parse_cursor(bound, text))
        if cursor.horizon is not None:
            for day in (cursor.horizon.day, cursor.horizon.first or cursor.horizon.day):
                shift(day, 0)
    except (ValidationError, ValueError) as error:
        raise foreign(text) from error
    return cursor


ROUTES = (
    record_route(
        "GET",
        "/api/v1/records/search",
        search_records,
        within=Within.ROOT_QUERY,
        parameters=(*_TEXTS, *_TIMES, LIMIT, CURSOR),
        returns=types.SearchPage,
        headers=("Retry-After",),
        errors=(400, 503),
    ),
)
