"""Session variables, SQL's own functions and scripts: what a variable was set to is a source of what it is used in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyspark
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql import SparkSession

from spark_client.capturing.jvm.executions import Bounds
from tests.spark.capture.conftest import Watch
from tests.spark.capture.row_tables import add_catalog
from tests.spark.capture.specification import Case, expected, frame, lines_of, queries, statement, statements

_FARTHEST = ("DECLARE OR REPLACE VARIABLE farthest INT", "SET VAR farthest = (SELECT max(distance) FROM flights)")

VARIABLES = (
    *queries(
        """
        a variable is what it was set to
            SELECT seats, farthest AS far FROM planes
            seats <- planes.seats; far <- flights.distance AGGREGATION
        a variable in a subquery and in a CTE
            WITH few AS (SELECT * FROM planes WHERE seats < session.farthest) SELECT model, (SELECT
            max(system.session.farthest + alt) FROM airports) AS high FROM few
            model <- planes.model
            high <- flights.distance AGGREGATION, airports.alt AGGREGATION
            * <- planes.seats FILTER, flights.distance FILTER
        a variable set from itself
            before: SET VAR farthest = farthest + (SELECT max(seats) FROM planes)
            SELECT faa, farthest AS far FROM airports
            faa <- airports.faa; far <- flights.distance AGGREGATION, planes.seats AGGREGATION
        a variable declared from another
            before: DECLARE OR REPLACE VARIABLE more INT DEFAULT farthest + 1
            SELECT faa, more AS m FROM airports
            faa <- airports.faa; m <- flights.distance AGGREGATION
        several variables set by one query
            before: DECLARE OR REPLACE VARIABLE first STRING
            before: SET VAR (farthest, first) = (SELECT max(distance), min(tailnum) FROM flights WHERE carrier = 'UA')
            SELECT faa, farthest AS far, first AS f FROM airports
            faa <- airports.faa
            far <- flights.distance AGGREGATION, flights.carrier FILTER
            f <- flights.tailnum AGGREGATION, flights.carrier FILTER
        a variable set by a statement in a text
            before: EXECUTE IMMEDIATE 'SELECT max(flight) FROM flights' INTO farthest
            SELECT seats, farthest AS far FROM planes
            seats <- planes.seats; far <- flights.flight AGGREGATION
        """,
        before=_FARTHEST,
        since="4.0",
    ),
    *queries(
        """
        a column comes before a variable of its name
            before: DECLARE OR REPLACE VARIABLE tailnum INT
            before: SET VAR tailnum = (SELECT max(seats) FROM planes)
            SELECT flight, tailnum AS t FROM flights
            flight <- flights.flight; t <- flights.tailnum
        """,
        since="4.0",
    ),
    frame(
        "a variable in a frame's expressions",
        lambda spark: spark.table("planes").selectExpr("seats", "farthest AS far").where("seats < farthest"),
        """
        seats <- planes.seats
        far <- flights.distance AGGREGATION
        * <- planes.seats FILTER, flights.distance FILTER
        """,
        before=_FARTHEST,
        since="4.0",
    ),
    statement(
        "a variable in a change of rows",
        "UPDATE rows.counted SET d = s + 1 WHERE s < farthest",
        "counted:; d <- counted.s TRANSFORMATION, counted.s CONDITIONAL, flights.distance CONDITIONAL",
        before=_FARTHEST,
        since="4.0",
    ),
)
_INTO = "INSERT OVERWRITE DIRECTORY '{out}' USING parquet "
SCRIPTS = (
    *statements(
        f"""
        a script's variable is what it was set to
            BEGIN DECLARE k INT; SET k = (SELECT max(distance) FROM flights); {_INTO} SELECT seats, k AS far FROM
            planes; END
            seats <- planes.seats; far <- flights.distance AGGREGATION
        a script's variables of one name are two
            BEGIN l: BEGIN DECLARE k INT; SET k = (SELECT max(distance) FROM flights); m: BEGIN DECLARE k INT; SET k =
            (SELECT max(seats) FROM planes); {_INTO} SELECT l.k AS a, k AS b; END; END; END
            a <- flights.distance AGGREGATION; b <- planes.seats AGGREGATION
        """,
        since="4.0",
    ),
    statement(
        "a script that sets a session's variable",
        f"BEGIN SET farthest = (SELECT max(seats) FROM planes); {_INTO} SELECT farthest AS far; END",
        "far <- planes.seats AGGREGATION",
        before=_FARTHEST,
        since="4.0",
    ),
    statement(
        "a row of a loop is of a query that nobody knows",
        "BEGIN FOR r AS SELECT carrier, distance FROM flights LIMIT 1 DO "
        f"{_INTO} SELECT seats, r.distance AS d FROM planes; END FOR; END",
        "seats <- planes.seats; d <- unknown; inputs: planes, unknown",
        since="4.0",
    ),
)


@pytest.fixture(scope="module", autouse=True)
def counted(spark: SparkSession, datasets: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    add_catalog(spark, "rows", tmp_path_factory.mktemp("rows"))
    spark.sql("CREATE TABLE rows.counted (s INT, d INT) LOCATION 'file:/lake/counted'")


@pytest.mark.parametrize("case", [*VARIABLES, *SCRIPTS], ids=str)
def test_variables(case: Case, check: Callable[[Case], None]) -> None:
    check(case)


@pytest.fixture
def fresh(spark: SparkSession) -> SparkSession:
    """Return another session of the same context."""
    return spark.newSession()


needs_variables = pytest.mark.skipif(pyspark.__version__ < "4", reason="needs Spark 4.0")


@needs_variables
def test_a_variable_is_its_sessions_own(
    spark: SparkSession, fresh: SparkSession, watch: Watch, datasets: Path, tmp_path: Path
) -> None:
    for session, table in ((spark, "flights"), (fresh, "planes")):
        session.sql("DECLARE OR REPLACE VARIABLE first STRING")
        session.read.parquet(f"{datasets}/{table}").createOrReplaceTempView("here")
        session.sql("SET VAR first = (SELECT min(tailnum) FROM here)")
    writes = watch.writes_of(
        lambda: [
            session.sql("SELECT first AS f").write.parquet(f"{tmp_path}/{name}")
            for session, name in ((spark, "a"), (fresh, "b"))
        ]
    )
    assert lines_of(writes) == expected("a:\nf <- flights.tailnum AGGREGATION\nb:\nf <- planes.tailnum AGGREGATION")


@needs_variables
def test_a_variable_that_nobody_saw_is_unknown(spark: SparkSession, fresh: SparkSession, tmp_path: Path) -> None:
    fresh.sql("DECLARE VARIABLE early INT DEFAULT 3")
    watch = Watch(spark)
    try:
        (write,) = watch.writes_of(lambda: fresh.sql("SELECT early AS e").write.parquet(f"{tmp_path}/out"))
    finally:
        watch.close()
    assert lines_of([write]) == expected("e <- unknown; inputs: unknown")
    assert write.unknown_inputs == ("variable system.session.early: it was set before the capture",)


@needs_variables
def test_a_variable_that_was_not_set_is_what_it_was(spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    def act() -> None:
        for sql in (*_FARTHEST, "DECLARE OR REPLACE VARIABLE one INT"):
            spark.sql(sql)
        with pytest.raises(Py4JJavaError):
            spark.sql("SET VAR farthest = (SELECT seats FROM planes UNION ALL SELECT flight FROM flights)")
        spark.sql("SELECT farthest AS far").write.parquet(f"{tmp_path}/out")

    assert lines_of(watch.writes_of(act)) == expected("far <- flights.distance AGGREGATION")


@needs_variables
@pytest.mark.parametrize(("bounds", "tier"), [(Bounds(nodes=40), "sources"), (Bounds(nodes=7), "tables")])
def test_inputs_of_a_variable_in_a_large_plan(
    bounds: Bounds, tier: str, spark: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    small = Watch(spark, bounds)
    many = " + ".join(["farthest", *(f"seats * {n}" for n in range(20))])
    try:
        (write,) = small.writes_of(
            lambda: [
                *(spark.sql(sql) for sql in _FARTHEST),
                spark.sql(f"SELECT {many} AS far FROM planes").write.parquet(f"{tmp_path}/out"),
            ]
        )
    finally:
        small.close()
    assert write.tier == tier
    assert {dataset.id.name.rsplit("/", 1)[-1] for dataset in write.inputs} == {"flights", "planes"}
