"""Databases: by JDBC, and by a catalog of DataSource V2."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, statements, write

_URL = "jdbc:derby:memory:flights;create=true"
_DRIVER = {"driver": "org.apache.derby.jdbc.EmbeddedDriver"}
_SQL = "SELECT carrier, distance * 2 AS far FROM flights"
_COLUMNS = """
        carrier <- flights.carrier IDENTITY
        far <- flights.distance TRANSFORMATION
"""

_QUERY_TABLES = tuple(
    f"CREATE TABLE IF NOT EXISTS derby.APP.{name} AS {rows}"
    for name, rows in {
        "FLOWN": "SELECT length(carrier) AS CARRIER, length(tailnum) AS TAILNUM, distance AS DISTANCE FROM flights",
        "CRAFT": "SELECT length(tailnum) AS TAILNUM, seats AS SEATS, length(model) AS MODEL FROM planes",
    }.items()
)
# Derby has names without quotes in upper case, and compares no texts that Spark made.
QUERIES = (
    (
        "aggregates",
        "SELECT carrier, sum(distance) AS far, count(*) AS n FROM app.flown GROUP BY carrier HAVING max(tailnum) > 1",
        """
        CARRIER <- flown.CARRIER
        FAR <- flown.DISTANCE AGGREGATION
        N <- nothing
        * <- flown.CARRIER GROUP_BY, flown.TAILNUM FILTER
        """,
    ),
    (
        "a name that two tables may have",
        "SELECT model, f.carrier, f.distance + seats AS x FROM app.flown f, app.craft c WHERE f.tailnum = c.tailnum",
        """
        MODEL <- unknown
        CARRIER <- flown.CARRIER
        X <- flown.DISTANCE TRANSFORMATION, unknown
        * <- flown.TAILNUM FILTER, craft.TAILNUM FILTER
        """,
    ),
    (
        "a query in parentheses, and stars",
        "SELECT d.*, f.carrier FROM (SELECT tailnum, abs(model) AS m FROM app.craft) d JOIN app.flown f "
        "ON d.tailnum = f.tailnum",
        """
        TAILNUM <- craft.TAILNUM
        M <- craft.MODEL TRANSFORMATION
        CARRIER <- flown.CARRIER
        * <- craft.TAILNUM JOIN, flown.TAILNUM JOIN
        """,
    ),
    (
        "a star of one of two tables",
        "SELECT c.*, f.carrier FROM app.craft c JOIN app.flown f ON f.tailnum = c.tailnum",
        """
        TAILNUM <- craft.TAILNUM
        SEATS <- craft.SEATS
        MODEL <- craft.MODEL
        CARRIER <- flown.CARRIER
        * <- craft.TAILNUM JOIN, flown.TAILNUM JOIN
        """,
    ),
    (
        "a union, of which the names are those of the first",
        "SELECT tailnum, distance AS n FROM app.flown UNION ALL SELECT tailnum, seats AS n FROM app.craft",
        "TAILNUM <- flown.TAILNUM IDENTITY, craft.TAILNUM IDENTITY; N <- flown.DISTANCE IDENTITY, craft.SEATS IDENTITY",
    ),
    (
        "subqueries, one of the query around it",
        "SELECT f.carrier, (SELECT max(c.seats) FROM app.craft c WHERE c.tailnum = f.tailnum) AS n FROM app.flown f "
        "WHERE f.tailnum IN (SELECT c.tailnum FROM app.craft c)",
        """
        CARRIER <- flown.CARRIER
        N <- craft.SEATS AGGREGATION, craft.TAILNUM FILTER, flown.TAILNUM FILTER
        * <- flown.TAILNUM FILTER, craft.TAILNUM FILTER
        """,
    ),
)

CASES = (
    write(
        "a frame as a table of a database",
        lambda spark, out: spark.sql(_SQL).write.jdbc(_URL, "app.jdbc_made", properties=_DRIVER),
        f"jdbc_made:{_COLUMNS}",
    ),
    write(
        "a table of a database, read",
        lambda spark, out: (
            spark.read.jdbc(_URL, "app.jdbc_source", properties=_DRIVER)
            .where("seats > 9")
            .selectExpr("tailnum", "upper(model) AS m")
            .write.parquet(out)
        ),
        "tailnum <- jdbc_source.tailnum; m <- jdbc_source.model TRANSFORMATION; * <- jdbc_source.seats FILTER",
        before=("CREATE TABLE derby.APP.JDBC_SOURCE AS SELECT * FROM planes",),
    ),
    write(
        "a query that the database answers",
        lambda spark, out: (
            spark.read.format("jdbc")
            .options(url=_URL, query='SELECT "seats" FROM app.jdbc_asked', **_DRIVER)
            .load()
            .write.parquet(out)
        ),
        "seats <- jdbc_asked.seats",
        before=("CREATE TABLE derby.APP.JDBC_ASKED AS SELECT * FROM planes",),
    ),
    *(
        write(
            f"a query that the database answers: {name}",
            lambda spark, out, sql=sql: (
                spark.read.format("jdbc").options(url=_URL, query=sql, **_DRIVER).load().write.parquet(out)
            ),
            lines_of,
            before=_QUERY_TABLES,
        )
        for name, sql, lines_of in QUERIES
    ),
    *statements(
        """
        INSERT OVERWRITE of a catalog's table, of rows of another
            before: CREATE TABLE derby.APP.V2_SOURCE AS SELECT * FROM planes
            before: CREATE TABLE derby.APP.V2_OVER (model STRING, n BIGINT)
            INSERT OVERWRITE derby.APP.V2_OVER SELECT model, sum(seats) FROM derby.APP.V2_SOURCE GROUP BY model
            v2_over:
            model <- v2_source.model
            n <- v2_source.seats AGGREGATION
            * <- v2_source.model GROUP_BY
        """
    ),
    write(
        "what goes nowhere is no write",
        lambda spark, out: spark.sql(_SQL).write.format("noop").mode("overwrite").save(),
        "nothing",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_a_database(case: Case, check) -> None:
    check(case)
