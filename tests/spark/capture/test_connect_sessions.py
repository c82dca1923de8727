"""Meanings of names on Spark Connect, whoever sends what when; no writer notices the capture."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from headwater_model.ids import DatasetId
from spark_client import LineageClient, capture
from spark_client.capturing.connect.commands import Commands, Leaving
from spark_client.capturing.model import Ended, UnknownTarget, Write
from tests.spark.capture.conftest import Hearing, a_session
from tests.spark.capture.specification import expected, short_name
from tests.spark.capture.specification import lines_of as column_lines_of


def lines_of(writes: list[Write]) -> list[str]:
    return [
        f"{short_name(write.output.id)} <- {' '.join(sorted(short_name(i.id) for i in write.inputs))}"
        for write in writes
    ]


def test_a_view_is_what_it_was_when_it_was_read(remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    for name in ("flights", "planes", "airports"):
        remote.table(name).createOrReplaceTempView("step")
        remote.sql("CREATE OR REPLACE TEMP VIEW of_step AS SELECT * FROM step")
        remote.table("of_step").write.parquet(str(tmp_path / f"of_{name}"))
    remote.catalog.dropTempView("step")
    assert lines_of(hearing.writes()) == ["of_flights <- flights", "of_planes <- planes", "of_airports <- airports"]


def test_a_view_that_was_made_of_itself_is_what_it_began_with(remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    remote.table("flights").createOrReplaceTempView("step")
    for column in ("a", "b"):
        remote.table("step").selectExpr("*", f"1 AS {column}").createOrReplaceTempView("step")
    remote.table("step").write.parquet(str(tmp_path / "out"))
    assert lines_of(hearing.writes()) == ["out <- flights"]


def test_a_view_that_nobody_saw_being_made_is_no_table(remote: Any, spark: SparkSession, tmp_path: Path) -> None:
    remote.sql("CREATE OR REPLACE TEMP VIEW before AS SELECT * FROM flights")
    hearing = Hearing(remote, spark)
    remote.table("before").write.parquet(str(tmp_path / "out"))
    (write,) = hearing.writes()
    hearing.close()
    assert write.inputs == ()
    (reason,) = write.unknown_inputs
    assert "before" in reason


def test_names_are_of_the_database_that_was_current_then(remote: Any, hearing: Hearing) -> None:
    for database in ("one", "two"):
        remote.sql(f"CREATE DATABASE IF NOT EXISTS {database}")
        remote.sql(f"USE {database}")
        remote.sql("CREATE TABLE IF NOT EXISTS numbers USING parquet AS SELECT 1 AS n")
        remote.sql("INSERT INTO numbers SELECT n + 1 FROM numbers")
    remote.sql("USE default")
    writes = hearing.writes()
    assert [write.output.symlinks[0].name for write in writes] == ["one.numbers"] * 2 + ["two.numbers"] * 2
    assert [[link.name for i in write.inputs for link in i.symlinks] for write in writes] == [
        [],
        ["one.numbers"],
        [],
        ["two.numbers"],
    ]


def test_the_catalog_s_own_ways_to_move_and_to_drop_are_captured(remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    remote.sql("CREATE DATABASE IF NOT EXISTS third")
    remote.range(1).createOrReplaceTempView("moved")
    remote.catalog.setCurrentDatabase("third")
    remote.catalog.dropTempView("moved")
    remote.sql("CREATE TABLE IF NOT EXISTS moved USING parquet AS SELECT 1 AS n")
    remote.catalog.setCurrentDatabase("default")
    remote.table("third.moved").write.parquet(str(tmp_path / "out"))
    write, read = hearing.writes()
    assert [link.name for link in write.output.symlinks] == ["third.moved"]
    assert [link.name for dataset in read.inputs for link in dataset.symlinks] == ["third.moved"]


def test_a_server_that_is_gone_leaves_what_the_program_says_itself(
    endpoint: str, spark: SparkSession, tmp_path: Path
) -> None:
    session = a_session(endpoint)
    hearing = Hearing(session, spark)
    session.table("flights").write.parquet(str(tmp_path / "out"))
    session.client.release_session()
    (write,) = hearing.writes()
    hearing.close()
    session.stop()
    assert (write.output.id, write.inputs) == (DatasetId("file", str(tmp_path / "out")), ())
    (reason,) = write.unknown_inputs
    assert reason.startswith("flights: ")


def test_without_columns_the_tables_are_the_same(remote: Any, spark: SparkSession, tmp_path: Path) -> None:
    hearing = Hearing(remote, spark, columns=False)
    (write,) = hearing.writes_of_frame(remote.table("flights").select("carrier"), str(tmp_path / "out"))
    hearing.close()
    assert lines_of([write]) == ["out <- flights"]
    assert (write.tier, write.columns.fields, write.unknown) == ("tables", {}, {})


def test_columns_lead_through_views_and_checkpoints_as_they_were(remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    remote.sql("CREATE OR REPLACE TEMP VIEW far AS SELECT upper(carrier) AS c, distance FROM flights")
    kept = remote.table("far").where("distance > 9").localCheckpoint()
    assert hearing.writes() == []
    remote.sql("CREATE OR REPLACE TEMP VIEW far AS SELECT tailnum AS c FROM planes")
    (write,) = hearing.writes_of_frame(kept.select("c"), str(tmp_path / "out"))
    assert (write.tier, dict(write.unknown)) == ("full", {})
    sources = {short_name(source.dataset): source.field for source in write.columns.fields[("c",)]}
    assert sources == {"flights": ("carrier",)}
    assert [source.field for source in write.columns.dataset_level] == [("distance",)]


def test_a_view_that_was_made_anew_with_other_columns_is_what_it_was(
    remote: Any, hearing: Hearing, tmp_path: Path
) -> None:
    remote.table("planes").select("seats", "model").createOrReplaceTempView("anew")
    remote.table("anew").where("anew.seats > 1").select("anew.model").write.parquet(str(tmp_path / "out"))
    remote.table("flights").select("carrier").createOrReplaceTempView("anew")
    with hearing.log.without_stacks():
        (write,) = hearing.writes()
    assert column_lines_of([write]) == expected("model <- planes.model IDENTITY; * <- planes.seats FILTER")


def test_a_kept_frame_that_is_gone_is_what_it_was_made_of(remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    frame = remote.table("planes").select("seats", "model")
    for _ in range(3):  # the server forgets each frame with the client's object
        frame = frame.withColumn("seats", frame["seats"] + 1).localCheckpoint(eager=True)
    frame.select(frame["seats"]).write.parquet(str(tmp_path / "out"))
    del frame
    with hearing.log.without_stacks():
        (write,) = hearing.writes()
    assert column_lines_of([write]) == expected("seats <- planes.seats TRANSFORMATION")


def test_a_statement_that_writes_several_tables_is_emitted_for_each(remote: Any, hearing: Hearing) -> None:
    for name in ("left_part", "right_part"):
        remote.sql(f"CREATE TABLE IF NOT EXISTS {name} (tailnum STRING) USING parquet")
    remote.sql("FROM flights INSERT INTO left_part SELECT tailnum INSERT OVERWRITE right_part SELECT carrier")
    writes = hearing.writes()
    assert lines_of(writes) == ["left_part <- flights", "right_part <- flights"]
    assert [(write.change, write.number) for write in writes] == [(None, 0), ("OVERWRITE", 1)]


def test_queries_and_statements_that_only_name_write_nothing(remote: Any, hearing: Hearing) -> None:
    for text in (
        "SELECT * FROM flights",
        "SHOW TABLES",
        "SET x = 3",
        "CREATE TABLE IF NOT EXISTS blank (n INT) USING parquet",
    ):
        remote.sql(text).collect()
    remote.table("flights").count()
    remote.table("flights").write.format("noop").mode("overwrite").save()
    assert hearing.writes() == []


def test_a_statement_is_emitted_as_it_was_written(remote: Any, hearing: Hearing) -> None:
    text = "CREATE TABLE connect_told USING parquet AS SELECT carrier FROM flights"
    remote.sql(text)
    (write,) = hearing.writes()
    assert (write.sql, write.command, write.change) == (text, "SQL CreateTableAsSelect", "CREATE")


def test_explaining_a_statement_does_not_run_it_again(remote: Any, hearing: Hearing) -> None:
    remote.sql("CREATE TABLE IF NOT EXISTS counted (n INT) USING parquet")
    remote.sql("INSERT INTO counted VALUES (1)")
    remote.sql("EXECUTE IMMEDIATE 'INSERT INTO counted VALUES (2)'")
    assert lines_of(hearing.writes()) == ["counted <- ", "counted <- "]
    assert remote.table("counted").count() == 2


def test_a_write_that_fails_reports_why_and_what_it_would_have_written(
    remote: Any, hearing: Hearing, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match="no such plane"):
        remote.sql("SELECT raise_error('no such plane') FROM flights").write.parquet(str(tmp_path / "out"))
    (write,) = hearing.writes()
    assert lines_of([write]) == ["out <- flights"]
    assert write.failure is not None
    assert "no such plane" in write.failure.message
    assert "JVM stacktrace" not in write.failure.message


def test_what_the_server_does_not_analyze_is_not_sent_to_it_again(
    remote: Any, hearing: Hearing, tmp_path: Path
) -> None:
    remote.range(1).write.parquet(str(tmp_path / "parts" / "first"))
    remote.read.parquet(str(tmp_path / "parts" / "*")).selectExpr("id + 1 AS n").write.parquet(str(tmp_path / "all"))
    for path in ("nowhere", "parts/first"):
        with pytest.raises(Exception, match="PATH_"):
            remote.read.parquet(str(tmp_path / path)).write.parquet(str(tmp_path / "parts" / "first"))
    with hearing.log.without_stacks():
        first, of_all, nowhere, again = hearing.writes()
    assert lines_of([first, of_all, nowhere, again]) == [
        "first <- ",
        "all <- first",
        "first <- nowhere",
        "first <- first",
    ]
    assert (nowhere.tier, nowhere.tier_reason) == ("tables", "the plan: the server does not analyze it")
    assert again.tier == "full"


def test_a_table_that_was_dropped_at_once_is_what_it_was(remote: Any, hearing: Hearing, tmp_path: Path) -> None:
    remote.table("flights").write.saveAsTable("staged")
    written = hearing.writes()
    remote.table("staged").write.parquet(str(tmp_path / "out"))
    remote.sql("DROP TABLE staged")
    assert lines_of([*written, *hearing.writes()]) == ["staged <- flights", "out <- staged", "staged <- "]


def test_a_target_without_a_name_is_refused(remote: Any, hearing: Hearing) -> None:
    with pytest.raises(Exception, match="DATA_SOURCE_NOT_FOUND"):
        remote.range(3).write.format("no.such.source").save()
    with pytest.raises(UnknownTarget, match="a target that nobody can name"):
        hearing.writes()


def test_sessions_and_threads_are_all_captured_each_once(
    remote: Any, endpoint: str, hearing: Hearing, tmp_path: Path
) -> None:
    others = [a_session(endpoint) for _ in range(2)]

    def write(number: int) -> None:
        session = [remote, *others][number % 3]
        session.table("flights").write.parquet(str(tmp_path / f"out{number}"))

    with ThreadPoolExecutor(3) as threads:
        list(threads.map(write, range(9)))
    writes = hearing.writes()
    for session in others:
        session.stop()
    assert sorted(lines_of(writes)) == [f"out{number} <- flights" for number in range(9)]
    assert len({write.execution_id for write in writes}) == 9


def test_a_session_s_views_are_its_own(remote: Any, endpoint: str, hearing: Hearing, tmp_path: Path) -> None:
    other = a_session(endpoint)
    for session, name in ((remote, "flights"), (other, "planes")):
        session.table(name).createOrReplaceTempView("mine")
    for number, session in enumerate((remote, other)):
        session.table("mine").write.parquet(str(tmp_path / f"out{number}"))
    assert lines_of(hearing.writes()) == ["out0 <- flights", "out1 <- planes"]
    other.stop()


def test_the_client_is_as_it_was_when_nobody_listens(remote: Any) -> None:
    kind = type(remote.client)
    before = {
        name: getattr(kind, name) for name in ("execute_command", "to_table", "to_pandas", "release_session", "close")
    }
    commands, later = Commands(remote.client), Commands(remote.client)
    assert kind.execute_command is not before["execute_command"]
    commands.close()
    assert kind.execute_command is not before["execute_command"]
    later.close()
    later.close()
    assert {name: getattr(kind, name) for name in before} == before


def test_what_finds_the_queue_full_is_counted(remote: Any) -> None:
    commands = Commands(remote.client, kept=1)
    for number in range(3):
        remote.range(number).createOrReplaceTempView("v")
    commands.close()
    assert commands.dropped == 2
    assert commands.next(0) is not None
    assert commands.next(0) is None


def test_the_application_ends_with_its_last_session(endpoint: str) -> None:
    first, second = a_session(endpoint), a_session(endpoint)
    commands = Commands(first.client, drain_s=0)
    second.range(1).createOrReplaceTempView("v")
    assert commands.next(0) is not None
    first.stop()
    second.stop()
    items = list(iter(lambda: commands.next(0), None))
    assert items[:2] == [Leaving(first.client), Leaving(second.client)]
    assert [type(item) for item in items[2:]] == [Ended]
    commands.close()


def test_one_line_captures_all_that_a_program_does_at_a_server(endpoint: str, tmp_path: Path) -> None:
    session = a_session(endpoint)
    out, emitted_to = str(tmp_path / "out"), tmp_path / "lineage.jsonl"
    session.conf.set("spark.headwater.capture.redactions", "'UA'")
    captured = capture(session, client=LineageClient(file=emitted_to, strict=True), namespace="n", name="emissions")
    assert capture(session) is captured
    assert (captured.state, captured.run[:2]) == ("on", ("n", "emissions"))
    session.sql("CREATE TABLE captured USING parquet AS SELECT * FROM flights WHERE carrier = 'UA'")
    session.createDataFrame([(1,)], "n int").write.parquet(out)
    assert captured.flush()
    assert captured.counts["writes"] == 2
    session.stop()
    captured.close()
    assert captured.state == "over"
    events = [json.loads(line) for line in emitted_to.read_text("utf-8").splitlines()]
    ends = [event for event in events if event["eventType"] == "COMPLETE"]
    assert [event["job"]["name"] for event in ends] == [
        "emissions.default_captured",
        f"emissions.{tmp_path.name}_out",
        "emissions",
    ]
    assert "'UA'" not in str(events)
    capturing = ends[1]["run"]["facets"]["headwater_capture"]
    assert (capturing["tier"], capturing["unknownInputs"]) == ("full", ["LocalRelation: rows of the program"])
    assert {event["run"]["facets"]["parent"]["run"]["runId"] for event in ends[:2]} == {captured.run_id}
