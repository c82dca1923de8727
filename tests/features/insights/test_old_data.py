"""Datasets that are late or on old data: the marks of the whole graph."""

import pytest

from headwater.api.values import when
from headwater.facts.visibility import Visibility
from headwater.features.insights import old_data
from headwater.features.insights.old_data import report_old_data
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId
from tests.features.insights.test_broken_route import a_failure
from tests.unit.api.graph_api import GraphApi
from tests.unit.api.test_marquez_routes import CHECKED, PIPELINE, REJECTED
from tests.unit.facts.statements import A, B, C, X, Y, Z, an_event, at
from tests.unit.queries.every_query import loaded

FAR = DatasetId("boards", "far")
# X is made by A, Y of X by B, and FAR of Y by C.
BEFORE = [
    an_event(1, "a1", A, outputs=[X]),
    an_event(2, "b1", B, inputs=[X], outputs=[Y]),
    an_event(3, "c1", C, inputs=[Y], outputs=[FAR]),
]
FAILURES = [an_event(4, "a2", A, type="FAIL"), an_event(6, "a3", A, type="ABORT")]
AFTER = an_event(8, "c2", C, inputs=[Y], outputs=[FAR])


def time(second):
    return when(at(second))


def marks(statements, caller=None):
    queries = LineageQueries(loaded(statements))
    report = report_old_data((queries.seen_by(caller) if caller else queries).view())
    of_node = {dataset.node_id: dataset for dataset in (X, Y, Z, FAR)}
    return {of_node.get(node): times for node, *times in map(dict.values, report["datasets"])}


def test_a_dataset_is_late_since_the_first_bad_run_and_data_written_since_is_old_at_any_distance():
    assert marks([*BEFORE, *FAILURES, AFTER]) == {X: [time(4), None, time(1)], FAR: [None, time(4), time(8)]}


@pytest.mark.parametrize(
    ("after", "late"),
    [
        # Nothing was written since: nothing is on old data.
        ([], {X: [time(4), None, time(1)]}),
        # A good run heals all.
        ([AFTER, an_event(9, "a4", A, outputs=[X])], {}),
        # The earliest time counts.
        (
            [an_event(5, "b2", B, type="FAIL"), AFTER],
            {X: [time(4), None, time(1)], Y: [time(5), None, time(2)], FAR: [None, time(4), time(8)]},
        ),
    ],
)
def test_marks_follow_the_runs(after, late):
    assert marks([*BEFORE, *FAILURES, *after]) == late


def test_a_caller_sees_the_marks_of_its_own_namespaces():
    events = [*BEFORE, *FAILURES, AFTER]
    without_boards = {"emissions", "s3://flights"}
    assert marks(events, Visibility(without_boards.__contains__, tuple(without_boards), strict=True)).keys() == {X}
    assert marks(events, Visibility("boards".__eq__, ("boards",), strict=True)) == {}


def test_the_report_says_if_more_writers_fail_than_it_reads(monkeypatch):
    queries = LineageQueries(loaded([*BEFORE, *FAILURES, an_event(9, "b2", B, type="FAIL")]))
    assert not report_old_data(queries.view())["truncated"]
    monkeypatch.setattr(old_data, "JOBS_MAX", 1)
    report = report_old_data(queries.view())
    assert ([old["nodeId"] for old in report["datasets"]], report["truncated"]) == ([Y.node_id], True)


def test_the_route_shows_the_times():
    api = GraphApi(*PIPELINE, a_failure("01941f29-7c00-7ea7-b5a3-0000000000f1", "01"))
    report = api.found("/reports/old-data")
    assert report == {
        "datasets": [
            {
                "nodeId": node,
                "lateSince": "2025-12-01T12:00:00Z",
                "onOldDataSince": None,
                "writtenAt": "2025-11-20T09:30:00Z",
            }
            for node in (CHECKED, REJECTED)
        ],
        "truncated": False,
    }
