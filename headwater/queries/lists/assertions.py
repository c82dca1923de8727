"""Results of tests of datasets and jobs: the last of each test, the failures, and the history."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

import orjson
from typing_extensions import Unpack

from headwater.facts.assertions import OUTCOMES, TESTS, Assertions, has_failed, row_key, rows_query, stamp_of
from headwater.facts.facts import JobFacts, as_of
from headwater.facts.index_scan import facts_of
from headwater.facts.keys import job_pk
from headwater.facts.result_page import ResultPage
from headwater.facts.table import Key, Row
from headwater.queries.graphs.node_ids import result_by_name
from headwater.queries.lists.annotated import AnnotatedKind, kinds_of, read_annotated
from headwater.queries.lists.tags import page_of_hits
from headwater.queries.results.columns import ColumnHit
from headwater.queries.results.entities import AssertionResult, Failure, SearchHit, SearchOptions
from headwater.queries.view import GraphView
from headwater.queries.view.nodes import pks_of, resolve_assertions, resolve_jobs
from headwater_model.ids import DatasetId, JobId

Thing: TypeAlias = DatasetId | JobId
# Rows read of a name's events for its history.
ROWS_MAX = 100


def list_assertions(view: GraphView, thing: Thing, *, at: str | None = None) -> ResultPage[AssertionResult] | None:
    """List the last result of each test, the worst first, then by column, type and name; None if `thing` is unknown."""
    view = view.as_of(at)
    outcomes = _find_any(thing, view)
    if outcomes is None:
        return None
    primary, pks, known, cut = outcomes
    found_rows, rows_cut = _results(primary, pks, known, view)
    results = sorted(found_rows.values(), key=_order)
    return ResultPage(results, len(results), cut or rows_cut)


def list_assertion_history(
    view: GraphView, thing: Thing, *, limit: int, at: str | None = None
) -> ResultPage[AssertionResult] | None:
    """List results of tests, the last first, of the last `ROWS_MAX` events; None if `thing` is unknown."""
    view = view.as_of(at)
    outcomes = _find_any(thing, view)
    if outcomes is None:
        return None
    primary, pks, _, _ = outcomes
    pages = view.query([rows_query(pk, ROWS_MAX, view.at) for pk in pks])
    rows = sorted((row for page in pages for row in page.rows), key=stamp_of, reverse=True)
    results = [result for row in rows for result in sorted(_results_in(row, primary, view), key=_order)]
    more = any(page.more for page in pages) or any("cut" in row.data for row in rows)
    return ResultPage(results[:limit], len(results), more or len(results) > limit)


class Failing(NamedTuple):
    """A dataset or job with a failed test: its partitions, its outcomes, and the time of its last update."""

    pks: Sequence[str]
    known: Assertions
    updated: str


def list_failures(
    view: GraphView, namespace: str | None = None, *, at: str | None = None, limit: int, offset: int
) -> ResultPage[AssertionResult]:
    """List the visible last results that are failures: the worst first, then the latest; None: of all namespaces."""
    view = view.as_of(at)
    things, cut = read_failing(view, kinds=("DATASET", "JOB"), namespace=namespace)
    failures = [
        (value[1], value[0], thing.node_id, key, thing)
        for thing, failing in things.items()
        for key, value in failing.known.items()
        if value[1]
    ]
    page = sorted(failures, reverse=True, key=lambda failure: failure[:4])[offset : offset + limit]
    tests = {thing: {key for *_, key, other in page if other == thing} for *_, thing in page}
    shown = {
        thing: (things[thing].pks, {key: things[thing].known[key] for key in keys}) for thing, keys in tests.items()
    }
    view.get(_row_keys(shown.values()))
    results = {thing: _results(thing, pks, known, view) for thing, (pks, known) in shown.items()}
    listed = [results[thing][0][key] for *_, key, thing in page if key in results[thing][0]]
    return ResultPage(listed, len(failures), cut or any(rows_cut for _, rows_cut in results.values()))


def search_failing(
    view: GraphView,
    outcome: Failure,
    text: str = "",
    *,
    kind: Literal["job", "dataset"] | None,
    **options: Unpack[SearchOptions],
) -> ResultPage[SearchHit | ColumnHit]:
    """List the jobs and datasets with a test of this outcome, and with the words of the text in their names."""
    things, cut = read_failing(view, kinds=kinds_of(kind), namespace=options.get("namespace"))
    rank = OUTCOMES.index(outcome)
    hits = [
        SearchHit(thing, failing.updated)
        for thing, failing in things.items()
        if any(value[1] == rank for value in failing.known.values())
    ]
    return page_of_hits(hits, text, options, truncated=cut)


def read_failing(
    view: GraphView, *, kinds: Sequence[AnnotatedKind], namespace: str | None
) -> tuple[dict[Thing, Failing], bool]:
    """Read the jobs and datasets with failed tests; return true, too, if not all were read."""
    annotated = read_annotated(TESTS, view, kinds=kinds, namespace=namespace)
    cut = resolve_assertions(annotated.datasets, view) or annotated.truncated
    facts, is_cut = _facts_then([job.id for job in annotated.jobs], view)
    things: dict[Thing, Failing] = {
        group.primary: Failing(pks_of(group), group.facts.assertions, group.facts.last or "")
        for group in annotated.datasets
    }
    things |= {job: Failing([job_pk(job)], known.assertions, known.last or "") for job, known in facts.items()}
    return {thing: failing for thing, failing in things.items() if has_failed(failing.known)}, cut or is_cut


def _facts_then(jobs: Sequence[JobId], view: GraphView) -> tuple[dict[JobId, JobFacts], bool]:
    """Read the facts of the known jobs as of the view's time; return true, too, if outcomes may be missing."""
    facts = facts_of(jobs, view)
    if not view.at:
        return facts, False
    return resolve_jobs({job: as_of(known, view.at) for job, known in facts.items()}, view, view.at)


