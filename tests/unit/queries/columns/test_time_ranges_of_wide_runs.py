"""Runs with unverified rows: a run without an end, and a run of more datasets than a transaction moves.

Time ranges find them by their start, also after it moved.
"""

import hashlib
from dataclasses import replace

import pytest

from headwater.aws.items import chunks
from headwater.events.event import DatasetUse, Event
from headwater.facts.apply import apply_statements
from headwater.facts.keys import dataset_pk
from headwater.facts.lattice import USES_MAX
from headwater.facts.run_reports import EXACT_MAX
from headwater.facts.table import RowQuery
from headwater.queries.ranges import confirmed_rows
from headwater.queries.ranges.runs_in_range import RunsInRange
from headwater.queries.results.columns import TimeRange
from headwater.queries.service import LineageQueries
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId
from local_stack.aws.item_sizes import item_bytes
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.strategies import JOBS, RUNS, TIMES, stamped

SOURCE = DatasetId("s3://flights", "checked")
PARTS = [DatasetId("s3://flights", f"part-{number:03}") for number in range(2 * EXACT_MAX)]


def an_event(time, kind, parts=PARTS, run=RUNS[0]):
    reported = {
        "fields": {"co2": {"inputFields": [{"namespace": SOURCE.namespace, "name": SOURCE.name, "field": "co2"}]}}
    }
    outputs = tuple(DatasetUse(part, {"columnLineage": reported}) for part in parts)
    event = Event(kind="RUN", time=time, hash="", type=kind, run=run, job=JOBS[0], inputs=(DatasetUse(SOURCE),))
    return stamped(replace(event, outputs=outputs))


def mapped(table, start, end, parts=PARTS):
    """Count the parts derived from the source, from both sides."""
    queries, time_range = LineageQueries(table), TimeRange(start, end)
    down = queries.find_mappings(SOURCE, time_range, level=1).items
    up = [mapping for part in parts for mapping in queries.find_mappings(part, time_range, level=1).items]
    return len(down), len(up)


def test_every_dataset_of_a_run_is_found_in_the_range_that_it_started_in():
    table = MemoryTable()
    apply_statements([an_event(TIMES[2], "COMPLETE")], table)

    assert mapped(table, TIMES[2], TIMES[3]) == (len(PARTS), len(PARTS))
    assert mapped(table, TIMES[3], TIMES[4]) == mapped(table, TIMES[0], TIMES[2]) == (0, 0)


def rows_of_the_source(table):
    """List (start, is unverified) of the source's FORWARD rows: a time range finds its readers by them."""
    (page,) = table.query([RowQuery(dataset_pk(SOURCE), prefix="FORWARD#")])
    return [(row.sk.split("#")[1], "unverified" in row.data) for row in page.rows]


def test_a_run_that_goes_on_is_found_in_the_facts_then_by_rows_that_readers_check():
    table = MemoryTable()
    stored = {"START": [], "RUNNING": [(TIMES[1], True)], "COMPLETE": [(TIMES[1], False)]}
    for time, (kind, rows) in zip(TIMES[1:], stored.items(), strict=False):
        apply_statements([an_event(time, kind, PARTS[:1])], table)
        assert mapped(table, TIMES[1], TIMES[2], PARTS[:1]) == (1, 1)
        assert rows_of_the_source(table) == rows


@pytest.mark.parametrize("batch", [1, 2, 99])
def test_more_runs_than_the_facts_of_a_dataset_name_are_found_while_they_go_on(batch):
    table, runs = MemoryTable(), [f"run-{number}" for number in range(3 * USES_MAX)]
    starts = [
        an_event(f"2025-11-20T12:00:0{number}.000000Z", "START", PARTS[:1], run) for number, run in enumerate(runs)
    ]
    for loaded in chunks(starts, batch):
        apply_statements(loaded, table)
        newest_first = runs[runs.index(loaded[-1].run) :: -1]
        range_runs = RunsInRange(GraphView(table), TimeRange(TIMES[0], "~"))
        range_runs.load_datasets([(SOURCE, "down"), (PARTS[0], "up")])
        for dataset, side in ((SOURCE, "down"), (PARTS[0], "up")):
            assert [each.key.id for each in range_runs.runs_at(dataset, side)] == newest_first
        assert len(rows_of_the_source(table)) == max(len(newest_first) - USES_MAX, 0)


