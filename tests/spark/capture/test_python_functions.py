"""Python's functions: of values they transform, of rows they are opaque; what came through an RDD is unknown."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame


# Of a plain function's type hints PySpark 4.3 warns; pandas' functions need theirs.
def double(value):
    return value * 2


def pair(text):
    return text, text


def tidy(frames: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
    for chunk in frames:
        yield chunk[["carrier"]]


def tidy_arrow(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        yield batch.select(["carrier"])


def centre(group: pd.DataFrame) -> pd.DataFrame:
    return group


def centre_arrow(group: pa.Table) -> pa.Table:
    return group


def meet(left: pd.DataFrame, right: pd.DataFrame) -> pd.DataFrame:
    return pd.DataFrame({"model": right["model"], "carrier": left["carrier"][:1]})


def _flights(spark: SparkSession) -> DataFrame:
    return spark.table("flights").select("carrier", "distance")


VALUES = (
    frame(
        "a function of an expression, in an expression",
        lambda spark: spark.table("flights").select((sf.udf(double, "int")(sf.col("distance") + 1) - 1).alias("d")),
        "d <- flights.distance TRANSFORMATION (python udf double)",
    ),
    frame(
        "functions as conditions, keys and in joins",
        lambda spark: (
            spark.table("flights")
            .alias("f")
            .join(spark.table("planes").alias("p"), sf.udf(pair, "string")("f.tailnum") == sf.col("p.tailnum"))
            .groupBy(sf.when(sf.udf(double, "int")("distance") > 9, sf.col("carrier")).alias("k"))
            .count()
        ),
        """
        k <- flights.distance CONDITIONAL (python udf double), flights.carrier TRANSFORMATION
        count <- nothing
        * <- flights.distance GROUP_BY (python udf double), flights.carrier GROUP_BY
        * <- flights.tailnum JOIN (python udf pair), planes.tailnum JOIN
        """,
    ),
)

ROWS = (
    frame(
        "Arrow over rows",
        lambda spark: _flights(spark).mapInArrow(tidy_arrow, "carrier STRING"),
        "carrier <- flights.carrier TRANSFORMATION (opaque: MapInArrow tidy_arrow), "
        "flights.distance TRANSFORMATION (opaque: MapInArrow tidy_arrow)",
    ),
    frame(
        "pandas over groups",
        lambda spark: _flights(spark).groupBy("carrier").applyInPandas(centre, "carrier STRING, distance INT"),
        """
        carrier <- flights.carrier TRANSFORMATION (opaque: FlatMapGroupsInPandas centre)
        carrier <- flights.distance TRANSFORMATION (opaque: FlatMapGroupsInPandas centre)
        distance <- flights.carrier TRANSFORMATION (opaque: FlatMapGroupsInPandas centre)
        distance <- flights.distance TRANSFORMATION (opaque: FlatMapGroupsInPandas centre)
        * <- flights.carrier GROUP_BY
        """,
    ),
    frame(
        "Arrow over groups",
        lambda spark: _flights(spark).groupBy("carrier").applyInArrow(centre_arrow, "carrier STRING, distance INT"),
        """
        carrier <- flights.carrier TRANSFORMATION (opaque: FlatMapGroupsInArrow centre_arrow)
        carrier <- flights.distance TRANSFORMATION (opaque: FlatMapGroupsInArrow centre_arrow)
        distance <- flights.carrier TRANSFORMATION (opaque: FlatMapGroupsInArrow centre_arrow)
        distance <- flights.distance TRANSFORMATION (opaque: FlatMapGroupsInArrow centre_arrow)
        * <- flights.carrier GROUP_BY
        """,
        since="4.0",
    ),
    frame(
        "pandas over groups of two sides",
        lambda spark: (
            spark.table("flights")
            .select("tailnum", "carrier")
            .groupBy("tailnum")
            .cogroup(spark.table("planes").select("tailnum", "model").groupBy("tailnum"))
            .applyInPandas(meet, "model STRING, carrier STRING")
        ),
        "\n".join(
            f"{column} <- {source} TRANSFORMATION (opaque: FlatMapCoGroupsInPandas meet)"
            for column in ("model", "carrier")
            for source in ("flights.tailnum", "flights.carrier", "planes.tailnum", "planes.model")
        )
        + "\n* <- flights.tailnum GROUP_BY, planes.tailnum GROUP_BY",
    ),
    frame(
        "what follows an opaque step is made of all of it",
        lambda spark: (
            _flights(spark)
            .mapInPandas(tidy, "carrier STRING")
            .groupBy(sf.upper("carrier").alias("c"))
            .agg(sf.max("carrier").alias("m"))
            .select("m")
        ),
        """
        m <- flights.carrier AGGREGATION (opaque: MapInPandas tidy)
        m <- flights.distance AGGREGATION (opaque: MapInPandas tidy)
        * <- flights.carrier GROUP_BY (opaque: MapInPandas tidy)
        * <- flights.distance GROUP_BY (opaque: MapInPandas tidy)
        """,
    ),
)


@pytest.mark.parametrize("case", [*VALUES, *ROWS], ids=str)
def test_functions_of_python(case: Case, check) -> None:
    check(case)
