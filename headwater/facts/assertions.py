"""Results of tests of data: in the assertions of datasets' facets, and in the facet `test` of runs.

    DATASET#<dataset>  JOB#<job>     TEST#<time>#<hash>       the results reported by an event
    TESTS                            DATASET#...  JOB#...     a dataset or job with a failed test, ever (`list_rows`)

Type, column and name identify a test of a dataset; the facet `test` names no dataset, so its tests are the job's. The
facts hold the outcome of the last result of each test alone, so that graphs stay small. The row of the event has the
rest, and earlier rows are the history. Of two results of a test in an event, the worse counts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import Any, Literal, TypeAlias

import orjson

from headwater.events.event import DatasetUse, Event, objects_in
from headwater.facts.facts import DatasetFacts
from headwater.facts.facts_delta import Added, Report, about, histories_of
from headwater.facts.keys import thing_pk
from headwater.facts.lattice import ASSERTIONS_MAX
from headwater.facts.list_rows import row_in_list
from headwater.facts.run_facts import text_in
from headwater.facts.table import Row, RowQuery
from headwater_model.ids import DatasetId, JobId

# The facets with assertions, each with its name of an assertion's type: OpenLineage's own facet, and the facet of its
# action for Great Expectations (`openlineage-integration-common`, `ge-assertions-dataset-facet.json`).
ASSERTIONS: Mapping[str, str] = {
    "dataQualityAssertions": "assertion",
    "greatExpectations_assertions": "expectationType",
}
METRICS = "dataQualityMetrics"
TESTS = "TESTS"
# A failed test of severity `warn` is WARNED: the producer's run went on.
Outcome: TypeAlias = Literal["PASSED", "WARNED", "FAILED"]
# From the best to the worst: the place of an outcome is its rank.
OUTCOMES: tuple[Outcome, ...] = ("PASSED", "WARNED", "FAILED")
# By test, the stamp and the rank of its last result; a rank of None is unknown as of a time.
Assertions: TypeAlias = Mapping[str, Sequence[Any]]
_WARN = "warn"
_RUN_TEST = "test"
_PREFIX = "TEST#"
# A longer text is cut in the row; the facet of the run has it whole.
_TEXT_BYTES_MAX = 256
_DETAILS = ("expected", "actual", "description")
# After so many bytes, details are left out: an item of the table has 400 KB.
_DETAILS_BYTES_MAX = 100_000

Result: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AssertionCounts:
    """Numbers of tests by the outcome of their last results; WARNED is a failure of severity `warn`."""

    passed: int = 0
    warned: int = 0
    failed: int = 0


def measures(report: Report) -> Iterator[Added]:
    """Yield the facets of uses that measure their datasets: the dataset's facts keep the last measure."""
    event = report.event
    for use in _described_uses(event):
        if (facet := use.use_facets.get(METRICS)) is not None:
            yield use.dataset, DatasetFacts(facets=histories_of({METRICS: facet}, event.stamp))


def results_of_tests(report: Report) -> Iterator[Added]:
    """Yield the results of tests in an event: of each dataset, and of its job."""
    event = report.event
    uses: dict[DatasetId, list[DatasetUse]] = {}
    for use in _described_uses(event):
        uses.setdefault(use.dataset, []).append(use)
    for dataset in sorted(uses):
        yield from _results_of(event, dataset, _results_of_dataset(uses[dataset]))
    if event.job is not None:
        yield from _results_of(event, event.job, _results_of_run(event))


def _described_uses(event: Event) -> list[DatasetUse]:
    """List the uses of datasets, without the datasets that the sender may only name."""
    named = frozenset(event.named)
    return [use for use in event.uses if use.dataset not in named]


def _results_of(event: Event, thing: DatasetId | JobId, results: Sequence[Result]) -> Iterator[Added]:
    if results:
        outcomes = {result["key"]: [event.stamp, _rank(result)] for result in results[:ASSERTIONS_MAX]}
        yield about(thing, assertions=outcomes)
        yield _row(thing_pk(thing), event, results)
        if has_failed(outcomes):
            yield row_in_list(TESTS, thing)


def _results_of_dataset(uses: Iterable[DatasetUse]) -> list[Result]:
    """List the results of an event's uses of a dataset, the worst first, each test once."""
    facets = [facets for use in uses for facets in (use.facets, use.use_facets)]
    return _each_once(
        _result(sent, type_name, "FAILED" if sent["success"] is False else "PASSED")
        for facets_of_use in facets
        for facet, type_name in ASSERTIONS.items()
        for sent in objects_in(facets_of_use, facet, "assertions")
        if isinstance(sent.get("success"), bool) and text_in(sent, type_name)
    )


