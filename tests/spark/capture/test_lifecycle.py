"""Statements without a query, on a driver and over Spark Connect: their effects on datasets, by name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.model import UnknownTarget, Write
from tests.spark.capture.conftest import Hearing, Watch
from tests.spark.capture.row_tables import add_catalog
from tests.spark.capture.specification import expected, lines_of

# Runs statements before the capture, then the captured statements.
Run: TypeAlias = Callable[[Sequence[str], Sequence[str]], list[Write]]

MADE = "CREATE TABLE ended USING parquet AS SELECT carrier, flight FROM flights"
PARTED = (
    "CREATE TABLE ended (carrier STRING, day INT) USING parquet PARTITIONED BY (day)",
    "INSERT INTO ended VALUES ('UA', 1), ('UA', 2)",
)

# The statements before the capture, the captured statements, and the effects on datasets, by name or location.
CASES = {
    "a table that is dropped": ((), (MADE, "DROP TABLE ended"), ["CREATE ended", "DROP ended"]),
    "a table that is dropped, of which only its name is known": (
        (MADE,),
        ("DROP TABLE ended",),
        ["DROP default.ended"],
    ),
    "a table that may not have been there": ((), ("DROP TABLE IF EXISTS ended",), []),
    "a table that is emptied": ((), (MADE, "TRUNCATE TABLE ended"), ["CREATE ended", "TRUNCATE ended"]),
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
# Statements with an effect on unnamed datasets.
LOST = {
    "DROP DATABASE IF EXISTS nowhere CASCADE": "tables that are dropped with their database",
}
if pyspark.__version__ >= "4":
    CASES |= {
        # The wheel of 3.5 does not find its catalog of databases here.
        "a table of a database that is renamed and dropped": (
            ("CREATE TABLE derby.APP.ENDED (carrier STRING)",),
            (
                "INSERT INTO derby.APP.ENDED SELECT carrier FROM flights",
                "ALTER TABLE derby.APP.ENDED RENAME TO APP.RENAMED",
                "DROP TABLE derby.APP.RENAMED",
            ),
            ["None APP.ENDED", "RENAME APP.RENAMED from APP.ENDED", "DROP APP.RENAMED"],
        ),
        # Of Spark 3.5 it is a command of Iceberg's (`test_format_statements`).
        "procedures": (
            (),
            (
                "CALL calls.system.rollback_to_snapshot('derby.APP.HELD')",
                "/**/ call calls.system.add_files(source_table => '`orc`.`/lake/files`', table => 'derby.APP.HELD')",
                "CALL calls.system.snapshot('spark_catalog.default.flights', 'derby.APP.COPY')",
                "CALL calls.system.expire_snapshots('derby.APP.HELD')",
            ),
            [
                "rollback_to_snapshot APP.HELD of APP.HELD",
                "add_files APP.HELD of files",
                "CREATE APP.COPY of default.flights",
            ],
        ),
    }
    LOST |= {
        "CALL calls.system.migrate(lower('X'))": "a table that nobody can name",
        "CALL calls.system.register_table('a', 'b')": "a procedure that nobody knows",
    }


def _on_driver(spark: SparkSession, _: Any, first: Sequence[str], then: Sequence[str]) -> list[Write]:
    for sql in first:
        spark.sql(sql)
    watch = Watch(spark)  # it has met no table
    try:
        return watch.writes_of(lambda: [spark.sql(sql) for sql in then])
    finally:
        watch.close()


def _on_connect(spark: SparkSession, remote: Any, first: Sequence[str], then: Sequence[str]) -> list[Write]:
    for sql in first:
        remote.sql(sql)
    hearing = Hearing(remote, spark)
    writes: list[Write] = []
    try:
        for sql in then:
            remote.sql(sql)
            with hearing.log.without_stacks():
                writes += hearing.writes()
        return writes
    finally:
        hearing.close()


@pytest.fixture(scope="module")
def procedures(spark: SparkSession, datasets: Path, tmp_path_factory: pytest.TempPathFactory) -> Path | None:
    """The jar of the catalog `calls`, None on Spark 3.5, which lacks procedures; `rows` is a catalog of tables."""
    del datasets
    add_catalog(spark, "rows", tmp_path_factory.mktemp("rows"))
    if pyspark.__version__ < "4":
        return None
    return add_catalog(spark, "calls", tmp_path_factory.mktemp("calls"), "Procedures")


@pytest.fixture(scope="module", params=[_on_driver, _on_connect])
def run(request: pytest.FixtureRequest, spark: SparkSession, procedures: Path | None) -> Run:
    remote = request.getfixturevalue("remote") if request.param is _on_connect else None
    if remote is not None:
        remote.addArtifacts(str(procedures))
        remote.conf.set("spark.sql.catalog.calls", spark.conf.get("spark.sql.catalog.calls"))

    def run(first: Sequence[str], then: Sequence[str]) -> list[Write]:
        gone = [f"DROP TABLE IF EXISTS {table}" for table in ("ended", "renamed")]
        return request.param(spark, remote, [*gone, *first], then)

    return run


def effects(writes: Sequence[Write]) -> list[str]:
    def name(write: Write) -> str:
        return write.output.id.name.rsplit("/", 1)[-1]

    def before(write: Write) -> str:
        return "" if write.renamed_from is None else f" from {write.renamed_from.name.rsplit('/', 1)[-1]}"

    def made_of(write: Write) -> str:
        inputs = write.inputs if write.effect else ()
        return "".join(f" of {dataset.id.name.rsplit('/', 1)[-1]}" for dataset in inputs)

    return [f"{write.change or write.effect} {name(write)}{before(write)}{made_of(write)}" for write in writes]


@pytest.mark.parametrize("name", CASES)
def test_what_becomes_of_a_table(name: str, run: Run) -> None:
    first, then, right = CASES[name]
    assert effects(run(first, then)) == right


@pytest.mark.parametrize("statement", LOST)
def test_a_change_that_nobody_can_name_is_no_silence(statement: str, run: Run) -> None:
    with pytest.raises(UnknownTarget, match=LOST[statement]):
        run((), (statement,))


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


def test_columns_lead_over_a_rename(run: Run) -> None:
    writes = run((), (MADE, "ALTER TABLE ended RENAME TO default.renamed"))
    assert lines_of(writes[1:]) == expected(
        "default.renamed:\ncarrier <- ended.carrier IDENTITY\nflight <- ended.flight IDENTITY"
    )


def test_a_view_is_made_of_its_query(run: Run) -> None:
    sql = "CREATE OR REPLACE VIEW seen (c, far)\nAS SELECT carrier, distance * 2 AS f FROM flights WHERE flight > 1"
    writes = run((), (sql,))
    columns = "c <- flights.carrier IDENTITY; far <- flights.distance TRANSFORMATION"
    assert lines_of(writes) == expected(f"default.seen:\n{columns}; * <- flights.flight FILTER")
    assert [column.name for column in writes[0].output.schema] == ["c", "far"]


def test_a_table_of_the_current_database(run: Run) -> None:
    before = ("CREATE DATABASE IF NOT EXISTS gone", "CREATE TABLE gone.ended (a INT) USING parquet", "USE gone")
    writes = run(before, ("ALTER TABLE ended RENAME TO renamed", "DROP TABLE renamed", "USE default"))
    assert effects(writes) == ["RENAME gone.renamed from gone.ended", "DROP gone.renamed"]


def test_columns_that_are_added_are_in_the_schema(run: Run) -> None:
    [_, write] = run((), (MADE, "ALTER TABLE ended ADD COLUMNS (day INT, note STRUCT<a: STRING>)"))
    assert effects([write]) == ["ALTER ended"]
    assert [column.name for column in write.output.schema] == ["carrier", "flight", "day", "note"]


@pytest.mark.parametrize(
    ("statement", "columns"),
    [
        ("ADD COLUMNS (day INT)", ["carrier", "flight", "day"]),
        ("DROP COLUMN flight", []),  # the rest is not known
    ],
)
def test_columns_of_a_catalog_of_datasource_v2(
    statement: str, columns: list[str], procedures: Path | None, spark: SparkSession, watch: Watch
) -> None:
    del procedures
    spark.sql("DROP TABLE IF EXISTS rows.ended")
    spark.sql("CREATE TABLE rows.ended (carrier STRING, flight INT) LOCATION 'file:/lake/ended'")
    alter, empty = f"ALTER TABLE rows.ended {statement}", "TRUNCATE TABLE rows.ended"
    writes = watch.writes_of(lambda: [spark.sql(sql) for sql in (alter, empty)])
    assert effects(writes) == ["ALTER ended", "TRUNCATE ended"]
    assert [column.name for column in writes[0].output.schema] == columns
