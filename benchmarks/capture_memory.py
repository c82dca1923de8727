"""Memory of long jobs: capture's growth by ten thousand writes, and by a stream of five thousand batches."""

from __future__ import annotations

from functools import partial

from benchmarks.processes import Figures, Report, in_turns, instant_endpoint, run
from benchmarks.rows import Row

_WORKS = {"writes": ("small writes", 10_000), "batches": ("micro-batches of a stream", 5_000)}
_QUICK_TIMES = 10
# A larger growth would be a leak, and no garbage or bounded cache: 1,600 bytes a batch.
_MORE_MAX_BYTES = 8e6


def measure(report: Report, *, quick: bool) -> list[Row]:
    """Measure each job once with capture and once without."""
    rows = []
    with instant_endpoint("events") as variables:
        for work, (what, whole) in _WORKS.items():
            times = _QUICK_TIMES if quick else whole
            job = ("capture_memory_work", work, str(times))
            works = {
                "with": partial(run, *job, "--capture", variables["AWS_ENDPOINT_URL"]),
                "without": partial(run, *job),
            }
            report(what)
            figures = in_turns(1, works, report)
            rows.append(memory_row(f"{times:,} {what}", figures["with"], figures["without"]))
    return rows


def memory_row(what: str, ours: Figures, plain: Figures) -> Row:
    """Build the row of a job; its goal is of the additional memory of the JVM and Python with capture."""
    more = sum(max(0.0, ours[name] - plain[name]) for name in ("heap", "python"))
    return Row(
        f"capture memory: growth over the last four fifths of {what}",
        f"{_megabytes(ours)}; {more / 1e6:.1f} MB more",
        _megabytes(plain),
        "",
        f"≤ {_MORE_MAX_BYTES / 1e6:g} MB more",
        more <= _MORE_MAX_BYTES,
    )


def _megabytes(figures: Figures) -> str:
    """Print the growth of a job's two processes.

    >>> _megabytes({"heap": 2_100_000.0, "python": 0.0, "held": 71_000_000.0})
    'JVM +2.1 MB (to 71 MB), Python +0.0 MB'
    """
    heap, python, held = (figures[name] / 1e6 for name in ("heap", "python", "held"))
    return f"JVM {heap:+.1f} MB (to {held:.0f} MB), Python {python:+.1f} MB"
