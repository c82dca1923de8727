"""Hudi's tables, as Hudi writes and reads them: by place, with the table's name, and the columns of the analyzed plan.

`make test-formats` runs them: `HEADWATER_TABLE_FORMATS` names Hudi's package (`tests.spark.table_formats`).
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from headwater_model.ids import DatasetId
from spark_client.capturing.model import WriteStatistics
from tests.spark import table_formats
from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import expected, lines_of, short_name

pytestmark = pytest.mark.skipif("hudi" not in table_formats.chosen(), reason=f"{table_formats.VARIABLE} names no Hudi")

# Of rows with one key, Hudi keeps the last by `tailnum`: by a DATE, Hudi 1.2.0 cannot compare them.
_ROWS = "SELECT carrier, flight, distance, tailnum FROM flights"
# Hudi 1.2 makes a table by one command, of which Spark counts nothing, and which has no place for it.
_MADE_BY_NAME = "1.2." in os.environ.get(table_formats.VARIABLE, "")
_MADE = "default.made" if _MADE_BY_NAME else "made"
_ALL = """
        carrier <- flights.carrier IDENTITY
        flight <- flights.flight IDENTITY
        distance <- flights.distance IDENTITY
        tailnum <- flights.tailnum IDENTITY
"""
_KEYS = "TBLPROPERTIES (primaryKey = 'flight', preCombineField = 'tailnum')"
_OPTIONS = {
    "hoodie.table.name": "out",
    "hoodie.datasource.write.recordkey.field": "flight",
    "hoodie.datasource.write.precombine.field": "tailnum",
}
# The statement, its lineage, and its effect on the table as a whole.
STATEMENTS = (
    (f"INSERT INTO checked {_ROWS}", _ALL, None),
    (
        "INSERT INTO checked SELECT upper(carrier), flight + 1, distance, tailnum FROM flights WHERE distance > 9",
        """
        carrier <- flights.carrier TRANSFORMATION
        flight <- flights.flight TRANSFORMATION
        distance <- flights.distance
        tailnum <- flights.tailnum
        * <- flights.distance FILTER
        """,
        None,
    ),
    (f"INSERT OVERWRITE checked {_ROWS}", _ALL, "OVERWRITE"),
    (
        "UPDATE checked SET distance = distance * 2 WHERE carrier = 'UA'",
        "distance <- checked.distance TRANSFORMATION, checked.carrier CONDITIONAL",
        None,
    ),
    ("UPDATE checked SET distance = 1", "distance <- nothing; inputs: none", None),
    ("DELETE FROM checked WHERE carrier = 'UA'", "* <- checked.carrier FILTER", None),
    (
        "MERGE INTO checked c USING (SELECT carrier, flight, air_time, distance, tailnum FROM flights) f "
        "ON c.flight = f.flight "
        "WHEN MATCHED AND f.air_time > 1 THEN UPDATE SET distance = f.distance + c.distance, tailnum = f.tailnum "
        "WHEN NOT MATCHED AND f.carrier = 'UA' "
        "THEN INSERT (flight, carrier, tailnum) VALUES (f.flight, f.carrier, f.tailnum)",
        """
        carrier <- flights.carrier
        flight <- flights.flight
        distance <- flights.distance TRANSFORMATION, checked.distance TRANSFORMATION, flights.air_time CONDITIONAL
        tailnum <- flights.tailnum, flights.air_time CONDITIONAL
        * <- flights.flight JOIN, checked.flight JOIN, flights.carrier FILTER
        """,
        None,
    ),
    (
        "MERGE INTO checked c USING flights f ON c.flight = f.flight "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        f"{_ALL}\n* <- flights.flight JOIN, checked.flight JOIN",
        None,
    ),
    (
        "MERGE INTO checked c USING flights f ON c.flight = f.flight WHEN MATCHED AND f.distance > 9 THEN DELETE",
        "* <- flights.flight JOIN, checked.flight JOIN, flights.distance FILTER",
        None,
    ),
)


@pytest.fixture
def table(spark: SparkSession, datasets: Path) -> str:
    """Return the folder of the table `checked`, made anew."""
    spark.sql("DROP TABLE IF EXISTS checked")
    spark.sql(f"CREATE TABLE checked USING hudi {_KEYS} AS {_ROWS}")
    return f"{spark.conf.get('spark.sql.warehouse.dir').removeprefix('file:')}/checked"


@pytest.mark.parametrize(("sql", "lineage", "change"), STATEMENTS, ids=[sql[:60] for sql, _, _ in STATEMENTS])
def test_a_statement(sql: str, lineage: str, change: str | None, table: str, spark: SparkSession, watch: Watch) -> None:
    [write] = watch.writes_of(lambda: spark.sql(sql))
    assert lines_of([write]) == expected(f"checked:\n{lineage}")
    assert (write.output.id.name, [link.name for link in write.output.symlinks]) == (table, ["default.checked"])
    assert (write.change, write.tier, write.written) == (change, "full", WriteStatistics())


def test_a_table_that_is_made_is_where_it_lies_and_has_its_rows_counted(spark: SparkSession, watch: Watch) -> None:
    spark.sql("DROP TABLE IF EXISTS made")
    [write] = watch.writes_of(lambda: spark.sql(f"CREATE TABLE made USING hudi {_KEYS} AS {_ROWS}"))
    assert lines_of([write]) == expected(f"{_MADE}:{_ALL}")
    assert ([column.name for column in write.output.schema], write.change) == (
        ["carrier", "flight", "distance", "tailnum"],
        "CREATE",
    )
    warehouse = spark.conf.get("spark.sql.warehouse.dir").removeprefix("file:")
    name, place = DatasetId(f"file:{warehouse}", "default.made"), DatasetId("file", f"{warehouse}/made")
    links = [DatasetId(link.namespace, link.name) for link in write.output.symlinks]
    reported = ((name, []), None) if _MADE_BY_NAME else ((place, [name]), 2)
    assert ((write.output.id, links), write.written.rows) == reported
    assert Path(place.name, ".hoodie").is_dir()


def test_a_table_that_is_there_is_made_by_no_command(spark: SparkSession, watch: Watch) -> None:
    spark.sql("DROP TABLE IF EXISTS made")
    make = f"CREATE TABLE IF NOT EXISTS made USING hudi {_KEYS} AS {_ROWS}"
    [first, *others] = [watch.writes_of(lambda: spark.sql(make)) for _ in range(2)]
    assert (lines_of(first), others) == (expected(f"{_MADE}:{_ALL}"), [[]])


@pytest.mark.parametrize("kind", ["COPY_ON_WRITE", "MERGE_ON_READ"])
@pytest.mark.parametrize("operation", ["upsert", "bulk_insert"])
def test_a_frame_is_written_to_a_folder_and_read_from_it(
    operation: str, kind: str, spark: SparkSession, datasets: Path, watch: Watch, tmp_path: Path
) -> None:
    out = f"{tmp_path}/out"
    how = {
        **_OPTIONS,
        "hoodie.datasource.write.table.type": kind,
        "hoodie.datasource.write.operation": operation,
        "hoodie.datasource.write.partitionpath.field": "carrier",
    }
    frame = spark.sql(_ROWS)
    [write] = watch.writes_of(lambda: frame.write.format("hudi").options(**how).mode("overwrite").save(out))
    [more] = watch.writes_of(lambda: frame.write.format("hudi").options(**how).mode("append").save(out))
    assert lines_of([write]) == lines_of([more]) == expected(f"out:{_ALL}")
    assert (write.change, more.change) == ("OVERWRITE", None)
    read = spark.read.format("hudi").load(out).selectExpr("flight", "distance * 2 AS far").where("carrier = 'UA'")
    [copied] = watch.writes_of(lambda: read.write.parquet(f"{tmp_path}/copied"))
    assert lines_of([copied]) == expected(
        "copied:\nflight <- out.flight IDENTITY; far <- out.distance TRANSFORMATION; * <- out.carrier FILTER"
    )


def test_a_table_is_read_by_its_name_as_of_a_time_and_in_increments(
    table: str, spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    increments = {
        "hoodie.datasource.query.type": "incremental",
        "hoodie.datasource.read.begin.instanttime": "0",
    }
    frames = (
        spark.table("checked").select("flight"),
        spark.read.format("hudi").option("as.of.instant", "2099-12-31").load(table).select("flight"),
        spark.read.format("hudi").options(**increments).load(table).select("flight"),
    )
    for number, frame in enumerate(frames):
        [write] = watch.writes_of(lambda frame=frame, to=f"{tmp_path}/{number}": frame.write.parquet(to))
        assert [dataset.id.name for dataset in write.inputs] == [table]
        assert "flight <- checked.flight IDENTITY" in lines_of([write])


def test_an_overwrite_of_a_table_with_partitions_may_be_one_of_a_part(spark: SparkSession, watch: Watch) -> None:
    spark.sql("DROP TABLE IF EXISTS parted")
    spark.sql(f"CREATE TABLE parted USING hudi {_KEYS} PARTITIONED BY (carrier) AS {_ROWS}")
    rows = "SELECT flight, distance, tailnum, carrier FROM flights"
    [write] = watch.writes_of(lambda: spark.sql(f"INSERT OVERWRITE parted {rows} WHERE carrier = 'UA'"))
    assert write.change is None
    assert {"carrier <- flights.carrier IDENTITY", "* <- flights.carrier FILTER"} <= set(lines_of([write]))


def test_a_stream_from_a_table_to_a_folder(table: str, spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    def act() -> None:
        source = spark.readStream.format("hudi").load(table).select("carrier", "flight", "distance", "tailnum")
        sink = source.writeStream.format("hudi").options(**_OPTIONS).trigger(availableNow=True)
        sink.option("checkpointLocation", f"{tmp_path}/progress").start(f"{tmp_path}/out").awaitTermination()

    [write] = watch.writes_of(act)
    assert (short_name(write.output.id), [dataset.id.name for dataset in write.inputs]) == ("out", [table])
    assert lines_of([write]) == expected(f"out:{_ALL}".replace("flights.", "checked."))
