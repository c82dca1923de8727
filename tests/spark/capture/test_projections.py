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
        without a table there is no input
            SELECT 1 AS a, id FROM range(3)
            a, id <- nothing; inputs: none
        names are found in any case, and spelled as by the dataset
            SELECT CARRIER, Dest AS to FROM FLIGHTS
            CARRIER <- flights.carrier; to <- flights.dest
        predicates are made of what they compare
            SELECT carrier IN ('UA', 'B6') AS a, dest IS NULL AS b, distance BETWEEN flight AND 9 AS c FROM flights
            a <- flights.carrier TRANSFORMATION
            b <- flights.dest TRANSFORMATION
            c <- flights.distance TRANSFORMATION, flights.flight TRANSFORMATION
        """
    ),
    frame(
        "a long chain of steps comes to its first columns",
        _sixty_steps,
        "v <- flights.distance TRANSFORMATION",
    ),
)

CONDITIONS = queries(
    """
    a case among the predicates is a condition whole
        SELECT CASE WHEN CASE WHEN distance > 9 THEN flight END > 5 THEN dest END AS c FROM flights
        c <- flights.distance CONDITIONAL, flights.flight CONDITIONAL, flights.dest TRANSFORMATION
    of coalesce all but the last decide
        SELECT coalesce(tailnum, carrier, dest) AS c FROM flights
        c <- flights.tailnum TRANSFORMATION, flights.tailnum CONDITIONAL
        c <- flights.carrier TRANSFORMATION, flights.carrier CONDITIONAL
        c <- flights.dest TRANSFORMATION
    """
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
    """
)


@pytest.mark.parametrize("case", [*CASES, *CONDITIONS, *MASKS], ids=str)
def test_a_projected_column_is_made_of(case: Case, check) -> None:
    check(case)
