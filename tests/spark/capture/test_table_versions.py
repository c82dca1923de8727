"""Versions of Delta's and Iceberg's tables: read and written by writes and streams.

`make test-formats` runs them: `HEADWATER_TABLE_FORMATS` names the packages (`tests.spark.table_formats`).
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from spark_client import LineageClient, capture
from spark_client.capturing.model import Write
from tests.spark import table_formats
from tests.spark.capture.conftest import Watch
from tests.spark.capture.specification import short_name

pytestmark = pytest.mark.skipif(
    not {"delta", "iceberg"} & set(table_formats.chosen()), reason=f"{table_formats.VARIABLE} names neither of them"
)
_ROWS = "SELECT carrier, flight, distance FROM flights"
_MERGE = "MERGE INTO {} c USING {} f ON c.flight = f.flight WHEN MATCHED THEN UPDATE SET distance = f.distance"
_IS_DELTA = "delta" in table_formats.chosen()
_FORM, _OF = ("delta", "") if _IS_DELTA else ("iceberg", "ice.versions.")
# Iceberg's two ways of changing rows; Delta has a single way.
_MODES = ("",) if _IS_DELTA else ("copy-on-write", "merge-on-read")


@pytest.fixture(scope="module")
def session(spark: SparkSession, datasets: Path) -> SparkSession:
    if _OF:
        spark.sql("CREATE NAMESPACE ice.versions")
    return spark


@pytest.fixture(params=_MODES)
def table(request: pytest.FixtureRequest, session: SparkSession) -> str:
    """A table created with two rows, and the same two rows inserted again."""
    modes = ", ".join(f"'write.{verb}.mode' = '{request.param}'" for verb in ("update", "delete", "merge"))
    properties = f"TBLPROPERTIES ({modes})" if request.param else ""
    session.sql(f"DROP TABLE IF EXISTS {_OF}versioned")
    session.sql(f"CREATE TABLE {_OF}versioned USING {_FORM} {properties} AS {_ROWS}")
    session.sql(f"INSERT INTO {_OF}versioned {_ROWS}")
    return f"{_OF}versioned"


def versions(session: SparkSession, table: str) -> list[str]:
    """List the versions of a table, from the first on, by the format's own word."""
    if _IS_DELTA:
        return [str(row.version) for row in session.sql(f"DESCRIBE HISTORY {table}").orderBy("version").collect()]
    snapshots = session.sql(f"SELECT snapshot_id FROM {table}.snapshots ORDER BY committed_at")
    return [str(row.snapshot_id) for row in snapshots.collect()]


def reads(write: Write) -> list[tuple[str, str | None]]:
    return [(short_name(dataset.id), dataset.version) for dataset in write.inputs]


def test_a_create_table_as_reports_the_place_and_version_that_it_made(session: SparkSession, watch: Watch) -> None:
    session.sql(f"DROP TABLE IF EXISTS {_OF}made")
    [write] = watch.writes_of(lambda: session.sql(f"CREATE TABLE {_OF}made USING {_FORM} AS {_ROWS}"))
    assert (write.output.id.namespace, Path(write.output.id.name).is_dir()) == ("file", True)
    assert [link.name for link in write.output.symlinks] == ["versions.made" if _OF else "default.made"]
    assert [write.output.version] == versions(session, f"{_OF}made")
    files = [file for file in Path(write.output.id.name).rglob("*.parquet") if "metadata" not in file.parts]
    sizes = sum(file.stat().st_size for file in files)
    assert (write.written.rows, write.written.files, write.written.size_bytes) == (2, len(files), sizes)


STATEMENTS = (
    ("UPDATE {} SET distance = 7 WHERE carrier = 'UA' AND distance > 0", 2),
    (_MERGE.format("{}", "flights"), 4),
    ("DELETE FROM {} WHERE carrier = 'UA' AND distance > 0", None),
)


@pytest.mark.parametrize(("statement", "rows"), STATEMENTS, ids=["UPDATE", "MERGE", "DELETE"])
def test_a_change_of_rows_reports_the_version_that_it_read_again_and_the_rows_that_it_changed(
    statement: str, rows: int | None, table: str, session: SparkSession, watch: Watch, request: pytest.FixtureRequest
) -> None:
    [before] = versions(session, table)[-1:]
    [write] = watch.writes_of(lambda: session.sql(statement.format(table)))
    assert ("versioned", before) in reads(write)
    assert write.output.version == versions(session, table)[-1] != before
    # Copy on write counts all rows of the new files, copied rows too.
    copies = "copy-on-write" in request.node.name
    assert write.written.rows == (None if copies else rows)


