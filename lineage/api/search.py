"""The route that searches records, in the table and archived alike.

Every page says where to go on, until the last: a page may be short, or empty, while a search is under way. What was
relative to the clock (`now-1d`) and what was published at the first page stay so until the last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import ceil

import orjson
from aws_lambda_powertools.event_handler import Response
from pydantic import TypeAdapter, ValidationError

from lineage.api.answers import ANSWER_BYTES_MAX, answer, size_of
from lineage.api.cursor import foreign, parse_cursor, render_cursor
from lineage.api.request import HttpRequest
from lineage.api.route import Route
from lineage.api.services import Services
from lineage.api.time_range import parse_moment
from lineage.api.views import render_found
from lineage.records.field_types import Action, NodeId, RootId, StorageLocation
from lineage.records.search.archive import StaleCursor
from lineage.records.search.criteria import ArchiveCursor, Horizon, LiveCursor, SearchCriteria, SearchCursor, SearchStep
from lineage.times import shift
from lineage_model.errors import Invalid

_LIMIT = 100
LIMIT_MAX = 1000
_TEXTS: Mapping[str, TypeAdapter[str]] = {
    "root": TypeAdapter(RootId),
    "node": TypeAdapter(NodeId),
    "action": TypeAdapter(Action),
    "location": TypeAdapter(StorageLocation),
}
_TIMES = ("start", "end")
# What must be left of the request's time for one more step.
_RESERVE_S = 9.0
_POLL_S = 1


@dataclass(frozen=True, slots=True)
class _Cursor:
    """Where a search goes on (one of `live` and `archive`), and what its first page settled."""

    start_s: int | None
    end_s: int | None
    horizon: Horizon | None
    live: LiveCursor | None = None
    archive: ArchiveCursor | None = None

    @property
    def place(self) -> SearchCursor:
        return self.archive or self.live or LiveCursor()


_CURSOR = TypeAdapter(_Cursor)


def get_search(services: Services, request: HttpRequest) -> Response[str]:
    """A page of the records that are asked for, live or archived."""
    asked = {name: text for name, rule in _TEXTS.items() if (text := request.text(name, rule)) is not None}
    times = {name: text for name in _TIMES if (text := request.value(name)) is not None}
    if not asked and "start" not in times:
        raise Invalid.because("query", None, f"must name at least one of {', '.join(_TEXTS)} and start")
    limit = request.number("limit", least=1, most=LIMIT_MAX) or _LIMIT
    bound = tuple(f"{name}={text}" for name, text in {**asked, **times}.items())
    text = request.value("cursor")
    searcher = services.searcher()
    if text is None:
        start_s, end_s = (_second(times.get(name), name, services.now_s()) for name in _TIMES)
        _check_range(start_s, end_s, times)
        question = SearchCriteria(**asked, start_s=start_s, end_s=end_s)
        cursor = _Cursor(start_s, end_s, searcher.horizon(question))
    else:
        cursor = _parse_cursor(bound, text)
        question = SearchCriteria(**asked, start_s=cursor.start_s, end_s=cursor.end_s)
    try:
        page = _fill(searcher.steps(question, cursor.horizon, cursor.place), cursor.place, limit, request)
    except StaleCursor as error:
        raise foreign(text or "") from error
    return _answer(page, bound, cursor)


def _second(text: str | None, name: str, now_s: int) -> int | None:
    """The first whole second from a time on, since 1970."""
    if text is None:
        return None
    try:
        # A `+` that was sent unencoded is a space by now.
        return max(0, ceil(parse_moment(text.replace(" ", "+"), now_s) / 1000))
    except ValueError as error:
        raise Invalid.because(name, text, str(error)) from error


def _check_range(start_s: int | None, end_s: int | None, times: Mapping[str, str]) -> None:
    if start_s is not None and end_s is not None and start_s > end_s:
        raise Invalid.because("end", times["end"], f"must not be before start ({times['start']})")


@dataclass(frozen=True, slots=True)
class _Page:
    """Some records, rendered, and where to go on; `done`: there are no more."""

    records: list[Mapping[str, object]]
    place: SearchCursor
    done: bool


def _fill(
    steps: Iterable[SearchStep[LiveCursor] | SearchStep[ArchiveCursor]],
    place: SearchCursor,
    limit: int,
    request: HttpRequest,
) -> _Page:
    """What fits into a page, and can be found in the request's time."""
    records: list[Mapping[str, object]] = []
    room = ANSWER_BYTES_MAX
    for step in steps:
        if step.found is not None:
            form = render_found(step.found)
            room -= size_of(orjson.dumps(form)) + 1
            if room < 0:
                return _Page(records, place, done=False)
            records.append(form)
        place = step.place
        if len(records) == limit or request.remaining_s() < _RESERVE_S:
            return _Page(records, place, done=False)
    return _Page(records, place, done=True)


def _answer(page: _Page, bound: tuple[str, ...], cursor: _Cursor) -> Response[str]:
    form = {"records": page.records, "cursor": None, "truncated": page.place.truncated}
    if page.done:
        return answer(form)
    live = page.place if isinstance(page.place, LiveCursor) else None
    archive = page.place if isinstance(page.place, ArchiveCursor) else None
    after = _CURSOR.dump_json(_Cursor(cursor.start_s, cursor.end_s, cursor.horizon, live, archive)).decode()
    waits = archive is not None and archive.waiting
    return answer(
        {**form, "cursor": render_cursor(bound, after)}, headers={"Retry-After": str(_POLL_S)} if waits else None
    )


def _parse_cursor(bound: tuple[str, ...], text: str) -> _Cursor:
    try:
        cursor = _CURSOR.validate_json(parse_cursor(bound, text))
        if cursor.horizon is not None:
            for day in (cursor.horizon.day, cursor.horizon.first or cursor.horizon.day):
                shift(day, 0)
    except (ValidationError, ValueError) as error:
        raise foreign(text) from error
    return cursor


ROUTES = (Route("GET", "/api/v1/records/search", get_search),)
