"""Rows become records: through a real Spark session and its workers, to a service on a real socket."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as sf

from headwater_model.ids import derive_node_id
from spark_client import LineageClient, RetryPolicy
from spark_client.current_run import JobRun, RunContext, enter, leave, reported_roots
from spark_client.rows.columns import select_lines
from spark_client.rows.emit import RowCounts, RowFault, emit_records
from spark_client.transport.retry import Clock
from tests.unit.spark_client.lineage_service import Service, failing, served

GUIDE = Path(__file__).parents[2] / "docs" / "emit_records.md"
NOON = 1_763_640_000
HASTE = RetryPolicy(deadline_s=2, attempt_s=2, connect_s=1, pause_s=0.1, pause_max_s=0.2)
FLIGHTS = [("UA1545", "landed"), ("B6725", "landed"), ("AA1141", "UA1545")]
CHECKED = "s3://checked/day=2013-01-01"


@pytest.fixture
def service() -> Iterator[Service]:
    with served() as service:
        yield service


@pytest.fixture
def queue_url(spark: SparkSession, service: Service, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return a queue that takes everything; the workers find it as they find one of AWS."""
    variables = {
        "AWS_ENDPOINT_URL_SQS": service.url,
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "us-east-1",
    }
    for name, value in variables.items():
        monkeypatch.setitem(spark.sparkContext.environment, name, value)
    service.faults = [failing(200, {"Successful": []})] * 100
    return f"{service.url}/123456789012/packed"


@pytest.fixture(scope="module")
def flights(spark: SparkSession) -> DataFrame:
    return spark.createDataFrame(FLIGHTS, "flight string, of string").withColumn("at", sf.lit(CHECKED))


def emit(df: DataFrame, **changes: Any) -> RowCounts:
    arguments = {"root_id": sf.lit("flights"), "parent_id": "of", "action": "CHECKED", "storage_location": "at"}
    given = {**arguments, "requested_at": NOON, **changes}
    return emit_records(df, **{name: value for name, value in given.items() if value is not None})


def queued(service: Service) -> list[dict[str, object]]:
    """Return every record of every message, by node."""
    messages = [json.loads(entry["MessageBody"]) for call in service.requests for entry in call["Entries"]]
    return sorted(
        (record for message in messages for record in message["records"]), key=lambda record: record["node_id"]
    )


def requested(service: Service) -> list[dict[str, object]]:
    """Return every record of every request, by node."""
    return sorted(
        (record for request in service.requests for record in request["records"]), key=lambda record: record["node_id"]
    )


