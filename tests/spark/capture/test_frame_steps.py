"""Steps of frames that are more than one operator: statistics, other libraries' transformers, pandas on Spark."""

from __future__ import annotations

import pandas as pd
import pytest
from pyspark.ml.feature import VectorAssembler
from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, write


def total(values: pd.Series) -> float:
    return float(values.sum())


class Firsts:
    def eval(self, row):
        yield (row["carrier"],)


def _summary(spark: SparkSession) -> DataFrame:
    return spark.table("flights").select("distance", "carrier").summary("count", "max")


FRAMES = (
    frame(
        "a frame in another schema",
        lambda spark: (
            spark.table("crews")
            .select("flight", "contact")
            .to(
                spark.createDataFrame(
                    [], "contact STRUCT<phone: STRUCT<work: STRING>, email: STRING>, flight BIGINT, more INT"
                ).schema
            )
        ),
        """
        contact.phone.work <- crews.contact.phone.work
        contact.email <- crews.contact.email
        flight <- crews.flight TRANSFORMATION
        more <- nothing
        """,
    ),
    frame(
        "missing values filled in column by column",
        lambda spark: spark.table("flights").select("carrier", "air_time").na.fill({"air_time": 0.0, "carrier": "?"}),
        """
        carrier <- flights.carrier TRANSFORMATION, flights.carrier CONDITIONAL
        air_time <- flights.air_time TRANSFORMATION, flights.air_time CONDITIONAL
        """,
    ),
    frame(
        "a summary",
        _summary,
        """
        summary <- nothing
        distance <- flights.distance AGGREGATION MASKED, flights.distance AGGREGATION
        carrier <- flights.carrier AGGREGATION MASKED, flights.carrier AGGREGATION
        """,
    ),
    frame(
        "a lateral join of frames",
        lambda spark: (
            spark.table("airports")
            .alias("a")
            .lateralJoin(
                spark.table("flights")
                .where(sf.col("origin") == sf.col("a.faa").outer())
                .select((sf.col("distance") + sf.col("a.alt").outer()).alias("far"))
            )
            .select("name", "far")
        ),
        """
        name <- airports.name
        far <- flights.distance TRANSFORMATION, airports.alt TRANSFORMATION
        * <- flights.origin FILTER, airports.faa FILTER
        """,
        since="4.0",
    ),
    frame(
        "the nearest row of another frame",
        lambda spark: (
            (airports := spark.table("airports"))
            .nearestByJoin(planes := spark.table("planes"), sf.abs(airports.alt - planes.seats), 1, "exact", "distance")
            .select("name", "model")
        ),
        "name <- airports.name; model <- planes.model; * <- airports.alt JOIN, planes.seats JOIN",
        since="4.2",
    ),
    frame(
        "rows as columns",
        lambda spark: spark.table("planes").select("model", "seats", "engines").transpose("model"),
        "key, 737-824 <- unknown; inputs: unknown",
        since="4.0",
    ),
    frame(
        "how often values meet",
        lambda spark: spark.table("flights").crosstab("carrier", "origin"),
        """
        carrier_origin <- flights.carrier TRANSFORMATION, flights.carrier CONDITIONAL
        EWR, JFK <- flights.origin CONDITIONAL
        * <- flights.carrier GROUP_BY, flights.origin GROUP_BY
        """,
    ),
)

FUNCTIONS = (
    frame(
        "a function of a table in parts",
        lambda spark: (
            spark.udtf.register("firsts", sf.udtf(Firsts, returnType="who STRING")),
            spark.sql(
                "SELECT who FROM firsts(TABLE(SELECT carrier, dest, day FROM flights) PARTITION BY dest ORDER BY day)"
            ),
        )[1],
        """
        who <- flights.carrier TRANSFORMATION (python udtf firsts), flights.dest TRANSFORMATION (python udtf firsts)
        who <- flights.day TRANSFORMATION (python udtf firsts)
        * <- flights.dest SORT, flights.day SORT
        """,
        since="4.0",
    ),
    frame(
        "a function of pandas over a window",
        lambda spark: spark.table("flights").select(
            sf.pandas_udf(total, "double")("distance").over(Window.partitionBy("carrier")).alias("t")
        ),
        "t <- flights.distance AGGREGATION (python udf total), flights.carrier WINDOW",
    ),
)

LIBRARIES = (
    frame(
        "columns assembled to a vector",
        lambda spark: (
            VectorAssembler(inputCols=["seats", "engines"], outputCol="features")
            .transform(spark.table("planes"))
            .select(sf.col("features").cast("string").alias("f"), "model")
        ),
        "f <- planes.seats TRANSFORMATION, planes.engines TRANSFORMATION; model <- planes.model",
    ),
    write(
        "a frame of pandas on Spark without an index of its own",
        lambda spark, out: (frame := spark.table("flights").select("carrier", "distance").pandas_api())[
            frame["distance"] > 9
        ].to_parquet(out, index_col="i"),
        """
        i <- nothing
        carrier <- flights.carrier
        distance <- flights.distance
        * <- flights.distance FILTER
        """,
    ),
)


# PySpark says so when its pandas is loaded, and sets the variable.
@pytest.mark.filterwarnings("ignore:'PYARROW_IGNORE_TIMEZONE':UserWarning")
@pytest.mark.parametrize("case", [*FRAMES, *FUNCTIONS, *LIBRARIES], ids=str)
def test_steps_of_frames(case: Case, check) -> None:
    check(case)
