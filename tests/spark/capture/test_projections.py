"""Of what a column of a projection is made."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, query


def _sixty_steps(spark: SparkSession) -> DataFrame:
    flights = spark.table("flights").select("distance", sf.lit(0).alias("v"))
    for _ in range(60):
        flights = flights.withColumn("v", sf.col("v") + sf.col("distance"))
    return flights.select("v")


CASES = (
    query("a column is itself", "SELECT carrier FROM flights", "carrier <- flights.carrier IDENTITY"),
    query("an alias is the column", "SELECT carrier AS airline FROM flights", "airline <- flights.carrier IDENTITY"),
    query(
        "a star is every column",
        "SELECT * FROM planes",
        """
        tailnum <- planes.tailnum IDENTITY
        seats <- planes.seats IDENTITY
        engines <- planes.engines IDENTITY
        model <- planes.model IDENTITY
        """,
    ),
    query(
        "one column may be two",
        "SELECT carrier, carrier AS again FROM flights",
        "carrier <- flights.carrier IDENTITY; again <- flights.carrier IDENTITY",
    ),
    query("arithmetic transforms", "SELECT distance * 2 AS d FROM flights", "d <- flights.distance TRANSFORMATION"),
    query(
        "an expression is made of all its columns",
        "SELECT distance / air_time AS speed FROM flights",
        "speed <- flights.distance TRANSFORMATION, flights.air_time TRANSFORMATION",
    ),
    query(
        "a column made of itself by another expression has its name and its source",
        "SELECT upper(carrier) AS carrier FROM flights",
        "carrier <- flights.carrier TRANSFORMATION",
    ),
    query(
        "a literal is made of nothing",
        "SELECT 'x' AS mark, 1 + 1 AS two FROM flights",
        "mark <- nothing; two <- nothing; inputs: flights",
    ),
    query(
        "without a table there is no input",
        "SELECT 1 AS a, id FROM range(3)",
        "a <- nothing; id <- nothing; inputs: none",
    ),
    query(
        "what Spark generates is made of nothing",
        "SELECT rand() AS r, current_timestamp() AS t, monotonically_increasing_id() AS i, input_file_name() AS f "
        "FROM flights",
        """
        r <- nothing
        t <- nothing
        i <- nothing
        f <- nothing
        inputs: flights
        """,
    ),
    query(
        "an inline table's rows are nobody's",
        "SELECT v.code, f.carrier FROM flights f CROSS JOIN VALUES ('a'), ('b') AS v(code)",
        "code <- nothing; carrier <- flights.carrier IDENTITY",
    ),
    query(
        "a cast to the same type changes nothing",
        "SELECT CAST(carrier AS STRING) AS c FROM flights",
        "c <- flights.carrier IDENTITY",
    ),
    query(
        "a cast to another type transforms",
        "SELECT CAST(flight AS STRING) AS f, CAST(flight AS BIGINT) AS g FROM flights",
        "f <- flights.flight TRANSFORMATION; g <- flights.flight TRANSFORMATION",
    ),
    query(
        "predicates are made of what they compare",
        "SELECT carrier IN ('UA', 'B6') AS a, dest IS NULL AS b, distance BETWEEN flight AND 9 AS c FROM flights",
        """
        a <- flights.carrier TRANSFORMATION
        b <- flights.dest TRANSFORMATION
        c <- flights.distance TRANSFORMATION, flights.flight TRANSFORMATION
        """,
    ),
    query(
        "a lateral column alias is what it stands for",
        "SELECT distance * 2 AS twice, twice + flight AS more FROM flights",
        """
        twice <- flights.distance TRANSFORMATION
        more <- flights.distance TRANSFORMATION, flights.flight TRANSFORMATION
        """,
    ),
    query(
        "a derived table's column names are aliases",
        "SELECT b FROM (SELECT carrier, dest FROM flights) AS t(a, b)",
        "b <- flights.dest IDENTITY",
    ),
    query(
        "names are found in any case, and told as the dataset spells them",
        "SELECT CARRIER, Dest AS to FROM FLIGHTS",
        "CARRIER <- flights.carrier IDENTITY; to <- flights.dest IDENTITY",
    ),
    query(
        "dots and blanks in names stay in the names",
        "SELECT `a.b`, `C d` AS `x.y`, s.`e.f` AS z FROM odd",
        "`a.b` <- odd.`a.b` IDENTITY; `x.y` <- odd.C d IDENTITY; z <- odd.s.`e.f` IDENTITY",
    ),
    query(
        "the same name from two sides is two columns",
        "SELECT f.tailnum AS mine, p.tailnum AS theirs FROM flights f CROSS JOIN planes p",
        "mine <- flights.tailnum IDENTITY; theirs <- planes.tailnum IDENTITY",
    ),
    query(
        "all columns but some",
        "SELECT * EXCEPT (seats, engines) FROM planes",
        "tailnum <- planes.tailnum IDENTITY; model <- planes.model IDENTITY",
        since="4.0",
    ),
    query(
        "pipes are steps like others",
        "FROM flights |> WHERE distance > 100 |> EXTEND upper(dest) AS place |> SELECT carrier, place",
        "carrier <- flights.carrier IDENTITY; place <- flights.dest TRANSFORMATION; * <- flights.distance FILTER",
        since="4.0",
    ),
    query(
        "pipes aggregate",
        "FROM flights |> AGGREGATE sum(distance) AS total GROUP BY carrier",
        "carrier <- flights.carrier IDENTITY; total <- flights.distance AGGREGATION; * <- flights.carrier GROUP_BY",
        since="4.0",
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
        airline <- flights.carrier IDENTITY
        dest <- flights.dest IDENTITY
        distance <- flights.distance TRANSFORMATION
        place <- flights.origin IDENTITY
        """,
    ),
    frame(
        "columns swap names",
        lambda spark: spark.table("flights").select(sf.col("origin").alias("dest"), sf.col("dest").alias("origin")),
        "dest <- flights.origin IDENTITY; origin <- flights.dest IDENTITY",
    ),
    frame(
        "toDF names columns by their places",
        lambda spark: spark.table("flights").select("carrier", "dest").toDF("a", "b"),
        "a <- flights.carrier IDENTITY; b <- flights.dest IDENTITY",
    ),
    frame(
        "a long chain of steps comes to its first columns",
        _sixty_steps,
        "v <- flights.distance TRANSFORMATION",
    ),
    frame(
        "files are read as tables are",
        lambda spark: spark.read.parquet(spark.table("planes").inputFiles()[0].rsplit("/", 1)[0]).select("seats"),
        "seats <- planes.seats IDENTITY",
    ),
)

