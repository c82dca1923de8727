"""docs/benchmarks.md: written whole, or the rows of some benchmarks anew."""

from __future__ import annotations

from benchmarks.results_page import render_results_page, update_results_page
from benchmarks.rows import Row


def row(what, ours="1 s"):
    return Row(what, ours, "2 s", "2.0x faster", "")


def rows_of(page):
    return [line.split(" | ")[:2] for line in page.splitlines() if line.startswith("| ")][1:]


def test_rows_of_a_benchmark_take_the_place_of_its_old_ones():
    page = render_results_page([row("load: one"), row("graph: a"), row("graph: b"), row("cold start")], [("CPU", "2")])
    anew = update_results_page(page, [row("graph: c", "3 s")], "CPU 4")
    assert rows_of(anew)[1:] == [["| load: one", "1 s"], ["| graph: c", "3 s"], ["| cold start", "1 s"]]
    assert anew.splitlines()[-2:] == ["- CPU: 2", "- graph by themselves: CPU 4"]


def test_rows_of_a_new_benchmark_come_last_and_once():
    page = render_results_page([row("load: one")], [("CPU", "2")])
    for ours in ("1 s", "2 s"):
        page = update_results_page(page, [row("capture: a", ours), row("emit_records: b")], ours)
    assert rows_of(page)[1:] == [["| load: one", "1 s"], ["| capture: a", "2 s"], ["| emit_records: b", "1 s"]]
    assert page.splitlines()[-2:] == ["- CPU: 2", "- capture, emit_records by themselves: 2 s"]
