"""A plan that is too large is read with less detail: sources without kinds, then tables alone; the write says which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark_client.capturing.jvm.executions import Bounds
from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import Case, expected, lines_of, queries

# More nodes than are read in full, of one expression.
_MUCH = ", ".join(f"distance + {number}" for number in range(400))


@pytest.fixture(scope="module")
def narrow(spark: SparkSession, datasets: Path) -> Iterator[Watch]:
    watch = Watch(spark, Bounds(nodes=350))
    yield watch
    watch.close()


def _tier_and_lines(watch: Watch, frame: DataFrame, out: Path) -> tuple[str, list[str]]:
    (write,) = watch.writes_of(lambda: frame.write.parquet(str(out)))
    return write.tier, lines_of([write])


_LARGE = queries(
    f"""
    a projection
        SELECT carrier, greatest({_MUCH}) AS d, if(flight > 1, dest, origin) AS c FROM flights
        carrier <- flights.carrier SOMEHOW
        d <- flights.distance SOMEHOW
        c <- flights.flight SOMEHOW, flights.dest SOMEHOW, flights.origin SOMEHOW
    a join, a filter and groups
        SELECT p.model, max(greatest({_MUCH})) AS d FROM flights f JOIN planes p ON f.tailnum = p.tailnum WHERE
        origin = 'JFK' GROUP BY p.model
        model <- planes.model SOMEHOW
        d <- flights.distance SOMEHOW
        * <- flights.origin FILTER, planes.model GROUP_BY, flights.tailnum JOIN, planes.tailnum JOIN
    a CTE, a window and a union
        WITH t AS (SELECT greatest({_MUCH}) AS d, carrier FROM flights) SELECT d, row_number() OVER (PARTITION BY
        carrier ORDER BY d) AS n FROM t UNION ALL SELECT 1, seats FROM planes
        d <- flights.distance SOMEHOW
        n <- flights.carrier SOMEHOW, flights.distance SOMEHOW, planes.seats SOMEHOW
    subqueries and a generator
        SELECT e.name, (SELECT max(greatest({_MUCH})) FROM flights) AS m FROM crews LATERAL VIEW explode(employees)
        t AS e WHERE flight IN (SELECT flight FROM flights)
        name <- crews.employees SOMEHOW
        m <- flights.distance SOMEHOW
        * <- crews.flight FILTER, flights.flight FILTER
    a cube
        SELECT carrier, dest, sum(greatest({_MUCH})) AS s FROM flights GROUP BY CUBE (carrier, dest)
        carrier <- flights.carrier SOMEHOW
        dest <- flights.dest SOMEHOW
        s <- flights.distance SOMEHOW
        * <- flights.carrier GROUP_BY, flights.dest GROUP_BY
    a lateral subquery
        SELECT f.carrier, l.m, greatest({_MUCH}) AS d FROM flights f, LATERAL (SELECT max(seats) AS m FROM planes p
        WHERE p.tailnum = f.tailnum) l
        carrier <- flights.carrier SOMEHOW
        m <- planes.seats SOMEHOW
        d <- flights.distance SOMEHOW
        * <- flights.tailnum FILTER, planes.tailnum FILTER
    distinct and except
        SELECT DISTINCT greatest({_MUCH}) AS d, carrier FROM flights EXCEPT SELECT seats, model FROM planes
        d <- flights.distance SOMEHOW
        carrier <- flights.carrier SOMEHOW
        * <- flights.distance JOIN, flights.carrier JOIN, planes.seats JOIN, planes.model JOIN
        * <- flights.distance GROUP_BY, flights.carrier GROUP_BY
    a pivot
        SELECT * FROM (SELECT day, carrier, greatest({_MUCH}) AS d FROM flights) PIVOT (sum(d) FOR carrier IN ('UA'
        AS u))
        day <- flights.day SOMEHOW
        u <- flights.distance SOMEHOW, flights.carrier SOMEHOW
        * <- flights.day GROUP_BY, flights.carrier GROUP_BY
    """
)


@pytest.mark.parametrize("case", _LARGE, ids=str)
def test_a_large_expression_is_read_for_the_columns_in_it(
    narrow: Watch, spark: SparkSession, tmp_path: Path, case: Case
) -> None:
    assert _tier_and_lines(narrow, case.make(spark), tmp_path / "out") == ("sources", expected(case.lineage))


def test_of_a_plan_of_many_operators_the_tables_are_emitted(narrow: Watch, spark: SparkSession, tmp_path: Path) -> None:
    frame = spark.table("planes").selectExpr("tailnum", "0 AS c0")
    for number in range(60):
        frame = frame.selectExpr("tailnum", *(f"c0 + {number} AS c{number}" for number in range(30)))
    frame = frame.where("tailnum IN (SELECT tailnum FROM flights)")
    tier, lines = _tier_and_lines(narrow, frame, tmp_path / "out")
    assert (tier, lines) == ("tables", ["out:", "inputs: flights, planes"])


def test_of_a_plan_that_is_too_long_nothing_is_lost_but_the_columns(
    spark: SparkSession, datasets: Path, tmp_path: Path
) -> None:
    watch = Watch(spark, Bounds(chars=35_000))
    frame = spark.sql(f"SELECT {', '.join(f'distance + {number} AS c{number}' for number in range(300))} FROM flights")
    (write,) = watch.writes_of(lambda: frame.write.parquet(str(tmp_path / "out")))
    watch.close()
    assert (write.tier, write.written.rows) == ("tables", 2)
    assert write.tier_reason == "a plan that exceeds planMaxNodes, planMaxChars or planMaxMillis"
    assert [dataset.id.name.rsplit("/", 1)[-1] for dataset in write.inputs] == ["flights"]
