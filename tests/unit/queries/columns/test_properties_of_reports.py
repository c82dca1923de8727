"""Reports on a time range are the model's, for all statements in any order."""

import gc
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.queries.ranges import column_flow
from headwater.queries.service import LineageQueries
from tests.examples import examples
from tests.fields_model import FieldModel
from tests.runs_model.results import rendered
from tests.unit.facts.strategies import DATASETS, arrivals
from tests.unit.queries.columns.every_column_query import WINDOWS, every_result, versions_in
from tests.unit.queries.columns.strategies import COLUMNS, streams
from tests.unit.queries.every_query import differences, loaded, results_of

pytestmark = pytest.mark.usefixtures("few_exact_rows", "listed_siblings")


def every_report(queries):
    """Return the reports on every column, as JSON text by query."""
    reports = (queries.report_usage, queries.report_provenance)
    tagged = {f"report_tag {time_range}": rendered(queries.report_tag("Pii", time_range)) for time_range in WINDOWS}
    return tagged | {
        f"{report.__name__} {dataset} {path} {time_range}": rendered(
            report(dataset, tuple(path.split(".")), time_range)
        )
        for report in reports
        for dataset in DATASETS
        for path in COLUMNS
        for time_range in WINDOWS
    }


@examples(40)
@given(st.data())
def test_every_report_is_that_of_the_model(data):
    statements = data.draw(streams())
    table = loaded(*data.draw(arrivals(statements)))
    assert differences(every_report(LineageQueries(table)), every_report(FieldModel(statements))) == {}


@examples(15)
@given(streams())
def test_no_query_leaves_rows_to_the_garbage_collector(statements):
    table, versions = loaded(statements), versions_in(FieldModel(statements).runs)
    gc.collect()
    results_of(table)
    every_result(LineageQueries(table), versions)
    every_report(LineageQueries(table))
    assert gc.collect() == 0


@examples(40)
@given(streams(), st.integers(0, 6), st.sampled_from(WINDOWS))
def test_a_report_with_a_step_too_many_is_a_part_of_the_whole_and_says_so(statements, steps, time_range):
    queries = LineageQueries(loaded(statements))
    for dataset, path in itertools.product(DATASETS, COLUMNS):
        column = dataset, tuple(path.split("."))
        usage, provenance = queries.report_usage(*column, time_range), queries.report_provenance(*column, time_range)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(column_flow, "STEPS_MAX", steps)
            part, part_up = queries.report_usage(*column, time_range), queries.report_provenance(*column, time_range)
        assert part.truncated or part == usage
        assert {flow.column for flow in part.flows} <= {flow.column for flow in usage.flows}
        assert part_up.truncated or part_up == provenance
        assert len(part_up.steps) <= steps
