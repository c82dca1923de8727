"""Whatever becomes of lineage, the job's data is there, at its time: one warning, a count, and no more."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openlineage.client.serde import Serde
from openlineage.client.transport import Transport
from pyspark.sql import SparkSession

from spark_client import Capture, capture
from tests.waiting import LONG_S


class Place(Transport):
    """Destination that keeps events."""

    kind = "place"

    def __init__(self) -> None:
        self.taken: list[dict[str, Any]] = []

    def emit(self, event: Any) -> None:
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
