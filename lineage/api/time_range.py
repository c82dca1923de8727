"""The time range of a question, as CDAP takes it: `start` and `end`, each whole seconds or arithmetic on `now`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from lineage.api.request import HttpRequest
from lineage.queries.columns.results import TimeRange
from lineage.times import normalize
from lineage_model.errors import Invalid

RULE = "must be whole seconds since 1970, or `now` and steps of ms, s, m, h or d (`now-1d+4h`)"
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)
_STEP = re.compile(r"([+-][0-9]{1,15})(ms|[smhd])", re.ASCII)
_MATH = re.compile(rf"now(?:{_STEP.pattern})*", re.ASCII)
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
# The millisecond before the year 10000, and the first of the year 1.
_LATEST_MS = 253_402_300_799_999
_EARLIEST_MS = -62_135_596_800_000


@dataclass(frozen=True, slots=True)
class RequestedRange:
    """From `start_ms` on and before `end_ms`, in milliseconds since 1970 UTC."""

    start_ms: int
    end_ms: int

    @property
    def window(self) -> TimeRange:
        """The runs that started in it."""
        return TimeRange(_kept(self.start_ms), _kept(self.end_ms))


def parse_range(request: HttpRequest, now_s: int) -> RequestedRange:
    """The range that the query names; it may be empty.

    Raises:
        Invalid: one end is missing or cannot be read, or the range ends before it starts.
    """
    start_ms, end_ms = (_moment(request, name, now_s) for name in ("start", "end"))
    if start_ms > end_ms:
        raise Invalid.because("end", request.value("end"), f"must not be before start ({request.value('start')})")
    return RequestedRange(start_ms, end_ms)


def parse_moment(text: str, now_s: int) -> int:
    """A time in milliseconds since 1970.

    Raises:
        ValueError: it is none.

    >>> parse_moment("1442863938", 0), parse_moment("now-1d+4h", 86_400)
    (1442863938000, 14400000)
    """
    if _SECONDS.fullmatch(text):
        moment_ms = int(text) * 1_000
    elif _MATH.fullmatch(text):
        moment_ms = now_s * 1_000 + sum(int(count) * _UNIT_MS[unit] for count, unit in _STEP.findall(text))
    else:
        raise ValueError(RULE)
    if not _EARLIEST_MS <= moment_ms <= _LATEST_MS:
        raise ValueError("must be within the years 1 to 9999")
    return moment_ms


def _moment(request: HttpRequest, name: str, now_s: int) -> int:
    text = request.value(name)
    try:
        # A `+` that was sent unencoded is a space by now.
        return parse_moment((text or "").replace(" ", "+"), now_s)
    except ValueError as error:
        raise Invalid.because(name, text, str(error)) from error


def _kept(moment_ms: int) -> str:
    return normalize(_EPOCH + timedelta(milliseconds=moment_ms))
