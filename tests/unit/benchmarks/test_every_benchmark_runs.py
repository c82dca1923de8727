"""Every benchmark runs to its rows with `--quick`, so that none is found broken when somebody wants its figures."""

from __future__ import annotations

import os

import pytest

from benchmarks.__main__ import _MEASURES
from benchmarks.cost import read_prices
from benchmarks.cost_page import render_cost_page
from benchmarks.day import ARRIVALS, run_day

# Benchmarks take what the machine gives them.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

# Each starts Java many times, for minutes: they run where somebody selects them.
SPARK = ("capture", "compact_archive")
REQUESTED = "HEADWATER_SPARK_BENCHMARKS" in os.environ


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name, marks=pytest.mark.skipif(name in SPARK and not REQUESTED, reason="HEADWATER_SPARK_BENCHMARKS")
        )
        for name in _MEASURES
    ],
)
def test_a_benchmark_runs_to_its_rows(name):
    progress: list[str] = []

    rows = _MEASURES[name](progress.append, quick=True)

    assert progress
    assert rows
    assert all(row.what.startswith(name.replace("cold_start", "cold start")) for row in rows)
    assert all(row.ours for row in rows)


# Takes long: every call of a whole way of records is counted, on moto.
def test_the_cost_of_a_way_of_records_is_counted(template):
    page = render_cost_page(run_day(ARRIVALS[-1:], lambda _: None, template), read_prices())

    assert "S3: objects read" in page