def a_part(number, name_bytes=0):
    """Make a dataset of a lake, in order of number, with a name that hardly compresses."""
    name = f"{number:06}-{hashlib.sha256(str(number).encode()).hexdigest()}"
    return DatasetId("s3://lake", name.ljust(name_bytes, "x"))


def a_wide_run(count, run=RUNS[0], time=TIMES[2], name_bytes=0):
    """Make a run with `count` inputs and `count` outputs, without columns."""
    uses = [DatasetUse(a_part(number, name_bytes)) for number in range(2 * count)]
    event = Event(kind="RUN", time=time, hash="", type="COMPLETE", run=run, job=JOBS[0], inputs=tuple(uses[:count]))
    return stamped(replace(event, outputs=tuple(uses[count:])))


def rows_of_time_ranges(table):
    """List the sizes of the rows of time ranges, FORWARD and BACKWARD."""
    rows = (item for item in table.dynamo.items() if item["sk"]["S"].startswith(("BACKWARD#", "FORWARD#")))
    return [item_bytes(item) for item in rows]


@pytest.mark.parametrize("count", [2, 22, 23, 300])
def test_a_run_without_columns_stores_a_row_a_dataset_whose_size_does_not_grow_with_the_run(count):
    table = MemoryTable()
    apply_statements([a_wide_run(count)], table)
    sizes = rows_of_time_ranges(table)
    assert len(sizes) == 2 * count
    # If a run's rows fit into a transaction, each row names the opposite side: 22 datasets at most.
    assert max(sizes) <= 2_500


def test_all_that_is_stored_of_a_wide_run_grows_as_the_run_does():
    stored = {}
    for count in (100, 400):
        table = MemoryTable()
        apply_statements([a_wide_run(count)], table)
        items = list(table.dynamo.items())
        stored[count] = len(items), sum(map(item_bytes, items))
    assert stored[400][0] <= 4.1 * stored[100][0]
    assert stored[400][1] <= 4.1 * stored[100][1]


def test_a_wide_run_without_columns_is_mapped_from_all_its_inputs_to_all_its_outputs():
    table = MemoryTable()
    apply_statements([a_wide_run(100)], table)
    queries, time_range = LineageQueries(table), TimeRange(TIMES[2], TIMES[3])
    sources = [mapping.source for mapping in queries.find_mappings(a_part(150), time_range, level=1).items]
    assert sources == [a_part(number) for number in range(100)]
    destinations = [mapping.destination for mapping in queries.find_mappings(a_part(50), time_range, level=1).items]
    assert destinations == [a_part(number) for number in range(100, 200)]


def test_a_time_range_reads_the_newest_wide_runs_and_says_that_there_are_more(monkeypatch):
    monkeypatch.setattr(confirmed_rows, "NAMED_MAX", 450)
    monkeypatch.setattr(confirmed_rows, "_WIDE_RUNS", 2)
    table = MemoryTable()
    apply_statements([a_wide_run(50, run, time) for run, time in zip(RUNS[:4], TIMES[1:5], strict=True)], table)
    range_runs = RunsInRange(GraphView(table), TimeRange(TIMES[0], TIMES[5]))
    source = a_part(0)
    range_runs.load_datasets([(source, "down")])
    assert ([run.started for run in range_runs.runs_at(source, "down")], range_runs.truncated) == (
        list(TIMES[4:0:-1]),
        False,
    )
    monkeypatch.setattr(confirmed_rows, "NAMED_MAX", 250)
    range_runs = RunsInRange(GraphView(table), TimeRange(TIMES[0], TIMES[5]))
    range_runs.load_datasets([(source, "down")])
    assert ([run.started for run in range_runs.runs_at(source, "down")], range_runs.truncated) == (
        list(TIMES[4:1:-1]),
        True,
    )
