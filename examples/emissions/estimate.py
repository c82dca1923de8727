"""The step whose code tells nothing to a reader of plans: a formula in Python. It records its operations itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from examples.emissions.fuel import AIRLINER_SEATS_MIN, average_seats, co2_kg, fuel_kg
from examples.emissions.jobs import NAMESPACE, dataset_of
from spark_client import FieldOperation, LineageRecorder

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from examples.emissions.jobs import JobRun, Work
    from spark_client import LineageClient


def estimate(flights: DataFrame, planes: DataFrame, airports: DataFrame) -> DataFrame:
    """The flights with seats, fuel and CO2.

    A flight whose plane is unknown is kept, with the seats of an average airliner and `plane_known` false; so is one to
    an airport without an entry (San Juan is one), whose name stays null.
    """
    airliners = planes.where(sf.col("seats") >= AIRLINER_SEATS_MIN).select("tailnum", "model", "seats")
    names = airports.select(sf.col("faa").alias("dest"), sf.col("name").alias("destination"))
    joined = flights.join(sf.broadcast(airliners), "tailnum", "left").join(sf.broadcast(names), "dest", "left")
    return (
        joined.withColumn("plane_known", sf.col("seats").isNotNull())
        .withColumn("seats", sf.coalesce("seats", average_seats(planes)))
        .withColumn("fuel_kg", fuel_kg(sf.col("seats"), sf.col("distance")))
        .withColumn("co2_kg", co2_kg(sf.col("fuel_kg")))
    )


def record_estimate(lineage: LineageClient, job: JobRun, work: Work) -> None:
    """Tell by which operations the estimate made its columns; those that no operation names are copies."""
    (checked, flights), (planes, _), (airports, _) = work.reads.items()
    ((estimated, written),) = work.writes.items()
    operations = [
        FieldOperation("read planes").reads(dataset_of(planes)).outputs("tailnum", "model", "seats"),
        FieldOperation("key planes").inputs("tailnum").outputs("plane"),
        FieldOperation("average").describe("of registered airliners").inputs("seats").outputs("average_seats"),
        FieldOperation("read airports").reads(dataset_of(airports)).outputs("faa", "name"),
        FieldOperation("read flights").reads(dataset_of(checked)).outputs(*flights.columns),
        FieldOperation("find model").inputs("tailnum", "plane", "model").outputs("model"),
        FieldOperation("know plane").inputs("tailnum", "plane", "seats").outputs("plane_known"),
        FieldOperation("find seats").inputs("tailnum", "plane", "seats", "average_seats").outputs("seats"),
        FieldOperation("find destination").inputs("dest", "faa", "name").outputs("destination"),
        FieldOperation("multiply")
        .describe("seats x km x fuel of a seat")
        .inputs("seats", "distance")
        .outputs("fuel_kg"),
        FieldOperation("burn").describe("3.16 kg of CO2 for a kg of fuel").inputs("fuel_kg").outputs("co2_kg"),
    ]
    with LineageRecorder(lineage, (NAMESPACE, job.name), run_id=job.id) as recorder:
        recorder.record(dataset_of(estimated), operations, fields=written)
