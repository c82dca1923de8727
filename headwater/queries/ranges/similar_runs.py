"""Groups of runs of a job with equal reports: their number, states, first start, and newest runs.

Most runs repeat the report of the run before. Counting them lets results grow with distinct reports, not with runs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from headwater.events.event import State
from headwater.queries.results.reports import ReportedRun
from headwater_model.ids import JobId, RunKey

# Named newest runs, and root runs.
NEWEST_MAX = 10
ROOTS_MAX = 100
_FAILED: tuple[State, ...] = ("FAILED", "ABORTED")


@dataclass(frozen=True, slots=True)
class RangeRun:
    """A run of the time range; `root` is the first of the run's ancestors.

    A Job- or DatasetEvent counts as a run without a state; a DatasetEvent has no job either.
    """

    key: RunKey
    started: str
    root: RunKey
    job: JobId | None
    state: State | None


@dataclass(slots=True)
class Runs:
    """Runs of a job (None: DatasetEvents), not empty once a report shows them; `roots` by their newest run."""

    job: JobId | None
    first: str = ""
    count: int = 0
    states: Counter[State] = field(default_factory=Counter)
    newest: list[ReportedRun] = field(default_factory=list)
    roots: dict[RunKey, tuple[str, RunKey]] = field(default_factory=dict)

    @property
    def last(self) -> str:
        """The start of the newest run."""
        return self.newest[0].started

    @property
    def failed(self) -> bool:
        """True if every run failed."""
        return self.count == sum(self.states[state] for state in _FAILED)

    def add(self, run: RangeRun) -> None:
        """Count a run that started before the runs so far (at the same time: with a smaller id)."""
        self.first = run.started
        self.count += 1
        self.states.update([] if run.state is None else [run.state])
        if len(self.newest) < NEWEST_MAX:
            self.newest.append(ReportedRun(run.key, run.started, run.state))
        if run.root in self.roots or len(self.roots) < ROOTS_MAX:
            self.roots.setdefault(run.root, (run.started, run.key))


def merge_runs(groups: Iterable[Runs]) -> Runs:
    """Merge disjoint groups of runs of a job."""
    parts = list(groups)
    newest = newest_first(run for group in parts for run in group.newest)
    roots: dict[RunKey, tuple[str, RunKey]] = {}
    for root, place in ((root, place) for group in parts for root, place in group.roots.items()):
        roots[root] = max(place, roots.get(root, place))
    states = sum((group.states for group in parts), Counter[State]())
    first, count = min(group.first for group in parts), sum(group.count for group in parts)
    return Runs(parts[0].job, first, count, states, newest[:NEWEST_MAX], roots)


def newest_first(runs: Iterable[ReportedRun]) -> list[ReportedRun]:
    """Sort runs by their start, newest first."""
    return sorted(runs, key=lambda run: (run.started, run.key), reverse=True)
