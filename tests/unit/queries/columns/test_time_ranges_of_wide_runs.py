"""A run of more datasets than one transaction moves: time ranges find it by its start, wherever that moves."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.memory_table import MemoryTable
from lineage.graph.apply import apply_changes
from lineage.graph.index_rows import EXACT_MAX
from lineage.openlineage.event import DatasetUse, Event
from lineage.queries.columns.results import TimeRange
from lineage.queries.service import LineageQueries
from lineage_model.ids import DatasetId
from tests.unit.graph.strategies import JOBS, RUNS, TIMES, stamped

SOURCE = DatasetId("s3://flights", "checked")
PARTS = [DatasetId("s3://flights", f"part-{number:03}") for number in range(2 * EXACT_MAX)]


def an_event(time, kind):
    reported = {
        "fields": {"co2": {"inputFields": [{"namespace": SOURCE.namespace, "name": SOURCE.name, "field": "co2"}]}}
    }
    outputs = tuple(DatasetUse(one, {"columnLineage": reported}) for one in PARTS)
    event = Event(kind="RUN", time=time, hash="", type=kind, run=RUNS[0], job=JOBS[0], inputs=(DatasetUse(SOURCE),))
    return stamped(replace(event, outputs=outputs))


def mapped(table, start, end):
    """Return the number of parts that are derived from the source, counted from both sides."""
    queries, window = LineageQueries(table), TimeRange(start, end)
    forward = queries.find_mappings(SOURCE, window, level=1).items
    backward = [one for part in PARTS for one in queries.find_mappings(part, window, level=1).items]
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
