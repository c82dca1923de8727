"""Of what a column of a projection is made."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, queries


def _sixty_steps(spark: SparkSession) -> DataFrame:
    flights = spark.table("flights").select("distance", sf.lit(0).alias("v"))
    for _ in range(60):
        flights = flights.withColumn("v", sf.col("v") + sf.col("distance"))
    return flights.select("v")


CASES = (
    *queries(
        """
        a column is itself
            SELECT carrier FROM flights
            carrier <- flights.carrier
        an alias is the column
            SELECT carrier AS airline FROM flights
            airline <- flights.carrier
        a star is every column
            SELECT * FROM planes
            tailnum <- planes.tailnum
            seats <- planes.seats
            engines <- planes.engines
            model <- planes.model
        one column may be two
            SELECT carrier, carrier AS again FROM flights
            carrier, again <- flights.carrier
        arithmetic transforms
            SELECT distance * 2 AS d FROM flights
            d <- flights.distance TRANSFORMATION
        an expression is made of all its columns
            SELECT distance / air_time AS speed FROM flights
            speed <- flights.distance TRANSFORMATION, flights.air_time TRANSFORMATION
        a column made of itself by another expression has its name and its source
            SELECT upper(carrier) AS carrier FROM flights
            carrier <- flights.carrier TRANSFORMATION
        a literal is made of nothing
            SELECT 'x' AS mark, 1 + 1 AS two FROM flights
            mark, two <- nothing; inputs: flights
        without a table there is no input
            SELECT 1 AS a, id FROM range(3)
            a, id <- nothing; inputs: none
        what Spark generates is made of nothing
            SELECT rand() AS r, current_timestamp() AS t, monotonically_increasing_id() AS i, input_file_name() AS f
            FROM flights
            r, t, i, f <- nothing; inputs: flights
        an inline table's rows are nobody's
            SELECT v.code, f.carrier FROM flights f CROSS JOIN VALUES ('a'), ('b') AS v(code)
            code <- nothing; carrier <- flights.carrier
        a cast to the same type changes nothing
            SELECT CAST(carrier AS STRING) AS c FROM flights
            c <- flights.carrier
        a cast to another type transforms
            SELECT CAST(flight AS STRING) AS f, CAST(flight AS BIGINT) AS g FROM flights
            f, g <- flights.flight TRANSFORMATION
        predicates are made of what they compare
            SELECT carrier IN ('UA', 'B6') AS a, dest IS NULL AS b, distance BETWEEN flight AND 9 AS c FROM flights
            a <- flights.carrier TRANSFORMATION
            b <- flights.dest TRANSFORMATION
            c <- flights.distance TRANSFORMATION, flights.flight TRANSFORMATION
        a lateral column alias is what it stands for
            SELECT distance * 2 AS twice, twice + flight AS more FROM flights
            twice <- flights.distance TRANSFORMATION
            more <- flights.distance TRANSFORMATION, flights.flight TRANSFORMATION
        a derived table's column names are aliases
            SELECT b FROM (SELECT carrier, dest FROM flights) AS t(a, b)
            b <- flights.dest
        names are found in any case, and spelled as by the dataset
            SELECT CARRIER, Dest AS to FROM FLIGHTS
            CARRIER <- flights.carrier; to <- flights.dest
        dots and blanks in names stay in the names
            SELECT `a.b`, `C d` AS `x.y`, s.`e.f` AS z FROM odd
            `a.b` <- odd.`a.b`; `x.y` <- odd.C d; z <- odd.s.`e.f`
        the same name from two sides is two columns
            SELECT f.tailnum AS mine, p.tailnum AS theirs FROM flights f CROSS JOIN planes p
            mine <- flights.tailnum; theirs <- planes.tailnum
        all columns but some
            since: 4.0
            SELECT * EXCEPT (seats, engines) FROM planes
            tailnum <- planes.tailnum; model <- planes.model
        pipes are steps like others
            since: 4.0
            FROM flights |> WHERE distance > 100 |> EXTEND upper(dest) AS place |> SELECT carrier, place
            carrier <- flights.carrier; place <- flights.dest TRANSFORMATION; * <- flights.distance FILTER
        pipes aggregate
            since: 4.0
            FROM flights |> AGGREGATE sum(distance) AS total GROUP BY carrier
            carrier <- flights.carrier; total <- flights.distance AGGREGATION; * <- flights.carrier GROUP_BY
        """
    ),
    frame(
        "frames rename, add, replace and drop columns",
        lambda spark: (
            spark.table("flights")
            .select("carrier", "dest", "distance", "origin")
            .withColumnRenamed("carrier", "airline")
            .withColumn("distance", sf.col("distance") + 1)
            .withColumn("place", sf.col("origin"))
            .drop("origin")
        ),
        """
        airline <- flights.carrier
        dest <- flights.dest
        distance <- flights.distance TRANSFORMATION
        place <- flights.origin
        """,
    ),
    frame(
        "columns swap names",
        lambda spark: spark.table("flights").select(sf.col("origin").alias("dest"), sf.col("dest").alias("origin")),
        "dest <- flights.origin; origin <- flights.dest",
    ),
    frame(
        "toDF names columns by their places",
        lambda spark: spark.table("flights").select("carrier", "dest").toDF("a", "b"),
        "a <- flights.carrier; b <- flights.dest",
    ),
    frame(
        "a long chain of steps comes to its first columns",
        _sixty_steps,
        "v <- flights.distance TRANSFORMATION",
    ),
    frame(
        "files are read as tables are",
        lambda spark: spark.read.parquet(spark.table("planes").inputFiles()[0].rsplit("/", 1)[0]).select("seats"),
        "seats <- planes.seats",
    ),
)

CONDITIONS = (
    *queries(
        """
        a case's predicates are conditions of what it gives
            SELECT CASE WHEN distance > 100 THEN carrier ELSE origin END AS c FROM flights
            c <- flights.distance CONDITIONAL, flights.carrier TRANSFORMATION, flights.origin TRANSFORMATION
        a case of a value compares it
            SELECT CASE carrier WHEN 'UA' THEN dest WHEN 'B6' THEN origin END AS c FROM flights
            c <- flights.carrier CONDITIONAL, flights.dest TRANSFORMATION, flights.origin TRANSFORMATION
        a column may be condition and value
            SELECT CASE WHEN distance > 100 THEN distance ELSE 0 END AS c FROM flights
            c <- flights.distance CONDITIONAL, flights.distance TRANSFORMATION
        conditions of an inner case stay conditions
            SELECT CASE WHEN distance > 9 THEN CASE WHEN flight > 9 THEN dest END END AS c FROM flights
            c <- flights.distance CONDITIONAL, flights.flight CONDITIONAL, flights.dest TRANSFORMATION
        a case among the predicates is a condition whole
            SELECT CASE WHEN CASE WHEN distance > 9 THEN flight END > 5 THEN dest END AS c FROM flights
            c <- flights.distance CONDITIONAL, flights.flight CONDITIONAL, flights.dest TRANSFORMATION
        if has one predicate
            SELECT if(distance > 100, carrier, 'none') AS c FROM flights
            c <- flights.distance CONDITIONAL, flights.carrier TRANSFORMATION
        of coalesce all but the last decide
            SELECT coalesce(tailnum, carrier, dest) AS c FROM flights
            c <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL
            c <- flights.carrier TRANSFORMATION, flights.carrier CONDITIONAL
            c <- flights.dest TRANSFORMATION
        nvl and ifnull are coalesce
            SELECT nvl(tailnum, carrier) AS a, ifnull(tailnum, dest) AS b FROM flights
            a <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL, flights.carrier TRANSFORMATION
            b <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL, flights.dest TRANSFORMATION
        nullif compares both and gives the first
            SELECT nullif(tailnum, carrier) AS c FROM flights
            c <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL, flights.carrier CONDITIONAL
        nvl2 decides by its first alone
            SELECT nvl2(tailnum, carrier, dest) AS c FROM flights
            c <- flights.tailnum CONDITIONAL, flights.carrier TRANSFORMATION, flights.dest TRANSFORMATION
        what is made of a conditional value depends on the condition, too
            SELECT concat(c, dest) AS d FROM (SELECT if(distance > 9, carrier, '') AS c, dest FROM flights)
            d <- flights.distance CONDITIONAL, flights.carrier TRANSFORMATION, flights.dest TRANSFORMATION
        """
    ),
    frame(
        "when and otherwise are a case",
        lambda spark: spark.table("flights").select(
            sf.when(sf.col("distance") > 9, sf.col("dest")).otherwise(sf.col("origin")).alias("c")
        ),
        "c <- flights.distance CONDITIONAL, flights.dest TRANSFORMATION, flights.origin TRANSFORMATION",
    ),
)

MASKS = queries(
    """
    hashes and masks hide what they take
        SELECT md5(tailnum) AS a, sha1(tailnum) AS b, sha2(tailnum, 256) AS c, crc32(tailnum) AS d FROM flights
        a, b, c, d <- flights.tailnum TRANSFORMATION MASKED
    hashes of several columns hide them all
        SELECT hash(carrier, flight) AS a, xxhash64(carrier, dest) AS b, mask(tailnum) AS c FROM flights
        a <- flights.carrier TRANSFORMATION MASKED, flights.flight TRANSFORMATION MASKED
        b <- flights.carrier TRANSFORMATION MASKED, flights.dest TRANSFORMATION MASKED
        c <- flights.tailnum TRANSFORMATION MASKED
    what was hidden stays so, and hides nothing else
        SELECT concat(md5(tailnum), carrier) AS c FROM flights
        c <- flights.tailnum TRANSFORMATION MASKED, flights.carrier TRANSFORMATION
    a column may be there hidden and open
        SELECT concat(md5(tailnum), tailnum) AS c FROM flights
        c <- flights.tailnum TRANSFORMATION MASKED, flights.tailnum TRANSFORMATION
    base64 hides nothing
        SELECT base64(encode(tailnum, 'utf-8')) AS c FROM flights
        c <- flights.tailnum TRANSFORMATION
    """
)


@pytest.mark.parametrize("case", [*CASES, *CONDITIONS, *MASKS], ids=str)
def test_a_projected_column_is_made_of(case: Case, check) -> None:
    check(case)
