"""Streams: a query's lineage from its plan, and its run from start to end, as the service shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf
from pyspark.sql.streaming import StreamingQuery

from spark_client import Capture, LineageClient, capture
from tests.spark.capture.conftest import Watch
from tests.spark.capture.row_tables import add_catalog
from tests.spark.capture.specification import expected, lines_of

Make = Callable[[SparkSession, str], DataFrame]


def flights(spark: SparkSession) -> DataFrame:
    return spark.readStream.table("flights").withColumn("at", sf.col("day").cast("timestamp"))


def _longest(key: tuple[str], frames: Iterator[pd.DataFrame], state: Any) -> Iterator[pd.DataFrame]:
    yield pd.DataFrame({"carrier": [key[0]], "longest": [max(frame["distance"].max() for frame in frames)]})


def _with_state(spark: SparkSession, data: str) -> DataFrame:
    """Make a frame with a function that never runs: nothing arrives."""
    Path(data, "later").mkdir(exist_ok=True)
    return (
        spark.readStream.schema("carrier STRING, distance INT")
        .parquet(f"{data}/later")
        .groupBy("carrier")
        .applyInPandasWithState(_longest, "carrier STRING, longest INT", "longest INT", "append", "NoTimeout")
    )


# A query's sink, its frame by the session and the datasets' folder, and the lineage of its sink.
QUERIES: Sequence[tuple[str, Make, str]] = (
    (
        "of_files",
        lambda spark, data: (
            spark.readStream.schema("faa STRING, alt INT")
            .parquet(f"{data}/airports")
            .selectExpr("faa", "alt * 2 AS high")
        ),
        "faa <- airports.faa IDENTITY; high <- airports.alt TRANSFORMATION",
    ),
    (
        "joined_with_a_table",
        lambda spark, data: flights(spark).where("distance > 9").join(spark.table("planes"), "tailnum").select("seats"),
        "seats <- planes.seats IDENTITY; * <- flights.distance FILTER, flights.tailnum JOIN, planes.tailnum JOIN",
    ),
    (
        "in_windows",
        lambda spark, data: (
            flights(spark)
            .withWatermark("at", "1 day")
            .groupBy(sf.window("at", "1 day"), "carrier")
            .agg(sf.sum("distance").alias("far"))
            .select("carrier", "far")
        ),
        """
        carrier <- flights.carrier
        far <- flights.distance AGGREGATION
        * <- flights.carrier GROUP_BY, flights.day GROUP_BY, flights.day FILTER
        """,
    ),
    (
        "each_once",
        lambda spark, data: flights(spark).withWatermark("at", "1 day").dropDuplicates(["flight"]).select("flight"),
        "flight <- flights.flight IDENTITY; * <- flights.flight GROUP_BY",
    ),
    (
        "two_streams",
        lambda spark, data: (
            flights(spark).selectExpr("dest AS faa").union(spark.readStream.table("airports").select("faa"))
        ),
        "faa <- flights.dest IDENTITY, airports.faa IDENTITY",
    ),
    (
        "with_state",
        _with_state,
        """
        carrier <- later.carrier TRANSFORMATION (opaque: FlatMapGroupsInPandasWithState _longest)
        carrier <- later.distance TRANSFORMATION (opaque: FlatMapGroupsInPandasWithState _longest)
        longest <- later.carrier TRANSFORMATION (opaque: FlatMapGroupsInPandasWithState _longest)
        longest <- later.distance TRANSFORMATION (opaque: FlatMapGroupsInPandasWithState _longest)
        * <- later.carrier GROUP_BY
        """,
    ),
    (
        "made_up",
        lambda spark, data: spark.readStream.format("rate").load().selectExpr("value AS number"),
        "number <- nothing; inputs: none",
    ),
)


def test_the_lineage_of_a_stream_is_that_of_its_query(
    spark: SparkSession, watch: Watch, datasets: Path, tmp_path: Path
) -> None:
    def act() -> None:
        started = [
            run(make(spark, str(datasets)), tmp_path / "progress" / name).start(str(tmp_path / name))
            for name, make, _ in QUERIES
        ]
        for query in started:
            query.awaitTermination()

    writes = watch.writes_of(act)
    assert lines_of(writes) == expected("\n".join(f"{name}:\n{lineage}" for name, _, lineage in QUERIES))
    assert {write.tier for write in writes} == {"full"}


def run(frame: DataFrame, progress: Path) -> Any:
    """Make the writer of a query; the query ends after all present data."""
    return frame.writeStream.option("checkpointLocation", str(progress)).trigger(availableNow=True)


class Captured:
    """A capture whose events go to a file."""

    def __init__(self, spark: SparkSession, file: Path) -> None:
        self._file = file
        self._client = LineageClient(file=file, strict=True)
        self.capture: Capture = capture(
            spark, client=self._client, namespace="emissions", name="emissions", strict=True
        )

    def events(self, dataset: str) -> list[dict[str, Any]]:
        """List the events so far with a dataset as output, by the last part of its name."""
        assert self.capture.flush()
        events = map(json.loads, self._file.read_text("utf-8").splitlines())
        return [event for event in events for output in event["outputs"] if output["name"].endswith(f"/{dataset}")]

    def close(self) -> None:
        self.capture.close()
        self._client.close()


@pytest.fixture
def captured(spark: SparkSession, datasets: Path, tmp_path: Path) -> Iterator[Captured]:
    captured = Captured(spark, tmp_path / "lineage.jsonl")
    yield captured
    captured.close()


def rows_of(events: Sequence[dict[str, Any]]) -> list[int | None]:
    statistics = [event["outputs"][0].get("outputFacets", {}).get("outputStatistics", {}) for event in events]
    return [each.get("rowCount") for each in statistics]


def test_a_stream_is_one_run_that_reports_its_rows_while_it_is_active(
    spark: SparkSession, captured: Captured, tmp_path: Path
) -> None:
    arriving, out = str(tmp_path / "arriving"), str(tmp_path / "streamed")
    spark.sql("SELECT tailnum FROM flights").coalesce(1).write.parquet(arriving)
    frame = spark.readStream.schema("tailnum STRING").parquet(arriving).selectExpr("upper(tailnum) AS plane")
    query: StreamingQuery = frame.writeStream.option("checkpointLocation", str(tmp_path / "progress")).start(out)
    try:
        query.processAllAvailable()
        spark.sql("SELECT tailnum FROM planes").coalesce(1).write.mode("append").parquet(arriving)
        query.processAllAvailable()
        active = captured.events("streamed")
    finally:
        query.stop()
    assert active[0]["eventType"] == "START"
    assert {event["eventType"] for event in active[1:]} == {"RUNNING"}
    assert sum(rows or 0 for rows in rows_of(active)) == 3
    ended = captured.events("streamed")
    assert ended[-1]["eventType"] == "COMPLETE"
    assert {event["run"]["runId"] for event in ended} == {str(query.runId)}
    assert {event["job"]["facets"]["jobType"]["processingType"] for event in ended} == {"STREAMING"}


def merge(batch: DataFrame, number: int) -> None:
    """Merge a batch into a table; the catalog of a stream's session is another, and empty."""
    batch.createOrReplaceTempView("batch")
    batch.sparkSession.sql("CREATE TABLE rows.checked (flight INT, distance INT) LOCATION 'file:/lake/checked'")
    batch.sparkSession.sql(
        "MERGE INTO rows.checked c USING batch b ON c.flight = b.flight "
        "WHEN MATCHED THEN UPDATE SET distance = b.far "
        "WHEN NOT MATCHED THEN INSERT (flight, distance) VALUES (b.flight, 1)"
    )


