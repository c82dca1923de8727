"""Results of tests of datasets and jobs: the last of each test is a function of the set of events."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse
from headwater.facts.lattice import ASSERTIONS_MAX
from headwater.facts.visibility import Visibility
from headwater.queries.results.entities import AssertionCounts
from headwater.queries.service import LineageQueries
from headwater.queries.view.nodes import ROWS_MAX
from tests.examples import examples
from tests.unit.facts.statements import A, X, an_event, letters
from tests.unit.facts.strategies import arrivals, checked_streams, stamped
from tests.unit.queries.every_query import differences, loaded, results_of, right_results


@examples(60)
@given(st.data())
def test_results_of_tests_are_the_models_in_any_order_of_arrival(data):
    statements = data.draw(checked_streams())
    table = loaded(*data.draw(arrivals(statements)))
    assert differences(results_of(table), right_results(statements)) == {}


def asserted(*sent):
    """Return the facet with these assertions, each as (type, column, success) or with a severity."""
    names = ("assertion", "column", "success", "severity")
    return {"dataQualityAssertions": {"assertions": [dict(zip(names, values, strict=False)) for values in sent]}}


def of_run(*sent):
    """Return the facets of a run with the results of these tests, each as (name, status) or with a severity."""
    names = ("name", "status", "severity")
    return {"test": {"tests": [dict(zip(names, values, strict=False)) for values in sent]}}


def checked(second, run, *sent, dataset=X, job=A):
    """Return an event of a run that tested a dataset, as dbt and Great Expectations send it: beside the input."""
    return an_event(second, run, job, inputs=[DatasetUse(dataset, {}, asserted(*sent))])


def listed(page):
    return [(result.outcome, result.type, result.column, result.run and letters(result.run)) for result in page.items]


def test_a_caller_sees_failures_of_its_namespaces_alone():
    queries = LineageQueries(loaded([checked(1, "a1", ("unique", "id", False))]))
    for namespace, expected in ((X.namespace, [(X, None, None)]), (A.namespace, [])):
        caller = Visibility(covers=namespace.__eq__, namespaces=[namespace], strict=True)
        failures = queries.seen_by(caller).list_failures(limit=9, offset=0).items
        assert [(failure.of, failure.job, failure.run) for failure in failures] == expected


def test_a_sender_who_may_only_name_a_dataset_reports_no_results_of_it():
    event = stamped(replace(checked(1, "a1", ("unique", "id", False)), named=(X,)))
    assert LineageQueries(loaded([event])).list_failures(limit=9, offset=0).total == 0


def test_a_response_is_truncated_where_an_event_reported_more_than_is_kept():
    many = [("unique", f"c{number}", number > 0) for number in range(ASSERTIONS_MAX + 1)]
    queries = LineageQueries(loaded([checked(1, "a1", *many)]))
    assert queries.find_dataset(X).assertions == AssertionCounts(passed=ASSERTIONS_MAX - 1, failed=1)
    assert queries.list_assertion_history(X, limit=1_000).truncated
    assert queries.list_assertions(X).truncated
    assert queries.list_failures(limit=1, offset=0).truncated


def test_a_response_is_truncated_where_earlier_rows_may_know_more():
    first = checked(0, "a1", ("rare", None, False))
    later = [
        replace(checked(1, "a2", ("often", None, True)), time=f"2025-11-20T12:01:00.{number:06}Z")
        for number in range(ROWS_MAX + 1)
    ]
    last = replace(checked(1, "a1", ("rare", None, True)), time="2025-11-20T13:00:00.000000Z")
    queries = LineageQueries(loaded([first, *map(stamped, later), stamped(last)]))
    page = queries.list_assertions(X, at="2025-11-20T12:30:00.000000Z")
    assert (listed(page), page.truncated) == ([("PASSED", "often", None, "a2")], True)


def test_a_jobs_response_is_truncated_where_earlier_rows_may_know_more():
    first = an_event(0, "a1", A, run_facets=of_run(("rare", "fail")))
    later = [
        replace(an_event(1, "a2", A, run_facets=of_run(("often", "pass"))), time=f"2025-11-20T12:01:00.{number:06}Z")
        for number in range(ROWS_MAX + 1)
    ]
    last = replace(an_event(1, "a1", A, run_facets=of_run(("rare", "pass"))), time="2025-11-20T13:00:00.000000Z")
    queries = LineageQueries(loaded([first, *map(stamped, later), stamped(last)]))
    then = "2025-11-20T12:30:00.000000Z"
    assert queries.list_assertions(A, at=then).truncated
    assert queries.list_failures(at=then, limit=10, offset=0).truncated
    assert not queries.list_assertions(A).truncated


@pytest.mark.parametrize(
    "facet",
    [
        {"_deleted": True, "assertions": [{"assertion": "unique", "success": False}]},
        {"assertions": "?"},
        {"assertions": ["?", {"assertion": 1, "success": False}, {"success": False}, {"assertion": "unique"}]},
        {"assertions": [{"assertion": "unique", "success": "no"}]},
    ],
)
def test_a_facet_that_is_deleted_or_of_another_shape_has_no_results(facet):
    event = an_event(1, "a1", A, inputs=[DatasetUse(X, {}, {"dataQualityAssertions": facet})])
    assert LineageQueries(loaded([event])).list_assertions(X).items == []
