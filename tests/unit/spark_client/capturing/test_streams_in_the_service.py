"""Results of the service from a stream's events: a job of type STREAM, whose lineage is current while it is active."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from typing import Any

import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.facts.apply import apply_statements
from headwater.queries.service import LineageQueries
from headwater_model.columns import ColumnLineage, ColumnSource, Transformation
from headwater_model.ids import DatasetId, JobId
from spark_client.capturing.events.run_events import Application, stream_event, write_events
from spark_client.capturing.model import (
    Dataset,
    SchemaField,
    StreamEnd,
    StreamProgress,
    StreamReport,
    StreamStart,
    WriteStatistics,
)
from spark_client.capturing.streams.runs import StreamRuns
from spark_client.current_run import JobRun, RunContext
from tests.fakes.memory_table import MemoryTable
from tests.unit.spark_client.capturing.fake_executions import a_write, an_execution

APPLICATION = Application(RunContext(JobRun("emissions", "emissions", "0176a8c2-fe01-7439-87e6-56a1a1b4029e")))
QUERY = "0176a8c2-fe01-7439-87e6-56a1a1b4029f"
JOB = JobId("emissions", "emissions.checked")
SCHEMA = (SchemaField("tailnum", "string"),)
ARRIVING, CHECKED = (
    Dataset(DatasetId("s3://lake", "arriving"), SCHEMA),
    Dataset(DatasetId("s3://lake", "checked"), SCHEMA),
)
SINK = replace(
    a_write(an_execution(0), CHECKED),
    inputs=(ARRIVING,),
    columns=ColumnLineage(
        {("tailnum",): {ColumnSource(ARRIVING.id, ("tailnum",)): frozenset({Transformation("DIRECT", "IDENTITY")})}}
    ),
    stream=QUERY,
)


def rendered(reports: Sequence[StreamReport]) -> list[dict[str, Any]]:
    return [stream_event(each, APPLICATION) for each in reports]


def moments() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the events of a stream until its second batch, and of its end."""
    runs = StreamRuns(lambda write: JOB.name, interval_s=0)
    active = runs.start(StreamStart(QUERY, 1_000, None), SINK)
    for at_ms in (2_000, 3_000):
        active += runs.progress(StreamProgress(QUERY, at_ms, 1, WriteStatistics(rows=5)))
    return rendered(active), rendered(runs.end(StreamEnd(StreamProgress(QUERY, 9_000))))


def queries_over(events: Sequence[dict[str, Any]]) -> LineageQueries:
    table = MemoryTable()
    for event in events:
        apply_statements([parse_event(event, NamingRules(), now=None)], table)
    return LineageQueries(table)


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_lineage_of_a_stream_is_current_while_it_is_active(order: tuple[int, ...]) -> None:
    active, _ = moments()
    service = queries_over([active[place] for place in order])
    job = service.find_job(JOB)
    assert job is not None
    assert job.latest_run is not None
    assert (job.type, job.latest_run.id, job.latest_run.state) == ("STREAM", QUERY, "RUNNING")
    assert (job.inputs, job.outputs) == ((ARRIVING.id,), (CHECKED.id,))
    [tailnum] = service.columns_of([CHECKED.id])[CHECKED.id].columns
    assert [(source.dataset, source.field) for source in tailnum.inputs] == [(ARRIVING.id, ("tailnum",))]


def test_a_stream_that_has_begun_shows_its_lineage_before_its_first_batch() -> None:
    active, _ = moments()
    job = queries_over(active[:1]).find_job(JOB)
    assert job is not None
    assert (job.type, job.inputs, job.outputs) == ("STREAM", (ARRIVING.id,), (CHECKED.id,))


def test_the_lineage_of_a_stream_that_ended_stays_until_another_run_has_another() -> None:
    active, ended = moments()
    job = queries_over([*active, *ended]).find_job(JOB)
    assert job is not None
    assert job.latest_run is not None
    assert (job.latest_run.state, job.outputs) == ("COMPLETED", (CHECKED.id,))

    later = replace(SINK, inputs=(), columns=ColumnLineage(), stream=None, started_ms=10_000, ended_ms=11_000)
    job = queries_over([*active, *ended, *write_events(later, APPLICATION, JOB.name)]).find_job(JOB)
    assert job is not None
    assert (job.inputs, job.outputs) == ((), (CHECKED.id,))