def test_batches_that_merge_are_one_run_whose_columns_lead_to_the_source_of_the_stream(
    spark: SparkSession, captured: Captured, tmp_path: Path
) -> None:
    session = spark.newSession()
    add_catalog(session, "rows", tmp_path)
    frame = (
        session.readStream.option("maxFilesPerTrigger", 1).table("flights").selectExpr("flight", "distance + 1 AS far")
    )
    query: StreamingQuery = run(frame, tmp_path / "progress").foreachBatch(merge).start()
    query.awaitTermination()
    events = captured.events("checked")
    assert [event["eventType"] for event in events] == ["START", "RUNNING", "COMPLETE"]
    assert len({event["run"]["runId"] for event in events}) == 1
    columns = events[-1]["outputs"][0]["facets"]["columnLineage"]
    assert {
        (column, source["name"].rpartition("/")[2], source["field"])
        for column, dependencies in columns["fields"].items()
        for source in dependencies["inputFields"]
    } == {("distance", "flights", "distance"), ("flight", "flights", "flight")}
    assert [source["name"].rpartition("/")[2] for source in columns["dataset"]] == ["checked", "flights"]
    assert events[-1]["job"]["facets"]["sql"]["query"].startswith("MERGE INTO rows.checked")


def test_a_stream_that_fails_fails_its_run_and_says_why(
    spark: SparkSession, captured: Captured, tmp_path: Path
) -> None:
    def fail(batch: DataFrame, number: int) -> None:
        batch.select("carrier").write.parquet(str(tmp_path / "refused"))
        raise ValueError("no such plane")

    query: StreamingQuery = run(flights(spark), tmp_path / "progress").foreachBatch(fail).start()
    with pytest.raises(Exception, match="no such plane"):
        query.awaitTermination()
    events = captured.events("refused")
    assert [event["eventType"] for event in events] == ["START", "RUNNING", "FAIL"]
    assert "no such plane" in events[-1]["run"]["facets"]["errorMessage"]["message"]
    assert rows_of(events) == [None, 2, None]
