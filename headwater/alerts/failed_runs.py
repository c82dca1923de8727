"""Causes of failed runs: a job that fails since its last good run is one cause, however many runs fail.

The cause is named by the last run that completed, so a failure that is reported late makes no second one. A run whose
child failed is no cause of its own: the child's job has the cause. ABORT is no failure: somebody stopped the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headwater.alerts.cause import Cause
from headwater.facts.run_results import Run
from headwater.queries.children import list_runs_below
from headwater.queries.runs import list_runs, newest_runs_of
from headwater.queries.view import GraphView
from headwater_model.ids import JobId

# Runs of a job that are read. A job that failed so often without a good run had its alert long ago.
RUNS_MAX = 100
_FIRST = 3
# Of the failed runs, the last whose children are read, and their children.
_PARENTS_MAX = 10
_CHILDREN_MAX = 100


def find_failed_runs(job: JobId, view: GraphView) -> Iterator[Cause]:
    """Yield the cause of the job's failed runs since its last good run, if there is one."""
    runs = _last_runs(job, view)
    good = next((number for number, run in enumerate(runs) if run.state == "COMPLETED"), None)
    if good is None and len(runs) == RUNS_MAX:
        return
    failed = [run for run in runs[:good] if run.state == "FAILED"]
    own = [run for run in failed[:_PARENTS_MAX] if not _has_failed_child(run, view)]
    if not own:
        return
    yield Cause(
        kind="RunFailed",
        node=job,
        identity=[] if good is None else [runs[good].id],
        time=failed[-1].ended or failed[-1].updated,
        detail=_detail(own[0], failed, None if good is None else runs[good]),
    )


def _last_runs(job: JobId, view: GraphView) -> Sequence[Run]:
    """Return the job's last runs, newest first: a few where one of these completed, else up to `RUNS_MAX`."""
    runs = newest_runs_of([job], view, _FIRST)[job]
    if len(runs) < _FIRST or any(run.state == "COMPLETED" for run in runs):
        return runs
    return list_runs(job, view, in_short=True, limit=RUNS_MAX, offset=0).items


def _has_failed_child(run: Run, view: GraphView) -> bool:
    children = list_runs_below(run.key, view, in_short=True, limit=_CHILDREN_MAX, offset=0)
    return any(child.state == "FAILED" for child in children.items)


def _detail(last: Run, failed: Sequence[Run], good: Run | None) -> dict[str, object]:
    return {
        "run": last.id,
        "ended": last.ended,
        "failedRuns": len(failed),
        "lastGoodRun": None if good is None else {"run": good.id, "ended": good.ended},
    }
