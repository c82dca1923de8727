"""Variables, SQL's own functions and scripts over Spark Connect: found, or reported as unknown."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import pyspark
import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.model import UnknownTarget
from tests.spark.capture.conftest import Hearing
from tests.spark.capture.specification import Case, expected, lines_of, query, write
from tests.spark.capture.test_variables import _FARTHEST, VARIABLES, needs_variables

# Columns that are known in less detail, and say so.
_LESS = {
    "a variable declared from another",
    "a variable in a subquery and in a CTE",
}
_FAR_OF = "CREATE OR REPLACE TEMPORARY FUNCTION far_of() RETURNS INT RETURN (SELECT max(distance) FROM flights)"
_SEATS_OF = (
    "CREATE OR REPLACE TEMPORARY FUNCTION seats_of(t STRING) RETURNS INT "
    "RETURN SELECT max(seats) FROM planes WHERE tailnum = t"
)
# The inputs of each case are exact; columns are not compared.
INPUTS = (
    query("a function that reads a table", "SELECT faa, far_of() AS f FROM airports", "inputs: airports, flights",
          before=(_FAR_OF,), since="4.0"),
    query("a function that reads a table for each row", "SELECT seats_of(tailnum) AS s FROM flights",
          "inputs: flights, planes", before=(_SEATS_OF,), since="4.0"),
    query("a function that gives a table", "SELECT model AS m FROM planes_of(2), airports",
          "inputs: airports, planes",
          before=("CREATE OR REPLACE TEMPORARY FUNCTION planes_of(n INT) RETURNS TABLE (model STRING) "
                  "RETURN SELECT model FROM planes WHERE engines = n",), since="4.0"),
    query("a function of a function", "SELECT faa FROM airports WHERE alt < twice_far()", "inputs: airports, flights",
          before=(_FAR_OF, "CREATE OR REPLACE TEMPORARY FUNCTION twice_far() RETURNS INT RETURN 2 * far_of()"),
          since="4.0"),
    query("a function that reads a view of the catalog", "SELECT faa, few_of() AS f FROM airports",
          "inputs: airports, planes",
          before=("CREATE OR REPLACE VIEW few_planes AS SELECT * FROM planes WHERE seats < 9",
                  "CREATE OR REPLACE TEMPORARY FUNCTION few_of() RETURNS LONG RETURN SELECT count(1) FROM few_planes"),
          since="4.0"),
    write("a function in a frame's condition",
          lambda spark, out: spark.table("airports").where("alt < far_of()").write.parquet(out),
          "inputs: airports, flights", before=(_FAR_OF,), since="4.0"),
    write("a subquery in a frame's condition",
          lambda spark, out: spark.table("airports").where("alt IN (SELECT seats FROM planes)").write.parquet(out),
          "inputs: airports, planes"),
    write("a function of the program's is no table",
          lambda spark, out: spark.table("airports").selectExpr("upper(faa) AS f").write.parquet(out),
          "inputs: airports"),
    write("a variable by its name in a frame",
          lambda spark, out: spark.table("airports").selectExpr("faa", "farthest").write.parquet(out),
          "inputs: airports, flights", before=_FARTHEST, since="4.0"),
    write("a temporary view with a variable in it",
          lambda spark, out: spark.table("nearer").write.parquet(out),
          "inputs: flights, planes",
          before=(*_FARTHEST, "CREATE OR REPLACE TEMP VIEW nearer AS SELECT seats FROM planes WHERE seats < farthest"),
          since="4.0"),
    write("a statement in a text",
          lambda spark, out: spark.sql(f"EXECUTE IMMEDIATE 'INSERT OVERWRITE DIRECTORY ''{out}'' USING parquet "
                                       "SELECT seats FROM planes'") and None,
          "inputs: planes", since="4.0"),
)  # fmt: skip


@pytest.fixture(scope="module", autouse=True)
def counted(spark: SparkSession, datasets: Path) -> None:
    del spark, datasets


def _seen(case: Case, remote: Any, hearing: Hearing, out: str) -> list[str]:
    if pyspark.__version__ < case.since:
        pytest.skip(f"needs Spark {case.since}")
    for statement in case.before:
        remote.sql(statement)
    hearing.writes()
    case.act(remote, out)
    return lines_of(hearing.writes())


@pytest.mark.parametrize("case", [case for case in VARIABLES if case.make is not None], ids=str)
def test_variables(case: Case, remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    lines, expected_lines = _seen(case, remote, hearing, str(tmp_path / "out")), expected(case.lineage)
    inputs = [line for line in lines if line.startswith("inputs:")]
    assert inputs == [line for line in expected_lines if line.startswith("inputs:")]
    if case.name in _LESS:
        assert lines != expected_lines, "it is exact now: leave it out of the names above"
        assert {line for line in lines if " <- " in line and "unknown" not in line} <= set(expected_lines)
    else:
        assert lines == expected_lines


@pytest.mark.parametrize("case", INPUTS, ids=str)
def test_inputs(case: Case, remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    lines = _seen(case, remote, hearing, str(tmp_path / "out"))
    assert [line for line in lines if line.startswith("inputs:")] == [case.lineage]


_INSERT = "INSERT OVERWRITE DIRECTORY ''{out}'' USING parquet SELECT"


@needs_variables
@pytest.mark.parametrize(
    ("kind", "sql"),
    [
        ("script", "BEGIN INSERT OVERWRITE DIRECTORY '{out}' USING parquet SELECT seats FROM planes; END"),
        ("EXECUTE IMMEDIATE", f"EXECUTE IMMEDIATE '{_INSERT} :s AS s' USING farthest AS s"),
        ("EXECUTE IMMEDIATE", f"EXECUTE IMMEDIATE concat('{_INSERT} seats', ' FROM planes')"),
    ],
)
def test_what_only_the_server_knows_is_refused_with_a_reason(
    kind: str, sql: str, remote: Any, hearing: Hearing, tmp_path: Path
) -> None:
    for statement in _FARTHEST:
        remote.sql(statement)
    hearing.writes()
    remote.sql(sql.replace("{out}", str(tmp_path / "out")))
    with pytest.raises(UnknownTarget, match="on Spark Connect, what it reads and writes is not seen") as refused:
        hearing.writes()
    assert refused.value.read.command == kind


@needs_variables
@pytest.mark.parametrize(
    "sql",
    [
        "BEGIN SET farthest = (SELECT max(seats) FROM planes); END",
        "EXECUTE IMMEDIATE 'SELECT max(seats) FROM planes WHERE seats < ?' INTO farthest USING 3",
    ],
)
def test_a_variable_that_only_the_server_set_is_unknown(
    sql: str, remote: Any, hearing: Hearing, tmp_path: Path
) -> None:
    for statement in _FARTHEST:
        remote.sql(statement)
    hearing.writes()
    remote.sql(sql)
    with suppress(UnknownTarget):
        hearing.writes()
    remote.sql("SELECT farthest AS far FROM airports").write.parquet(str(tmp_path / "out"))
    (write,) = hearing.writes()
    assert lines_of([write]) == expected("far <- unknown; inputs: airports, unknown")


@needs_variables
def test_a_variable_that_nobody_saw_is_unknown(endpoint: str, remote: Any, spark: SparkSession, tmp_path: Path) -> None:
    remote.sql("DECLARE OR REPLACE VARIABLE early INT DEFAULT 3")
    hearing = Hearing(remote, spark)
    remote.sql("SELECT early AS e FROM airports").write.parquet(str(tmp_path / "out"))
    (write,) = hearing.writes()
    hearing.close()
    assert lines_of([write]) == expected("e <- unknown; inputs: airports, unknown")
    assert write.unknown_inputs == ("variable system.session.early: it was set before the capture",)
