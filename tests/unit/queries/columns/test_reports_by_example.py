"""Reports on a column, by example; the model and the loaders' table must agree."""

from dataclasses import replace

from headwater.queries.results.columns import TimeRange
from headwater_model.columns import Column, ColumnSource
from tests.unit.facts.statements import an_event, at, run_id
from tests.unit.facts.strategies import a_symlink, stamped
from tests.unit.queries.columns.column_statements import (
    CHECK,
    CHECKED,
    HASHED,
    IDENTITY,
    LANDING,
    RAW,
    READ,
    column_lineage,
    operations,
    read,
    taken,
    transform,
    write,
)

WINDOW = TimeRange(at(0), at(9))
CARRIER = ("carrier",)


def a_check(second, run, *ways):
    """A run that derives the checked carrier from the raw one by these transformations, or reports none."""
    reported = column_lineage(carrier=[taken(RAW, "carrier", *ways)])
    return an_event(second, run, CHECK, inputs=[RAW], outputs=[(CHECKED, reported)])


def test_a_run_that_used_a_dataset_under_two_names_used_it_once(queries_over):
    reported = column_lineage(carrier=[taken(RAW, "carrier", IDENTITY), taken(LANDING, "carrier", HASHED)])
    named = (RAW, a_symlink(LANDING))
    usage = queries_over(
        [an_event(1, "b1", CHECK, inputs=[named, LANDING], outputs=[(CHECKED, reported)])]
    ).report_usage(RAW, CARRIER, WINDOW)
    assert [(use.kind, use.runs[0].id, use.fields, use.operations) for use in usage.uses] == [
        ("READ", run_id("b1"), (ColumnSource(CHECKED, CARRIER),), ("IDENTITY", "sha2"))
    ]


def test_what_operations_drop_of_a_dataset_under_its_other_name_is_dropped(queries_over):
    recorded = operations(
        read("raw", RAW, "carrier"),
        read("landing", LANDING, "line"),
        transform("drop", ["landing.line"]),
        write("write", ["raw.carrier"], CHECKED),
    )
    events = [
        an_event(1, "b1", CHECK, run_facets=recorded),
        an_event(2, "a1", READ, inputs=[(RAW, a_symlink(LANDING))]),
    ]
    uses = queries_over(events).report_usage(RAW, ("line",), TimeRange(at(0), at(2))).uses
    assert [(use.kind, use.runs[0].id) for use in uses] == [("READ", run_id("b1")), ("DELETE", run_id("b1"))]


def test_a_use_names_the_newest_ten_runs_with_their_states_and_counts_all(queries_over):
    runs = [a_check(1, f"{number:02}", IDENTITY) for number in range(12)]
    runs[-1] = replace(runs[-1], type="FAIL")
    running = replace(a_check(2, "zz", IDENTITY), type="START")
    (use,) = queries_over([*map(stamped, runs), stamped(running)]).report_usage(RAW, CARRIER, WINDOW).uses
    assert (use.count, use.states) == (13, (("COMPLETED", 11), ("FAILED", 1), ("RUNNING", 1)))
    assert [run.state for run in use.runs] == ["RUNNING", "FAILED", *["COMPLETED"] * 8]


def test_an_end_names_the_newest_of_many_runs_that_report_nothing(queries_over):
    runs = [an_event(0, f"{number:02}", READ, inputs=[LANDING], outputs=[RAW]) for number in range(12)]
    queries = queries_over([*runs, a_check(3, "b1", IDENTITY)])
    (end,) = queries.report_provenance(CHECKED, CARRIER, WINDOW).sources
    assert (end.column, end.hops, end.reason, end.jobs, end.reads) == (
        Column(RAW, CARRIER),
        1,
        "unreported",
        (READ,),
        (LANDING,),
    )
    assert end.runs == tuple(sorted((run.run for run in runs), reverse=True)[:10])
