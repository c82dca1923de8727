"""Causes of failed runs: a job that fails since its last good run is one cause, however many runs fail.

The cause is named by the last run that completed, so a failure that is reported late makes no second one.
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater.alerts.cause import Cause
from headwater.queries.runs.failing_jobs import FailingJob, find_failing_jobs
from headwater.queries.view import GraphView
from headwater_model.ids import JobId


def find_failed_runs(job: JobId, view: GraphView) -> Iterator[Cause]:
    """Yield the cause of the job's failed runs since its last good run, if there is one."""
    failing = find_failing_jobs([job], view).get(job)
    if failing is not None:
        identity = [] if failing.good is None else [failing.good.id]
        yield Cause(kind="RunFailed", node=job, identity=identity, time=failing.since, detail=_detail(failing))


def _detail(failing: FailingJob) -> dict[str, object]:
    good = failing.good
    return {
        "run": failing.last.id,
        "ended": failing.last.ended,
        "failedRuns": len(failing.failed),
        "lastGoodRun": None if good is None else {"run": good.id, "ended": good.ended},
    }
