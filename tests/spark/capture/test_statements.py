"""Statements of many kinds: SQL's own functions and variables, scripts, forms of INSERT, modes of writing."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, queries, query, statements, write

FUNCTIONS = (
    *queries(
        """
        a function that SQL defines is its expression
            before: CREATE OR REPLACE TEMPORARY FUNCTION twice_of(x INT) RETURNS INT RETURN x * 2
            since: 4.0
            SELECT twice_of(distance) AS d, carrier FROM flights
            d <- flights.distance TRANSFORMATION; carrier <- flights.carrier
        steps of pipes
            since: 4.0
            FROM flights |> SET distance = distance + flight |> DROP flight |> AS f |> JOIN planes p ON f.tailnum =
            p.tailnum |> SELECT distance, model |> ORDER BY model
            distance <- flights.distance TRANSFORMATION, flights.flight TRANSFORMATION
            model <- planes.model
            * <- flights.tailnum JOIN, planes.tailnum JOIN, planes.model SORT
        rows of a variant
            since: 4.0
            SELECT e.value AS v FROM crews, LATERAL variant_explode(parse_json(note)) e
            v <- crews.note TRANSFORMATION
        names with quotes in them
            SELECT carrier AS `a``b`, dest AS `c.``d` FROM flights
            a`b <- flights.carrier; c.`d <- flights.dest
        several subqueries and conditions in one filter
            SELECT carrier FROM flights f WHERE EXISTS (SELECT 1 FROM planes p WHERE p.tailnum = f.tailnum) OR NOT (dest
            IN (SELECT faa FROM airports) AND distance > 1)
            carrier <- flights.carrier
            * <- planes.tailnum FILTER, flights.tailnum FILTER, flights.dest FILTER
            * <- airports.faa FILTER, flights.distance FILTER
        counting about is no masking
            SELECT approx_count_distinct(tailnum) AS n FROM flights
            n <- flights.tailnum AGGREGATION
        a function that SQL defines by a query is its query
            since: 4.0
            before: CREATE OR REPLACE TEMPORARY FUNCTION seats_of(t STRING) RETURNS INT RETURN SELECT max(seats) \
                FROM planes WHERE tailnum = t
            SELECT seats_of(tailnum) AS s FROM flights
            s <- planes.seats AGGREGATION, planes.tailnum FILTER, flights.tailnum FILTER
        a function that gives a table is its query
            since: 4.0
            before: CREATE OR REPLACE TEMPORARY FUNCTION planes_of(n INT) RETURNS TABLE (model STRING) RETURN \
                SELECT model FROM planes WHERE engines = n
            SELECT model AS m FROM planes_of(2)
            m <- planes.model; * <- planes.engines FILTER
        """
    ),
    query(
        "a script is a step that nobody knows",
        "SELECT TRANSFORM (carrier, dest) USING 'cat' AS (a STRING, b STRING) FROM flights WHERE flight > 1",
        "\n".join(
            f"{column} <- flights.{source} UNKNOWN (unknown plan node ScriptTransformation)"
            for column in "ab"
            for source in ("carrier", "dest")
        )
        + "\n* <- flights.flight FILTER",
    ),
    frame(
        "a full join by two keys",
        lambda spark: (
            spark.sql("SELECT tailnum AS k, origin AS l, carrier FROM flights")
            .join(sf.broadcast(spark.sql("SELECT tailnum AS k, model AS l, seats FROM planes")), ["k", "l"], "outer")
            .select("l", "seats")
        ),
        """
        l <- flights.origin TRANSFORMATION, flights.origin CONDITIONAL, planes.model TRANSFORMATION
        seats <- planes.seats
        * <- flights.tailnum JOIN, planes.tailnum JOIN, flights.origin JOIN, planes.model JOIN
        """,
    ),
)

_AS = "(tailnum STRING, seats INT) USING parquet"
_ROWS = """
        tailnum <- planes.tailnum IDENTITY
        seats <- planes.seats IDENTITY
"""
_TWO = "SELECT tailnum, seats FROM planes"
WRITES = (
    *statements(
        f"""
        a local directory
            INSERT OVERWRITE LOCAL DIRECTORY '{{out}}' USING json {_TWO}
            {_ROWS}
        """
    ),
    write(
        "a frame as a table, the new way",
        lambda spark, out: spark.sql(_TWO).writeTo("written_to").using("parquet").create(),
        f"written_to:{_ROWS}",
    ),
    write(
        "a frame that is not written, for there is something",
        lambda spark, out: spark.sql(_TWO).write.mode("ignore").saveAsTable("ignored"),
        "nothing",
        before=(f"CREATE TABLE ignored {_AS}",),
    ),
    write(
        "a frame over the rows of a database's table",
        lambda spark, out: (
            spark.sql(_TWO)
            .write.mode("overwrite")
            .option("truncate", "true")
            .jdbc("jdbc:derby:memory:flights;create=true", "app.jdbc_over")
        ),
        f"jdbc_over:{_ROWS}",
        before=("CREATE TABLE derby.APP.JDBC_OVER (tailnum STRING, seats INT)",),
    ),
)


@pytest.mark.parametrize("case", [*FUNCTIONS, *WRITES], ids=str)
def test_statements(case: Case, check) -> None:
    check(case)
