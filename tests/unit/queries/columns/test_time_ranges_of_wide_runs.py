"""Runs whose rows readers check: one that has not ended, and one of more datasets than a transaction moves.

Time ranges find them by their start, wherever that moves.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.memory_table import MemoryTable
from lineage.graph.apply import apply_changes
from lineage.graph.index_rows import EXACT_MAX
from lineage.graph.keys import dataset_pk
from lineage.graph.table import RowQuery
from lineage.openlineage.event import DatasetUse, Event
from lineage.queries.columns.results import TimeRange
from lineage.queries.service import LineageQueries
from lineage_model.ids import DatasetId
from tests.unit.graph.strategies import JOBS, RUNS, TIMES, stamped

SOURCE = DatasetId("s3://flights", "checked")
PARTS = [DatasetId("s3://flights", f"part-{number:03}") for number in range(2 * EXACT_MAX)]


def an_event(time, kind, parts=PARTS):
    reported = {
        "fields": {"co2": {"inputFields": [{"namespace": SOURCE.namespace, "name": SOURCE.name, "field": "co2"}]}}
    }
    outputs = tuple(DatasetUse(one, {"columnLineage": reported}) for one in parts)
    event = Event(kind="RUN", time=time, hash="", type=kind, run=RUNS[0], job=JOBS[0], inputs=(DatasetUse(SOURCE),))
    return stamped(replace(event, outputs=outputs))


def mapped(table, start, end, parts=PARTS):
    """Return the number of parts that are derived from the source, counted from both sides."""
    queries, window = LineageQueries(table), TimeRange(start, end)
    forward = queries.find_mappings(SOURCE, window, level=1).items
    backward = [one for part in parts for one in queries.find_mappings(part, window, level=1).items]
    return len(forward), len(backward)


def test_every_dataset_of_a_run_is_found_in_the_range_that_it_started_in():
    table = MemoryTable()
    apply_changes([an_event(TIMES[2], "COMPLETE")], table)

    assert mapped(table, TIMES[2], TIMES[3]) == (len(PARTS), len(PARTS))
    assert mapped(table, TIMES[3], TIMES[4]) == mapped(table, TIMES[0], TIMES[2]) == (0, 0)


def test_a_start_that_is_known_late_moves_all_of_them():
    table = MemoryTable()
    apply_changes([an_event(TIMES[2], "COMPLETE")], table)
    apply_changes([an_event(TIMES[0], "START")], table)

    assert mapped(table, TIMES[0], TIMES[1]) == (len(PARTS), len(PARTS))
    assert mapped(table, TIMES[2], TIMES[3]) == (0, 0)


def rows_of_the_source(table):
    """Return the start and the content of the rows by which a time range finds the source's readers."""
    (page,) = table.query([RowQuery(dataset_pk(SOURCE), prefix="FORWARD#")])
    return [(row.sk.split("#")[1], "unverified" in row.data) for row in page.rows]


def test_a_run_that_goes_on_is_found_and_its_end_replaces_what_readers_check():
    table = MemoryTable()
    apply_changes([an_event(TIMES[1], "START", PARTS[:1])], table)
    assert mapped(table, TIMES[1], TIMES[2], PARTS[:1]) == (1, 1)
    assert rows_of_the_source(table) == [(TIMES[1], True)]

    apply_changes([an_event(TIMES[2], "COMPLETE", PARTS[:1])], table)
    assert mapped(table, TIMES[1], TIMES[2], PARTS[:1]) == (1, 1)
    assert rows_of_the_source(table) == [(TIMES[1], False)]


def test_an_earlier_event_of_a_run_that_goes_on_moves_its_rows():
    table = MemoryTable()
    apply_changes([an_event(TIMES[2], "RUNNING", PARTS[:1])], table)
    apply_changes([an_event(TIMES[0], "START", PARTS[:1])], table)
    assert rows_of_the_source(table) == [(TIMES[0], True)]
    assert mapped(table, TIMES[0], TIMES[1], PARTS[:1]) == (1, 1)
