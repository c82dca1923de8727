"""Reports on a column, by example; the model and the loaders' table must both answer so."""

from __future__ import annotations

import pytest

from lineage.fields.columns import Column
from lineage.fields.found import Window
from tests.unit.fields.telling import (
    CHECK,
    CHECKED,
    HASHED,
    IDENTITY,
    JOINED,
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
from tests.unit.runs.strategies import a_symlink
from tests.unit.runs.telling import an_event, at, the

WINDOW = Window(at(0), at(9))
CARRIER = ("carrier",)


def a_check(second, run, *ways):
    """A run that made the checked carrier of the raw one in these ways, of which it may tell none."""
    told = column_lineage(carrier=[taken(RAW, "carrier", *ways)])
    return an_event(second, run, CHECK, inputs=[RAW], outputs=[(CHECKED, told)])


@pytest.mark.parametrize(
    ("ways", "direct", "masked"),
    [
        pytest.param([[HASHED]], True, True, id="all masked"),
        pytest.param([[HASHED], [IDENTITY]], True, False, id="by one run, not by the other"),
        pytest.param([[HASHED], []], True, False, id="by one run, the other told nothing of how"),
        pytest.param([[JOINED]], False, False, id="an indirect dependency"),
        pytest.param([[JOINED], []], True, False, id="indirect by one run, the other told nothing of how"),
    ],
)
def test_a_column_is_masked_if_everyone_who_told_masked_it_and_direct_if_anyone_did(ask, ways, direct, masked):
    events = [a_check(second, f"b{second}", *some) for second, some in enumerate(ways, 1)]
    (flow,) = ask(events).report_usage(RAW, CARRIER, WINDOW).flows
    (source,) = ask(events).report_provenance(CHECKED, CARRIER, WINDOW).sources
    assert (flow.column, flow.hops, flow.direct, flow.masked) == (Column(CHECKED, CARRIER), 1, direct, masked)
    assert (source.column, source.hops, source.direct, source.masked) == (Column(RAW, CARRIER), 1, direct, masked)


def test_a_run_that_used_a_dataset_under_two_names_used_it_once(ask):
    told = column_lineage(carrier=[taken(RAW, "carrier", IDENTITY), taken(LANDING, "carrier", HASHED)])
    named = (RAW, a_symlink(LANDING))
    usage = ask([an_event(1, "b1", CHECK, inputs=[named, LANDING], outputs=[(CHECKED, told)])]).report_usage(
        RAW, CARRIER, WINDOW
    )
    assert [(one.kind, one.run, one.fields, one.operations) for one in usage.uses] == [
        ("READ", the("b1"), (Column(CHECKED, CARRIER),), ("IDENTITY", "sha2"))
    ]


def test_a_run_that_told_of_one_name_of_what_it_wrote_is_known_to_have_written_that(ask):
    told = {**column_lineage(carrier=[taken(RAW, "carrier")]), **a_symlink(LANDING)}
    usage = ask([an_event(1, "b1", CHECK, inputs=[RAW], outputs=[(CHECKED, told), LANDING])]).report_usage(
        LANDING, CARRIER, WINDOW
    )
    assert [(one.kind, one.fields, one.known) for one in usage.uses] == [("WRITE", (Column(RAW, CARRIER),), True)]


def test_what_operations_drop_of_a_dataset_under_its_other_name_is_dropped(ask):
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
    uses = ask(events).report_usage(RAW, ("line",), Window(at(0), at(2))).uses
    assert [(one.kind, one.run) for one in uses] == [("READ", the("b1")), ("DELETE", the("b1"))]
