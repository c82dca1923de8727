"""Delta and Iceberg as they are: the dataset of each write, its inputs, and the lineage of rows changed in place.

`make test-formats` runs them: `HEADWATER_TABLE_FORMATS` names the packages (`tests.spark.table_formats`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from headwater_model.ids import DatasetId
from spark_client.capturing.model import Symlink
from tests.spark import table_formats
from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import Case, query, statement, write

pytestmark = pytest.mark.skipif(not table_formats.chosen(), reason=f"{table_formats.VARIABLE} names no package")

_COLUMNS = "carrier STRING, flight INT, distance INT, route STRUCT<origin: STRING, dest: STRING>"
ROUTED = "SELECT carrier, flight, distance, named_struct('origin', origin, 'dest', dest) AS route FROM flights"
_ALL = """
        carrier <- flights.carrier IDENTITY
        flight <- flights.flight IDENTITY
        distance <- flights.distance IDENTITY
        route.origin <- flights.origin IDENTITY
        route.dest <- flights.dest IDENTITY
"""
STREAMED = """
        carrier <- source.carrier IDENTITY
        flight <- source.flight IDENTITY
        distance <- source.distance IDENTITY
        route <- source.route IDENTITY
"""
_BY_FLIGHT = "* <- checked.flight JOIN, flights.flight JOIN"

# Name, statement, and lineage; `{of}` is the catalog and database, `{first}` the source's first version.
STATEMENTS = (
    ("INSERT INTO", f"INSERT INTO {{of}}checked {ROUTED}", _ALL),
    ("INSERT OVERWRITE", f"INSERT OVERWRITE {{of}}checked {ROUTED}", _ALL),
    (
        "INSERT of what a table was",
        "INSERT INTO {of}checked SELECT upper(carrier), flight, distance, NULL FROM {of}source VERSION AS OF {first}",
        """
        carrier <- source.carrier TRANSFORMATION
        flight <- source.flight
        distance <- source.distance
        route <- nothing
        """,
    ),
    (
        "UPDATE of a column and of a field",
        "UPDATE {of}checked SET distance = distance * 2, route.origin = carrier WHERE flight > 2",
        """
        distance <- checked.distance TRANSFORMATION, checked.flight CONDITIONAL
        route.origin <- checked.carrier, checked.flight CONDITIONAL
        """,
    ),
    (
        "UPDATE of all rows",
        "UPDATE {of}checked SET distance = 1",
        "distance <- nothing; inputs: none",
    ),
    ("DELETE", "DELETE FROM {of}checked WHERE route.origin = 'JFK'", "* <- checked.route.origin FILTER"),
    ("DELETE of all rows", "DELETE FROM {of}checked", "inputs: none"),
    (
        "MERGE with clauses of all kinds",
        "MERGE INTO {of}checked c USING (SELECT * FROM flights WHERE day > DATE '2012-01-01') f ON c.flight = f.flight "
        "WHEN MATCHED AND f.dest = 'IAH' THEN DELETE "
        "WHEN MATCHED AND f.air_time > 1 THEN UPDATE SET distance = c.distance + f.distance, route.origin = f.origin "
        "WHEN NOT MATCHED AND f.origin = 'JFK' THEN INSERT (flight, carrier) VALUES (f.flight, f.carrier) "
        "WHEN NOT MATCHED BY SOURCE AND c.carrier = 'B6' THEN UPDATE SET carrier = 'gone'",
        f"""
        carrier <- flights.carrier IDENTITY, checked.carrier CONDITIONAL
        flight <- flights.flight IDENTITY
        distance <- checked.distance TRANSFORMATION, flights.distance TRANSFORMATION, flights.air_time CONDITIONAL
        route.origin <- flights.origin IDENTITY, flights.air_time CONDITIONAL
        route <- nothing
        * <- flights.day FILTER, flights.dest FILTER, flights.origin FILTER
        {_BY_FLIGHT}
        """,
    ),
    (
        "MERGE of stars",
        f"MERGE INTO {{of}}checked c USING ({ROUTED}) f ON c.flight = f.flight "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        f"{_ALL}\n{_BY_FLIGHT}",
    ),
    (
        "MERGE that only inserts",
        "MERGE INTO {of}checked c USING flights f ON c.flight = f.flight "
        "WHEN NOT MATCHED AND f.distance > 9 THEN INSERT (flight, carrier) VALUES (f.flight, 'UA')",
        f"""
        flight <- flights.flight IDENTITY
        carrier <- nothing
        distance <- nothing
        route <- nothing
        * <- flights.distance FILTER
        {_BY_FLIGHT}
        """,
    ),
    (
        "MERGE of a table with itself",
        "MERGE INTO {of}checked c USING {of}checked f ON c.flight = f.flight "
        "WHEN MATCHED THEN UPDATE SET distance = f.distance, carrier = c.carrier",
        "distance <- checked.distance IDENTITY; * <- checked.flight JOIN",
    ),
)
# Format, the catalog and database of its tables, and how it changes rows; Iceberg's format 3 gives each row an id.
WAYS = {
    "delta": ("delta", "", ""),
    "copy on write": ("iceberg", "ice.db.", "copy-on-write"),
    "merge on read": ("iceberg", "ice.db.", "merge-on-read"),
    "copy on write, format 3": ("iceberg", "ice.db.", "copy-on-write, 3"),
    "merge on read, format 3": ("iceberg", "ice.db.", "merge-on-read, 3"),
}
CHOSEN = [way for way, (form, _, _) in WAYS.items() if form in table_formats.chosen()]


@pytest.fixture(scope="module")
def sources(spark: SparkSession, datasets: Path) -> SparkSession:
    """A session with a table to read from in each format."""
    make_sources(spark)
    return spark


def make_sources(spark: SparkSession) -> None:
    """Make a table to read from in each chosen format."""
    for form, of in dict.fromkeys(WAYS[way][:2] for way in CHOSEN):
        if of:
            spark.sql("CREATE NAMESPACE IF NOT EXISTS ice.db")
        spark.sql(f"CREATE TABLE {of}source USING {form} AS {ROUTED}")


def first_version(spark: SparkSession, of: str) -> str:
    """Find the first version or snapshot of the source, in a catalog and database."""
    return str(spark.sql(f"SELECT min(snapshot_id) FROM {of}source.snapshots").first()[0]) if of else "0"


def statements_before(way: str) -> tuple[str, ...]:
    """List the statements that create the table of a case."""
    form, of, modes = WAYS[way]
    mode, _, version = modes.partition(", ")
    modes = f"'format-version' = '{version or 2}', " + ", ".join(
        f"'write.{verb}.mode' = '{mode}'" for verb in ("update", "delete", "merge")
    )
    create = f"CREATE TABLE {of}checked ({_COLUMNS}) USING {form} PARTITIONED BY (carrier)"
    rows = f"INSERT INTO {of}checked {ROUTED}"
    return f"DROP TABLE IF EXISTS {of}checked", f"{create} TBLPROPERTIES ({modes})" if mode else create, rows


@pytest.mark.parametrize("way", CHOSEN)
@pytest.mark.parametrize(("name", "sql", "lineage"), STATEMENTS, ids=[name for name, _, _ in STATEMENTS])
def test_a_statement(name: str, sql: str, lineage: str, way: str, sources: SparkSession, check) -> None:
    of = WAYS[way][1]
    sql = sql.format(of=of, first=first_version(sources, of))
    check(statement(name, sql, f"checked:\n{lineage}", before=statements_before(way)))


def a_frame(way: str, verb: str) -> Case:
    """Make the case of a frame, written to a table by a verb such as `append`."""

    def act(spark: SparkSession, out: str) -> None:
        getattr(spark.sql(ROUTED).writeTo(f"{WAYS[way][1]}checked"), verb)()

    return write(verb, act, f"checked:{_ALL}", before=statements_before(way))


@pytest.mark.parametrize("way", CHOSEN)
@pytest.mark.parametrize("verb", ["append", "overwritePartitions"])
def test_a_frame(verb: str, way: str, sources: SparkSession, check) -> None:
    check(a_frame(way, verb))


@pytest.mark.parametrize("way", CHOSEN)
def test_a_table_is_where_it_lies_and_its_name_is_another(way: str, sources: SparkSession, watch: Watch) -> None:
    of = WAYS[way][1]
    for before in statements_before(way):
        sources.sql(before)
    inserted = watch.writes_of(lambda: sources.sql(f"INSERT INTO {of}checked SELECT * FROM {of}source"))
    updated = watch.writes_of(lambda: sources.sql(f"UPDATE {of}checked SET distance = flight"))
    warehouse = sources.conf.get("spark.sql.warehouse.dir").removeprefix("file:")
    folder, catalog, database = (f"{warehouse}/ice/db", "/ice", "db") if of else (warehouse, "", "default")
    checked, source = (
        (DatasetId("file", f"{folder}/{name}"), (Symlink(f"file:{warehouse}{catalog}", f"{database}.{name}"),))
        for name in ("checked", "source")
    )
    lineage = [
        ([(dataset.id, dataset.symlinks) for dataset in (write.output, *write.inputs)])
        for write in (*inserted, *updated)
    ]
    assert lineage == [[checked, source], [checked, checked]]


@pytest.mark.skipif("delta" not in table_formats.chosen(), reason="Delta's tables may be folders alone")
def test_rows_of_a_folder(check) -> None:
    def act(spark: SparkSession, out: str) -> None:
        spark.sql(ROUTED).write.format("delta").save(out)
        spark.sql(f"UPDATE delta.`{out}` SET distance = flight")

    check(write("a folder that is made and changed", act, f"out:{_ALL}\nout:\ndistance <- out.flight IDENTITY"))


@pytest.mark.skipif("iceberg" not in table_formats.chosen(), reason="Iceberg has tables of changes")
def test_changes_of_a_table_are_its_columns(sources: SparkSession, check) -> None:
    sql = "SELECT flight, _change_type, _file FROM ice.db.source.changes WHERE _change_ordinal = 0"
    lineage = "flight <- source.flight IDENTITY; _change_type <- nothing; _file <- nothing"
    check(query("changes of a table", sql, lineage))


# Options of an overwrite of a folder, the session's mode, and the captured change.
_PARTS = (
    ({}, "static", "OVERWRITE"),
    ({"replaceWhere": "carrier = 'UA'"}, "static", None),
    ({"partitionOverwriteMode": "dynamic"}, "static", None),
    ({}, "dynamic", None),
    ({"partitionOverwriteMode": "static"}, "dynamic", "OVERWRITE"),
)


@pytest.mark.skipif("delta" not in table_formats.chosen(), reason="Spark's commands do not say it of Delta alone")
@pytest.mark.parametrize(("options", "mode", "change"), _PARTS)
def test_an_overwrite_is_one_of_all_that_was_there(
    options: dict[str, str], mode: str, change: str | None, sources: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    frame = sources.sql(f"{ROUTED} WHERE carrier = 'UA'")
    sources.sql(ROUTED).write.format("delta").partitionBy("carrier").save(out)
    sources.conf.set("spark.sql.sources.partitionOverwriteMode", mode)
    try:
        [write] = watch.writes_of(lambda: frame.write.format("delta").mode("overwrite").options(**options).save(out))
    finally:
        sources.conf.unset("spark.sql.sources.partitionOverwriteMode")

    left = {row.carrier for row in sources.read.format("delta").load(out).collect()}
    assert (write.change, left) == (change, {"UA"} if change else {"B6", "UA"})


def a_stream_between_tables(way: str) -> Case:
    """Make the case of a stream between two tables."""

    def act(spark: SparkSession, out: str) -> None:
        of = WAYS[way][1]
        stream = spark.readStream.table(f"{of}source").where("flight > 0").writeStream.format(WAYS[way][0])
        stream = stream.trigger(availableNow=True).option("checkpointLocation", f"{out}-progress")
        stream.toTable(f"{of}checked").awaitTermination()

    lineage = f"checked:{STREAMED}\n* <- source.flight FILTER"
    return write("a stream", act, lineage, before=statements_before(way))


def batches_that_merge(way: str) -> Case:
    """Make the case of a stream with batches merged into a table."""
    of = WAYS[way][1]

    def merge(batch: DataFrame, number: int) -> None:
        batch.createOrReplaceTempView("batch")
        batch.sparkSession.sql(
            f"MERGE INTO {of}checked c USING batch b ON c.flight = b.flight "
            "WHEN MATCHED THEN UPDATE SET distance = b.distance WHEN NOT MATCHED THEN INSERT *"
        )

    def act(spark: SparkSession, out: str) -> None:
        stream = spark.readStream.table(f"{of}source").writeStream.trigger(availableNow=True).foreachBatch(merge)
        stream.option("checkpointLocation", f"{out}-progress").start().awaitTermination()

    lineage = f"checked:{STREAMED}\n* <- checked.flight JOIN, source.flight JOIN"
    return write("batches that merge", act, lineage, before=statements_before(way))


@pytest.mark.parametrize("make", [a_stream_between_tables, batches_that_merge])
@pytest.mark.parametrize("way", dict.fromkeys(CHOSEN))
def test_a_stream(way: str, make: Callable[[str], Case], sources: SparkSession, check) -> None:
    check(make(way))
