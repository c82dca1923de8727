"""Runs of streaming queries: which events a query's start, batches and end make, and how often."""

from __future__ import annotations

from dataclasses import replace

import pytest

from headwater_model.columns import ColumnLineage, ColumnSource, Transformation
from headwater_model.ids import DatasetId
from spark_client.capturing.model import (
    Commit,
    Dataset,
    Failure,
    StreamEnd,
    StreamProgress,
    StreamReport,
    StreamStart,
    Write,
    WriteStatistics,
)
from spark_client.capturing.streams.runs import StreamRuns
from tests.unit.spark_client.capturing.fake_executions import ESTIMATED, a_write, an_execution

QUERY = "0176a8c2-fe01-7439-87e6-56a1a1b4029f"
START = StreamStart(QUERY, 1_000, None)
CHECKED = Dataset(DatasetId("file", "/flights/checked"))
SINK = replace(a_write(an_execution(0), CHECKED), stream=QUERY)


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def runs(clock: Clock) -> StreamRuns:
    return StreamRuns(lambda write: f"emissions.{write.output.id.name}", 60.0, clock=clock)


def of_batch(number: int, output: Dataset = ESTIMATED, rows: int = 1, column: str = "co2") -> Write:
    source = {ColumnSource(CHECKED.id, ("distance",)): frozenset({Transformation("DIRECT", "IDENTITY")})}
    write = a_write(an_execution(number, 90 + number, (number, number + 1)), output)
    return replace(write, stream=QUERY, columns=ColumnLineage({(column,): source}), written=WriteStatistics(rows=rows))


def wrote(rows: int, at_ms: int = 2_000, batches: int = 1) -> StreamProgress:
    return StreamProgress(QUERY, at_ms, batches, WriteStatistics(rows=rows))


def shown(reports: list[StreamReport]) -> list[tuple[str, int, int | None]]:
    return [(report.phase, report.at_ms, report.write.written.rows) for report in reports]


def test_a_stream_starts_reports_its_first_batch_at_once_and_later_ones_at_intervals(
    runs: StreamRuns, clock: Clock
) -> None:
    assert shown(runs.start(START, SINK)) == [("START", 1_000, None)]
    assert shown(runs.progress(wrote(5))) == [("RUNNING", 2_000, 5)]
    clock.now_s += 59
    assert shown(runs.progress(wrote(1, 3_000))) == []
    assert shown(runs.progress(wrote(2, 4_000))) == []
    clock.now_s += 1
    assert shown(runs.add([])[0]) == [("RUNNING", 4_000, 3)]
    assert shown(runs.progress(wrote(0, 5_000, batches=0))) == []


def test_the_end_of_a_stream_reports_what_was_written_since_its_last_event(runs: StreamRuns) -> None:
    runs.start(START, SINK)
    runs.progress(wrote(5))
    runs.progress(wrote(1))
    (end,) = runs.end(StreamEnd(wrote(2, 9_000)))
    assert shown([end]) == [("COMPLETE", 9_000, 3)]
    assert (end.run_id, end.job_name) == (QUERY, "emissions./flights/checked")
    assert runs.end(StreamEnd(wrote(2, 9_000))) == []


def test_a_stream_reports_the_versions_that_its_last_batch_read_and_made(runs: StreamRuns, clock: Clock) -> None:
    reading = replace(SINK, inputs=(ESTIMATED,))
    runs.start(START, reading)
    first, second = (replace(wrote(1), commit=Commit(version)) for version in ("3", "4"))
    (active,) = runs.progress(first, {ESTIMATED.id: "7"})
    assert versions_of(active) == ("7", "3")
    runs.progress(second, {ESTIMATED.id: "8"})
    (end,) = runs.end(StreamEnd(wrote(0, batches=0)), {ESTIMATED.id: None})
    assert versions_of(end) == (None, "4")


def test_batches_that_write_by_themselves_report_the_version_that_the_stream_read(runs: StreamRuns) -> None:
    runs.start(START, None)
    runs.add([replace(of_batch(1, replace(ESTIMATED, version="3")), inputs=(CHECKED,))])
    (end,) = runs.end(StreamEnd(wrote(0)), {CHECKED.id: "7"})
    assert versions_of(end) == ("7", "3")


def versions_of(report: StreamReport) -> tuple[str | None, str | None]:
    [read] = report.write.inputs
    return read.version, report.write.output.version


def test_a_stream_that_fails_says_why(runs: StreamRuns) -> None:
    runs.start(START, SINK)
    (end,) = runs.end(StreamEnd(wrote(0), Failure("no space left")))
    assert (end.phase, end.write.failure) == ("FAIL", Failure("no space left"))


def test_the_application_ends_the_streams_that_still_run_as_it_ends_itself(runs: StreamRuns) -> None:
    runs.start(START, SINK)
    assert shown(runs.close(Failure("SIGTERM", is_abort=True), 7_000)) == [("ABORT", 7_000, None)]
    assert runs.close(None, 8_000) == []


def test_batches_of_one_query_that_write_a_dataset_are_one_run(runs: StreamRuns, clock: Clock) -> None:
    assert runs.start(START, None) == []
    first, others = runs.add([of_batch(1)])
    assert (shown(first), others) == ([("START", 1_000, None), ("RUNNING", 2, 1)], [])
    runs.add([of_batch(2, rows=2)])
    clock.now_s += 60
    second, _ = runs.add([of_batch(3, rows=3)])
    assert shown(second) == [("RUNNING", 4, 5)]
    assert {report.run_id for report in [*first, *second]} == {first[0].run_id}
    assert first[0].run_id != QUERY


def test_datasets_that_batches_write_are_runs_apart(runs: StreamRuns) -> None:
    runs.start(START, None)
    reports, _ = runs.add([of_batch(1), of_batch(2, CHECKED)])
    assert [(report.phase, report.write.output) for report in reports] == [
        ("START", ESTIMATED),
        ("START", CHECKED),
        ("RUNNING", ESTIMATED),
        ("RUNNING", CHECKED),
    ]
    assert len({report.run_id for report in reports}) == 2


def test_a_batch_replaces_the_columns_of_the_batch_before_it_and_adds_to_its_own(
    runs: StreamRuns, clock: Clock
) -> None:
    runs.start(START, None)
    runs.add([of_batch(1, column="old")])
    runs.add([of_batch(2), of_batch(3, column="tailnum")])
    (report,) = runs.flush()
    assert (set(report.write.columns.fields), report.write.written.rows) == ({("co2",), ("tailnum",)}, 2)


def test_a_write_that_failed_leaves_what_its_run_reports(runs: StreamRuns) -> None:
    runs.start(START, None)
    runs.add([of_batch(1)])
    runs.add([replace(of_batch(2, column="other"), failure=Failure("no space left"))])
    (end,) = runs.end(StreamEnd(wrote(0)))
    assert (end.phase, set(end.write.columns.fields)) == ("COMPLETE", {("co2",)})


def test_writes_of_no_stream_that_is_known_are_writes_like_others(runs: StreamRuns) -> None:
    alone, of_unknown = a_write(an_execution(1)), of_batch(2)
    assert runs.add([alone, of_unknown]) == ([], [alone, of_unknown])


def test_a_query_that_writes_another_place_with_each_batch_has_runs_up_to_a_bound(runs: StreamRuns) -> None:
    runs.start(START, None)
    places = [of_batch(n, Dataset(DatasetId("file", f"/flights/{n}"))) for n in range(103)]
    reports, others = runs.add(places)
    assert (len(reports), others) == (200, places[100:])
