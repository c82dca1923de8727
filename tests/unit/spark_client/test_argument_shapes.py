"""Every public function of the thin client, each of its arguments, and everything that the argument is not."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from headwater_model.errors import Invalid
from spark_client import (
    FieldOperation,
    LineageClient,
    LineageError,
    OperationRecorder,
    Record,
    Step,
    emit_records,
)
from tests.unit.spark_client.a_client import CHECKED, NOW, RAW, ROOT, a_client
from tests.unit.spark_client.lineage_service import Service, Watch

JOB, ESTIMATED = ("emissions", "emissions.calculate"), ("s3://flights", "estimated")
READ = FieldOperation("read").reads(("s3://flights", "checked")).outputs("distance")

NO_TEXT: list[Any] = [7, 1.5, True, b"ab", ["ab"], {"a": "b"}, ("a", "b"), object()]
NO_SECONDS: list[Any] = ["noon", 1.5, True, [NOW], b"1", -1, NOW + 86_402]
NO_ITERABLE: list[Any] = [None, 7, True, "ab", b"ab", {"storage_location": RAW, "node_id": "raw"}]
NO_RECORDS = [
    *NO_ITERABLE,
    Record(RAW, "raw"),
    ["ab", "cd"],
    [{"storage_location": RAW, "node_id": "raw"}],
    [(RAW, "raw")],
    [Record(RAW, "raw"), None],
    *([Record(RAW, wrong)] for wrong in NO_TEXT),
    *([Record(wrong)] for wrong in NO_TEXT),
    [Record()],
]
NO_STEPS = [
    *NO_ITERABLE,
    Step(ROOT, ROOT, "READ", RAW),
    ["abcde"],
    [{"root_id": ROOT, "parent_id": ROOT, "action_taken": "READ", "storage_location": RAW}],
    [(ROOT, ROOT, "READ", RAW, "raw")],
    [Record(RAW, "raw")],
]
NO_EVENTS: list[Any] = [None, 7, "ab", b"ab", {"eventType": "START"}]
NO_PAIR: list[Any] = [7, "ab", "job", b"ab", {"namespace": "n", "name": "j"}, ("n",), ("n", "j", "r"), ("n", 7), [], ()]
NO_RUN: list[Any] = [7, "run", ("n", "j"), ("n", "j", 7), {"namespace": "n"}, (), ""]
NO_DATASET: list[Any] = [7, "ab", b"ab", ("n",), ("n", 7), ("n", "d", 7), {"namespace": "n"}, []]
NO_COLUMN: list[Any] = [7, True, b"ab", ["a"], {"a": "b"}, None]
REQUIRED: dict[str, list[Any]] = {name: [*NO_TEXT, None] for name in ("root_id", "parent_id", "action_taken")}
OPTIONS: dict[str, list[Any]] = {"run_id": NO_TEXT, "request_id": NO_TEXT, "requested_at": NO_SECONDS}


class Column:
    """A column of Spark, as far as an argument is checked before it is used."""

    def cast(self, _: str) -> Column:
        return self


def row_fields(client: LineageClient, **given: Any) -> object:
    frame = SimpleNamespace(mapInArrow=None, columns=["flight"])
    usual = {name: Column() for name in ("root_id", "parent_id", "action", "storage_location", "node_id")}
    return emit_records(**{"df": frame, **usual, "client": client, **given})  # type: ignore[arg-type]


def recorder(client: LineageClient, **given: Any) -> OperationRecorder:
    return OperationRecorder(**{"client": client, "job": JOB, "strict": True, **given})


def operation(part: str) -> Callable[..., object]:
    """Return the recording of an operation with something else in one of its parts."""

    def record(client: LineageClient, **given: Any) -> None:
        built = FieldOperation(given["name"]) if part == "name" else getattr(FieldOperation("a"), part)(*given.values())
        recorder(client).record(ESTIMATED, [READ, built], ["distance"])

    return record


STEP = {"root_id": ROOT, "parent_id": ROOT, "action_taken": "READ"}
# Function, its arguments that are right, and what each must not be.
CALLS: dict[str, tuple[Callable[..., object], dict[str, Any], dict[str, list[Any]]]] = {
    "record": (
        lambda client, **given: client.record(**given),
        {**STEP, "storage_location": RAW},
        {**REQUIRED, "storage_location": [*NO_TEXT, None], "node_id": NO_TEXT, **OPTIONS},
    ),
    "record_many": (
        lambda client, **given: client.record_many(**given),
        {**STEP, "records": [Record(RAW, "raw"), Record(CHECKED, "checked")]},
        {**REQUIRED, "records": NO_RECORDS, "storage_location": NO_TEXT, **OPTIONS},
    ),
    "record_all": (
        lambda client, **given: client.record_all(**given),
        {"steps": [Step(ROOT, ROOT, "READ", RAW)]},
        {"steps": NO_STEPS, **OPTIONS, "threads": ["8", None, 1.5, True, 0, -1]},
    ),
    "Step": (
        lambda client, **given: client.record_all([Step(**given)]),
        {**STEP, "storage_location": RAW},
        {**REQUIRED, "storage_location": [*NO_TEXT, None], "node_id": NO_TEXT},
    ),
    "emit": (lambda client, **given: client.emit(**given), {}, {"event": [None, 7, "ab", b"ab", [], object()]}),
    "emit_many": (lambda client, **given: client.emit_many(**given), {}, {"events": NO_EVENTS}),
    "emit_records": (
        row_fields,
        {},
        {
            "df": [None, 7, "flights", [{"flight": "UA1545"}]],
            **dict.fromkeys(("root_id", "parent_id", "action", "storage_location"), NO_COLUMN),
            "node_id": NO_COLUMN[:-1],
            "client": ["http://host", 7],
            "queue_url": NO_TEXT,
            "run_id": NO_TEXT,
            "requested_at": NO_SECONDS[:-1],
        },
    ),
    "OperationRecorder": (
        recorder,
        {},
        {"client": [None, 7, "http://host"], "job": NO_PAIR, "run_id": NO_TEXT, "parent": NO_RUN, "root": NO_RUN},
    ),
    "OperationRecorder.record": (
        lambda client, **given: recorder(client).record(**{"destination": ESTIMATED, "operations": [READ], **given}),
        {},
        {
            "destination": NO_DATASET,
            "operations": [None, 7, "ab", READ.content, READ, ["ab"], [7], [None]],
            "fields": [7, "distance", {"distance": "int"}, [7]],
        },
    ),
    "OperationRecorder.stage": (
        lambda client, **given: recorder(client).stage(**given),
        {},
        {"name": [*NO_TEXT, None]},
    ),
    "OperationRecorder.read": (
        lambda client, **given: recorder(client).read(**{"source": ESTIMATED, "fields": ["distance"], **given}),
        {},
        {"source": [*NO_DATASET, None], "fields": [None, 7, "distance", [7]]},
    ),
    "OperationRecorder.write": (
        lambda client, **given: recorder(client).write(**{"destination": ESTIMATED, "fields": ["distance"], **given}),
        {},
        {"destination": [*NO_DATASET, None], "fields": [7, "distance", [7]]},
    ),
    "OperationRecorder.report_roots": (
        lambda client, **given: recorder(client).report_roots(**given),
        {},
        {"root_ids": [None, 7, b"ab", {"a": "b"}]},
    ),
    "OperationRecorder.flush": (
        lambda client, **given: recorder(client).flush(**given),
        {},
        {"event_type": [*NO_TEXT, None]},
    ),
    **{
        f"FieldOperation.{part}": (operation(part), {}, {part: wrong})
        for part, wrong in {
            "name": NO_TEXT,
            "describe": NO_TEXT,
            "reads": NO_DATASET,
            "inputs": NO_TEXT,
            "outputs": [wrong for wrong in NO_TEXT if not isinstance(wrong, dict)],
        }.items()
    },
    "LineageClient": (
        lambda _, **given: LineageClient(strict=True, **given),
        {},
        dict.fromkeys(("url", "function", "file"), NO_TEXT),
    ),
}
# What a fault calls an argument that is a field of an operation.
FIELDS = {"describe": "description", "reads": "sources"}
CASES = [
    pytest.param(call, right, argument, shapes, id=f"{name} {argument}")
    for name, (call, right, arguments) in CALLS.items()
    for argument, shapes in arguments.items()
]


@pytest.mark.parametrize(("call", "right", "argument", "shapes"), CASES)
def test_an_argument_of_another_shape_is_named_before_anything_is_sent(
    service: Service,
    watch: Watch,
    call: Callable[..., object],
    right: dict[str, Any],
    argument: str,
    shapes: list[object],
) -> None:
    for wrong in shapes:
        with pytest.raises((TypeError, ValueError, Invalid, LineageError)) as caught:
            call(a_client(service, watch, strict=True), **{**right, argument: wrong})

        assert re.search(rf"\b{FIELDS.get(argument, argument)}\b", str(caught.value)), wrong
        assert service.requests == [], wrong


@pytest.mark.parametrize(("call", "right"), [(call, right) for call, right, _ in CALLS.values() if right])
def test_the_same_calls_with_right_arguments_are_sent(
    service: Service, watch: Watch, call: Callable[..., object], right: dict[str, Any]
) -> None:
    call(a_client(service, watch, strict=True), **right)

    assert len(service.requests) == 1


def test_a_job_goes_on_when_its_data_are_no_text(
    service: Service, watch: Watch, caplog: pytest.LogCaptureFixture
) -> None:
    lineage = a_client(service, watch)

    result = lineage.record_many(ROOT, ROOT, "READ", [Record(RAW, "raw"), Record(RAW, 7)])  # type: ignore[arg-type]

    assert (result.delivered, lineage.sent, lineage.failed, service.requests) == (False, 0, 2, [])
    assert caplog.messages == ["2 records of READ not recorded: Invalid: records[1].node_id: must be a string, got 7"]