def maintenance(session: SparkSession, table: str) -> list[str]:
    """List the statements that move or remove files of a table; no version is reported for the last of them."""
    if _IS_DELTA:
        session.conf.set("spark.databricks.delta.retentionDurationCheck.enabled", "false")
        return [f"OPTIMIZE {table}", f"REORG TABLE {table} APPLY (PURGE)", f"VACUUM {table} RETAIN 0 HOURS"]
    session.sql(f"DELETE FROM {table} WHERE carrier = 'UA' AND distance > 0")
    call, name = "CALL ice.system.{}(table => '{}'{})", table.removeprefix("ice.")
    all_files = ", options => map('rewrite-all', 'true')"
    return [
        call.format("rewrite_position_delete_files", name, all_files),
        call.format("rewrite_data_files", name, all_files),
        call.format("rewrite_data_files", name, all_files + ", strategy => 'sort', sort_order => 'flight'"),
        call.format("rewrite_manifests", name, ""),
        call.format("expire_snapshots", name, ", older_than => TIMESTAMP '2037-01-01', retain_last => 1"),
        call.format("remove_orphan_files", name, ", dry_run => true"),
    ]


def test_maintenance_is_no_write(table: str, session: SparkSession, watch: Watch) -> None:
    statements = maintenance(session, table)
    writes = watch.writes_of(lambda: [session.sql(statement) for statement in statements])
    assert {(write.change, short_name(write.output.id), write.inputs) for write in writes} <= {
        ("MAINTENANCE", "versioned", ())
    }
    # Copy on write leaves no deletes to be moved.
    assert len(writes) in ({0} if _IS_DELTA else {2, 3})


@pytest.mark.skipif(_IS_DELTA, reason="Delta has no branches")
def test_a_write_of_a_branch_names_it_until_it_is_published(table: str, session: SparkSession, watch: Watch) -> None:
    session.sql(f"ALTER TABLE {table} CREATE BRANCH audit")
    session.sql(f"ALTER TABLE {table} SET TBLPROPERTIES ('write.wap.enabled' = 'true')")
    insert, rows = f"INSERT INTO {table} {_ROWS}", session.sql(_ROWS)

    def wap(key: str, value: str) -> None:
        session.conf.set(f"spark.wap.{key}", value)
        session.sql(insert)
        session.conf.unset(f"spark.wap.{key}")

    ways = [
        lambda: session.sql(f"INSERT INTO {table}.branch_audit {_ROWS}"),
        lambda: rows.writeTo(f"{table}.branch_audit").append(),
        lambda: rows.write.format("iceberg").mode("append").option("branch", "audit").save(table),
        lambda: wap("branch", "audit"),
        lambda: wap("id", "w1"),
        lambda: session.sql(insert),
    ]
    [*branches] = [write.output.branch for way in ways for write in watch.writes_of(way)]
    assert branches == ["audit"] * 4 + ["wap.id=w1", None]


def test_a_write_that_is_compacted_at_once_reports_its_own_version(
    table: str, session: SparkSession, watch: Watch
) -> None:
    if not _IS_DELTA:
        pytest.skip("Iceberg compacts nothing by itself")
    settings = {"enabled": "true", "minNumFiles": "2"}
    for name, value in settings.items():
        session.conf.set(f"spark.databricks.delta.autoCompact.{name}", value)
    try:
        [write] = watch.writes_of(lambda: session.sql(f"INSERT INTO {table} {_ROWS}"))
    finally:
        for name in settings:
            session.conf.unset(f"spark.databricks.delta.autoCompact.{name}")
    assert write.output.version == versions(session, table)[-2]


def test_a_merge_of_a_table_with_itself_reads_one_version(table: str, session: SparkSession, watch: Watch) -> None:
    source = f"(SELECT flight, max(distance) AS distance FROM {table} GROUP BY flight)"
    [before] = versions(session, table)[-1:]
    [write] = watch.writes_of(lambda: session.sql(_MERGE.format(table, source)))
    assert (reads(write), write.output.version) == ([("versioned", before)], versions(session, table)[-1])


def test_a_merge_that_finds_nothing_to_insert_has_read_the_table(
    table: str, session: SparkSession, watch: Watch
) -> None:
    [before] = versions(session, table)[-1:]
    merge = (
        f"MERGE INTO {table} c USING flights f ON c.flight = f.flight WHEN NOT MATCHED AND f.distance > 9 THEN INSERT"
    )
    [write] = watch.writes_of(lambda: session.sql(f"{merge} (flight) VALUES (f.flight)"))
    # Delta commits nothing, and so keeps no read version.
    assert ("versioned", None if _IS_DELTA else before) in reads(write)


def time_travels(session: SparkSession, table: str, first: str) -> Iterator[DataFrame]:
    """Yield frames of a table at its first version, by each way to name a version."""
    yield session.sql(f"SELECT * FROM {table} VERSION AS OF {first}")
    if _IS_DELTA:
        yield session.read.option("versionAsOf", first).table(table)
        [at] = session.sql(f"DESCRIBE HISTORY {table}").where("version = 0").select("timestamp").collect()
    else:
        yield session.read.option("snapshot-id", first).table(table)
        session.sql(f"ALTER TABLE {table} CREATE TAG first AS OF VERSION {first}")
        yield session.sql(f"SELECT * FROM {table} VERSION AS OF 'first'")
        session.sql(f"ALTER TABLE {table} CREATE BRANCH other AS OF VERSION {first}")
        yield session.read.option("branch", "other").table(table)
        [at] = session.sql(f"SELECT committed_at FROM {table}.snapshots WHERE snapshot_id = {first}").collect()
        yield session.read.option("as-of-timestamp", int(at[0].timestamp() * 1000) + 1).table(table)
    yield session.sql(f"SELECT * FROM {table} TIMESTAMP AS OF '{at[0]}'")


