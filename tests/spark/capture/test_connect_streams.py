"""Streams on Spark Connect: a query's lineage is the driver's, and its run lasts as long as the query."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors.exceptions.connect import SparkConnectGrpcException

from spark_client import Capture, LineageClient, capture
from spark_client.capturing.model import UnknownTarget
from tests.spark.capture import test_streams
from tests.spark.capture.conftest import Hearing, Watch, a_session
from tests.spark.capture.specification import expected, lines_of
from tests.spark.capture.test_connect_columns import with_functions_of_connect
from tests.spark.capture.test_streams import QUERIES, run
from tests.waiting import LONG_S


@pytest.mark.parametrize(("name", "make", "lineage"), QUERIES, ids=[name for name, _, _ in QUERIES])
def test_the_lineage_of_a_stream_is_the_driver_s(
    name: str,
    make: Any,
    lineage: str,
    remote: Any,
    hearing: Hearing,
    watch: Watch,
    datasets: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_functions_of_connect(test_streams, monkeypatch)

    def act() -> None:
        run(make(remote, str(datasets)), tmp_path / "progress").start(str(tmp_path / name)).awaitTermination()

    assert hearing.writes() == []
    by_driver = watch.writes_of(act)
    (by_client,) = hearing.writes()
    assert lines_of([by_client]) == lines_of(by_driver) == expected(f"{name}:\n{lineage}")
    assert (by_client.tier, by_client.output) == ("full", by_driver[0].output)
    assert {dataset.id: dataset for dataset in by_client.inputs} == {
        dataset.id: dataset for dataset in by_driver[0].inputs
    }


def test_the_sink_may_be_a_table_and_the_source_a_view(remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    remote.readStream.table("flights").createOrReplaceTempView("arriving")
    far = remote.sql("SELECT carrier, distance * 2 AS far FROM arriving WHERE flight > 1")
    run(far, tmp_path / "progress").toTable("streamed").awaitTermination()
    (write,) = hearing.writes()
    assert [link.name for link in write.output.symlinks] == ["default.streamed"]
    assert [(column.name, column.type) for column in write.output.schema] == [("carrier", "string"), ("far", "integer")]
    assert lines_of([write]) == expected(
        """
        streamed:
        carrier <- flights.carrier IDENTITY
        far <- flights.distance TRANSFORMATION
        * <- flights.flight FILTER
        """
    )


def test_batches_in_functions_are_refused_with_a_reason(remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    rate = remote.readStream.format("rate").load()
    # Spark waits 10 s for the Python worker of a function, and no setting says how long: too short for a busy machine.
    for attempt in count():
        try:
            stream = run(rate, tmp_path / f"progress-{attempt}").foreachBatch(lambda batch, number: None)
            stream.start().awaitTermination()
            break
        except SparkConnectGrpcException as error:
            if "failed to connect back" not in str(error):
                raise
    with pytest.raises(UnknownTarget, match="foreachBatch"):
        hearing.writes()


def test_a_sink_that_keeps_nothing_is_no_write(remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    rate = remote.readStream.format("rate").load()
    run(rate, tmp_path / "progress").format("noop").start().awaitTermination()
    assert hearing.writes() == []


class Program:
    """Session whose capture sends its events to a file."""

    def __init__(self, endpoint: str, file: Path) -> None:
        self.spark = a_session(endpoint)
        self.capture: Capture = capture(self.spark, client=LineageClient(file=file), strict=True)
        self._file = file

    def events(self, run_id: str) -> list[dict[str, Any]]:
        """Return the events of a run, so far."""
        assert self.capture.flush(LONG_S)
        events = map(json.loads, self._file.read_text("utf-8").splitlines())
        return [event for event in events if event["run"]["runId"] == run_id]

    def types(self, run_id: str) -> list[str]:
        return [event["eventType"] for event in self.events(run_id)]


@pytest.fixture
def program(endpoint: str, tmp_path: Path) -> Iterator[Program]:
    program = Program(endpoint, tmp_path / "lineage.jsonl")
    yield program
    program.capture.close()
    if not program.spark.is_stopped:
        program.spark.stop()


def arriving(spark: Any, folder: Path) -> Any:
    spark.sql("SELECT tailnum FROM planes").coalesce(1).write.mode("append").parquet(str(folder / "arriving"))
    return spark.readStream.schema("tailnum STRING").parquet(str(folder / "arriving"))


def started(frame: Any, folder: Path) -> Any:
    return frame.writeStream.option("checkpointLocation", str(folder / "progress")).start(str(folder / "streamed"))


def test_a_stream_is_one_run_from_its_start_until_it_is_stopped(program: Program, tmp_path: Path) -> None:
    query = started(arriving(program.spark, tmp_path), tmp_path)
    query.processAllAvailable()
    assert program.types(query.runId) == ["START", "RUNNING"]
    assert program.types(query.runId) == ["START", "RUNNING"]
    arriving(program.spark, tmp_path)
    query.processAllAvailable()
    assert program.types(query.runId) == ["START", "RUNNING", "RUNNING"]
    query.stop()
    events = program.events(query.runId)
    assert events[-1]["eventType"] == "COMPLETE"
    assert {event["job"]["facets"]["jobType"]["processingType"] for event in events} == {"STREAMING"}
    assert list(events[0]["outputs"][0]["facets"]["columnLineage"]["fields"]) == ["tailnum"]
    assert program.capture.counts["writes"] == 3


def test_a_stream_that_fails_fails_its_run_and_says_why(program: Program, tmp_path: Path) -> None:
    query = started(arriving(program.spark, tmp_path).selectExpr("raise_error(tailnum) AS plane"), tmp_path)
    with pytest.raises(Exception, match="N14228"):
        query.awaitTermination()
    events = program.events(query.runId)
    assert [event["eventType"] for event in events] == ["START", "FAIL"]
    assert "N14228" in events[-1]["run"]["facets"]["errorMessage"]["message"]


def test_a_stream_ends_with_its_session(program: Program, tmp_path: Path) -> None:
    query = started(arriving(program.spark, tmp_path), tmp_path)
    query.processAllAvailable()
    program.spark.stop()
    program.capture.close()
    assert program.types(query.runId) == ["START", "RUNNING", "COMPLETE"]
