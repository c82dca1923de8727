"""The benchmarks of capture show the cost once in a job beside the cost of a write, and its goal."""

from __future__ import annotations

import pytest

from benchmarks.capture import cost_row
from benchmarks.instant_endpoint import accept_events
from local_stack.web.server import Reply, Request


def test_the_cost_once_in_a_job_stands_beside_the_cost_of_each_write():
    row = cost_row({"once": 0.9, "next": 0.04, "later": 0.0081, "write": 0.27})

    assert row.ours == "0.90 s once, 40 ms for each of the next ten writes, 8 ms for each after them"
    assert (row.baseline, row.ratio) == ("270 ms for each write itself", "0.03x")


@pytest.mark.parametrize(("once", "later", "met"), [(0.6, 0.0081, False), (0.61, 0.005, False), (0.6, 0.005, True)])
def test_a_write_that_costs_more_than_its_goal_has_missed_it(once, later, met):
    row = cost_row({"once": once, "next": 0.04, "later": later, "write": 0.27})

    assert (row.goal, row.met) == ("≤ 600 ms once, ≤ 5 ms for each after them", met)


@pytest.mark.parametrize(("path", "status"), [("/api/v1/lineage", 201), ("/api/v1/lineage/batch", 204)])
def test_the_endpoint_accepts_events_as_the_api_does(path, status):
    assert accept_events(Request("POST", path, [], b"{}", "127.0.0.1")) == Reply(status, [], b"")
