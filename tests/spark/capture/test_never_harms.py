"""Whatever becomes of lineage, the job's data is there, at its time: one warning, a count, and no more."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from openlineage.client.serde import Serde
from openlineage.client.transport import Transport
from pyspark.sql import SparkSession

from spark_client import Capture, capture
from spark_client.capturing.datasets.catalogs import read_catalogs
from spark_client.capturing.datasets.session_conf import SessionConf
from spark_client.capturing.events.run_events import Application
from spark_client.capturing.extract import Extractor
from spark_client.capturing.jvm.executions import Bounds, Executions
from spark_client.capturing.model import Execution, Write
from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.event_transports import open_event_transport
from spark_client.capturing.session.running import RunningCapture
from spark_client.capturing.session.settings import Settings
from spark_client.capturing.session.worker import Origin
from spark_client.current_run import JobRun, RunContext
from tests.waiting import LONG_S, until

RUN = JobRun("emissions", "calculate", "0176a8c2-fe01-7439-87e6-56a1a1b4029f")


class Place(Transport):
    """Destination of events: it keeps them, unless it is set to fail."""

    kind = "place"

    def __init__(self, behave: Callable[[], object] = lambda: None) -> None:
        self.taken: list[dict[str, Any]] = []
        self._behave = behave

    def emit(self, event: Any) -> None:
        self._behave()
        self.taken.append(json.loads(Serde.to_json(event)))

    def of_writes(self, end: str) -> list[dict[str, Any]]:
        return [event for event in self.taken if event["eventType"] == end and event["outputs"]]


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Capture]]:
    """Captures that are closed after the test."""
    monkeypatch.setenv("OPENLINEAGE__FACETS__SOURCE_CODE_LOCATION__DISABLED", "true")
    captures: list[Capture] = []
    yield captures
    for running in captures:
        running.close()


def write_many(spark: SparkSession, folder: Path, count: int) -> None:
    for number in range(count):
        spark.range(10).coalesce(1).write.parquet(f"{folder}/{number:03}")


def rows(spark: SparkSession, folder: Path) -> int:
    return spark.read.parquet(f"{folder}/*").count()


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [
        record.message
        for record in caplog.records
        if record.name == "headwater.capture" and record.levelno == logging.WARNING
    ]


def a_capture(
    spark: SparkSession, place: Place, settings: Settings, bounds: Bounds, read: Callable[[Execution], Sequence[Write]]
) -> RunningCapture:
    """Return a capture whose parts are the test's."""
    counts = Counts()
    transport = open_event_transport(place, settings, {}, counts)
    application, executions = Application(RunContext(RUN)), Executions(spark, bounds)
    origin = Origin(executions, read, Extractor(read_catalogs(SessionConf(spark), {})))
    return RunningCapture(application, origin, transport, counts, settings)


def test_threads_and_sessions_write_at_once_and_every_write_is_emitted(
    spark: SparkSession, tmp_path: Path, opened: list[Capture]
) -> None:
    place = Place()
    on = capture(spark, client=place, strict=True)
    opened.append(on)
    sessions = [spark.newSession() for _ in range(4)]
    threads = [
        threading.Thread(target=write_many, args=(session, tmp_path / str(number), 5))
        for number, session in enumerate(sessions)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert on.flush(LONG_S)
    assert len(place.of_writes("COMPLETE")) == 20


def test_a_transport_that_hangs_holds_up_neither_the_job_nor_its_end(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    awake = threading.Event()
    place = Place(awake.wait)
    on = capture(spark, client=place, strict=True)
    write_many(spark, tmp_path, 10)
    assert rows(spark, tmp_path) == 100
    until(lambda: on.counts["writes"] == 10)
    on.close()  # it returns while the transport hangs
    (warning,) = warnings_of(caplog)
    assert warning.endswith("22 events were not sent within 10 seconds of the end")
    awake.set()


def test_a_capture_that_is_closed_makes_room_for_another(
    spark: SparkSession, tmp_path: Path, opened: list[Capture]
) -> None:
    first, second = Place(), Place()
    closed = capture(spark, client=first, strict=True)
    assert capture(spark.newSession()) is closed
    closed.close()
    on = capture(spark, client=second, strict=True)
    opened.append(on)
    write_many(spark, tmp_path, 1)
    assert on.flush(LONG_S)
    assert (closed.state, on.state) == ("over", "on")
    assert [event["eventType"] for event in first.taken] == ["START", "COMPLETE"]
    assert len(second.of_writes("COMPLETE")) == 1
