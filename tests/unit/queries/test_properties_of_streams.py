"""Live streams beside batch runs, with events a second or weeks apart: every result is the model's."""

import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from headwater.facts.apply import apply_statements
from headwater.facts.facet_refs import datasets_ever_with_columns
from headwater.facts.facts import RunFacts, dataset_of
from headwater.facts.index_rows import columns_prefix, version_rows
from headwater.facts.keys import CURRENT, FACTS, RUN_FACTS, job_pk
from headwater.facts.run_facts import effective_times, has_io
from headwater.facts.table import Row, Swap
from headwater.queries.service import LineageQueries
from headwater.times import just_after
from headwater_model.ids import RunKey
from tests.examples import examples
from tests.runs_model import Model
from tests.unit.facts.statements import A, X, Y, Z, an_event, letters
from tests.unit.facts.strategies import (
    DATASETS,
    JOBS,
    a_symlink,
    arrivals,
    distant_times,
    moved,
    stamped,
    streaming_runs,
)
from tests.unit.queries.columns import every_column_query, strategies
from tests.unit.queries.columns.column_statements import IDENTITY, column_lineage, taken
from tests.unit.queries.columns.every_column_query import is_remembered
from tests.unit.queries.every_query import as_parsed, differences, loaded, results_of, right_results
from tests.unit.queries.test_history import applied, model_state

STREAMING = {"jobType": {"processingType": "STREAMING"}}
_COARSE = re.compile("_(MINUTE|DAY|MONTH)#")
_NODES = [node.node_id for node in (*JOBS, *DATASETS)]


@examples(100)
@given(st.data(), distant_times())
def test_every_result_about_runs_is_the_models(data, times):
    statements = moved(data.draw(streaming_runs()), times)
    assert wrong_results(loaded(*data.draw(arrivals(statements))), statements, times) == {}


def wrong_results(table, statements, times):
    """Return differences from the model of runs."""
    return differences(results_of(table, times[1::2]), right_results(statements, times[1::2]))


def test_a_live_stream_is_found_by_its_columns_although_a_later_run_of_its_job_reports_none():
    columns = column_lineage(carrier=[taken(Y, "carrier", IDENTITY)])
    # Under another name of the dataset, the job's node does not have the report.
    for later in (X, (Z, a_symlink(X))):
        events = [
            an_event(0, "s1", A, "START", inputs=[Y], outputs=[(X, columns)], job_facets=STREAMING),
            an_event(10, "b1", A, inputs=[Y], outputs=[later]),
        ]
        lineage = LineageQueries(loaded(events)).columns_of([X])[X]
        assert [letters(reporter.run.id) for column in lineage.columns for reporter in column.reporters] == ["s1"]


def test_a_stream_loaded_without_coarse_rows_is_found_behind_many_runs_by_an_event_that_does_not_say_it_streams():
    first = an_event(0, "s1", A, "START", outputs=[X], job_facets=STREAMING)
    runs = [an_event(10 + number, f"b{number}", A, outputs=[Y]) for number in range(5)]
    last = stamped(replace(an_event(20, "s1", A, "RUNNING"), time="2025-11-20T12:05:00.000000Z"))
    table = loaded_in_part_without([first, *runs, last], 1)
    assert LineageQueries(table).find_job(A).outputs == (X,)


@examples(50)
@given(st.data(), distant_times(), st.integers(0, 8))
def test_a_stream_whose_first_events_were_loaded_without_coarse_rows_is_found_as_any(data, times, count):
    statements = moved(data.draw(streaming_runs()), times)
    assert wrong_results(loaded_in_part_without(statements, count), statements, times) == {}


@examples(30)
@given(st.data(), distant_times(), st.integers(0, 8))
def test_its_columns_are_found_as_any(data, times, count):
    statements = moved(data.draw(strategies.streams(statements=streaming_runs(2))), times)
    results = every_column_query.results_of(loaded_in_part_without(statements, count), statements, times)
    assert differences(results, every_column_query.right_results(statements, times)) == {}


def loaded_in_part_without(statements, count):
    """Return a table of these statements, of which the first `count` were loaded without coarse rows."""
    table = loaded(statements[:count])
    make_exact(table)
    apply_statements(list(map(as_parsed, statements[count:])), table)
    return table


def make_exact(table):
    """Give jobs the rows that they had before coarse ones: one at each event, and no sign of a stream."""
    for pk, sk in [(item["pk"]["S"], item["sk"]["S"]) for item in table.dynamo.items()]:
        row = table.get([(pk, sk)])[pk, sk]
        if pk.startswith("JOB#") and _COARSE.search(sk):
            table.remove([row.key])
        elif pk.startswith("RUN#") and sk.startswith(RUN_FACTS):
            table.put(exact_rows(RunKey.parse(row.data["id"]), RunFacts(**row.data["facts"])))
        elif pk.startswith("JOB#") and sk in {FACTS, CURRENT}:
            facts = {name: value for name, value in row.data.get("facts", {}).items() if name != "first_streamed"}
            data = {name: value for name, value in row.data.items() if name != "streamed"}
            table.swap([Swap(replace(row, data={**data, "facts": facts} if facts else data))])


def exact_rows(run, facts):
    """Yield the rows of a run at each of its effective times."""
    job = facts.job_id
    for time in effective_times(facts) if job else ():
        reported = map(columns_prefix, map(dataset_of, datasets_ever_with_columns(facts)))
        for prefix in ("WITH_IO" if has_io(facts) else "WITHOUT_IO", *reported):
            yield Row(job_pk(job), f"{prefix}#{time}#{run}")
        yield from version_rows(run, facts, job, [time])


@examples(50)
@given(st.data(), distant_times())
def test_every_result_about_columns_is_the_models(data, times):
    statements = moved(data.draw(strategies.streams(statements=streaming_runs(2))), times)
    results = every_column_query.results_of(loaded(statements), statements, times)
    assert differences(results, every_column_query.right_results(statements, times)) == {}


@examples(100)
@given(streaming_runs().filter(is_remembered), distant_times())
def test_the_graph_of_a_time_with_the_changes_since_is_that_of_a_later_time(drawn, times):
    statements = moved(drawn, times)
    queries = LineageQueries(loaded(statements))
    start, end = times[1], just_after(times[-1])
    for node in _NODES:
        history = queries.report_history(node, depth=9, direction="both", start=start, end=end)
        if history is None:
            continue
        state = model_state(Model(statements), node, 9, "both", start)
        changes = {change.time: change for change in history.changes}
        for time in times[1:]:
            then = model_state(Model(statements), node, 9, "both", just_after(time))
            assert (time in changes) == (then != state)
            state = applied(state, changes[time]) if time in changes else state
            assert state == then
