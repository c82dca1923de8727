"""Jobs that fail since their last good run.

A run whose child failed does not count: the child's job fails. ABORT is no failure: somebody stopped the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from headwater.facts.index_rows import child_runs_query
from headwater.facts.index_scan import RunWithFacts
from headwater.facts.job_nodes import summarize_run
from headwater.facts.run_facts import Run, ended, parent_run, state
from headwater.queries.runs.input_versions import CHILDREN_MAX
from headwater.queries.runs.runs import child_runs, newest_facts_of
from headwater.queries.view import GraphView
from headwater_model.ids import JobId, RunKey

# Runs read of a job, page by page, up to a good run: most jobs ran well of late.
RUNS_MAX = 100
_PAGES = (3, 12, RUNS_MAX)
# The last failed runs with children to read.
_PARENTS_MAX = 10


class FailingJob(NamedTuple):
    """A job's failed runs since its last good run, newest first; `last` is the newest without a failed child.

    `cut`: all read runs are without a good run, and there may be older runs.
    """

    last: Run
    failed: Sequence[RunWithFacts]
    good: RunWithFacts | None
    cut: bool = False

    @property
    def since(self) -> str:
        """The end of the first failed run."""
        return ended(self.failed[-1][1]) or ""


def find_failing_jobs(
    jobs: Collection[JobId], view: GraphView, *, children: Iterable[JobId] = (), without_good_run: bool = False
) -> dict[JobId, FailingJob]:
    """Choose the failing jobs; failed runs of their known failing `children` spare reads of all children.

    A job with `RUNS_MAX` runs, none of them good, is left out, except `without_good_run`.
    """
    streaks = {job: _streak(runs) for job, runs in last_runs(dict.fromkeys((*jobs, *children)), view).items()}
    # The parent of a failed run has a failed child. Of other runs, mostly the children of the newest decide.
    parents = {
        parent_run(facts) for failed, *_ in streaks.values() for run, facts in failed if parent_run(facts) != run
    }
    own = {
        job: [run for run in failed[:_PARENTS_MAX] if run[0] not in parents]
        for job, (failed, _, cut) in streaks.items()
        if job in jobs and (without_good_run or not cut)
    }
    view.read_first([child_runs_query(runs[0][0], CHILDREN_MAX) for runs in own.values() if runs])
    left = [runs[1:] for runs in own.values() if runs and _has_failed_child(runs[0][0], view)]
    view.query([child_runs_query(run, CHILDREN_MAX) for runs in left for run, _ in runs])
    last = {job: next((run for run in runs if not _has_failed_child(run[0], view)), None) for job, runs in own.items()}
    return {job: FailingJob(summarize_run(*run), *streaks[job]) for job, run in last.items() if run}


def last_runs(jobs: Iterable[JobId], view: GraphView) -> dict[JobId, list[RunWithFacts]]:
    """Read the jobs' last runs, `{job: [(run, facts)]}`, newest first: up to a completed run, at most `RUNS_MAX`."""
    runs, left = dict[JobId, list[RunWithFacts]](), list(jobs)
    for count in _PAGES:
        runs |= newest_facts_of(left, view, count)
        left = [job for job in left if len(runs[job]) == count and good_run(runs[job]) is None]
    return runs


def _streak(runs: Sequence[RunWithFacts]) -> tuple[Sequence[RunWithFacts], RunWithFacts | None, bool]:
    """List the failed runs since the last good run, newest first; the good run, and true if there may be more."""
    good = good_run(runs)
    failed = [run for run in runs[:good] if state(run[1]) == "FAILED"]
    return failed, None if good is None else runs[good], good is None and len(runs) == RUNS_MAX


def good_run(runs: Sequence[RunWithFacts]) -> int | None:
    """Find the place of the last good run, `good_run([(run, failed), (run, completed)])` is 1; None without any."""
    return next((number for number, (_, facts) in enumerate(runs) if state(facts) == "COMPLETED"), None)


def _has_failed_child(run: RunKey, view: GraphView) -> bool:
    return any(state(facts) == "FAILED" for _, facts in child_runs(run, view)[0])
