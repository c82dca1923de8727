"""Reports on a column, by example; the model and the loaders' table must agree."""

from dataclasses import replace

import pytest

from headwater.queries.results.columns import TimeRange
from headwater_model.columns import Column, ColumnSource
from tests.unit.facts.statements import a_dataset_event, a_job_event, an_event, at, run_id
from tests.unit.facts.strategies import a_symlink, stamped
from tests.unit.queries.columns.column_statements import (
    CALCULATE,
    CHECK,
    CHECKED,
    ESTIMATED,
    HASHED,
    IDENTITY,
    JOINED,
    LANDING,
    RAW,
    READ,
    column_lineage,
    lineage,
    lineage_entry,
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


@pytest.mark.parametrize(
    ("ways", "direct", "masked"),
    [
        pytest.param([[HASHED]], True, True, id="all masked"),
        pytest.param([[HASHED], [IDENTITY]], True, False, id="by one run, not by the other"),
        pytest.param([[HASHED], []], True, False, id="by one run, the other without transformations"),
        pytest.param([[JOINED]], False, False, id="an indirect dependency"),
        pytest.param([[JOINED], []], True, False, id="indirect by one run, the other without transformations"),
    ],
)
def test_a_column_is_masked_if_every_reporter_masked_it_and_direct_if_any_reporter_did(
    queries_over, ways, direct, masked
):
    events = [a_check(second, f"b{second}", *hows) for second, hows in enumerate(ways, 1)]
    (flow,) = queries_over(events).report_usage(RAW, CARRIER, WINDOW).flows
    source = queries_over(events).report_provenance(CHECKED, CARRIER, WINDOW).sources[-1]
    assert (flow.column, flow.hops, flow.direct, flow.masked) == (ColumnSource(CHECKED, CARRIER), 1, direct, masked)
    assert (source.column, source.hops, source.direct, source.masked) == (Column(RAW, CARRIER), 1, direct, masked)


def test_a_run_that_used_a_dataset_under_two_names_used_it_once(queries_over):
    reported = column_lineage(carrier=[taken(RAW, "carrier", IDENTITY), taken(LANDING, "carrier", HASHED)])
    named = (RAW, a_symlink(LANDING))
    usage = queries_over(
        [an_event(1, "b1", CHECK, inputs=[named, LANDING], outputs=[(CHECKED, reported)])]
    ).report_usage(RAW, CARRIER, WINDOW)
    assert [(use.kind, use.runs[0].id, use.fields, use.operations) for use in usage.uses] == [
        ("READ", run_id("b1"), (ColumnSource(CHECKED, CARRIER),), ("IDENTITY", "sha2"))
    ]


def test_a_run_that_reported_one_name_of_what_it_wrote_is_known_to_have_written_that(queries_over):
    reported = {**column_lineage(carrier=[taken(RAW, "carrier")]), **a_symlink(LANDING)}
    usage = queries_over([an_event(1, "b1", CHECK, inputs=[RAW], outputs=[(CHECKED, reported), LANDING])]).report_usage(
        LANDING, CARRIER, WINDOW
    )
    assert [(use.kind, use.fields, use.known) for use in usage.uses] == [("WRITE", (ColumnSource(RAW, CARRIER),), True)]


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


# Uses of many runs


def test_runs_of_one_job_that_report_the_same_are_one_use(queries_over):
    runs = [a_check(second, f"{second:02}", IDENTITY) for second in range(1, 8)]
    (use,) = queries_over(runs).report_usage(RAW, CARRIER, TimeRange(at(0), at(7))).uses
    assert (use.kind, use.job, use.first, use.last, use.count) == ("READ", CHECK, at(1), at(6), 6)
    assert [run.id for run in use.runs] == [run_id(f"{second:02}") for second in range(6, 0, -1)]


def test_what_runs_report_otherwise_or_of_another_job_is_another_use(queries_over):
    reported = column_lineage(carrier=[taken(RAW, "carrier", IDENTITY)])
    another = an_event(3, "c1", CALCULATE, inputs=[RAW], outputs=[(CHECKED, reported)])
    events = [a_check(1, "b1", IDENTITY), a_check(2, "b2", HASHED), another, a_check(4, "b4", IDENTITY)]
    uses = queries_over(events).report_usage(RAW, CARRIER, WINDOW).uses
    assert [(use.job, use.operations, use.count, use.last) for use in uses] == [
        (CHECK, ("IDENTITY",), 2, at(4)),
        (CALCULATE, ("IDENTITY",), 1, at(3)),
        (CHECK, ("sha2",), 1, at(2)),
    ]


def test_runs_that_differ_in_what_they_report_of_other_columns_are_one_use(queries_over):
    reported = column_lineage(carrier=[taken(RAW, "carrier", IDENTITY)], flight=[taken(RAW, "flight")])
    events = [a_check(1, "b1", IDENTITY), an_event(2, "b2", CHECK, inputs=[RAW], outputs=[(CHECKED, reported)])]
    (use,) = queries_over(events).report_usage(RAW, CARRIER, WINDOW).uses
    assert (use.count, [run.id for run in use.runs]) == (2, [run_id("b2"), run_id("b1")])


def test_a_use_names_the_newest_ten_runs_with_their_states_and_counts_all(queries_over):
    runs = [a_check(1, f"{number:02}", IDENTITY) for number in range(12)]
    runs[-1] = replace(runs[-1], type="FAIL")
    running = replace(a_check(2, "zz", IDENTITY), type="START")
    (use,) = queries_over([*map(stamped, runs), stamped(running)]).report_usage(RAW, CARRIER, WINDOW).uses
    assert (use.count, use.states) == (13, (("COMPLETED", 11), ("FAILED", 1), ("RUNNING", 1)))
    assert [run.state for run in use.runs] == ["RUNNING", "FAILED", *["COMPLETED"] * 8]


def test_a_declared_use_has_no_state(queries_over):
    reported = column_lineage(carrier=[taken(RAW, "carrier", IDENTITY)])
    (use,) = (
        queries_over([a_job_event(1, CHECK, inputs=[RAW], outputs=[(CHECKED, reported)])])
        .report_usage(RAW, CARRIER, WINDOW)
        .uses
    )
    assert (use.states, [run.state for run in use.runs]) == ((), [None])


def test_what_only_failed_runs_reported_has_failed_with_all_that_is_made_of_it(queries_over):
    failed = stamped(replace(a_check(1, "b1", IDENTITY), type="FAIL"))
    reported = column_lineage(co2=[taken(CHECKED, "carrier")])
    later = an_event(2, "c1", CALCULATE, inputs=[CHECKED], outputs=[(ESTIMATED, reported)])
    again = a_check(3, "b2", IDENTITY)
    for events, fails in (([failed, later], [True, True]), ([failed, later, again], [False, False])):
        flows = queries_over(events).report_usage(RAW, CARRIER, WINDOW).flows
        assert [(flow.column.dataset, flow.failed) for flow in flows] == list(
            zip((CHECKED, ESTIMATED), fails, strict=True)
        )


# What a column may have gone into


def the_flows(queries, dataset=LANDING, column="line"):
    """Return what a column flowed into: (hops, dataset, field), and whether certainly."""
    flows = queries.report_usage(dataset, (column,), WINDOW).flows
    return [((flow.hops, flow.column.dataset, flow.column.field), flow.certain) for flow in flows]


ALL_OF_RAW, THE_CHECKED = (1, RAW, None), (2, CHECKED, CARRIER)


@pytest.mark.parametrize(
    ("reported", "flows"),
    [
        pytest.param(None, [(ALL_OF_RAW, False), (THE_CHECKED, False)], id="no columns"),
        pytest.param(
            column_lineage([taken(LANDING, "line", JOINED)]),
            [(ALL_OF_RAW, False), (THE_CHECKED, False)],
            id="only what decides about rows",
        ),
        pytest.param(
            lineage(lineage_entry(RAW, [taken(LANDING)])),
            [(ALL_OF_RAW, False), (THE_CHECKED, False)],
            id="only the dataset",
        ),
        pytest.param(
            lineage(lineage_entry(RAW, [], carrier=[taken(LANDING)])),
            [((1, RAW, CARRIER), False), (THE_CHECKED, False)],
            id="of which dataset, not of which column",
        ),
        pytest.param(
            lineage(lineage_entry(RAW, [taken(LANDING)], carrier=[taken(LANDING, "line")])),
            [((1, RAW, CARRIER), True), (THE_CHECKED, True)],
            id="the column, and beside it the dataset",
        ),
        pytest.param(
            lineage(lineage_entry(RAW, [taken(LANDING)], carrier=[taken(LANDING, "other")])),
            [],
            id="another column, and beside it the dataset",
        ),
        pytest.param(column_lineage(carrier=[taken(LANDING, "other")]), [], id="another column"),
    ],
)
def test_a_column_may_have_gone_wherever_no_run_reported_which_was_taken(queries_over, reported, flows):
    assert the_flows(queries_over([a_read(1, reported=reported), a_check(2, "b1", IDENTITY)])) == flows


def test_what_one_run_reports_is_certain_whatever_others_leave_out(queries_over):
    events = [a_read(1), a_read(2, run="a2", reported=column_lineage(carrier=[taken(LANDING, "line")]))]
    assert the_flows(queries_over([*events, a_check(3, "b1", IDENTITY)])) == [
        (ALL_OF_RAW, False),
        ((1, RAW, CARRIER), True),
        (THE_CHECKED, True),
    ]


def test_the_way_goes_on_behind_datasets_of_which_no_run_reports_columns(queries_over):
    events = [a_read(1), an_event(2, "b1", CHECK, inputs=[RAW], outputs=[CHECKED])]
    assert the_flows(queries_over(events)) == [(ALL_OF_RAW, False), ((2, CHECKED, None), False)]


def test_a_use_names_the_datasets_of_which_its_run_reported_no_columns(queries_over):
    reported = column_lineage(carrier=[taken(LANDING, "line")])
    events = [a_read(1), a_read(2, run="a2", outputs=[(RAW, reported), CHECKED])]
    uses = queries_over(events).report_usage(LANDING, ("line",), WINDOW).uses
    assert [(use.runs[0].id, use.fields, use.known) for use in uses] == [
        (run_id("a2"), (ColumnSource(CHECKED), ColumnSource(RAW, CARRIER)), True),
        (run_id("a1"), (ColumnSource(RAW),), False),
    ]


def test_a_dataset_that_may_hold_a_column_is_dropped_when_it_is(queries_over):
    dropped = a_dataset_event(5, RAW, lifecycleStateChange={"lifecycleStateChange": "DROP"})
    for events, status in (([a_read(1)], "alive"), ([a_read(1), dropped], "dropped")):
        (flow,) = queries_over(events).report_usage(LANDING, ("line",), WINDOW).flows
        assert (flow.column, flow.status, flow.jobs) == (ColumnSource(RAW), status, (READ,))


# Where the way up ends


def a_read(second, run="a1", reported=None, **changes):
    """A run that made the raw flights of the landing ones, and reports no columns unless `reported` has some."""
    of_job = reported if reported and "lineage" in reported else {}
    outputs = [RAW if reported is None or of_job else (RAW, reported)]
    return an_event(second, run, READ, **{"inputs": [LANDING], "outputs": outputs, "job_facets": of_job, **changes})


def the_ends(queries, time_range=WINDOW, dataset=CHECKED):
    """Find where the way from a carrier ends: (hops, dataset, field), why, by which jobs, runs, from which datasets."""
    report = queries.report_provenance(dataset, CARRIER, time_range)
    return [
        (
            (source.hops, source.column.dataset, ".".join(source.column.field)),
            source.reason,
            source.jobs,
            source.runs,
            source.reads,
        )
        for source in report.sources
    ]


THE_RAW, THE_LANDING = (1, RAW, "carrier"), (2, LANDING, "carrier")
UNREPORTED = (THE_RAW, "unreported", (READ,), (run_id("a1"),), (LANDING,))
CARRIED = column_lineage(carrier=[taken(LANDING, "carrier")])
LATE = TimeRange(at(2), at(9))


@pytest.mark.parametrize(
    ("events", "time_range", "ends"),
    [
        pytest.param([], WINDOW, [(THE_RAW, "raw", (), (), ())], id="nobody wrote it"),
        pytest.param([a_read(1)], WINDOW, [UNREPORTED], id="its writer reported no columns"),
        pytest.param(
            [a_read(1, reported=column_lineage(flight=[taken(LANDING, "flight")]))],
            WINDOW,
            [UNREPORTED],
            id="its writer reported other columns",
        ),
        pytest.param(
            [a_read(1, reported=lineage(lineage_entry(RAW, [], carrier=[taken(LANDING)])))],
            WINDOW,
            [UNREPORTED],
            id="its writer reported the dataset that it comes from, and not the column",
        ),
        pytest.param(
            [a_read(1), a_read(2, run="a2", reported=CARRIED)],
            WINDOW,
            [UNREPORTED, (THE_LANDING, "raw", (), (), ())],
            id="one of its runs reported it, the other did not",
        ),
        pytest.param(
            [a_read(1, reported=column_lineage(carrier=[]))],
            WINDOW,
            [(THE_RAW, "generated", (READ,), (run_id("a1"),), ())],
            id="it was made of nothing",
        ),
        pytest.param(
            [a_read(0), a_read(1, run="a2")],
            LATE,
            [(THE_RAW, "before", (READ,), (run_id("a2"),), ())],
            id="its last writer ran before",
        ),
        pytest.param([a_read(9)], WINDOW, [(THE_RAW, "raw", (), (), ())], id="its first writer ran after"),
    ],
)
def test_every_end_says_why_the_way_ends_there(queries_over, events, time_range, ends):
    assert the_ends(queries_over([*events, a_check(3, "b1", IDENTITY)]), time_range) == ends


def test_a_column_whose_own_writers_report_nothing_is_an_end_itself(queries_over):
    assert the_ends(queries_over([a_read(1), a_check(2, "b1", IDENTITY)]), dataset=RAW) == [
        ((0, RAW, "carrier"), *UNREPORTED[1:])
    ]


def test_a_dataset_event_declares_columns_and_writes_none(queries_over):
    declared = a_dataset_event(1, RAW, **column_lineage(flight=[taken(LANDING, "flight")]))
    for time_range in (WINDOW, LATE):
        assert the_ends(queries_over([declared, a_check(3, "b1", IDENTITY)]), time_range) == [
            (THE_RAW, "raw", (), (), ())
        ]


def test_an_end_names_the_newest_of_many_runs_that_report_nothing(queries_over):
    runs = [a_read(0, run=f"{number:02}") for number in range(12)]
    ((_, reason, jobs, named, reads),) = the_ends(queries_over([*runs, a_check(3, "b1", IDENTITY)]))
    assert (reason, jobs, reads) == ("unreported", (READ,), (LANDING,))
    assert named == tuple(run.run for run in sorted(runs, key=lambda run: run.run, reverse=True)[:10])
