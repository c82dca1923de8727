"""Recordings that make no sense, or do not fit into an event."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.errors import Invalid
from spark_client import FieldOperation, LineageClient, OperationRecorder
from tests.unit.spark_client.lineage_service import SHORT, Service, Watch, failing, reply
from tests.unit.spark_client.recordings import (
    CHECKED,
    DROP,
    ESTIMATE,
    ESTIMATED,
    JOB,
    PLANES,
    READ,
    RUN,
    a_recorder,
    names_in,
    written_in,
)

BAD: dict[str, Any] = {
    "an unknown field": ([FieldOperation("a").inputs("x").outputs("y")], "operations[0].inputs[0]: must be emitted by"),
    "a source that is none": (
        [FieldOperation("a").reads("checked")],
        "operations[0].sources[0]: must be a dataset, as",
    ),
    "no operations": ([], "fields: must hold a field that an operation emits"),
    "no read": ([FieldOperation("now").outputs("t")], "operations: must hold at least one operation of type READ"),
    "another thing": ([7], "operations[0]: must be a JSON object, got 7"),
    "a description that is none": (
        [FieldOperation("a").reads(("s3://flights", "checked", 7))],  # type: ignore[arg-type]
        "operations[0].sources[0]: must be a dataset, as",
    ),
    "no name": ([FieldOperation("").outputs("y")], "operations[0].name: must not be blank"),
    "no field": ([FieldOperation("a").inputs(7)], "operations[0].inputs[0]: must be a string, got 7"),  # type: ignore[arg-type]
    "odd JSON": ([{"type": "READ", "name": "a"}], "operations[0].source: is required"),
}


@pytest.mark.parametrize(("given", "fault"), BAD.values(), ids=BAD)
def test_what_makes_no_sense_is_raised_if_strict_and_else_one_warning(
    lake: SimpleNamespace, caplog: pytest.LogCaptureFixture, given: list[Any], fault: str
) -> None:
    with a_recorder(lake) as strict, pytest.raises(Invalid) as caught:
        strict.record(ESTIMATED, given)
    assert str(caught.value).startswith(fault)

    with a_recorder(lake, strict=False) as recorder:
        recorder.record(ESTIMATED, given)
        recorder.record(ESTIMATED, given)
        recorder.record(("s3://flights", "seats"), [READ], ["tailnum"])

    (warning,) = caplog.messages
    assert warning.startswith(f"emissions.calculate: operations not recorded: {fault}")
    assert [written_in(event) for event in lake.events()] == [{"seats": ["read.tailnum"]}]


def test_every_fault_of_a_recording_is_logged(lake: SimpleNamespace) -> None:
    given = [FieldOperation("a").inputs("x", "y").outputs("z"), DROP]
    with a_recorder(lake) as recorder, pytest.raises(Invalid) as caught:
        recorder.record(ESTIMATED, given, ["z"])

    assert [fault.field for fault in caught.value.faults] == [
        "operations[0].inputs[0]",
        "operations[0].inputs[1]",
        "operations[1].inputs[0]",
    ]


class Broken:
    """A frame whose schema cannot be read, as on a session that has ended."""

    @property
    def schema(self) -> object:
        raise RuntimeError("the session has ended")


BROKEN_CALLS: dict[str, Any] = {
    "record": lambda recorder: recorder.record(ESTIMATED, [READ], Broken()),
    "no destination": lambda recorder: recorder.record("estimated", [READ]),
    "no list": lambda recorder: recorder.record(ESTIMATED, None),
    "stage": lambda recorder: recorder.stage("Clean").record([7]),
    "read": lambda recorder: recorder.read(CHECKED, Broken()),
    "write": lambda recorder: recorder.write(None),
    "names that are one": lambda recorder: recorder.write(ESTIMATED, "co2"),
    "declare": lambda recorder: recorder.declare("none.json"),
    "roots": lambda recorder: recorder.report_roots(7),
}


@pytest.mark.parametrize("call", BROKEN_CALLS.values(), ids=BROKEN_CALLS)
def test_the_job_lives_whatever_is_wrong(lake: SimpleNamespace, caplog: pytest.LogCaptureFixture, call: Any) -> None:
    with a_recorder(lake, strict=False) as recorder:
        call(recorder)

    assert len(caplog.messages) == 1
    assert lake.events() == []


def test_a_pipeline_that_makes_no_sense_is_left_out_and_the_rest_is_sent(
    lake: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    with a_recorder(lake, strict=False) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])
        recorder.stage("Clean").record([DROP])
        recorder.write(("s3://flights", "seats"), ["seats"])
        recorder.flush()

    assert caplog.messages == [
        "emissions.calculate: pipeline not recorded: pipeline.Clean.drop.inputs[0]: must be emitted by an earlier "
        "operation, got 'distance'; fields: must hold a field that an operation emits, got ['seats']"
    ]
    assert [written_in(event) for event in lake.events()] == [{"estimated": ["estimate.co2"]}]


def test_stages_that_lead_nowhere_are_logged_at_the_end(
    lake: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    with a_recorder(lake) as recorder:
        recorder.stage("Source").read(CHECKED, ["distance"])
        recorder.stage("Estimate").record([ESTIMATE])
        recorder.flush()

    assert caplog.messages == [
        "emissions.calculate: stages Source, Estimate: nothing is written, their operations are not recorded"
    ]
    assert lake.events() == []


def test_written_columns_without_operations_are_a_warning(
    lake: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2", "seats"])

    assert caplog.messages == ["emissions.calculate: no operation emits these fields written to estimated: seats"]
    assert written_in(lake.events()[0]) == {"estimated": ["estimate.co2"]}


def test_written_columns_that_are_guessed_are_one_warning_that_names_them(
    lake: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE])
        recorder.record(ESTIMATED, [READ, ESTIMATE])
        recorder.read(CHECKED, ["seats"])
        recorder.write(PLANES)
        recorder.flush()
        recorder.flush("RUNNING")

    assert caplog.messages == [
        "emissions.calculate: fields written to estimated: give them as `fields`, for they are guessed: tailnum, co2",
        "emissions.calculate: fields written to planes: give them as `fields`, for they are guessed: seats",
    ]


def wide(number: int, columns: int) -> list[FieldOperation]:
    """Columns of which each takes nearly 4 KB, in the read and in the write together."""
    fields = [f"column_{column}_".ljust(1_900, "x") for column in range(columns)]
    return [FieldOperation("read").reads(("s3://flights", f"wide_{number}")).outputs(*fields)]


def test_what_exceeds_an_event_travels_in_several(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        for number in range(4):
            recorder.record(("s3://flights", f"out_{number}"), wide(number, 450))
        recorder.report_roots(["flights"])

    events = lake.events()
    assert [list(written_in(event)) for event in events] == [["out_0", "out_1"], ["out_2", "out_3"]]
    assert all(len(json.dumps(event)) < 4_000_000 for event in events)
    assert ["headwater_records" in event["run"]["facets"] for event in events] == [True, False]
    for event in events:
        parse_event(event, NamingRules(), now=None)


def test_sets_that_are_too_much_together_travel_in_several_events(lake: SimpleNamespace) -> None:
    def all_of_all(number: int) -> list[FieldOperation]:
        """2,500 fields of 2,500 others: 6,250,000 pairs, of which the service takes 10,000,000."""
        inputs, outputs = ([f"{side}{column}" for column in range(2_500)] for side in "ab")
        read = FieldOperation("read").reads(("s3://flights", f"in_{number}")).outputs(*inputs)
        return [read, FieldOperation("merge").inputs(*inputs).outputs(*outputs)]

    with a_recorder(lake) as recorder:
        for number in range(2):
            recorder.record(("s3://flights", f"out_{number}"), all_of_all(number))

    assert [list(written_in(event)) for event in lake.events()] == [["out_0"], ["out_1"]]
    for event in lake.events():
        parse_event(event, NamingRules(), now=None)


def test_a_set_that_exceeds_every_event_is_cut_with_a_warning(
    lake: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    with a_recorder(lake) as recorder:
        (read,) = wide(0, 1_200)
        recorder.record(("s3://flights", "vast"), [read], read.content["outputs"])
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])

    assert [written_in(event) for event in lake.events()] == [{"estimated": ["estimate.co2"]}]
    assert caplog.messages == [
        "emissions.calculate: 2 operations that write vast are too many for an event: not recorded"
    ]


def test_roots_above_the_bound_are_cut_with_a_warning(lake: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    with a_recorder(lake) as recorder:
        recorder.report_roots(f"flight-{number}" for number in range(10_002))

    (event,) = lake.events()
    assert len(event["run"]["facets"]["headwater_records"]["rootIds"]) == 10_000
    assert caplog.messages == ["emissions.calculate: 2 record roots above 10000 of one run: not reported"]


def test_what_the_service_did_not_take_is_sent_again_with_the_next_flush(service: Service, watch: Watch) -> None:
    def taken(handler: Any) -> None:
        reply(handler, 201, b"")

    service.faults = [failing(400, {"code": "Invalid", "message": "no"}), taken]
    client = LineageClient(url=service.url, retry=SHORT, clock=watch.clock)
    recorder = OperationRecorder(client, JOB, run_id=RUN)
    recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])

    assert not recorder.flush()
    assert recorder.flush()
    assert recorder.flush()
    recorder.close()
    assert [names_in(request) for request in service.requests] == [["read", "estimate", "write"]] * 2