@pytest.mark.parametrize("configured", ["by argument", "by environment"])
def test_rows_become_messages_of_the_packed_queue(
    flights: DataFrame, service: Service, queue_url: str, configured: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if configured == "by environment":
        monkeypatch.setenv("HEADWATER_QUEUE_URL", queue_url)
    counts = emit(
        flights, node_id="flight", queue_url=queue_url if configured == "by argument" else None, run_id="run-7"
    )

    assert counts == RowCounts(sent=3)
    assert counts.complete
    assert queued(service) == [
        {
            "root_id": "flights",
            "parent_id": of,
            "action_taken": "CHECKED",
            "recordedAt": NOON,
            "storage_location": CHECKED,
            "node_id": flight,
            "run_id": "run-7",
        }
        for flight, of in sorted(FLIGHTS)
    ]


def test_rows_become_requests_of_a_client(flights: DataFrame, service: Service) -> None:
    with LineageClient(url=service.url) as client:
        assert emit(flights, node_id="flight", client=client) == RowCounts(sent=3)

    assert {request["requested_at"] for request in service.requests} == {NOON}
    assert requested(service) == [
        {
            "root_id": "flights",
            "parent_id": of,
            "action_taken": "CHECKED",
            "node_id": flight,
            "storage_location": CHECKED,
        }
        for flight, of in sorted(FLIGHTS)
    ]


def test_rows_of_large_strings_are_as_any_others(flights: DataFrame, service: Service) -> None:
    conf = flights.sparkSession.conf
    conf.set("spark.sql.execution.arrow.useLargeVarTypes", "true")
    try:
        assert emit(flights, node_id="flight", client=LineageClient(url=service.url)) == RowCounts(sent=3)
    finally:
        conf.unset("spark.sql.execution.arrow.useLargeVarTypes")


def test_rows_are_recorded_at_the_time_of_their_clients_clock(flights: DataFrame, service: Service) -> None:
    with LineageClient(url=service.url, clock=Clock(now=lambda: 86_400.9)) as client:
        assert emit(flights, node_id="flight", client=client, requested_at=None) == RowCounts(sent=3)

    assert {request["requested_at"] for request in service.requests} == {86_400}


def test_rows_are_of_the_current_run_which_reports_their_roots(flights: DataFrame, service: Service) -> None:
    context = RunContext(JobRun("emissions", "emissions.check", str(uuid4())))
    enter(context)
    try:
        emit(flights, root_id=sf.col("of"), node_id="flight", client=LineageClient(url=service.url))
    finally:
        leave(context)

    assert sorted(reported_roots(context.run.run_id)) == ["UA1545", "landed"]
    assert {request["run_id"] for request in service.requests} == {context.run.run_id}


def test_ids_derived_from_a_key_are_those_that_python_derives(flights: DataFrame, service: Service) -> None:
    emit(flights, key=sf.concat("flight", sf.lit("é✈")), client=LineageClient(url=service.url))

    assert {record["node_id"] for record in requested(service)} == {
        derive_node_id("flights", of, "CHECKED", f"{flight}é✈", 0) for flight, of in FLIGHTS
    }


def test_the_guide_does_what_it_says(
    flights: DataFrame,
    service: Service,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (snippet,) = re.findall(r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    checked = str(tmp_path / "checked")
    flights.select("flight").coalesce(1).write.parquet(checked)
    monkeypatch.setenv("HEADWATER_URL", service.url)

    exec(snippet.replace('"checked"', repr(checked)), {"spark": flights.sparkSession})

    assert capsys.readouterr().out == ""
    assert [record["node_id"] for record in requested(service)] == ["AA1141", "B6725", "UA1545"]
    (place,) = {str(record["storage_location"]) for record in requested(service)}
    assert place.startswith("file:")
    assert place.endswith(".parquet")


PLACED = {"root_id": "flights", "parent_id": "landed", "action_taken": "CHECKED", "storage_location": "s3://b"}
# Values of a field that are just in order, or just not, and what is wrong then.
VALUES = [
    ("n", None),
    ("é" * 512, None),
    ('a\u0001\u007f\ufffe\uffff\U0001f600"\\', None),
    (" ", None),
    (None, "is required"),
    ("", "must not be empty"),
    ("é" * 1024 + "x", "must be at most {limit} bytes of UTF-8"),
]


@pytest.mark.parametrize(
    ("field", "limit"),
    [("root_id", 2048), ("parent_id", 2048), ("action_taken", 1024), ("node_id", 1024), ("storage_location", 2048)],
)
def test_rows_break_the_rules_that_the_service_has(spark: SparkSession, field: str, limit: int) -> None:
    records = [{**PLACED, "node_id": "n-1", field: value} for value, _ in VALUES]
    schema = ", ".join(f"{name} string" for name in records[0])
    lines = select_lines(spark.createDataFrame(records, schema), {"recordedAt": NOON}, nodes=False).collect()

    assert [line["reason"] for line in lines] == [
        None if rule is None else f"{field}: {rule.format(limit=limit)}" for _, rule in VALUES
    ]
    assert [json.loads(line["line"])[field] for line in lines if line["line"]] == [v for v, rule in VALUES if not rule]
    for record, line in zip(records, lines, strict=True):
        assert (line["reason"] is None) == _service_takes(record)


def _service_takes(record: dict[str, str | None]) -> bool:
    """True if the service's own check finds no fault; it is not installed with the older Spark."""
    pytest.importorskip("pydantic")
    from headwater.records.messages import parse_record
    from headwater_model.errors import Invalid

    try:
        parse_record({**record, "recordedAt": NOON})
    except Invalid:
        return False
    return True


def test_ids_that_are_no_text_or_their_own_parent_are_refused_and_the_others_arrive(
    spark: SparkSession, service: Service
) -> None:
    rows = [
        (bytearray(b"\xff\x01"), "a"),
        (bytearray(b"\xff\x02"), "a"),
        (bytearray(b"a"), "a"),
        (bytearray(b"b"), "a"),
    ]
    df = spark.createDataFrame(rows, "id binary, of string").withColumn("at", sf.lit(CHECKED))
    root = df.limit(1).select(sf.encode(sf.lit("flights"), "UTF-8"), sf.lit("flights"), sf.lit(CHECKED))

    counts = emit(df.union(root), node_id="id", client=LineageClient(url=service.url))

    assert (counts.sent, counts.failed, counts.refused) == (2, 0, 3)
    assert counts.faults == (
        RowFault("node_id: must be valid Unicode", 2, counts.faults[0].examples),
        RowFault(
            "node_id: must not be its own parent (only the root may be)",
            1,
            ('{"root_id":"flights","parent_id":"a","node_id":"a"}',),
        ),
    )
    assert len(counts.faults[0].examples) == 2
    assert [record["node_id"] for record in requested(service)] == ["b", "flights"]


def test_what_was_not_recorded_is_one_warning_and_the_job_lives_on(
    flights: DataFrame, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    service.faults = [failing(403, {"code": "Forbidden", "message": "no right to send"})] * 3
    bad = flights.withColumn("flight", sf.nullif("flight", sf.lit("B6725")))

    with caplog.at_level(logging.WARNING, "headwater.client"):
        counts = emit(bad.coalesce(1), node_id="flight", client=LineageClient(url=service.url))

    assert (counts.sent, counts.refused, counts.complete) == (0, 3, False)
    assert [record.message for record in caplog.records] == [
        "3 rows not recorded, 0 recorded: 2 rows: Forbidden: no right to send; 1 rows: node_id: is required"
    ]


def test_a_service_that_is_away_costs_the_rows_and_nothing_else(flights: DataFrame, service: Service) -> None:
    gone = LineageClient(url="http://127.0.0.1:1")

    counts = emit(flights.coalesce(1), node_id="flight", client=gone, retry=HASTE)

    assert (counts.sent, counts.failed, counts.refused) == (0, 3, 0)
    assert "Connection refused" in counts.faults[0].reason


def test_rows_that_cannot_be_computed_are_an_error_in_the_result(
    flights: DataFrame, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    broken = flights.withColumn("flight", sf.expr("raise_error('the tape is torn')").cast("string"))

    counts = emit(broken, node_id="flight", client=LineageClient(url=service.url))

    assert not counts.complete
    assert "the tape is torn" in (counts.error or "")
    assert caplog.messages == [f"rows not recorded: {counts.error}"]


def test_what_a_worker_raised_is_shown_without_its_stack(flights: DataFrame, service: Service) -> None:
    def lacking(batches: Iterator[Any]) -> Iterator[Any]:
        import no_such_package  # noqa: F401

        yield from batches

    broken = flights.mapInArrow(lacking, flights.schema)

    counts = emit(broken, node_id="flight", client=LineageClient(url=service.url))

    assert "ModuleNotFoundError: No module named 'no_such_package'" in (counts.error or "")


def test_without_a_place_to_send_to_no_job_runs(
    flights: DataFrame, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("HEADWATER_URL", "HEADWATER_FUNCTION", "HEADWATER_FILE", "HEADWATER_QUEUE_URL"):
        monkeypatch.delenv(name, raising=False)

    assert emit(flights, node_id="flight") == RowCounts(error="nowhere to send lineage to")
    assert "lineage is off" in caplog.text


def test_ids_that_another_try_would_make_anew_are_warned_of(
    flights: DataFrame, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    client = LineageClient(url=service.url)
    emit(flights.withColumn("unused", sf.rand()), node_id="flight", client=client)
    assert caplog.messages == []

    emit(flights, node_id=sf.expr("uuid()"), client=client)
    assert caplog.messages == [
        "rows with uuid(), rand() or the like may be recorded twice: write or persist them first"
    ]


def test_names_are_those_of_columns_as_spark_finds_them(spark: SparkSession, service: Service) -> None:
    df = spark.sql("SELECT named_struct('id', 'UA1545') AS flight, 'landed' AS `o.f`, 's3://b' AS at, 'flights' AS r")

    counts = emit(df, root_id="R", node_id="flight.id", parent_id="o.f", client=LineageClient(url=service.url))

    assert counts == RowCounts(sent=1)
    (record,) = requested(service)
    assert (record["root_id"], record["node_id"], record["parent_id"]) == ("flights", "UA1545", "landed")


@pytest.mark.parametrize(
    ("fields", "fault"),
    [
        (
            {"root_id": "flights"},
            r"root_id: 'flights' is no column of flight, of, at; a constant is sf.lit\('flights'\)",
        ),
        ({"node_id": None}, "node_id, key: give one of them"),
        ({"key": "of"}, "node_id, key: give one of them"),
        ({"run_id": "r" * 257}, "run_id: must be 1 to 256 bytes"),
        ({"requested_at": 1.5}, "requested_at: must be whole seconds since 1970, got 1.5"),
        ({"queue_url": "https://sqs.eu-west-1.amazonaws.com/1/q"}, "client, queue_url: give one of them"),
    ],
)
def test_a_call_that_is_wrong_is_raised(flights: DataFrame, fields: dict[str, object], fault: str) -> None:
    with pytest.raises((TypeError, ValueError), match=fault):
        emit(flights, **{"node_id": "flight", "client": LineageClient(url="http://127.0.0.1:1"), **fields})
