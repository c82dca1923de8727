"""The benchmarks of capture compare fairly: in pairs, whose first changes."""

from __future__ import annotations

import pytest

from benchmarks.capture import cost_row, in_pairs
from benchmarks.instant_endpoint import accept_events
from benchmarks.rows import compare_pairs, seconds


def test_the_one_that_goes_first_changes_with_every_pair():
    went = []

    def variant(name):
        return lambda: went.append(name) or {"s": len(went)}

    ours, plain = in_pairs(2, variant("with"), variant("without"), lambda progress: None)

    assert went == ["without", "with", "with", "without"]
    assert (ours, plain) == ([{"s": 2}, {"s": 3}], [{"s": 1}, {"s": 4}])


def test_of_pairs_the_median_of_their_ratios_counts():
    row = compare_pairs("a", [1.0, 4.0, 9.0], [1.0, 2.0, 8.0], show=seconds)

    assert (row.ours, row.baseline, row.ratio) == ("4.00 s", "2.00 s", "1.12x (1.00 to 2.00)")


def test_the_cost_once_in_a_job_stands_beside_the_cost_of_each_write():
    row = cost_row({"once": 0.9, "next": 0.04, "later": 0.0081, "write": 0.27})

    assert row.ours == "0.90 s once, 40 ms for each of the next ten writes, 8 ms for each after them"
    assert (row.baseline, row.ratio) == ("270 ms for each write itself", "0.03x")


@pytest.mark.parametrize(("later", "met"), [(0.0081, False), (0.005, True)])
def test_a_small_write_that_costs_more_than_its_goal_has_missed_it(later, met):
    row = cost_row({"once": 0.9, "next": 0.04, "later": later, "write": 0.27})

    assert (row.goal, row.met) == ("≤ 5 ms for each after them", met)


@pytest.mark.parametrize(("path", "response"), [("/api/v1/lineage", (201, b"")), ("/api/v1/lineage/batch", (204, b""))])
def test_the_endpoint_accepts_events_as_the_api_does(path, response):
    assert accept_events(f"POST {path} HTTP/1.1\r\n".encode(), b"{}") == response
