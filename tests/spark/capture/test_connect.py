"""On Spark Connect a write is captured as by the driver's own listener: the same datasets under the same names.

The server runs in the tests' JVM, so both see the same writes.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spark_client.capturing.model import Dataset, Write
from tests.spark.capture.conftest import Hearing, Watch
from tests.spark.capture.specification import Case, frame, lines_of, query, statement, write

_IN_DERBY = ("CREATE TABLE IF NOT EXISTS derby.APP.C_FLIGHTS (a INT)",)
CASES = [
    frame("a table", lambda spark: spark.table("flights"), "inputs: flights"),
    frame("a table by its full name", lambda spark: spark.table("spark_catalog.default.flights"), "inputs: flights"),
    frame(
        "a join, a union and an alias",
        lambda spark: (
            spark.table("flights")
            .alias("f")
            .join(spark.table("planes"), "tailnum")
            .select("tailnum")
            .union(spark.table("planes").select("tailnum"))
        ),
        "inputs: flights, planes",
    ),
    frame(
        "rows of the program",
        lambda spark: spark.createDataFrame([(1,)], "n int"),
        "inputs: unknown",
    ),
    frame("a range", lambda spark: spark.range(3), "inputs: none"),
    frame("a function of tables", lambda spark: spark.sql("SELECT * FROM range(3)"), "inputs: none"),
    frame(
        "pandas",
        lambda spark: spark.table("flights").select("flight").mapInPandas(lambda batches: batches, "flight int"),
        "inputs: flights",
    ),
    query(
        "a CTE that has a table's name",
        "WITH flights AS (SELECT carrier FROM flights), b AS (SELECT * FROM flights) SELECT * FROM b",
        "inputs: flights",
    ),
    query(
        "a recursive CTE",
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) SELECT * FROM r",
        "inputs: none",
    ),
    query(
        "a lateral join", "SELECT tailnum FROM flights, LATERAL (SELECT seats FROM planes)", "inputs: flights, planes"
    ),
    query("rows in the statement", "VALUES (1), (2)", "inputs: none"),
    query(
        "a view of SQL",
        "SELECT * FROM tv",
        "inputs: flights",
        before=("CREATE OR REPLACE TEMP VIEW tv AS SELECT carrier FROM flights",),
    ),
    query(
        "a view of all sessions",
        "SELECT * FROM global_temp.gv",
        "inputs: planes",
        before=("CREATE OR REPLACE GLOBAL TEMP VIEW gv AS SELECT seats FROM planes",),
    ),
    query(
        "a view in the catalog",
        "SELECT * FROM pv",
        "inputs: flights, planes",
        before=(
            "CREATE OR REPLACE VIEW pv AS WITH p AS (SELECT tailnum FROM planes) SELECT carrier FROM flights JOIN p",
        ),
    ),
    query(
        "a cached view",
        "SELECT * FROM cv",
        "inputs: flights",
        before=("DROP VIEW IF EXISTS cv", "CACHE TABLE cv AS SELECT carrier FROM flights"),
    ),
    statement(
        "a folder, whose columns nobody says",
        "INSERT OVERWRITE DIRECTORY '{out}' USING parquet SELECT * FROM flights",
        "inputs: flights",
    ),
    write(
        "a folder of partitions",
        lambda spark, out: spark.table("flights").write.partitionBy("day").mode("overwrite").parquet(out),
        "inputs: flights",
    ),
    write(
        "a partition's own folder",
        lambda spark, out: spark.table("flights").write.mode("overwrite").json(f"{out}/day=2013-01-01"),
        "inputs: flights",
    ),
    write(
        "a path in a query",
        lambda spark, out: spark.sql("SELECT * FROM parquet.`{0}/planes`".replace("{0}", DATA[0])).write.parquet(out),
        "inputs: planes",
    ),
    write(
        "paths",
        lambda spark, out: spark.read.parquet(f"{DATA[0]}/planes", f"{DATA[0]}/planes/").write.parquet(out),
        "inputs: planes",
    ),
    write(
        "a pattern of paths",
        lambda spark, out: spark.read.parquet(f"{DATA[0]}/pla*").write.parquet(out),
        "inputs: planes",
    ),
    write(
        "writeTo", lambda spark, out: spark.table("planes").writeTo("c_to").using("parquet").create(), "inputs: planes"
    ),
    write(
        "parameters",
        lambda spark, out: spark.sql(
            "SELECT * FROM IDENTIFIER(:t) WHERE seats > :n", args={"t": "planes", "n": 1}
        ).write.parquet(out),
        "inputs: planes",
    ),
    write(
        "frames in a statement",
        lambda spark, out: spark.sql("INSERT INTO c_into SELECT carrier FROM {f}", f=spark.table("flights")),
        "inputs: flights",
        before=("CREATE TABLE IF NOT EXISTS c_into (carrier STRING) USING parquet",),
    ),
    write(
        "a database",
        lambda spark, out: (
            spark.read.format("jdbc")
            .options(URL="jdbc:derby:memory:flights;user=me;password=secret", dbTable="APP.C_FLIGHTS")
            .load()
            .write.parquet(out)
        ),
        "inputs: c_flights",
        before=_IN_DERBY,
    ),
    write(
        "a database's catalog",
        lambda spark, out: spark.range(3).selectExpr("CAST(id AS INT) AS a").writeTo("derby.APP.C_FLIGHTS").append(),
        "inputs: none",
        before=_IN_DERBY,
    ),
    write(
        "from a database's catalog",
        lambda spark, out: spark.table("derby.APP.C_FLIGHTS").write.parquet(out),
        "inputs: c_flights",
        before=_IN_DERBY,
    ),
]
DATA: list[str] = []
# Cases whose columns are not read; in other cases they have the same sources as by the driver's capture.
_OF_TABLES = ("a recursive CTE", "frames in a statement")


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_write_is_the_same_as_the_driver_captures(
    case: Case, remote: Any, hearing: Hearing, watch: Watch, datasets: Path, tmp_path: Path
) -> None:
    DATA[:] = [str(datasets)]
    for before in case.before:
        remote.sql(before)
    assert {write.command for write in hearing.writes()} <= {"CreateView"}
    by_driver = watch.writes_of(lambda: case.act(remote, str(tmp_path / "out")))
    with hearing.log.without_stacks():
        by_client = hearing.writes()
    assert_same_datasets(by_client, by_driver, with_schema="whose columns nobody says" not in case.name)
    assert [line for line in lines_of(by_client) if line.startswith("inputs:")] == [case.lineage]
    tier = "tables" if case.name in _OF_TABLES else "full"
    assert [write.tier for write in by_client] == [tier]
    if tier == "full":
        assert lines_of(by_client) == lines_of(by_driver)


def assert_same_datasets(by_client: list[Write], by_driver: list[Write], *, with_schema: bool) -> None:
    """Compare the writes of a client with the driver's: datasets and effects, and the schemas of the outputs."""
    if not with_schema:
        by_driver = [replace(write, output=replace(write.output, schema=())) for write in by_driver]
    assert sorted(map(_rendered, by_client)) == sorted(map(_rendered, by_driver))


def _rendered(write: Write) -> str:
    inputs = sorted((_dataset(dataset) for dataset in write.inputs), key=str)
    return repr((_dataset(write.output), inputs, write.change, write.failure is not None))


def _dataset(dataset: Dataset) -> tuple[Any, ...]:
    return dataset.id, [(column.name, column.type) for column in dataset.schema], dataset.symlinks
