"""A capture is there at once: what happens before its classes are compiled is read like all that comes after."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.jvm.executions import LISTENER, Executions, Item, JavaClasses, _classes_of
from spark_client.capturing.model import Execution, StreamEnd, StreamStart, WriteStatistics
from tests.waiting import LONG_S


@pytest.fixture
def executions(spark: SparkSession) -> Iterator[Executions]:
    executions = Executions(spark)
    yield executions
    executions.close()


def write(spark: SparkSession, folder: Path, name: str) -> None:
    spark.range(5).coalesce(1).write.csv(f"{folder}/{name}")


def items_of(executions: Executions) -> list[Item]:
    """Return all that happened; the first call compiles the classes."""
    assert executions.drain(LONG_S)
    return list(iter(lambda: executions.next(0), None))


def names_of(items: list[Item]) -> list[str]:
    """Return the last part of each written path."""
    return [(item.plan.text("outputPath") or "").rpartition("/")[2] for item in items if isinstance(item, Execution)]


def test_writes_before_the_classes_are_there_are_read_once_each(
    spark: SparkSession, executions: Executions, tmp_path: Path
) -> None:
    for number in range(3):
        write(spark, tmp_path, f"early{number}")
    early = items_of(executions)
    write(spark, tmp_path, "late")
    assert names_of(early) == ["early0", "early1", "early2"]
    assert [item.task_outputs for item in early if isinstance(item, Execution)] == [WriteStatistics(5, 10)] * 3
    assert names_of(items_of(executions)) == ["late"]
    assert executions.dropped == 0


def test_writes_meanwhile_are_read_once_each(spark: SparkSession, executions: Executions, tmp_path: Path) -> None:
    write(spark, tmp_path, "early")
    early = executions._early
    close_early = early.close

    def close() -> None:
        """Write while both listeners are there, and while only ours is."""
        early.close = close_early  # type: ignore[method-assign]
        write(spark, tmp_path, "both")
        close_early()
        write(spark, tmp_path, "ours")

    early.close = close  # type: ignore[method-assign]
    items = [item for item in (executions.next(0), *items_of(executions)) if item is not None]
    # Which listener is read first is a race.
    assert sorted(names_of(items)) == ["both", "early", "ours"]


def test_a_capture_that_is_closed_at_once_has_read_what_was_written(
    spark: SparkSession, executions: Executions, tmp_path: Path
) -> None:
    write(spark, tmp_path, "early")
    assert executions.drain(LONG_S)
    executions.close()
    write(spark, tmp_path, "late")
    assert names_of(items_of(executions)) == ["early"]


def test_a_java_without_the_classes_waits_for_ours(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("spark_client.capturing.jvm.early_events._EVENT_HANDLER", "java.beans.Missing")
    executions = Executions(spark)
    write(spark, tmp_path, "early")
    assert names_of(items_of(executions)) == ["early"]
    executions.close()


def test_streams_and_actions_wait_for_the_classes(spark: SparkSession, executions: Executions, tmp_path: Path) -> None:
    write(spark, tmp_path, "rows")
    rows = spark.readStream.schema("id BIGINT").csv(f"{tmp_path}/rows")
    stream = rows.writeStream.trigger(availableNow=True).option("checkpointLocation", f"{tmp_path}/at")
    stream.start(f"{tmp_path}/streamed", format="csv").awaitTermination()
    spark.sparkContext.parallelize(["a"]).saveAsTextFile(f"{tmp_path}/lines")
    items = items_of(executions)
    assert [type(item) for item in items if isinstance(item, (StreamStart, StreamEnd))] == [StreamStart, StreamEnd]
    assert [item.action for item in items if isinstance(item, Execution)][-1] == "saveAsTextFile"


@pytest.fixture(scope="module")
def classes(spark: SparkSession) -> JavaClasses:
    return _classes_of(spark.sparkContext._gateway)


@pytest.mark.parametrize("listens", [True, False])
@pytest.mark.parametrize(
    ("early", "before", "after"),
    [([1, 2], [2, 3], [4]), ([1, 2], [], [2, 3]), ([1, 2], [2], [3]), ([], [1], [2]), ([1, 2], [], []), ([], [], [1])],
    ids=["both", "on its way", "the last of both", "ours", "early", "late"],
)
def test_each_event_is_taken_once_and_in_order(
    early: list[int], before: list[int], after: list[int], listens: bool, spark: SparkSession, classes: JavaClasses
) -> None:
    jvm: Any = spark.sparkContext._jvm
    rdd = spark.sparkContext.emptyRDD()._jrdd.rdd()
    numbers = sorted({*early, *before, *after})
    events = {number: classes.new("RddAction", "save", number, rdd, "", 0, 0, None, None) for number in numbers}
    conf, empty = spark.sparkContext._jsc.sc().conf(), jvm.java.util.HashMap()
    listener = classes.new(LISTENER, 10, False, conf, empty, empty)
    queue = jvm.java.util.concurrent.LinkedBlockingQueue()
    for number in early:
        queue.offer(events[number])
    for number in before:
        listener.onOtherEvent(events[number])
    listener.takeOver(queue, listens)
    for number in after:
        listener.onOtherEvent(events[number])
    taken = iter(lambda: listener.next(0), None)
    assert [events[number].equals(event) for number, event in zip(numbers, taken, strict=True)] == [True] * len(numbers)


def test_events_that_come_too_late_for_the_bus_are_taken_when_read(spark: SparkSession, classes: JavaClasses) -> None:
    jvm: Any = spark.sparkContext._jvm
    conf, empty = spark.sparkContext._jsc.sc().conf(), jvm.java.util.HashMap()
    listener = classes.new(LISTENER, 10, False, conf, empty, empty)
    queue = jvm.java.util.concurrent.LinkedBlockingQueue()
    listener.takeOver(queue, False)
    late = classes.new("RddAction", "save", 1, None, "", 0, 0, None, None)
    queue.offer(late)
    assert listener.next(0).equals(late)


def test_events_that_found_no_room_are_counted(spark: SparkSession, classes: JavaClasses) -> None:
    jvm: Any = spark.sparkContext._jvm
    conf, empty = spark.sparkContext._jsc.sc().conf(), jvm.java.util.HashMap()
    listener = classes.new(LISTENER, 10, False, conf, empty, empty)
    queue = jvm.java.util.concurrent.LinkedBlockingQueue(1)
    queue.offer(classes.new("RddAction", "save", 1, None, "", 0, 0, None, None))
    listener.takeOver(queue, True)
    assert listener.dropped() == 1
