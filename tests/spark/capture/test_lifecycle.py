"""Tables that are dropped, emptied, renamed and altered, and views: what becomes of a dataset, and by which name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.model import Write
from tests.spark.capture.conftest import Watch
from tests.spark.capture.row_tables import add_catalog
from tests.spark.capture.specification import expected, lines_of

MADE = "CREATE TABLE ended USING parquet AS SELECT carrier, flight FROM flights"
PARTED = (
    "CREATE TABLE ended (carrier STRING, day INT) USING parquet PARTITIONED BY (day)",
    "INSERT INTO ended VALUES ('UA', 1), ('UA', 2)",
)

# The statements before the capture, those that it sees, and the effects on datasets, each by its name or its place.
CASES = {
    "a table that is dropped": ((), (MADE, "DROP TABLE ended"), ["CREATE ended", "DROP ended"]),
    "a table that is dropped, of which only its name is known": (
        (MADE,),
        ("DROP TABLE ended",),
        ["DROP default.ended"],
    ),
    "a table that is dropped if it is there": (
        (),
        (MADE, "DROP TABLE IF EXISTS ended"),
        ["CREATE ended", "DROP ended"],
    ),
    "a table that may not have been there": ((), ("DROP TABLE IF EXISTS ended",), []),
    "a table that is emptied": ((), (MADE, "TRUNCATE TABLE ended"), ["CREATE ended", "TRUNCATE ended"]),
    "a table that is renamed": (
        (),
        (MADE, "ALTER TABLE ended RENAME TO renamed"),
        ["CREATE ended", "RENAME default.renamed from ended"],
    ),
    "a table that is renamed and written": (
        (),
        (MADE, "ALTER TABLE ended RENAME TO renamed", "INSERT INTO renamed SELECT carrier, flight FROM flights"),
        ["CREATE ended", "RENAME default.renamed from ended", "None renamed"],
    ),
    "a table that is renamed, of which only its name is known": (
        (MADE,),
        ("ALTER TABLE default.ended RENAME TO default.renamed",),
        ["RENAME default.renamed from default.ended"],
    ),
    "a temporary view that is renamed": (
        ("CREATE OR REPLACE TEMP VIEW temporary AS SELECT 1 AS x",),
        ("ALTER VIEW temporary RENAME TO other", "ALTER VIEW other AS SELECT 2 AS y"),
        [],
    ),
    "partitions of the table's own": (PARTED, ("ALTER TABLE ended ADD PARTITION (day = 3)",), []),
    "statements after which all rows are there": (
        PARTED,
        (
            "ALTER TABLE ended SET TBLPROPERTIES ('a' = 'b')",
            "COMMENT ON TABLE ended IS 'x'",
            "MSCK REPAIR TABLE ended",
            "ANALYZE TABLE ended COMPUTE STATISTICS",
            "CACHE TABLE ended",
            "UNCACHE TABLE ended",
            "REFRESH TABLE ended",
            "DESCRIBE ended",
            "SHOW TABLES",
            "SET a = b",
            "CREATE TABLE renamed LIKE ended",
            "USE default",
            "CREATE OR REPLACE TEMP VIEW temporary AS SELECT * FROM ended",
            "EXPLAIN SELECT 1",
        ),
        [],
    ),
    "a temporary view that is dropped": (("CREATE TEMP VIEW met AS SELECT 1 AS x",), ("DROP VIEW met",), []),
    "a table of a catalog of DataSource V2": (
        ("CREATE TABLE rows.ended (carrier STRING) LOCATION 'file:/lake/ended'",),
        ("INSERT INTO rows.ended SELECT carrier FROM flights", "TRUNCATE TABLE rows.ended"),
        ["None ended", "TRUNCATE ended"],
    ),
}
if pyspark.__version__ >= "4":  # the wheel of 3.5 does not find its catalog of databases here
    CASES |= {
        "a table of a database that is renamed and dropped": (
            ("CREATE TABLE derby.APP.ENDED (carrier STRING)",),
            (
                "INSERT INTO derby.APP.ENDED SELECT carrier FROM flights",
                "ALTER TABLE derby.APP.ENDED RENAME TO APP.RENAMED",
                "DROP TABLE derby.APP.RENAMED",
            ),
            ["None APP.ENDED", "RENAME APP.RENAMED from APP.ENDED", "DROP APP.RENAMED"],
        ),
    }


# Statements of which Spark Connect reports nothing.
ON_A_DRIVER = {
    "a view": (
        (),
        (
            "CREATE OR REPLACE VIEW seen AS SELECT carrier FROM flights",
            "ALTER VIEW seen AS SELECT 1 AS x",
            "DROP VIEW seen",
        ),
        ["OVERWRITE default.seen", "OVERWRITE default.seen", "DROP default.seen"],
    ),
    "a view that is renamed": (
        ("CREATE OR REPLACE VIEW renamed_view AS SELECT 1 AS x", "DROP VIEW IF EXISTS seen"),
        ("ALTER VIEW renamed_view RENAME TO seen",),
        ["RENAME default.seen from default.renamed_view"],
    ),
    "partitions from elsewhere": (
        PARTED,
        (
            "ALTER TABLE ended ADD PARTITION (day = 3) LOCATION '/lake/elsewhere/day=3'",
            "ALTER TABLE ended PARTITION (day = 3) SET LOCATION '/lake/other'",
        ),
        ["add_partition default.ended of elsewhere", "set_location default.ended of other"],
    ),
    "partitions that go": (
        PARTED,
        (
            "ALTER TABLE ended PARTITION (day = 1) RENAME TO PARTITION (day = 5)",
            "TRUNCATE TABLE ended PARTITION (day = 5)",
            "ALTER TABLE ended DROP PARTITION (day = 2)",
        ),
        ["rename_partition default.ended", "truncate_partition default.ended", "drop_partition default.ended"],
    ),
    "a table that lies elsewhere": (
        ("DROP TABLE IF EXISTS moved", "CREATE TABLE moved (carrier STRING) USING parquet LOCATION '/lake/moved'"),
        ("ALTER TABLE moved SET LOCATION '/lake/elsewhere'", "DROP TABLE moved"),
        ["ALTER elsewhere", "DROP elsewhere"],
    ),
}


@pytest.fixture(scope="module", autouse=True)
def tables(spark: SparkSession, datasets: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    add_catalog(spark, "rows", tmp_path_factory.mktemp("rows"))


def effects(writes: Sequence[Write]) -> list[str]:
    def name(write: Write) -> str:
        return write.output.id.name.rsplit("/", 1)[-1]

    def before(write: Write) -> str:
        return "" if write.renamed_from is None else f" from {write.renamed_from.name.rsplit('/', 1)[-1]}"

    def made_of(write: Write) -> str:
        inputs = write.inputs if write.effect else ()
        return "".join(f" of {dataset.id.name.rsplit('/', 1)[-1]}" for dataset in inputs)

    return [f"{write.change or write.effect} {name(write)}{before(write)}{made_of(write)}" for write in writes]


@pytest.mark.parametrize("name", [*CASES, *ON_A_DRIVER])
def test_what_becomes_of_a_table(name: str, spark: SparkSession) -> None:
    first, then, right = {**CASES, **ON_A_DRIVER}[name]
    for table in ("ended", "renamed", "rows.ended"):
        spark.sql(f"DROP TABLE IF EXISTS {table}")
    for sql in first:
        spark.sql(sql)
    watch = Watch(spark)  # it has met no table
    try:
        writes = watch.writes_of(lambda: [spark.sql(sql) for sql in then])
    finally:
        watch.close()
    assert effects(writes) == right


def test_a_path_that_the_file_system_renames_leads_to_what_was_written_there(
    spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    hadoop = spark._jvm.org.apache.hadoop.fs
    files = hadoop.FileSystem.get(spark._jsc.hadoopConfiguration())

    def rename(before: str, after: str) -> None:
        assert files.rename(hadoop.Path(f"{tmp_path}/{before}"), hadoop.Path(f"{tmp_path}/{after}"))

    def write_then_swap() -> None:
        spark.table("flights").select("carrier").write.parquet(f"{tmp_path}/_tmp_x")
        rename("_tmp_x", "final")
        rename("unmet", "other")

    (tmp_path / "unmet").mkdir()
    writes = watch.writes_of(write_then_swap)
    assert effects(writes) == ["None _tmp_x", "RENAME final from _tmp_x"]
    assert lines_of(writes[1:]) == expected("final:\ncarrier <- _tmp_x.carrier IDENTITY")


def test_columns_lead_over_a_rename(spark: SparkSession, watch: Watch) -> None:
    spark.sql("DROP TABLE IF EXISTS ended")
    spark.sql("DROP TABLE IF EXISTS renamed")
    writes = watch.writes_of(lambda: [spark.sql(sql) for sql in (MADE, "ALTER TABLE ended RENAME TO renamed")])
    assert lines_of(writes[1:]) == expected(
        "default.renamed:\ncarrier <- ended.carrier IDENTITY\nflight <- ended.flight IDENTITY"
    )


def test_a_view_is_made_of_its_query(spark: SparkSession, watch: Watch) -> None:
    sql = "CREATE OR REPLACE VIEW seen (c, far) AS SELECT carrier, distance * 2 AS f FROM flights WHERE flight > 1"
    writes = watch.writes_of(lambda: spark.sql(sql))
    columns = "c <- flights.carrier IDENTITY; far <- flights.distance TRANSFORMATION"
    assert lines_of(writes) == expected(f"default.seen:\n{columns}; * <- flights.flight FILTER")
    assert [column.name for column in writes[0].output.schema] == ["c", "far"]


@pytest.mark.parametrize(
    ("table", "statement", "columns"),
    [
        ("ended", "ADD COLUMNS (day INT, note STRUCT<a: STRING>)", ["carrier", "flight", "day", "note"]),
        ("rows.ended", "ADD COLUMNS (day INT)", ["carrier", "flight", "day"]),
        ("rows.ended", "DROP COLUMN flight", []),  # which are left is not known
    ],
)
def test_columns_that_are_added_are_in_the_schema(
    table: str, statement: str, columns: list[str], spark: SparkSession, watch: Watch
) -> None:
    spark.sql(f"DROP TABLE IF EXISTS {table}")
    if table == "ended":
        writes = watch.writes_of(lambda: [spark.sql(sql) for sql in (MADE, f"ALTER TABLE ended {statement}")])[1:]
    else:
        spark.sql("CREATE TABLE rows.ended (carrier STRING, flight INT) LOCATION 'file:/lake/ended'")
        writes = watch.writes_of(lambda: spark.sql(f"ALTER TABLE rows.ended {statement}"))
    assert effects(writes) == ["ALTER ended"]
    assert [column.name for column in writes[0].output.schema] == columns
