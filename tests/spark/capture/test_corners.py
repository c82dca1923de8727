"""Plans that do not look like their queries."""

from __future__ import annotations

import pytest
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, queries, statement

FIELDS = (
    *queries(
        """
        zipped arrays have a field for each
            SELECT z.employees.role AS r, z.legs AS l FROM (SELECT arrays_zip(legs, employees)[0] AS z FROM crews)
            r <- crews.employees.role TRANSFORMATION; l <- crews.legs TRANSFORMATION
        a struct that is cast has the names of the cast
            SELECT CAST(location AS STRUCT<x: STRING, y: STRING>).y AS y FROM airports
            y <- airports.location.lon TRANSFORMATION
        """
    ),
    statement(
        "structs are inserted by the places of their fields",
        "INSERT INTO struct_places SELECT struct(alt, tz) FROM airports",
        "struct_places:; at.high <- airports.alt; at.zone <- airports.tz",
        before=("CREATE TABLE struct_places (at STRUCT<high: BIGINT, zone: BIGINT>) USING parquet",),
    ),
)

EXPRESSIONS = (
    *queries(
        """
        decode is a case, the text of a struct is of its fields
            SELECT decode(carrier, 'UA', dest, origin) AS d, to_json(struct(flight, day)) AS j FROM flights
            d <- flights.carrier CONDITIONAL, flights.dest TRANSFORMATION, flights.origin TRANSFORMATION
            j <- flights.flight TRANSFORMATION, flights.day TRANSFORMATION
        several values unpivoted together
            SELECT * FROM (SELECT tailnum, seats, engines, tailnum AS a, model AS b FROM planes) UNPIVOT ((n, t) FOR k
            IN ((seats, a) AS one, (engines, b) AS two))
            tailnum <- planes.tailnum
            k <- nothing
            n <- planes.seats, planes.engines
            t <- planes.tailnum, planes.model
            * <- planes.seats FILTER, planes.engines FILTER, planes.tailnum FILTER, planes.model FILTER
        a pivot by two columns
            SELECT * FROM (SELECT day, carrier, origin, distance FROM flights) PIVOT (sum(distance) FOR (carrier,
            origin) IN (('UA', 'EWR') AS u))
            day <- flights.day
            u <- flights.distance AGGREGATION, flights.carrier CONDITIONAL, flights.origin CONDITIONAL
            * <- flights.day GROUP_BY, flights.carrier GROUP_BY, flights.origin GROUP_BY
        """
    ),
)

SUBQUERIES = queries(
    """
    a CTE under a name of a table
        WITH planes AS (SELECT tailnum AS t, seats * 2 AS seats FROM planes) SELECT seats FROM planes
        seats <- planes.seats TRANSFORMATION
    """
)

STEPS = (
    frame(
        "frames observed, and taken apart at random",
        lambda spark: (
            spark.table("planes")
            .select("seats")
            .observe("seen", sf.count(sf.lit(1)).alias("n"))
            .repartitionByRange(2, "seats")
            .randomSplit([1.0, 1.0], 1)[0]
        ),
        "seats <- planes.seats",
    ),
    frame(
        "files of two datasets read as one",
        lambda spark: spark.read.parquet(
            *(spark.table(name).inputFiles()[0].rsplit("/", 1)[0] for name in ("planes", "flights"))
        ).select("tailnum"),
        "tailnum <- planes.tailnum, flights.tailnum",
    ),
    frame(
        "files by their path in a statement",
        lambda spark: spark.sql(
            f"SELECT seats + 1 AS s FROM parquet.`{spark.table('planes').inputFiles()[0].rsplit('/', 1)[0]}`"
        ),
        "s <- planes.seats TRANSFORMATION",
    ),
    *(
        statement(f"{sql.split(' flights')[0]} writes nothing", sql, "nothing")
        for sql in (
            "CREATE TEMP VIEW only_view AS SELECT * FROM flights",
            "CACHE LAZY TABLE only_kept AS SELECT * FROM flights",
            "CREATE TABLE only_made (a INT) USING parquet",
            "EXPLAIN CREATE TABLE only_told USING parquet AS SELECT * FROM flights",
        )
    ),
)


@pytest.mark.parametrize("case", [*FIELDS, *EXPRESSIONS, *SUBQUERIES, *STEPS], ids=str)
def test_corners(case: Case, check) -> None:
    check(case)
