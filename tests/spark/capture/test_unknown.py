"""What nobody can know is told as unknown, never as made of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, write


def _flights(spark: SparkSession) -> DataFrame:
    return spark.table("flights").select("carrier", "distance")


def _write_texts(spark: SparkSession, out: str) -> None:
    """Of three folders beside the output: one through Hadoop, one file of another, and all two of the third."""
    texts = Path(f"{out}-texts")
    for name in ("notes/1.txt", "notes/2.txt", "single/a.csv", "single/b.csv", "days/1.csv", "days/2.csv"):
        file = texts / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("text\n")
    lines = spark.sparkContext.textFile(f"{texts}/notes")
    for read in (f"{texts}/single/a.csv", f"{texts}/days"):
        lines = lines.union(spark.read.text(read).rdd.map(lambda row: row.value))
    lines.map(lambda line: Row(line=line)).toDF("line STRING").write.parquet(out)


CASES = (
    frame(
        "rows of an RDD are unknown, the files that it is made of are not",
        lambda spark: _flights(spark).rdd.map(lambda row: Row(c=row.carrier, d=row.distance)).toDF(),
        """
        c <- unknown
        d <- unknown
        inputs: flights
        """,
    ),
    frame(
        "an RDD is made of all that it was joined of",
        lambda spark: (
            spark.table("flights")
            .rdd.map(lambda row: (row.tailnum, row.carrier))
            .join(spark.table("planes").repartition(3).rdd.map(lambda row: (row.tailnum, row.seats)), 2)
            .map(lambda pair: Row(tailnum=pair[0], seats=pair[1][1]))
            .toDF("tailnum STRING, seats INT")
        ),
        """
        tailnum <- unknown
        seats <- unknown
        inputs: flights, planes
        """,
    ),
    write(
        "an RDD of text, a single file of a folder, and a folder of several",
        lambda spark, out: _write_texts(spark, out),
        """
        line <- unknown
        inputs: notes, a.csv, days
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
