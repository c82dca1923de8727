"""alerts: false alarms of the rule for late datasets, on generated histories of jobs without a failure.

Each history has a pattern (every hour, every night, weekdays, a week, a month) and the usual disorder: a run takes a
tenth longer or shorter, and each hundredth run waits for a multiple of its time. A version later than the rule's time
is a false alarm. Beside ours: the mean of the same intervals and three standard deviations, as in anomaly detectors.
The delay is the time from a missing version's due time to its alert.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta, timezone
from itertools import pairwise
from statistics import mean, median, stdev

from benchmarks.processes import Report
from benchmarks.rows import Row, below, without_goal
from headwater.alerts.versions import INTERVALS_MIN, VERSIONS_MAX, due_after

_SEED = 38
_HISTORIES, _HISTORIES_QUICK = 200, 20
_VERSIONS = 200
_JITTER, _WAITS, _WAIT_MAX = 0.1, 0.01, 4
_RUN = timedelta(minutes=20)
_START = datetime(2025, 1, 6, 2, 0, tzinfo=timezone.utc)
_WEEKEND = 5

_Days = Callable[[int], datetime]
_PATTERNS: Mapping[str, _Days] = {
    "every hour": lambda number: _START + timedelta(hours=number),
    "every night": lambda number: _START + timedelta(days=number),
    "on weekdays": lambda number: _START + timedelta(days=number // 5 * 7 + number % _WEEKEND),
    "once a week": lambda number: _START + timedelta(weeks=number),
    "once a month": lambda number: _START.replace(year=2025 + number // 12, month=number % 12 + 1),
}
_ALARMS_MAX = 10.0


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Count false alarms of 1,000 versions, and the delays of true alarms, for each pattern."""
    rows: list[Row] = []
    chance = random.Random(_SEED)
    for name, pattern in _PATTERNS.items():
        report(f"alerts: a dataset written {name}")
        histories = [_history(pattern, chance) for _ in range(_HISTORIES_QUICK if quick else _HISTORIES)]
        ours, theirs = (_false_alarms(histories, rule) for rule in (due_after, _three_deviations))
        what = f"alerts: false ones of 1,000 versions, written {name}"
        rows.append(below(what, ours, max(theirs, 0.01), limit=_ALARMS_MAX, show=_alarms))
        delays = [median(_delays(histories, rule)) for rule in (due_after, _three_deviations)]
        rows.append(without_goal(f"alerts: delay of a true one, written {name}", *delays, show=_hours))
    return rows


def _history(pattern: _Days, chance: random.Random) -> list[datetime]:
    times = []
    for number in range(_VERSIONS):
        waits = chance.uniform(1, _WAIT_MAX) if chance.random() < _WAITS else 1
        times.append(pattern(number) + _RUN * waits * chance.uniform(1 - _JITTER, 1 + _JITTER))
    return times


def _windows(history: Sequence[datetime]) -> Iterator[tuple[Sequence[datetime], datetime]]:
    """Yield the versions known to a rule, and the next version."""
    for number in range(INTERVALS_MIN + 1, len(history)):
        yield history[max(0, number - VERSIONS_MAX) : number], history[number]


def _false_alarms(
    histories: Sequence[Sequence[datetime]], rule: Callable[[Sequence[datetime]], datetime | None]
) -> float:
    windows = [window for history in histories for window in _windows(history)]
    return (
        1_000 * sum((due := rule(known)) is not None and due < following for known, following in windows) / len(windows)
    )


def _delays(
    histories: Sequence[Sequence[datetime]], rule: Callable[[Sequence[datetime]], datetime | None]
) -> list[float]:
    """Compute the seconds from each version's own time to the alert for its absence."""
    windows = (window for history in histories for window in _windows(history))
    return [(due - following).total_seconds() for known, following in windows if (due := rule(known))]


def _three_deviations(known: Sequence[datetime]) -> datetime:
    intervals = [(later - earlier).total_seconds() for earlier, later in pairwise(known)]
    return known[-1] + timedelta(seconds=mean(intervals) + 3 * stdev(intervals))


def _alarms(value: float) -> str:
    return f"{value:.1f}"


def _hours(value: float) -> str:
    return f"{value / 3600:.1f} h"