def test_time_travel_reads_the_version_that_it_names(
    table: str, session: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    first, last = versions(session, table)
    for number, frame in enumerate(time_travels(session, table, first)):
        [write] = watch.writes_of(lambda frame=frame, to=f"{tmp_path}/{number}": frame.write.parquet(to))
        assert reads(write) == [("versioned", first)], number
    both = session.sql(f"SELECT * FROM {table} UNION ALL SELECT * FROM {table} VERSION AS OF {first}")
    [mixed] = watch.writes_of(lambda: both.write.parquet(f"{tmp_path}/both"))
    [latest] = watch.writes_of(lambda: session.table(table).write.parquet(f"{tmp_path}/latest"))
    assert (reads(mixed), reads(latest)) == ([("versioned", None)], [("versioned", last)])


def test_a_frame_is_read_at_the_version_that_there_is_when_it_runs(
    table: str, session: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    frame = session.table(table)
    session.sql(f"INSERT INTO {table} {_ROWS}")
    [write] = watch.writes_of(lambda: frame.write.parquet(f"{tmp_path}/out"))
    read = session.read.parquet(f"{tmp_path}/out").count()
    assert (reads(write), read) == ([("versioned", versions(session, table)[read // 2 - 1])], read)


def at_once(act: Callable[[], object], meanwhile: Callable[[], object], folder: Path) -> None:
    """Start `act`, run `meanwhile` before its end; `act` waits in the function of `waiting`."""
    thread = threading.Thread(target=act)
    thread.start()
    while not (folder / "entered").exists():
        time.sleep(0.05)
    meanwhile()
    (folder / "opened").touch()
    thread.join()


def waiting(folder: Path) -> Any:
    """Make a function of rows; it returns its number when `at_once` opens the folder's gate."""

    # Without type hints: with a hint such as `int`, Spark 4.1 and later warn of an unknown kind of function.
    def wait(number):
        (folder / "entered").touch()
        while not (folder / "opened").exists():
            time.sleep(0.05)
        return number

    return sf.udf(wait, "int")


def test_a_commit_during_which_the_application_made_another_is_not_guessed(
    table: str, session: SparkSession, watch: Watch, tmp_path: Path
) -> None:
    slow = session.sql(_ROWS).coalesce(1).withColumn("distance", waiting(tmp_path)("distance"))
    insert = f"INSERT INTO {table} {_ROWS}"
    first, second = watch.writes_of(lambda: at_once(slow.writeTo(table).append, lambda: session.sql(insert), tmp_path))
    assert (first.output.version, second.output.version) == (versions(session, table)[-2], None)


def test_a_statement_that_changes_nothing_made_what_there_is_after_it(
    table: str, session: SparkSession, watch: Watch
) -> None:
    before = versions(session, table)
    [write] = watch.writes_of(lambda: session.sql(f"UPDATE {table} SET distance = 1 WHERE flight = -1"))
    new_versions = versions(session, table)[len(before) :]
    assert write.output.version == (new_versions[0] if new_versions else None)


def stream(frame: DataFrame, folder: Path) -> Any:
    return frame.writeStream.format(_FORM).option("checkpointLocation", str(folder)).outputMode("append")


def test_a_stream_reports_the_version_of_its_last_batch(table: str, session: SparkSession, tmp_path: Path) -> None:
    session.sql(f"DROP TABLE IF EXISTS {_OF}streamed")
    session.sql(f"CREATE TABLE {_OF}streamed (carrier STRING, flight INT, distance INT) USING {_FORM}")
    client = LineageClient(file=tmp_path / "events", strict=True)
    captured = capture(session, client=client, namespace="emissions", name="emissions", strict=True)
    query = stream(session.readStream.table(table), tmp_path / "progress").toTable(f"{_OF}streamed")
    try:
        query.processAllAvailable()
        assert captured.flush()
        session.sql(f"INSERT INTO {table} {_ROWS}")
        query.processAllAvailable()
    finally:
        query.stop()
        captured.close()
        client.close()
    of_stream = [event for event in events_of(tmp_path / "events") if event["run"]["runId"] == str(query.runId)]
    last = of_stream[-1]
    assert last["eventType"] == "COMPLETE"
    assert version_of(last["inputs"][0]) == versions(session, table)[-1]
    assert version_of(last["outputs"][0]) == versions(session, f"{_OF}streamed")[-1]


def events_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def version_of(dataset: dict[str, Any]) -> str | None:
    return dataset["facets"].get("version", {}).get("datasetVersion")