def _find_any(thing: Thing, view: GraphView) -> tuple[Thing, list[str], Assertions, bool] | None:
    """Find a job, or a dataset under any of its names, as `_find`."""
    if isinstance(thing, JobId):
        return _find(thing, view)
    return result_by_name(thing, lambda name: _find(name, view), view)


def _find(thing: Thing, view: GraphView) -> tuple[Thing, list[str], Assertions, bool] | None:
    """Find the primary name of a dataset or job, its partitions and outcomes; None if it is unknown."""
    if isinstance(thing, DatasetId):
        group = view.named(thing)
        cut = resolve_assertions([group], view)
        return (group.primary, pks_of(group), group.facts.assertions, cut) if group.known else None
    jobs, cut = _facts_then([thing], view)
    return (thing, [job_pk(thing)], jobs[thing].assertions, cut) if thing in jobs and jobs[thing].first else None


def _row_keys(things: Iterable[tuple[Sequence[str], Assertions]]) -> Iterator[Key]:
    for pks, known in things:
        yield from {row_key(pk, stamp) for pk in pks for stamp, _ in known.values()}


def _results(
    thing: Thing, pks: Sequence[str], known: Assertions, view: GraphView
) -> tuple[dict[str, AssertionResult], bool]:
    """Read the last results in full, by test; return true, too, if an event reported more than its row holds.

    An outcome names its event; the event has a row under each of its names of a dataset.
    """
    rows = view.get(sorted(set(_row_keys([(pks, known)]))))
    sent = [
        (stored["key"], orjson.dumps(stored, option=orjson.OPT_SORT_KEYS), result)
        for row in rows.values()
        for stored, result in zip(row.data["results"], _results_in(row, thing, view), strict=True)
        if known.get(stored["key"]) == [stamp_of(row), OUTCOMES.index(stored["outcome"])]
    ]
    last = {key: result for key, _, result in sorted(sent, key=lambda report: report[:2])}
    return last, any("cut" in row.data for row in rows.values())


def _results_in(row: Row, thing: Thing, view: GraphView) -> list[AssertionResult]:
    """Parse the results of an event; without its job and run if the caller may not see them."""
    sent = JobId(*row.data["job"]) if row.data["job"] else None
    job = sent if sent and view.opens(sent) else None
    time, run = stamp_of(row).partition("#")[0], row.data["run"] if job else None
    results = ({name: value for name, value in stored.items() if name != "key"} for stored in row.data["results"])
    return [AssertionResult(of=thing, time=time, job=job, run=run, **result) for result in results]


def _order(result: AssertionResult) -> tuple[int, str, str, str]:
    return -OUTCOMES.index(result.outcome), result.column or "", result.type or "", result.name or ""
