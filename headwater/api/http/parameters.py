"""Parameters of routes: declared once, read from a request, and documented by `openapi`.

LIMIT = number("limit", "The most of a page.", least=0, most=1000).default(100)
NODE_ID = nonblank_text("nodeId", "As printed.", "job:emissions:check").required()
LIMIT.read(request)     # 100 where the query has no `limit`

`START` and `END` are a time range of CDAP: each whole seconds, or arithmetic on `now`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar

from headwater.api.http.request import HttpRequest
from headwater.times import from_seconds, is_day
from headwater_model.errors import Invalid
from headwater_model.times import normalize, parse_time

if TYPE_CHECKING:
    from headwater.queries.results.columns import TimeRange

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
C = TypeVar("C", bound=str)
Schema: TypeAlias = Mapping[str, object]

TIME_RULE = "Unix seconds, an ISO 8601 time, a day (its midnight), or a year (four digits: its first midnight)."
_ENCODED = "One path segment, percent-encoded: `/` is `%2F`."
_NUMBER = re.compile(r"[0-9]{1,15}", re.ASCII)
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
_TEXT: Schema = {"type": "string", "minLength": 1}
_RANGE_RULE = "whole seconds since 1970, or `now` and steps of ms, s, m, h or d (`now-1d+4h`)"
_STEP = re.compile(r"([+-][0-9]{1,15})(ms|[smhd])", re.ASCII)
_MATH = re.compile(rf"now(?:{_STEP.pattern})*", re.ASCII)
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# The millisecond before the year 10000, and the first of the year 1.
_LATEST_MS = 253_402_300_799_999
_EARLIEST_MS = -62_135_596_800_000


@dataclass(frozen=True, slots=True)
class Parameter(Generic[T_co]):
    """A value of a path or query; `schema` is its JSON Schema, `read` reads it from a request or raises `Invalid`."""

    name: str
    description: str
    schema: Schema
    read: Callable[[HttpRequest], T_co]
    place: Literal["path", "query"] = "query"
    is_required: bool = False
    is_repeated: bool = False


@dataclass(frozen=True, slots=True)
class OptionalParameter(Parameter[T | None], Generic[T]):
    """A value of the query, None if missing; for a required value this breaks the rule `missing`."""

    missing: str = "must be given"

    def required(self) -> Parameter[T]:
        """Make the parameter required."""

        def read(request: HttpRequest) -> T:
            given = self.read(request)
            if given is None:
                raise Invalid.because(self.name, None, self.missing)
            return given

        return Parameter(self.name, self.description, self.schema, read, is_required=True)

    def default(self, value: T, shown: str | None = None) -> Parameter[T]:
        """Give the parameter a value for requests without it; `shown` is the word for it, for a choice."""

        def read(request: HttpRequest) -> T:
            given = self.read(request)
            return value if given is None else given

        schema = {**self.schema, "default": value if shown is None else shown}
        return Parameter(self.name, self.description, schema, read)


AnyParameter: TypeAlias = Parameter[Any]


def segment(name: str, example: str) -> Parameter[str]:
    """Declare an id in the path."""
    return parsed_segment(name, {**_TEXT, "examples": [example]}, str)


def parsed_segment(name: str, schema: Schema, parse: Callable[[str], T], description: str = "") -> Parameter[T]:
    """Declare a value in the path; `parse` as in `parsed`."""

    def read(request: HttpRequest) -> T:
        return _parse(name, request.segment(name), parse)

    return Parameter(name, f"{description} {_ENCODED}".strip(), schema, read, place="path", is_required=True)


def value(name: str, description: str, schema: Schema = _TEXT) -> OptionalParameter[str]:
    """Declare a value of the query for the handler to read further."""
    return parsed(name, description, schema, str)


def parsed(name: str, description: str, schema: Schema, parse: Callable[[str], T]) -> OptionalParameter[T]:
    """Declare a value of the query; `parse` raises ValueError with the broken rule, or Pydantic's error."""

    def read(request: HttpRequest) -> T | None:
        given = request.value(name)
        return None if given is None else _parse(name, given, parse)

    return OptionalParameter(name, description, schema, read)


def text(name: str, description: str) -> OptionalParameter[str]:
    """Declare a text of the query, blank texts too."""
    return parsed(name, description, _TEXT, _as_unicode)


def nonblank_text(name: str, description: str, example: str) -> OptionalParameter[str]:
    """Declare a text of the query with more than white space, documented by an example: `job:emissions:check`."""

    def parse(given: str) -> str:
        if not given.strip():
            raise ValueError("must not be blank")
        return _as_unicode(given)

    return replace(
        parsed(name, description, {**_TEXT, "examples": [example]}, parse), missing="must be given, and not blank"
    )


def number(name: str, description: str, *, least: int, most: int) -> OptionalParameter[int]:
    """Declare a whole number of the query: `number("limit", "The most of a page.", least=0, most=1000)`."""

    def parse(given: str) -> int:
        if not _NUMBER.fullmatch(given) or not least <= int(given) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(given)

    return parsed(name, description, {"type": "integer", "minimum": least, "maximum": most}, parse)


def choice(name: str, description: str, choices: Mapping[str, T]) -> OptionalParameter[T]:
    """Declare a choice of words, read as Marquez reads them: case, `-`, `.` and `_` do not count."""
    rule = f"must be one of {', '.join(choices)}"
    chosen = parsed(name, description, _enum(choices), lambda given: choices[_choose(given, choices)])
    return replace(chosen, missing=rule)


