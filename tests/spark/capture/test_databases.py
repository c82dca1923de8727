"""Databases: by JDBC, and by a catalog of DataSource V2."""

from __future__ import annotations

import pytest

from tests.spark.capture.specification import Case, statement, write

_URL = "jdbc:derby:memory:flights;create=true"
_DRIVER = {"driver": "org.apache.derby.jdbc.EmbeddedDriver"}
_SQL = "SELECT carrier, distance * 2 AS far FROM flights"
_COLUMNS = """
        carrier <- flights.carrier IDENTITY
        far <- flights.distance TRANSFORMATION
"""

CASES = (
    write(
        "a frame as a table of a database",
        lambda spark, out: spark.sql(_SQL).write.jdbc(_URL, "app.jdbc_made", properties=_DRIVER),
        f"jdbc_made:{_COLUMNS}",
    ),
    write(
        "a frame appended to a table of a database",
        lambda spark, out: (
            spark.sql(_SQL).write.format("jdbc").mode("append").save(url=_URL, dbtable="app.jdbc_more", **_DRIVER)
        ),
        f"jdbc_more:{_COLUMNS}",
    ),
    write(
        "a table of a database, read",
        lambda spark, out: (
            spark.read.jdbc(_URL, "app.jdbc_source", properties=_DRIVER)
            .where("seats > 9")
            .selectExpr("tailnum", "upper(model) AS m")
            .write.parquet(out)
        ),
        """
        tailnum <- jdbc_source.tailnum IDENTITY
        m <- jdbc_source.model TRANSFORMATION
        * <- jdbc_source.seats FILTER
        """,
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
        "seats <- jdbc_asked.seats IDENTITY",
        before=("CREATE TABLE derby.APP.JDBC_ASKED AS SELECT * FROM planes",),
    ),
    statement(
        "a catalog's table as selected",
        f"CREATE TABLE derby.APP.V2_MADE AS {_SQL}",
        f"v2_made:{_COLUMNS}",
    ),
    statement(
        "INSERT INTO a catalog's table",
        f"INSERT INTO derby.APP.V2_MORE {_SQL}",
        f"v2_more:{_COLUMNS}",
        before=("CREATE TABLE derby.APP.V2_MORE (carrier STRING, far INT)",),
    ),
    statement(
        "INSERT OVERWRITE of a catalog's table, of rows of another",
        "INSERT OVERWRITE derby.APP.V2_OVER SELECT model, sum(seats) FROM derby.APP.V2_SOURCE GROUP BY model",
        """
        v2_over:
        model <- v2_source.model IDENTITY
        n <- v2_source.seats AGGREGATION
        * <- v2_source.model GROUP_BY
        """,
        before=(
            "CREATE TABLE derby.APP.V2_SOURCE AS SELECT * FROM planes",
            "CREATE TABLE derby.APP.V2_OVER (model STRING, n BIGINT)",
        ),
    ),
    write(
        "a frame as a catalog's table",
        lambda spark, out: spark.sql(_SQL).writeTo("derby.APP.V2_TO").create(),
        f"v2_to:{_COLUMNS}",
    ),
    write(
        "a frame appended to a catalog's table, by names",
        lambda spark, out: spark.sql(_SQL).select("far", "carrier").writeTo("derby.APP.V2_NAMES").append(),
        f"v2_names:{_COLUMNS}",
        before=("CREATE TABLE derby.APP.V2_NAMES (carrier STRING, far INT)",),
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
