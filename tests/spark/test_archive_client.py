"""The archive's tables in Spark: what of the published days counts, by hand from a folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import date, datetime

import pytest

import spark_client
from headwater.records.record import LineageRecord
from headwater_model.archive_tables import DAY as DAY_COLUMN
from headwater_model.archive_tables import RECORDS, TRACES, VERSION, attempt_prefix, published_key
from jobs.compact_archive import compact
from spark_client import archive as client
from tests.spark.archive_folder import DAY, NEXT_DAY, THIRD_DAY, ArchiveFolder, rows_of


def a_record(node_id: str, root_id: str = "s3://a") -> LineageRecord:
    return LineageRecord(root_id, node_id, root_id, "CALCULATE", f"s3://calculated/{node_id}", 1_763_640_000)


@pytest.fixture(scope="module")
def archive(spark, tmp_path_factory) -> ArchiveFolder:
    """Root a on two days, root b on the second; of each day two attempts, of which the second counts."""
    folder = ArchiveFolder(tmp_path_factory.mktemp("archive"))
    folder.trace(DAY, a_record("a1"))
    folder.trace(NEXT_DAY, a_record("a1"), a_record("a2"))
    folder.trace(NEXT_DAY, a_record("b1", "s3://b"))
    for day in (DAY, NEXT_DAY):
        folder.seal(day)
        for attempt in ("nightly-1", "nightly-2"):
            manifest = compact(spark, str(folder.folder), day, attempt)
        folder.publish(manifest)
    folder.seal(THIRD_DAY)
    compact(spark, str(folder.folder), THIRD_DAY, "never-published")
    return folder


@pytest.fixture
def copy(archive, tmp_path) -> ArchiveFolder:
    """Return a copy of the archive, to be damaged."""
    shutil.copytree(archive.folder, tmp_path / "archive")
    return ArchiveFolder(tmp_path / "archive", archive.traced)


def expected(archive: ArchiveFolder, table: str, *days: str) -> list[dict[str, object]]:
    of_day = {"records": archive.expected_records, "traces": archive.expected_traces}[table]
    return [{**row, "day": day} for day in days for row in of_day(day)]


def ordered(df, *names: str) -> list[dict[str, object]]:
    return rows_of(df.orderBy("day", *names).collect())


def test_without_days_all_that_is_published_is_read(spark, archive):
    records = client.records(spark, str(archive.folder))
    traces = client.traces(spark, str(archive.folder))
    assert ordered(records, "root_id", "node_id") == expected(archive, "records", DAY, NEXT_DAY)
    assert ordered(traces, "root_id", "record_id") == expected(archive, "traces", DAY, NEXT_DAY)


@pytest.mark.parametrize("day", [NEXT_DAY, date(2026, 11, 21), datetime(2026, 11, 21, 5)])  # noqa: DTZ001 - as callers do
def test_days_are_texts_or_dates(spark, archive, day):
    records = client.records(spark, f"{archive.folder}/", [day, day])
    assert ordered(records, "root_id", "node_id") == expected(archive, "records", NEXT_DAY)


def test_the_newest_traces_are_those_of_the_last_day_that_has_the_root(spark, archive):
    newest = client.newest_traces(spark, str(archive.folder))
    assert ordered(newest, "root_id", "record_id") == expected(archive, "traces", NEXT_DAY)
    of_the_first = client.newest_traces(spark, str(archive.folder), [DAY])
    assert ordered(of_the_first, "root_id", "record_id") == expected(archive, "traces", DAY)


def test_columns_come_as_they_are_documented_with_the_day_last(spark, archive):
    for read, table in ((client.records, RECORDS), (client.traces, TRACES), (client.newest_traces, TRACES)):
        columns = [(field.name, field.dataType.simpleString()) for field in read(spark, str(archive.folder)).schema]
        assert columns == [(column.name, column.type) for column in (*table.columns, DAY_COLUMN)]


@pytest.mark.parametrize("days", [[THIRD_DAY], [DAY, THIRD_DAY], ["1999-01-01", THIRD_DAY]])
def test_a_day_that_is_not_published_is_named(spark, archive, days):
    with pytest.raises(ValueError, match=f"not published: .*{THIRD_DAY}"):
        client.records(spark, str(archive.folder), days)


@pytest.mark.parametrize("day", ["20261120", "2026-11-20T00:00", "2026-13-01", "../2026-11-20", ""])
def test_what_is_no_day_is_refused(spark, archive, day):
    with pytest.raises(ValueError, match="days: must be dates or YYYY-MM-DD, got"):
        client.records(spark, str(archive.folder), [day])


def test_a_location_without_tables_is_refused(spark, tmp_path):
    with pytest.raises(ValueError, match="no day is published"):
        client.traces(spark, str(tmp_path / "nowhere"))


def test_no_days_at_all_are_refused(spark, archive):
    with pytest.raises(ValueError, match="none was given"):
        client.traces(spark, str(archive.folder), [])


def test_a_day_that_a_later_release_published_is_refused_by_name(spark, copy):
    manifest = replace(compact(spark, str(copy.folder), DAY, "nightly-3"), version=VERSION + 1)
    copy.publish(manifest)
    with pytest.raises(ValueError, match=f"{published_key(DAY)}: version: must be 1 to {VERSION}, got {VERSION + 1}"):
        client.records(spark, str(copy.folder))
    assert ordered(client.records(spark, str(copy.folder), [NEXT_DAY]), "root_id", "node_id") == expected(
        copy, "records", NEXT_DAY
    )


def test_a_file_of_before_a_column_reads_as_null_there(spark, copy):
    """Older releases wrote neither the run nor the metadata of a record."""
    folder = copy.folder / attempt_prefix("records", DAY, "nightly-2")
    older = spark.read.parquet(str(folder)).drop("run_id", "metadata").collect()
    schema = ", ".join(f"{column.name} {column.type}" for column in RECORDS.columns[:-2])
    shutil.rmtree(folder)
    spark.createDataFrame(older, schema).write.parquet(str(folder))
    records = client.records(spark, str(copy.folder))
    assert ordered(records, "root_id", "node_id") == expected(copy, "records", DAY, NEXT_DAY)


def test_the_client_offers_the_archive_without_loading_spark_or_the_service():
    code = (
        "import sys, spark_client; spark_client.archive;"
        "print(sorted({'pyspark', 'boto3', 'orjson', 'pydantic'} & sys.modules.keys()))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert "archive" in spark_client.__all__
