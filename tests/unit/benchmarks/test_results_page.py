"""docs/benchmarks.json and its page: rows of some benchmarks anew, the headlines, what is lost."""

from __future__ import annotations

from benchmarks.processes import PROJECT
from benchmarks.results import read_results, replace_rows
from benchmarks.results_page import _HEADLINES, _LOSSES, render_results_page
from benchmarks.rows import Row

RESULTS = read_results(PROJECT / "docs" / "benchmarks.json")


def row(what, ours="1 s", met=None):
    return Row(what, ours, "2 s", "2.0x faster", "" if met is None else "≥ 3x faster", met)


def test_every_headline_and_loss_was_measured():
    for what in (*(headline.what for headline in _HEADLINES), *_LOSSES):
        assert RESULTS.row(what), what


def test_the_page_is_that_of_the_json():
    assert (PROJECT / "docs" / "benchmarks.md").read_text("utf-8") == render_results_page(RESULTS)


def test_a_missed_goal_is_on_the_page_whatever_it_is_of():
    results = replace_rows(RESULTS, {"a": [row("a: kept", met=True), row("a: missed", met=False)]}, {"date": "1"})
    page = render_results_page(results)
    assert "| a: missed | 1 s | 2 s | 2.0x faster | goal ≥ 3x faster: missed |" in page
    assert "a: kept" not in page
