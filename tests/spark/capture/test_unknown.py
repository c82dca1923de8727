"""What nobody can know is told as unknown, never as made of nothing."""

from __future__ import annotations

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, write


def _flights(spark: SparkSession) -> DataFrame:
    return spark.table("flights").select("carrier", "distance")


CASES = (
    frame(
        "rows of an RDD are unknown",
        lambda spark: _flights(spark).rdd.map(lambda row: Row(c=row.carrier, d=row.distance)).toDF(),
        """
        c <- unknown
        d <- unknown
        inputs: none
        """,
    ),
    frame(
        "what is unknown stays so, beside what is known",
        lambda spark: (
            spark.sparkContext.parallelize([Row(carrier="UA", rate=2)])
            .toDF()
            .join(_flights(spark), "carrier")
            .select((sf.col("distance") * sf.col("rate")).alias("x"), "distance", "rate", sf.lit(1).alias("one"))
        ),
        """
        x <- flights.distance TRANSFORMATION, unknown
        distance <- flights.distance IDENTITY
        rate <- unknown
        one <- nothing
        * <- flights.carrier JOIN
        """,
    ),
    frame(
        "rows of the program are unknown",
        lambda spark: spark.createDataFrame([("UA", 1)], "c STRING, n INT").select("c"),
        """
        c <- unknown
        inputs: none
        """,
    ),
    frame(
        "rows that were in pandas are unknown",
        lambda spark: spark.createDataFrame(spark.table("planes").toPandas()).select("seats"),
        """
        seats <- unknown
        inputs: none
        """,
    ),
    frame(
        "the file that a row lies in is no column of the dataset",
        lambda spark: spark.table("planes").select("seats", sf.col("_metadata.file_path").alias("file")),
        """
        seats <- planes.seats IDENTITY
        file <- nothing
        """,
    ),
    write(
        "what an RDD writes is not told",
        lambda spark, out: spark.table("planes").rdd.map(str).saveAsTextFile(out),
        "nothing",
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_is_unknown(case: Case, check) -> None:
    check(case)
