"""Time ranges as CDAP takes them: `start` and `end`, each whole seconds or arithmetic on `now`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, timezone

from headwater.api.http.parameters import Parameter, value
from headwater.api.http.request import HttpRequest
from headwater.queries.results.columns import TimeRange
from headwater.times import normalize
from headwater_model.errors import Invalid

_RULE = "whole seconds since 1970, or `now` and steps of ms, s, m, h or d (`now-1d+4h`)"
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)
_STEP = re.compile(r"([+-][0-9]{1,15})(ms|[smhd])", re.ASCII)
_MATH = re.compile(rf"now(?:{_STEP.pattern})*", re.ASCII)
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# The millisecond before the year 10000, and the first of the year 1.
_LATEST_MS = 253_402_300_799_999
_EARLIEST_MS = -62_135_596_800_000


def _end(name: str, examples: Sequence[str], description: str) -> Parameter[str]:
    given = value(name, description, {"type": "string", "examples": examples})
    return replace(given, missing=f"must be {_RULE}").required()


START = _end("start", ["1763596800", "now-30d"], f"Runs that started from here on: {_RULE}.")
END = _end("end", ["now", "1763683200"], "Runs that started before; as `start`.")


@dataclass(frozen=True, slots=True)
class RequestedRange:
    """The time from `start_ms` on and before `end_ms`, in milliseconds since 1970 UTC."""

    start_ms: int
    end_ms: int

    @property
    def time_range(self) -> TimeRange:
        """The same, with normalized times."""
        return TimeRange(_normalized(self.start_ms), _normalized(self.end_ms))


def read_range(request: HttpRequest, now_s: int) -> RequestedRange:
    """Return the range that the query names; it may be empty.

    Raises:
        Invalid: one end is missing or cannot be read, or the range ends before it starts.
    """
    start_ms, end_ms = (_read_end(end, request, now_s) for end in (START, END))
    if start_ms > end_ms:
        raise Invalid.because("end", END.read(request), f"must not be before start ({START.read(request)})")
    return RequestedRange(start_ms, end_ms)


def parse_moment(text: str, now_s: int) -> int:
    """Return a time in milliseconds since 1970.

    Raises:
        ValueError: the text is no time.

    >>> parse_moment("1442863938", 0), parse_moment("now-1d+4h", 86_400)
    (1442863938000, 14400000)
    """
    # A `+` that was sent unencoded is a space by now.
    text = text.replace(" ", "+")
    if _SECONDS.fullmatch(text):
        moment_ms = int(text) * 1_000
    elif _MATH.fullmatch(text):
        moment_ms = now_s * 1_000 + sum(int(count) * _UNIT_MS[unit] for count, unit in _STEP.findall(text))
    else:
        raise ValueError(f"must be {_RULE}")
    if not _EARLIEST_MS <= moment_ms <= _LATEST_MS:
        raise ValueError("must be within the years 1 to 9999")
    return moment_ms


def _read_end(end: Parameter[str], request: HttpRequest, now_s: int) -> int:
    text = end.read(request)
    try:
        return parse_moment(text, now_s)
    except ValueError as error:
        raise Invalid.because(end.name, text, str(error)) from error


def _normalized(moment_ms: int) -> str:
    return normalize(_EPOCH + timedelta(milliseconds=moment_ms))