CONDITIONS = (
    query(
        "a case's predicates are conditions of what it gives",
        "SELECT CASE WHEN distance > 100 THEN carrier ELSE origin END AS c FROM flights",
        "c <- flights.distance CONDITIONAL, flights.carrier TRANSFORMATION, flights.origin TRANSFORMATION",
    ),
    query(
        "a case of a value compares it",
        "SELECT CASE carrier WHEN 'UA' THEN dest WHEN 'B6' THEN origin END AS c FROM flights",
        "c <- flights.carrier CONDITIONAL, flights.dest TRANSFORMATION, flights.origin TRANSFORMATION",
    ),
    query(
        "a column may be condition and value",
        "SELECT CASE WHEN distance > 100 THEN distance ELSE 0 END AS c FROM flights",
        "c <- flights.distance CONDITIONAL, flights.distance TRANSFORMATION",
    ),
    query(
        "conditions of an inner case stay conditions",
        "SELECT CASE WHEN distance > 9 THEN CASE WHEN flight > 9 THEN dest END END AS c FROM flights",
        "c <- flights.distance CONDITIONAL, flights.flight CONDITIONAL, flights.dest TRANSFORMATION",
    ),
    query(
        "a case among the predicates is a condition whole",
        "SELECT CASE WHEN CASE WHEN distance > 9 THEN flight END > 5 THEN dest END AS c FROM flights",
        "c <- flights.distance CONDITIONAL, flights.flight CONDITIONAL, flights.dest TRANSFORMATION",
    ),
    query(
        "if has one predicate",
        "SELECT if(distance > 100, carrier, 'none') AS c FROM flights",
        "c <- flights.distance CONDITIONAL, flights.carrier TRANSFORMATION",
    ),
    frame(
        "when and otherwise are a case",
        lambda spark: spark.table("flights").select(
            sf.when(sf.col("distance") > 9, sf.col("dest")).otherwise(sf.col("origin")).alias("c")
        ),
        "c <- flights.distance CONDITIONAL, flights.dest TRANSFORMATION, flights.origin TRANSFORMATION",
    ),
    query(
        "of coalesce all but the last decide",
        "SELECT coalesce(tailnum, carrier, dest) AS c FROM flights",
        """
        c <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL
        c <- flights.carrier TRANSFORMATION, flights.carrier CONDITIONAL
        c <- flights.dest TRANSFORMATION
        """,
    ),
    query(
        "nvl and ifnull are coalesce",
        "SELECT nvl(tailnum, carrier) AS a, ifnull(tailnum, dest) AS b FROM flights",
        """
        a <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL, flights.carrier TRANSFORMATION
        b <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL, flights.dest TRANSFORMATION
        """,
    ),
    query(
        "nullif compares both and gives the first",
        "SELECT nullif(tailnum, carrier) AS c FROM flights",
        "c <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL, flights.carrier CONDITIONAL",
    ),
    query(
        "nvl2 decides by its first alone",
        "SELECT nvl2(tailnum, carrier, dest) AS c FROM flights",
        "c <- flights.tailnum CONDITIONAL, flights.carrier TRANSFORMATION, flights.dest TRANSFORMATION",
    ),
    query(
        "what is made of a conditional value depends on the condition, too",
        "SELECT concat(c, dest) AS d FROM (SELECT if(distance > 9, carrier, '') AS c, dest FROM flights)",
        "d <- flights.distance CONDITIONAL, flights.carrier TRANSFORMATION, flights.dest TRANSFORMATION",
    ),
)