def _results_of_run(event: Event) -> list[Result]:
    """List the results of an event's tests of its run; a skipped test has no result."""
    outcomes: Mapping[str, Outcome] = {"pass": "PASSED", "fail": "FAILED"}
    return _each_once(
        _result(sent, "type", outcome)
        for sent in objects_in(event.run_facets, _RUN_TEST, "tests")
        if text_in(sent, "name") and (outcome := outcomes.get(str(sent.get("status")).lower()))
    )


def _result(sent: Mapping[str, Any], type_name: str, outcome: Outcome) -> Result:
    """Make a result for rows, without absent members: `{"key": ..., "outcome": "FAILED", "type": "not_null"}`."""
    severity = _text(sent.get("severity"))
    if outcome == "FAILED" and severity and severity.lower() == _WARN:
        outcome = "WARNED"
    identity = [text_in(sent, name) for name in (type_name, "column", "name")]
    texts = dict(zip(("type", "column", "name"), map(_text, identity), strict=True)) | {
        name: _text(sent.get(name)) for name in _DETAILS
    }
    key = hashlib.sha256(orjson.dumps(identity)).hexdigest()[:16]
    given = {name: text for name, text in {**texts, "severity": severity}.items() if text}
    return {"key": key, "outcome": outcome, **given}


def _text(value: object) -> str | None:
    """Cut a text to `_TEXT_BYTES_MAX` bytes, without control characters; None for another value."""
    if not isinstance(value, str):
        return None
    encoded = value.encode()
    cut = value if len(encoded) <= _TEXT_BYTES_MAX else f"{encoded[: _TEXT_BYTES_MAX - 3].decode(errors='ignore')}…"
    return "".join(letter if letter.isprintable() else " " for letter in cut)


def _each_once(results: Iterable[Result]) -> list[Result]:
    """List the worst result of each test, the worst first: as many as a row holds, and a further one to show a cut."""
    worst: dict[str, Result] = {}
    for result in results:
        worst[result["key"]] = max(worst.get(result["key"], result), result, key=_order)
        if len(worst) > 2 * ASSERTIONS_MAX:  # an event may have a hundred thousand
            worst = {each["key"]: each for each in _worst_of(worst.values())}
    return _worst_of(worst.values())


def _worst_of(results: Iterable[Result]) -> list[Result]:
    return nlargest(ASSERTIONS_MAX + 1, results, key=_order)


def _order(result: Result) -> tuple[int, bytes]:
    return _rank(result), orjson.dumps(result, option=orjson.OPT_SORT_KEYS)


def _rank(result: Result) -> int:
    return OUTCOMES.index(result["outcome"])


def _row(pk: str, event: Event, results: Sequence[Result]) -> Row:
    """Make the row of an event's results; `cut` if there are more than it holds, or details were left out."""
    kept, size, is_cut = [], 0, len(results) > ASSERTIONS_MAX
    for result in results[:ASSERTIONS_MAX]:
        size += sum(len(result.get(name, "")) for name in _DETAILS)
        bare = {name: value for name, value in result.items() if name not in _DETAILS}
        kept.append(result if size <= _DETAILS_BYTES_MAX else bare)
        is_cut |= size > _DETAILS_BYTES_MAX
    job = [event.job.namespace, event.job.name] if event.job else None
    return Row(
        pk,
        f"{_PREFIX}{event.stamp}",
        {"job": job, "run": event.run, "results": kept, **({"cut": True} if is_cut else {})},
    )


def row_key(pk: str, stamp: str) -> tuple[str, str]:
    """Make the key of the row of an event's results: `DATASET#<dataset>`, `TEST#<stamp>`."""
    return pk, f"{_PREFIX}{stamp}"


def stamp_of(row: Row) -> str:
    """Read the stamp of a row's event: the rest of `TEST#<stamp>`."""
    return row.sk.removeprefix(_PREFIX)


def rows_query(pk: str, limit: int, before: str | None = None) -> RowQuery:
    """Query the rows of a dataset's or job's results, `TEST#<stamp>`, the last first; of events before a time."""
    return RowQuery(pk, low=_PREFIX, high=f"{_PREFIX}{before or '~'}", newest_first=True, limit=limit)


def has_failed(assertions: Assertions) -> bool:
    """True if the last result of a test is a failure or a warning: `{"unique": [stamp, 2]}`."""
    return any(rank for _, rank in assertions.values())


def count_assertions(assertions: Assertions) -> AssertionCounts | None:
    """Count the tests by the outcome of their last results; None without known results.

    >>> count_assertions({"a": ["2026-11-20T12:00:00.000000Z#1", 0], "b": ["2026-11-20T12:00:00.000000Z#2", 2]})
    AssertionCounts(passed=1, warned=0, failed=1)
    """
    ranks = [rank for _, rank in assertions.values() if rank is not None]
    return AssertionCounts(*(ranks.count(rank) for rank in range(len(OUTCOMES)))) if ranks else None