def flag(name: str, description: str) -> Parameter[bool]:
    """Declare `true` or `false`; false if missing."""
    return choice(name, description, {"true": True, "false": False}).default(False, "false")


def words(names: Iterable[C]) -> Mapping[str, C]:
    """Map words to themselves, for a choice: `words(["in", "out"])` is `{"in": "in", "out": "out"}`."""
    return {name: name for name in names}


def choices_of(name: str, description: str, choices: Sequence[C]) -> Parameter[tuple[C, ...]]:
    """Declare any number of words of a choice."""

    def read(request: HttpRequest) -> tuple[C, ...]:
        return tuple(_parse(name, given, lambda text: _choose(text, choices)) for given in request.values(name))

    return Parameter(name, description, {"type": "array", "items": _enum(choices)}, read, is_repeated=True)


def moment(name: str, description: str) -> OptionalParameter[str]:
    """Declare a time, normalized: Unix seconds, an ISO 8601 time, or the begin of a day or of a year (`2025`)."""

    def parse(given: str) -> str:
        try:
            return _normalize_moment(_as_unicode(given))
        except (ValueError, OverflowError) as error:
            rule = "must be Unix seconds, or a year, a day or an ISO 8601 date and time of the years 1 to 9999"
            raise ValueError(rule) from error

    schema = {"type": "string", "examples": ["2025-11-20T12:00:00Z", "1763640000"]}
    return parsed(name, f"{description} {TIME_RULE}", schema, parse)


def day(name: str, description: str, example: str) -> OptionalParameter[str]:
    """Declare a day of the calendar: `2026-11-20`."""

    def parse(given: str) -> str:
        if not is_day(given):
            raise ValueError("must be a day, as YYYY-MM-DD")
        return given

    return parsed(name, description, {"type": "string", "format": "date", "examples": [example]}, parse)


def _parse(name: str, given: str, parse: Callable[[str], T]) -> T:
    try:
        return parse(given)
    except ValueError as error:
        raise Invalid.because(name, given, str(error)) from error


def _as_unicode(given: str) -> str:
    try:
        given.encode()
    except UnicodeEncodeError as error:
        raise ValueError("must be Unicode text") from error
    return given


def _normalize_moment(given: str) -> str:
    if _YEAR.fullmatch(given):
        return parse_time(f"{given}-01-01T00:00:00Z")
    if _SECONDS.fullmatch(given):
        return from_seconds(int(given))
    if _DAY.fullmatch(given):
        return parse_time(f"{given}T00:00:00Z")
    # A `+` sent unencoded is a space by now.
    return parse_time(given.replace(" ", "+") if "T" in given else given)


def _choose(given: str, choices: Iterable[C]) -> C:
    for word in choices:
        if _plain(word) == _plain(given):
            return word
    raise ValueError(f"must be one of {', '.join(choices)}")


def _plain(given: str) -> str:
    return re.sub(r"[-._]", "", given).lower()


def _enum(choices: Iterable[str]) -> Schema:
    return {"type": "string", "enum": list(choices)}


def _end(name: str, examples: Sequence[str], description: str) -> Parameter[str]:
    given = value(name, description, {"type": "string", "examples": examples})
    return replace(given, missing=f"must be {_RANGE_RULE}").required()


START = _end("start", ["1763596800", "now-30d"], f"Runs that started from here on: {_RANGE_RULE}.")
END = _end("end", ["now", "1763683200"], "Runs that started before; as `start`.")


@dataclass(frozen=True, slots=True)
class RequestedRange:
    """The time from `start_ms` on and before `end_ms`, in milliseconds since 1970 UTC."""

    start_ms: int
    end_ms: int

    @property
    def time_range(self) -> TimeRange:
        """The range with normalized times."""
        from headwater.queries.results.columns import TimeRange

        return TimeRange(_normalize(self.start_ms), _normalize(self.end_ms))


def read_range(request: HttpRequest, now_s: int) -> RequestedRange:
    """Read the range of the query; it may be empty.

    Raises:
        Invalid: one end is missing or cannot be read, or the range ends before it starts.
    """
    start_ms, end_ms = (
        _parse(end.name, end.read(request), lambda text: parse_moment(text, now_s)) for end in (START, END)
    )
    if start_ms > end_ms:
        raise Invalid.because("end", END.read(request), f"must not be before start ({START.read(request)})")
    return RequestedRange(start_ms, end_ms)


def parse_moment(text: str, now_s: int) -> int:
    """Parse a time into milliseconds since 1970.

    Raises:
        ValueError: the text is no time.

    >>> parse_moment("1442863938", 0), parse_moment("now-1d+4h", 86_400)
    (1442863938000, 14400000)
    """
    # A `+` sent unencoded is a space by now.
    text = text.replace(" ", "+")
    if _SECONDS.fullmatch(text):
        moment_ms = int(text) * 1_000
    elif _MATH.fullmatch(text):
        moment_ms = now_s * 1_000 + sum(int(count) * _UNIT_MS[unit] for count, unit in _STEP.findall(text))
    else:
        raise ValueError(f"must be {_RANGE_RULE}")
    if not _EARLIEST_MS <= moment_ms <= _LATEST_MS:
        raise ValueError("must be within the years 1 to 9999")
    return moment_ms


def _normalize(moment_ms: int) -> str:
    return normalize(_EPOCH + timedelta(milliseconds=moment_ms))
