"""Causes of failures: a job whose runs fail since its last good run, and a test that fails since it last passed.

Each is a single cause, however often it fails. The last completed run (or attempt), or the last pass of the test, names
it, so a failure reported late makes no second cause.
"""

from __future__ import annotations

from collections.abc import Iterator

from headwater.facts.assertions import OUTCOMES, Assertions
from headwater.facts.run_facts import completed_before, ended
from headwater.features.alerts.cause import Cause, Node
from headwater.queries.lists.assertions import ROWS_MAX, list_assertion_history, list_assertions
from headwater.queries.results.entities import AssertionResult
from headwater.queries.runs.failing_jobs import find_failing_jobs
from headwater.queries.view import GraphView
from headwater_model.ids import JobId

_FAILED = OUTCOMES.index("FAILED")
# Results read of a node, for the beginning of its tests' failures: the results of `ROWS_MAX` events.
_RESULTS_MAX = 300 * ROWS_MAX


def find_failed_runs(job: JobId, view: GraphView) -> Iterator[Cause]:
    """Yield the cause of the job's failed runs since its last good run, if there is one."""
    failing = find_failing_jobs([job], view).get(job)
    if failing is None:
        return
    good = failing.good
    detail = {
        "run": failing.last.id,
        "ended": failing.last.ended,
        "failedRuns": len(failing.failed),
        "lastGoodRun": None if good is None else {"run": good[0].id, "ended": ended(good[1])},
    }
    # A run may complete, start again and fail.
    completed = filter(None, (completed_before(facts) for _, facts in failing.failed))
    identity = [*([good[0].id] if good else []), *sorted(completed)[-1:]]
    yield Cause(kind="RunFailed", node=job, identity=identity, time=failing.since, detail=detail)


def find_failing_tests(node: Node, known: Assertions, view: GraphView) -> Iterator[Cause]:
    """Yield the node's tests whose last result is a failure; a failure of severity `warn` is no cause.

    `known` are the outcomes in the node's facts: a node without a failure costs no read.
    """
    if not any(rank == _FAILED for _, rank in known.values()):
        return
    results = list_assertions(view, node)
    history = list_assertion_history(view, node, limit=_RESULTS_MAX)
    passed: dict[tuple[str | None, ...], str] = {}
    first_failed: dict[tuple[str | None, ...], str] = {}
    for result in history.items if history else ():
        test = _test_of(result)
        if result.outcome != "FAILED":
            passed.setdefault(test, result.time)
        elif test not in passed:
            first_failed[test] = result.time
    for result in results.items if results else ():
        if result.outcome == "FAILED":
            test = _test_of(result)
            yield _cause(node, result, passed.get(test, ""), first_failed.get(test, result.time))


def _test_of(result: AssertionResult) -> tuple[str | None, ...]:
    return result.type, result.column, result.name


def _cause(node: Node, result: AssertionResult, passed: str, since: str) -> Cause:
    names = {"type": result.type, "column": result.column, "name": result.name}
    # The expected and actual values of a test may be the data itself: an alert's readers may have no right to it.
    more = {"severity": result.severity, "lastPassed": passed or None, "run": result.run}
    return Cause(
        kind="TestFailed",
        node=node,
        identity=[*(name or "" for name in names.values()), passed],
        time=since,
        detail={"test": {**names, **more}},
        columns=[result.column] if result.column else [],
    )
