"""The archive in Spark: the tables of the published days as DataFrames (docs/archive.md).

    from spark_client import archive

    records = archive.records(spark, "s3://bucket", ["2026-11-20", "2026-11-21"])
    records.where("storage_location like 's3://carbonlake-enriched/%'").groupBy("action_taken").count()

The location is the archive's bucket, or a folder with a copy of its `tables/`, by any scheme of Spark. A table has its
documented columns, `day` last. Each call looks up the published files of each day.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, TypeAlias

from headwater_model.archive_tables import (
    DAY,
    PREFIX,
    PUBLISHED_PREFIX,
    RECORDS,
    TRACES,
    ArchiveTable,
    Manifest,
    attempt_prefix,
    parse_manifest,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# A day as a date or as YYYY-MM-DD; None for every published day.
Days: TypeAlias = "Iterable[str | date] | None"


def records(spark: SparkSession, location: str, days: Days = None) -> DataFrame:
    """Read the records first archived on the given days.

    Raises:
        ValueError: a day is no date, is not published, or was published by a later release. Without `days`: no day is
            published.
    """
    return _read(spark, location, RECORDS, days)


def traces(spark: SparkSession, location: str, days: Days = None) -> DataFrame:
    """Read the traces of the roots traced for the given days; a root traced for two days is there twice.

    Raises:
        ValueError: as `records`.
    """
    return _read(spark, location, TRACES, days)


def newest_traces(spark: SparkSession, location: str, days: Days = None) -> DataFrame:
    """Read each root's traces from the root's newest day; without `days`, the traces are the valid traces.

    Raises:
        ValueError: as `records`.
    """
    frame = traces(spark, location, days)
    newest = frame.groupBy("root_id").agg({"day": "max"}).withColumnRenamed("max(day)", "day")
    return frame.join(newest, ["root_id", "day"], "left_semi").select(*frame.columns)


def _read(spark: SparkSession, location: str, table: ArchiveTable, days: Days) -> DataFrame:
    place = location.rstrip("/")
    published = _published(spark, place, days)
    folders = [f"{place}/{attempt_prefix(table.name, manifest.day, manifest.attempt)}" for manifest in published]
    # Files of an earlier version lack later columns: with the given schema, the columns are null.
    reader = spark.read.schema(f"{table.ddl}, {DAY.name} {DAY.type}, attempt string")
    return reader.option("basePath", f"{place}/{PREFIX}{table.name}").parquet(*folders).drop("attempt")


def _published(spark: SparkSession, place: str, days: Days) -> list[Manifest]:
    """Read the published manifests, by day."""
    names = None if days is None else {f"{_day(day)}.json" for day in days}
    files = _files(spark, place)
    named = files if names is None else files.where(files["name"].isin(*names))
    bodies = {row["name"]: bytes(row["content"]) for row in named.collect()}
    if missing := sorted((names or set()) - bodies.keys()):
        raise ValueError(f"{place}: not published: {', '.join(name.partition('.')[0] for name in missing)}")
    if not bodies:
        raise ValueError(f"{place}: no day is published, or none was given")
    return [_manifest(name, body) for name, body in sorted(bodies.items())]


def _files(spark: SparkSession, place: str) -> DataFrame:
    """Read name and content of each published manifest; a condition on the name spares opening the rest."""
    from pyspark.errors import AnalysisException

    try:
        files = spark.read.format("binaryFile").load(f"{place}/{PUBLISHED_PREFIX}")
    except AnalysisException as error:
        raise ValueError(f"{place}: no day is published: {error}") from error
    return files.select(files["_metadata.file_name"].alias("name"), "content")


def _manifest(name: str, body: bytes) -> Manifest:
    try:
        return parse_manifest(body)
    except ValueError as error:
        raise ValueError(f"{PUBLISHED_PREFIX}{name}: {error}") from error


def _day(day: str | date) -> str:
    if isinstance(day, date):
        return f"{day:%Y-%m-%d}"
    try:
        if date.fromisoformat(day).isoformat() == day:
            return day
    except ValueError:
        pass
    raise ValueError(f"days: must be dates or YYYY-MM-DD, got {day!r}")
