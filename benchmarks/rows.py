"""The rows of the results: the measured thing, ours, the baseline's, their ratio, the goal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Show: TypeAlias = Callable[[float], str]
Figures: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Row:
    """A comparison as it is printed, in the results with its benchmark and the date of its run.

    A row without a goal informs only.
    """

    what: str
    ours: str
    baseline: str
    ratio: str
    goal: str
    met: bool | None = None
    run: str = ""
    benchmark: str = ""


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


def events_per_second(value: float) -> str:
    """Render events a second.

    >>> events_per_second(123.4)
    '123 events/s'
    """
    return f"{value:,.0f} events/s"
