"""Jobs that fail since their last good run.

A run whose child failed does not count: the child's job fails. ABORT is no failure: somebody stopped the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from headwater.facts.index_rows import child_runs_query
from headwater.facts.run_facts import Run, state
from headwater.queries.runs.runs import CHILDREN_MAX, child_runs, newest_runs_of
from headwater.queries.view import GraphView
from headwater_model.ids import JobId

# Runs read of a job.
RUNS_MAX = 100
_FIRST = 3
# The last failed runs with children to read.
_PARENTS_MAX = 10


class FailingJob(NamedTuple):
    """A job's failed runs since its last good run, newest first; `last` is the newest without a failed child.

    `cut`: all read runs are without a good run, and there may be older runs.
    """

    last: Run
    failed: Sequence[Run]
    good: Run | None
    cut: bool = False

    @property
    def since(self) -> str:
        """The end of the first failed run."""
        first = self.failed[-1]
        return first.ended or first.updated


def find_failing_jobs(
    jobs: Iterable[JobId], view: GraphView, *, without_good_run: bool = False
) -> dict[JobId, FailingJob]:
    """Choose the failing jobs.

    A job with `RUNS_MAX` runs, none of them good, is left out, except `without_good_run`.
    """
    streaks = {job: _streak(runs) for job, runs in last_runs(list(jobs), view).items()}
    failing = {job: streak for job, streak in streaks.items() if streak.failed and (without_good_run or not streak.cut)}
    # The parent of a failed run has a failed child. For other runs, a round reads the children, the next their facts.
    failed = [run for streak in streaks.values() for run in streak.failed]
    parents = {run.parent.key for run in failed if run.parent and run.parent.key != run.key}
    own = [[run for run in streak.failed[:_PARENTS_MAX] if run.key not in parents] for streak in failing.values()]
    view.query([child_runs_query(run.key, CHILDREN_MAX) for runs in own for run in runs])
    view.read_first([child_runs_query(runs[0].key, CHILDREN_MAX) for runs in own if runs])
    last = [next((run for run in runs if not _has_failed_child(run, view)), None) for runs in own]
    return {job: FailingJob(run, *failing[job]) for job, run in zip(failing, last, strict=True) if run}


def last_runs(jobs: Sequence[JobId], view: GraphView) -> dict[JobId, Sequence[Run]]:
    """Read the jobs' last runs, newest first: a few if a few runs or a completed run are enough, else `RUNS_MAX`."""
    few = newest_runs_of(jobs, view, _FIRST)
    unclear = [
        job for job, runs in few.items() if len(runs) == _FIRST and all(run.state != "COMPLETED" for run in runs)
    ]
    return {**few, **newest_runs_of(unclear, view, RUNS_MAX)}


class _Streak(NamedTuple):
    """Failed runs since the last good run, newest first; `cut` if there may be more."""

    failed: Sequence[Run]
    good: Run | None
    cut: bool


def _streak(runs: Sequence[Run]) -> _Streak:
    good = next((number for number, run in enumerate(runs) if run.state == "COMPLETED"), None)
    failed = [run for run in runs[:good] if run.state == "FAILED"]
    return _Streak(failed, None if good is None else runs[good], cut=good is None and len(runs) == RUNS_MAX)


def _has_failed_child(run: Run, view: GraphView) -> bool:
    return any(state(facts) == "FAILED" for _, facts in child_runs(run.key, view)[0])
