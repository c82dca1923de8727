"""What Marquez's routes are asked with: names, pages, choices and times, each checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from lineage.api.request import HttpRequest
from lineage.times import from_seconds, parse_time
from lineage_model.errors import Invalid
from lineage_model.ids import DatasetId, JobId

C = TypeVar("C", bound=str)

LIMIT = 100
LIMIT_MAX = 1000
OFFSET_MAX = 1_000_000
DEPTH = 20
DEPTH_MAX = 1_000_000
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Paging:
    """Which part of a list is asked for."""

    limit: int
    offset: int


def paging(request: HttpRequest, default: int = LIMIT) -> Paging:
    """The page that `limit` and `offset` name."""
    return Paging(number(request, "limit", default, LIMIT_MAX), number(request, "offset", 0, OFFSET_MAX))


def number(request: HttpRequest, name: str, default: int, most: int) -> int:
    """A whole number from 0, or what it is when it is not given."""
    given = request.number(name, least=0, most=most)
    return default if given is None else given


def depth(request: HttpRequest) -> int:
    """How many job hops to go."""
    return number(request, "depth", DEPTH, DEPTH_MAX)


def text(request: HttpRequest, name: str) -> str | None:
    """A value of the query, as Unicode."""
    value = request.value(name)
    return None if value is None else _unicode(name, value)


def required(request: HttpRequest, name: str) -> str:
    """A value of the query that the question is nothing without; Marquez, too, answers 400 when it is missing."""
    value = text(request, name)
    if value is None or not value.strip():
        raise Invalid.because(name, value, "must be given, and not blank")
    return value


def choice(request: HttpRequest, name: str, choices: Sequence[C]) -> C | None:
    """One of some words, read as Marquez reads them: case, `-`, `.` and `_` do not count."""
    value = text(request, name)
    return None if value is None else _chosen(name, value, choices)


def flag(request: HttpRequest, name: str) -> bool:
    """Whether something is asked for; not, unless it says so."""
    return choice(request, name, ("true", "false")) == "true"


def choices_of(request: HttpRequest, name: str, choices: Sequence[C]) -> tuple[C, ...]:
    """Any number of some words."""
    return tuple(_chosen(name, value, choices) for value in request.values(name))


def moment(request: HttpRequest, name: str) -> str | None:
    """A time, as it is kept: Unix seconds, an ISO 8601 time, or the begin of a day or of a year (four digits)."""
    value = text(request, name)
    if value is None:
        return None
    try:
        return _moment(value)
    except (ValueError, OverflowError) as error:
        rule = "must be Unix seconds, or a year, a day or an ISO 8601 date and time of the years 1 to 9999"
        raise Invalid.because(name, value, rule) from error


def dataset_id(request: HttpRequest) -> DatasetId:
    """The dataset in the path."""
    return DatasetId(request.segment("namespace"), request.segment("dataset"))


def job_id(request: HttpRequest) -> JobId:
    """The job in the path."""
    return JobId(request.segment("namespace"), request.segment("job"))


def _moment(value: str) -> str:
    if _YEAR.fullmatch(value):
        return parse_time(f"{value}-01-01T00:00:00Z")
    if _SECONDS.fullmatch(value):
        return from_seconds(int(value))
    if _DAY.fullmatch(value):
        return parse_time(f"{value}T00:00:00Z")
    # A `+` that was sent unencoded is a space by now.
    return parse_time(value.replace(" ", "+") if "T" in value else value)


def _chosen(name: str, value: str, choices: Sequence[C]) -> C:
    for one in choices:
        if _plain(one) == _plain(value):
            return one
    raise Invalid.because(name, value, f"must be one of {', '.join(choices)}")


def _plain(word: str) -> str:
    return re.sub(r"[-._]", "", word).lower()


def _unicode(name: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Invalid.because(name, value, "must be Unicode text") from error
    return value
