"""Steps of frames that are more than one operator: statistics, functions of tables, pandas on Spark."""

from __future__ import annotations

import pandas as pd
import pytest
from pyspark.sql import Window
from pyspark.sql import functions as sf

from tests.spark.capture.specification import Case, frame, write


def total(values: pd.Series) -> float:
    return float(values.sum())


class Firsts:
    def eval(self, row):
        yield (row["carrier"],)


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
