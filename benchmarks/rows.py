"""The rows of the results: the measured thing, ours, the baseline's, their ratio, the goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TypeAlias

Show: TypeAlias = Callable[[float], str]
Figures: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Row:
    """A comparison as it is printed. A row without a goal informs only."""

    what: str
    ours: str
    baseline: str
    ratio: str
    goal: str
    met: bool | None = None


def faster(what: str, ours: float, baseline: float, *, at_least: float, show: Show) -> Row:
    """Require less time of ours; the ratio is the baseline's over ours.

    >>> faster("a walk", 2.0, 10.0, at_least=3, show=seconds)
    Row(what='a walk', ours='2.00 s', baseline='10.00 s', ratio='5.0x faster', goal='≥ 3x faster', met=True)
    """
    ratio = baseline / ours
    return Row(what, show(ours), show(baseline), f"{ratio:.1f}x faster", f"≥ {at_least:g}x faster", ratio >= at_least)


def more(what: str, ours: float, baseline: float, *, at_least: float, show: Show) -> Row:
    """Require more of ours (records a second)."""
    ratio = ours / baseline
    return Row(what, show(ours), show(baseline), f"{ratio:.2f}x", f"≥ {at_least:g}x", ratio >= at_least)


def within(what: str, ours: float, baseline: float, *, at_most: float, show: Show) -> Row:
    """Allow ours up to `at_most` times the baseline's.

    >>> within("a start", 0.3, 0.2, at_most=1.4, show=milliseconds).met
    False
    """
    ratio = ours / baseline
    return Row(what, show(ours), show(baseline), f"{ratio:.2f}x", f"≤ {at_most:g}x", ratio <= at_most)


def below(what: str, ours: float, baseline: float, *, limit: float, show: Show) -> Row:
    """Require ours to stay under an absolute limit; the baseline stands beside it."""
    return Row(what, show(ours), show(baseline), f"{ours / baseline:.2f}x", f"< {show(limit)}", ours < limit)


def above(what: str, ours: float, baseline: float, *, limit: float, show: Show) -> Row:
    """Require more of ours than an absolute limit; the baseline stands beside it."""
    return Row(what, show(ours), show(baseline), f"{ours / baseline:.2f}x", f"≥ {show(limit)}", ours >= limit)


def steady(
    what: str, ours: Figures, baseline: Figures, *, of: Sequence[str], at_most: float, show: Callable[[Figures], str]
) -> Row:
    """Allow each named figure up to `at_most` times the baseline's; the row shows the worst ratio.

    >>> few, many = {"items": 5.0, "bytes": 9.0}, {"items": 6.0, "bytes": 9.0}
    >>> steady("a walk", many, few, of=("items", "bytes"), at_most=1.1, show=str).ratio
    '1.20x (items)'
    """
    ratios = {name: ours[name] / baseline[name] for name in of}
    worst = max(of, key=lambda name: ratios[name])
    ratio = ratios[worst]
    goal = f"≤ {at_most:g}x of each"
    return Row(what, show(ours), show(baseline), f"{ratio:.2f}x ({worst})", goal, ratio <= at_most)


def compare_pairs(
    what: str, ours: Sequence[float], baseline: Sequence[float], *, at_most: float | None, show: Show
) -> Row:
    """Compare pairs of runs: the goal is of the median of the pairs' ratios; the row shows their range, too.

    >>> compare_pairs("a job", [1.0, 3.3, 2.1], [1.0, 3.0, 2.0], at_most=1.1, show=seconds).ratio
    '1.05x (1.00 to 1.10)'
    """
    ratios = sorted(our / plain for our, plain in zip(ours, baseline, strict=True))
    ratio = median(ratios)
    shown = f"{ratio:.2f}x ({ratios[0]:.2f} to {ratios[-1]:.2f})"
    goal, met = ("", None) if at_most is None else (f"≤ {at_most:g}x", ratio <= at_most)
    return Row(what, show(median(ours)), show(median(baseline)), shown, goal, met)


def without_goal(what: str, ours: float, baseline: float, *, show: Show) -> Row:
    """Show ours beside a second figure, without a goal."""
    return Row(what, show(ours), show(baseline), f"{ours / baseline:.2f}x", "")


def seconds(value: float) -> str:
    """Render seconds.

    >>> seconds(4.123)
    '4.12 s'
    """
    return f"{value:.2f} s"


def milliseconds(value: float) -> str:
    """Render seconds as milliseconds.

    >>> milliseconds(0.2514)
    '251 ms'
    """
    return f"{value * 1000:.0f} ms"


def gigabytes(value: float) -> str:
    """Render bytes as decimal gigabytes.

    >>> gigabytes(1_500_000_000)
    '1.50 GB'
    """
    return f"{value / 1e9:.2f} GB"


def records_per_second(value: float) -> str:
    """Render records a second.

    >>> records_per_second(1234.5)
    '1,234 records/s'
    """
    return f"{value:,.0f} records/s"


def events_per_second(value: float) -> str:
    """Render events a second.

    >>> events_per_second(123.4)
    '123 events/s'
    """
    return f"{value:,.0f} events/s"