MASKS = (
    query(
        "hashes and masks hide what they take",
        "SELECT md5(tailnum) AS a, sha1(tailnum) AS b, sha2(tailnum, 256) AS c, crc32(tailnum) AS d FROM flights",
        """
        a <- flights.tailnum TRANSFORMATION MASKED
        b <- flights.tailnum TRANSFORMATION MASKED
        c <- flights.tailnum TRANSFORMATION MASKED
        d <- flights.tailnum TRANSFORMATION MASKED
        """,
    ),
    query(
        "hashes of several columns hide them all",
        "SELECT hash(carrier, flight) AS a, xxhash64(carrier, dest) AS b, mask(tailnum) AS c FROM flights",
        """
        a <- flights.carrier TRANSFORMATION MASKED, flights.flight TRANSFORMATION MASKED
        b <- flights.carrier TRANSFORMATION MASKED, flights.dest TRANSFORMATION MASKED
        c <- flights.tailnum TRANSFORMATION MASKED
        """,
    ),
    query(
        "what was hidden stays so, and hides nothing else",
        "SELECT concat(md5(tailnum), carrier) AS c FROM flights",
        "c <- flights.tailnum TRANSFORMATION MASKED, flights.carrier TRANSFORMATION",
    ),
    query(
        "a column may be there hidden and open",
        "SELECT concat(md5(tailnum), tailnum) AS c FROM flights",
        "c <- flights.tailnum TRANSFORMATION MASKED, flights.tailnum TRANSFORMATION",
    ),
    query(
        "base64 hides nothing",
        "SELECT base64(encode(tailnum, 'utf-8')) AS c FROM flights",
        "c <- flights.tailnum TRANSFORMATION",
    ),
)


@pytest.mark.parametrize("case", [*CASES, *CONDITIONS, *MASKS], ids=str)
def test_a_projected_column_is_made_of(case: Case, check) -> None:
    check(case)
