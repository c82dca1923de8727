"""docs/benchmarks.json and its page: rows of some benchmarks anew, the headlines, what is lost."""

from __future__ import annotations

from benchmarks.processes import PROJECT
from benchmarks.results import read_results, replace_rows, write_results
from benchmarks.results_page import _HEADLINES, _LOSSES, render_results_page
from benchmarks.rows import Row

RESULTS = read_results(PROJECT / "docs" / "benchmarks.json")


def row(what, ours="1 s", met=None):
    return Row(what, ours, "2 s", "2.0x faster", "" if met is None else "≥ 3x faster", met)


def whats(results):
    return [(result.row.what, result.row.ours, result.run) for result in results.results]


def test_rows_of_a_benchmark_take_the_place_of_its_old_ones_with_their_own_run(tmp_path):
    file = tmp_path / "benchmarks.json"
    first = {"load": [row("load: one")], "graph": [row("graph: a"), row("graph: b")], "cold_start": [row("cold start")]}
    write_results(file, replace_rows(read_results(file), first, {"date": "1", "CPU": "2"}))
    write_results(
        file, replace_rows(read_results(file), {"graph": [row("graph: c", "3 s")]}, {"date": "2", "CPU": "4"})
    )

    results = read_results(file)
    assert whats(results) == [("load: one", "1 s", "1"), ("graph: c", "3 s", "2"), ("cold start", "1 s", "1")]
    assert results.runs == {"1": {"date": "1", "CPU": "2"}, "2": {"date": "2", "CPU": "4"}}


def test_rows_of_a_new_benchmark_come_last_and_once_and_a_run_without_rows_goes():
    results = replace_rows(read_results(PROJECT / "none.json"), {"load": [row("load: one")]}, {"date": "1"})
    for date in ("2", "3"):
        results = replace_rows(results, {"capture": [row("capture: a")]}, {"date": date})
    assert whats(results) == [("load: one", "1 s", "1"), ("capture: a", "1 s", "3")]
    assert list(results.runs) == ["1", "3"]


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
