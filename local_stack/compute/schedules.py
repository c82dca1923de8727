"""Schedules of the template: state machines and functions started on their minute, in the stack's time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone

from local_stack.compute.poller import Poller
from local_stack.errors import UnknownInTemplate
from local_stack.processes.clock import Clock

_TICK_S = 0.5
_HOUR_MINUTES = 60
_RATE = re.compile(r"rate\((\d{1,2}) minutes\)")
_CRON = re.compile(r"cron\((\S+) (\S+) (\S+) (\S+) (\S+) (\S+)\)")


@dataclass(frozen=True)
class ScheduledStart:
    """A start of a state machine or a function with an input, at minutes and hours; None is every value."""

    logical_id: str
    target: str
    input: str
    minutes: frozenset[int] | None
    hours: frozenset[int] | None

    def fires_in(self, minute: datetime) -> bool:
        """True if the schedule fires in this minute."""
        return (self.minutes is None or minute.minute in self.minutes) and (
            self.hours is None or minute.hour in self.hours
        )


def parse_schedule(logical_id: str, expression: str) -> tuple[frozenset[int] | None, frozenset[int] | None]:
    """Parse the minutes and hours of a `cron(minute hour * * ? *)`, or of a `rate` with an even share of an hour.

    >>> parse_schedule("Daily", "cron(30 0 * * ? *)")
    (frozenset({30}), frozenset({0}))
    >>> sorted(parse_schedule("Often", "rate(20 minutes)")[0])
    [0, 20, 40]
    """
    rate = _RATE.fullmatch(expression)
    if rate is not None and int(rate[1]) and _HOUR_MINUTES % int(rate[1]) == 0:
        return frozenset(range(0, _HOUR_MINUTES, int(rate[1]))), None
    match = _CRON.fullmatch(expression)
    if match is None or not set(match.groups()[2:]) <= {"*", "?"}:
        raise _refusal(logical_id, expression)
    try:
        return _field(match[1]), _field(match[2])
    except ValueError:
        raise _refusal(logical_id, expression) from None


def _field(text: str) -> frozenset[int] | None:
    return None if text == "*" else frozenset(map(int, text.split(",")))


def _refusal(logical_id: str, expression: str) -> UnknownInTemplate:
    rule = "the local stack reads cron(minutes hours * * ? *), numbers and commas, and rate(N minutes) of a part of 60"
    return UnknownInTemplate(f"{logical_id}: property ScheduleExpression: {rule}, got {expression!r}")


class Scheduler(Poller):
    """A poller that starts due state machines and functions, twice a second.

    Several days in one skip start a machine once: further runs would find their lease held.
    """

    def __init__(self, starts: list[ScheduledStart], *, clock: Clock, start: Callable[[str, str], None]) -> None:
        super().__init__("schedules")
        self._starts = starts
        self._clock = clock
        self._start = start
        self._seen = self._minute()

    def _minute(self) -> datetime:
        return datetime.fromtimestamp(self._clock.now() // 60 * 60, timezone.utc)

    def _run(self) -> None:
        while not self._stopping.wait(_TICK_S):
            now = self._minute()
            if now > self._seen:
                self._fire(self._seen + timedelta(minutes=1), now)
                self._seen = now

    def _fire(self, first: datetime, last: datetime) -> None:
        # A schedule repeats every day: the last day of a longer skip has every start.
        first = max(first, last - timedelta(days=1) + timedelta(minutes=1))
        minutes = [first + timedelta(minutes=n) for n in range(int((last - first).total_seconds()) // 60 + 1)]
        for start in self._starts:
            if any(map(start.fires_in, minutes)):
                self._start(start.target, start.input)
