"""A run id that events of two jobs use is one job's run; its reports count for that job, whoever sent them."""

from __future__ import annotations

from benchmarks.memory_table import MemoryTable
from lineage.graph.apply import apply_changes
from lineage.openlineage.event import DatasetUse, Event
from lineage.queries.columns.results import TimeRange
from lineage.queries.service import LineageQueries
from lineage_model.ids import DatasetId
from tests.unit.graph.strategies import JOBS, RUNS, TIMES, stamped

RAW, CHECKED = DatasetId("s3://flights", "raw"), DatasetId("s3://flights", "checked")


def an_event(time, run, job, outputs):
    return stamped(Event(kind="RUN", time=time, hash="", type="COMPLETE", run=run, job=job, outputs=outputs))


def test_what_another_jobs_event_reported_of_a_run_counts_for_the_job_whose_run_it_is():
    source = {"namespace": RAW.namespace, "name": RAW.name, "field": "line"}
    reported = DatasetUse(CHECKED, {"columnLineage": {"fields": {"carrier": {"inputFields": [source]}}}})
    table = MemoryTable()
    apply_changes([an_event(TIMES[0], RUNS[0], JOBS[0], (DatasetUse(CHECKED),))], table)
    apply_changes([an_event(TIMES[1], RUNS[0], JOBS[1], (reported,))], table)
    apply_changes([an_event(TIMES[2], RUNS[1], JOBS[0], (DatasetUse(CHECKED),))], table)

    (column,) = LineageQueries(table).find_columns(CHECKED.node_id, depth=0).columns
    assert [(one.dataset, one.field) for one in column.inputs] == [(RAW, ("line",))]
    assert [one.job for one in column.reporters] == [JOBS[0]]


def test_a_run_that_another_job_claimed_since_is_no_longer_its_former_jobs():
    """An earlier event came late, of another job: the run is that job's, but a row of the first job still names it."""
    table = MemoryTable()
    apply_changes([an_event(TIMES[1], RUNS[0], JOBS[0], (DatasetUse(RAW),))], table)
    apply_changes([an_event(TIMES[1], RUNS[1], JOBS[0], (DatasetUse(CHECKED),))], table)
    apply_changes([an_event(TIMES[0], RUNS[0], JOBS[1], ())], table)

    found = LineageQueries(table).find_accesses(CHECKED, TimeRange(TIMES[0], TIMES[2]), levels=1)
    assert [(one.dataset, one.job, one.run) for one in found.items] == [(CHECKED, JOBS[0], RUNS[1])]
