"""The cost of an event, and the examples in the benchmarks."""

from __future__ import annotations

import doctest

import pytest

from benchmarks import cost, queries, rows, tables
from benchmarks.event_units import READ, REQUESTS, count_units


@pytest.mark.parametrize("module", [cost, queries, rows, tables])
def test_the_examples_in_the_benchmarks_hold(module):
    results = doctest.testmod(module)

    assert results.attempted > 0
    assert results.failed == 0


def test_an_event_costs_few_write_units_and_requests_in_each_situation():
    units = count_units(200)

    written = [sum(of_event.values()) - of_event[READ] - of_event[REQUESTS] for of_event in units.values()]
    # Two less without the features.
    assert [bound - 3 < number <= bound for number, bound in zip(written, (41, 12, 17), strict=True)] == [True] * 3
    assert [of_event[READ] <= most for of_event, most in zip(units.values(), (5.5, 5, 8), strict=True)] == [True] * 3
    assert max(of_event[REQUESTS] for of_event in units.values()) <= 2.5
