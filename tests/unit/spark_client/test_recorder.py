"""Recordings of a job's fields, and the events that they become."""

from __future__ import annotations

import json
import logging
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from lineage.openlineage.naming import NamingRules
from lineage.openlineage.parse import parse_event
from lineage_model.errors import Invalid
from lineage_model.ids import DatasetId
from lineage_model.operations import InputField, Read, Transform, Write
from spark_client import FieldOperation, LineageClient, LineageRecorder
from spark_client.recorder.events import PRODUCER
from tests.unit.spark_client.lineage_service import SHORT, Service, Watch, failing, reply

FACETS = Path(__file__).parents[3] / "docs" / "facets"
JOB = ("emissions", "emissions.calculate")
RUN = "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c"
CHECKED = ("s3://flights", "checked")
PLANES = ("s3://flights", "planes")
ESTIMATED = ("s3://flights", "estimated")
AT = 1_357_016_400.5

READ = FieldOperation("read").reads(CHECKED).outputs("tailnum", "distance")
ESTIMATE = FieldOperation("estimate").describe("grams of CO2 a seat").inputs("distance").outputs(co2="double")
DROP = FieldOperation("drop").inputs("distance")


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[SimpleNamespace]:
    """Yield a client that writes to a file, and the events in it."""
    path = tmp_path / "lineage.jsonl"
    with LineageClient(file=path, strict=True) as client:
        yield SimpleNamespace(client=client, events=lambda: [json.loads(line) for line in _lines(path)])


def _lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def a_recorder(lake: SimpleNamespace, **options: Any) -> LineageRecorder:
    return LineageRecorder(lake.client, JOB, **{"run_id": RUN, "strict": True, "now": lambda: AT, **options})


def operations_in(event: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = event["run"]["facets"]["headwater_operations"]["operations"]
    return found


def names_in(event: dict[str, Any]) -> list[str]:
    return [one["name"] for one in operations_in(event)]


def written_in(event: dict[str, Any]) -> dict[str, list[str]]:
    """Return the destination of each write as `<origin>.<name>`."""
    writes = [one for one in operations_in(event) if one["type"] == "WRITE"]
    return {one["destination"]["name"]: [f"{i['origin']}.{i['name']}" for i in one["inputs"]] for one in writes}


def dataset(pair: tuple[str, str]) -> dict[str, str]:
    return {"namespace": pair[0], "name": pair[1]}


def test_operations_travel_in_an_event_of_the_run(lake: SimpleNamespace) -> None:
    with a_recorder(lake, parent=("emissions", "emissions", "p-1"), root=("emissions", "nightly", "r-1")) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE, DROP], ["tailnum", "co2"])

    parent = {
        "_producer": PRODUCER,
        "_schemaURL": "https://openlineage.io/spec/facets/1-1-0/ParentRunFacet.json#/$defs/ParentRunFacet",
        "run": {"runId": "p-1"},
        "job": {"namespace": "emissions", "name": "emissions"},
        "root": {"run": {"runId": "r-1"}, "job": {"namespace": "emissions", "name": "nightly"}},
    }
    operations = [
        {"type": "READ", "name": "read", "source": dataset(CHECKED), "outputs": ["tailnum", "distance"]},
        {
            "type": "TRANSFORM",
            "name": "estimate",
            "description": "grams of CO2 a seat",
            "inputs": [{"origin": "read", "name": "distance"}],
            "outputs": [{"name": "co2", "type": "double"}],
        },
        {"type": "TRANSFORM", "name": "drop", "inputs": [{"origin": "read", "name": "distance"}], "outputs": []},
        {
            "type": "WRITE",
            "name": "write",
            "inputs": [{"origin": "read", "name": "tailnum"}, {"origin": "estimate", "name": "co2"}],
            "destination": dataset(ESTIMATED),
        },
    ]
    facet = {
        "_producer": PRODUCER,
        "_schemaURL": "urn:headwater:facets:1-0-0:headwater_operations.json",
        "operations": operations,
    }
    assert lake.events() == [
        {
            "eventType": "OTHER",
            "eventTime": "2013-01-01T05:00:00.500000Z",
            "producer": PRODUCER,
            "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
            "run": {"runId": RUN, "facets": {"parent": parent, "headwater_operations": facet}},
            "job": {"namespace": "emissions", "name": "emissions.calculate"},
            "inputs": [dataset(CHECKED)],
            "outputs": [dataset(ESTIMATED)],
        }
    ]


def test_the_door_takes_what_is_sent_and_the_facets_are_as_their_schemas_say(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])
        recorder.report_roots(["flights-2013-01-01"])

    (event,) = lake.events()
    assert parse_event(event, NamingRules(), now=None).run_facets == event["run"]["facets"]
    for name in ("headwater_operations", "headwater_records"):
        schema = json.loads((FACETS / f"{name}.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        jsonschema.validate(event["run"]["facets"], {**schema, "required": [name]})


def test_each_flush_sends_all_that_was_recorded_so_far(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])
        assert recorder.flush()
        recorder.record(("s3://flights", "seats"), [FieldOperation("read").reads(PLANES).outputs("seats")], ["seats"])
        assert recorder.flush()

    first, second = lake.events()
    assert names_in(first) == ["read", "estimate", "write"]
    assert names_in(second) == ["read", "estimate", "write", "read#2", "write#2"]
    assert written_in(second) == {"estimated": ["estimate.co2"], "seats": ["read#2.seats"]}
    assert second["inputs"] == [dataset(CHECKED), dataset(PLANES)]


def test_the_same_once_more_changes_nothing(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        for _ in range(3):
            recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])
            recorder.stage("Clean").record([DROP])
            recorder.flush()

    assert len(lake.events()) == 1


def test_nothing_recorded_is_nothing_sent(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.flush()

    assert lake.events() == []


def test_a_recorder_that_owns_its_run_reports_its_beginning_and_its_end(lake: SimpleNamespace) -> None:
    with a_recorder(lake, owns_run=True) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])
    with pytest.raises(ZeroDivisionError), a_recorder(lake, owns_run=True, run_id="failing") as recorder:
        1 / 0  # noqa: B018

    assert [(one["run"]["runId"], one["eventType"], one["outputs"] != []) for one in lake.events()] == [
        (RUN, "START", False),
        (RUN, "COMPLETE", True),
        ("failing", "START", False),
        ("failing", "FAIL", False),
    ]


def test_the_type_of_an_event_may_be_given(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])
        recorder.flush("RUNNING")
        recorder.flush("COMPLETE")

    assert [one["eventType"] for one in lake.events()] == ["RUNNING", "COMPLETE"]


def test_the_run_is_that_of_the_records(lake: SimpleNamespace) -> None:
    with a_recorder(lake, run_id=None) as recorder:
        lake.client.record("flights", "flights", "ESTIMATED", "s3://flights/estimated", run_id=recorder.run_id)
        recorder.report_roots(["flights"])

    request, event = lake.events()
    assert event["run"]["runId"] == request["run_id"]
    assert event["run"]["facets"]["headwater_records"]["rootIds"] == ["flights"]


def test_roots_add_up(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.report_roots(["b", "a"])
        recorder.flush()
        recorder.report_roots(["a"])
        recorder.flush()
        recorder.report_roots(one for one in ("c", "a"))

    assert [one["run"]["facets"]["headwater_records"]["rootIds"] for one in lake.events()] == [
        ["b", "a"],
        ["b", "a", "c"],
    ]


def test_roots_that_no_record_may_have_spoil_nothing(lake: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    with a_recorder(lake) as recorder:
        recorder.report_roots(["a", "", "x" * 2_049, "\ud83d", "b"])

    (event,) = lake.events()
    assert event["run"]["facets"]["headwater_records"]["rootIds"] == ["a", "b"]
    assert len(caplog.messages) == 3
    assert caplog.messages[0].endswith(": record root '': must be 1 to 2048 bytes of UTF-8: not reported")


GIVEN: dict[str, Any] = {
    "of the model": [
        Write("out", (InputField("estimate", "co2"),), DatasetId(*ESTIMATED)),
        Transform("estimate", (InputField("in", "distance"),), ("co2",)),
        Read("in", DatasetId(*CHECKED), ("distance",)),
    ],
    "as CDAP's JSON": [
        {"type": "READ", "name": "in", "source": dataset(CHECKED), "outputs": ["distance"]},
        {
            "type": "TRANSFORM",
            "name": "estimate",
            "inputs": [{"origin": "in", "name": "distance"}],
            "outputs": ["co2"],
        },
        {
            "type": "WRITE",
            "name": "out",
            "inputs": [{"origin": "estimate", "name": "co2"}],
            "destination": dataset(ESTIMATED),
        },
    ],
    "as JSON of the first design": [
        {"name": "in", "inputs": ["source"], "outputs": ["distance"], "source": dataset(CHECKED)},
        {"name": "estimate", "inputs": ["distance"], "outputs": ["co2"]},
    ],
    "as the builder": [
        FieldOperation("in").reads(dataset(CHECKED)).outputs("distance"),
        FieldOperation("estimate").inputs("distance").outputs("co2"),
    ],
    "mixed": [
        FieldOperation("in").reads(DatasetId(*CHECKED)).outputs("distance"),
        Transform("estimate", (InputField("in", "distance"),), ("co2",)),
    ],
}


@pytest.mark.parametrize("given", GIVEN.values(), ids=GIVEN)
def test_operations_may_be_given_in_every_form(lake: SimpleNamespace, given: list[Any]) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, given)

    (event,) = lake.events()
    assert written_in(event) == {"estimated": ["estimate.co2"]}
    assert sorted(names_in(event))[:2] == ["estimate", "in"]


def test_operations_that_hold_their_writes_need_no_destination(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(None, GIVEN["of the model"])

    assert names_in(lake.events()[0]) == ["out", "estimate", "in"]


def a_column(name: str, kind: str) -> SimpleNamespace:
    return SimpleNamespace(name=name, dataType=SimpleNamespace(simpleString=lambda: kind))


STRUCT = SimpleNamespace(fields=[a_column("tailnum", "string"), a_column("co2", "double")])
SCHEMAS = {
    "a DataFrame": (SimpleNamespace(schema=STRUCT, columns=["tailnum", "co2"]), "string"),
    "its schema": (STRUCT, "string"),
    "its columns": (["tailnum", "co2"], None),
    "a pandas DataFrame": (SimpleNamespace(columns=["tailnum", "co2"]), None),
    "names and types": ([{"name": "tailnum", "type": "string"}, "co2"], "string"),
}


@pytest.mark.parametrize(("fields", "kind"), SCHEMAS.values(), ids=SCHEMAS)
def test_the_written_fields_may_be_a_frame_or_a_schema(lake: SimpleNamespace, fields: object, kind: str | None) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE], fields)

    (event,) = lake.events()
    assert written_in(event) == {"estimated": ["read.tailnum", "estimate.co2"]}
    assert operations_in(event)[0]["outputs"][0] == ({"name": "tailnum", "type": kind} if kind else "tailnum")


def test_a_column_that_holds_a_slash_is_one_name(lake: SimpleNamespace) -> None:
    rate = SimpleNamespace(schema=SimpleNamespace(fields=[a_column("co2/seat", "double")]))
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, [READ, FieldOperation("rate").inputs("distance").outputs(r"co2\/seat")], rate)

    assert written_in(lake.events()[0]) == {"estimated": [r"rate.co2\/seat"]}


def test_stages_need_no_destination_for_the_pipelines_writes_supply_it(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.read(CHECKED, ["tailnum", "distance"])
        estimate, clean = recorder.stage("Estimate"), recorder.stage("Clean")
        clean.record([DROP])
        estimate.record([ESTIMATE])
        recorder.write(ESTIMATED, ["tailnum", "co2"])

    (event,) = lake.events()
    assert names_in(event) == ["read", "Estimate.estimate", "Clean.drop", "write"]
    assert written_in(event) == {"estimated": ["read.tailnum", "Estimate.estimate.co2"]}


def test_each_write_takes_the_fields_as_they_are_at_its_place(lake: SimpleNamespace) -> None:
    half = FieldOperation("half").inputs("distance").outputs("distance")
    with a_recorder(lake) as recorder:
        recorder.stage("Source").read(CHECKED, ["distance"])
        recorder.write(("s3://flights", "before"), ["distance"])
        recorder.stage("Half").record([half])
        recorder.stage("Store").write(("s3://flights", "after"), ["distance"])

    (event,) = lake.events()
    assert names_in(event) == ["Source.read", "write", "Half.half", "Store.write"]
    assert written_in(event) == {"before": ["Source.read.distance"], "after": ["Half.half.distance"]}


DECLARED = {
    "stages": [
        {"name": "Source"},
        {
            "name": "Convert",
            "fieldMutations": [
                {"inputFields": ["distance"], "mutation": "rename", "outputField": {"name": "km", "type": "double"}},
                {"inputFields": ["tailnum"], "mutation": "delete"},
            ],
        },
        {"name": "Store"},
    ]
}


@pytest.mark.parametrize("form", ["path", "text", "dict"])
def test_operations_may_be_declared_beside_the_job(lake: SimpleNamespace, tmp_path: Path, form: str) -> None:
    path = tmp_path / "pipeline.json"
    path.write_text(json.dumps(DECLARED))
    with a_recorder(lake) as recorder:
        recorder.declare({"path": path, "text": str(path), "dict": DECLARED}[form])
        recorder.stage("Store").write(ESTIMATED, ["km"])
        recorder.stage("Source").read(CHECKED, ["tailnum", "distance"])

    (event,) = lake.events()
    assert names_in(event) == ["Source.read", "Convert.rename", "Convert.delete", "Store.write"]
    assert written_in(event) == {"estimated": ["Convert.rename.km"]}


def test_a_pipeline_and_whole_recordings_may_be_of_one_run(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.read(PLANES, ["seats"])
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])
        recorder.write(("s3://flights", "seats"), ["seats"])

    (event,) = lake.events()
    assert names_in(event) == ["read", "estimate", "write", "read#2", "write#2"]


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


def test_operations_that_name_their_origins_guess_nothing(
    lake: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, GIVEN["of the model"])

    assert caplog.messages == []


READ_FROM, WRITTEN_TO = "files that hold flights", "Kafka broker at localhost:9092"
DESCRIBED = {
    "as triples": ((*ESTIMATED, WRITTEN_TO), [FieldOperation("in").reads((*CHECKED, READ_FROM)).outputs("distance")]),
    "as objects": (
        {**dataset(ESTIMATED), "description": WRITTEN_TO},
        [FieldOperation("in").reads({**dataset(CHECKED), "description": READ_FROM}).outputs("distance")],
    ),
    "as JSON of the first design": (
        (*ESTIMATED, WRITTEN_TO),
        [
            {
                "name": "in",
                "inputs": ["source"],
                "outputs": ["distance"],
                "source": {**dataset(CHECKED), "description": READ_FROM},
            }
        ],
    ),
    "of the model": (
        None,
        [
            Read("in", DatasetId(*CHECKED), ("distance",), source_description=READ_FROM),
            Write(
                "out",
                (InputField("in", "distance"),),
                DatasetId(*ESTIMATED),
                destination_description=WRITTEN_TO,
            ),
        ],
    ),
}


@pytest.mark.parametrize(("destination", "given"), DESCRIBED.values(), ids=DESCRIBED)
def test_descriptions_of_endpoints_travel_with_them(lake: SimpleNamespace, destination: Any, given: list[Any]) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(destination, given, None if destination is None else ["distance"])

    read, written = operations_in(lake.events()[0])
    assert read["source"] == {**dataset(CHECKED), "description": READ_FROM}
    assert written["destination"] == {**dataset(ESTIMATED), "description": WRITTEN_TO}


def test_the_endpoints_of_a_pipeline_have_descriptions_too(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder:
        recorder.read((*CHECKED, READ_FROM), ["distance"])
        recorder.write((*ESTIMATED, WRITTEN_TO), ["distance"])

    read, written = operations_in(lake.events()[0])
    assert (read["source"]["description"], written["destination"]["description"]) == (READ_FROM, WRITTEN_TO)


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
        taken, made = ([f"{side}{column}" for column in range(2_500)] for side in "ab")
        read = FieldOperation("read").reads(("s3://flights", f"in_{number}")).outputs(*taken)
        return [read, FieldOperation("merge").inputs(*taken).outputs(*made)]

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
    recorder = LineageRecorder(client, JOB, run_id=RUN)
    recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])

    assert not recorder.flush()
    assert recorder.flush()
    assert recorder.flush()
    recorder.close()
    assert [names_in(request) for request in service.requests] == [["read", "estimate", "write"]] * 2


def test_a_job_that_forgets_to_close_sends_at_its_end(tmp_path: Path) -> None:
    job = f"""
from spark_client import FieldOperation, LineageClient, LineageRecorder
recorder = LineageRecorder(LineageClient(file={str(tmp_path / "lineage.jsonl")!r}), ("emissions", "job"))
recorder.record(("s3://flights", "out"), [FieldOperation("read").reads(("s3://flights", "in")).outputs("a")])
"""
    subprocess.run([sys.executable, "-c", job], check=True, cwd=FACETS.parents[1])

    assert len(_lines(tmp_path / "lineage.jsonl")) == 1


def test_a_recorder_stays_on_the_driver(lake: SimpleNamespace) -> None:
    with a_recorder(lake) as recorder, pytest.raises(TypeError, match="keep it out of what executors run"):
        pickle.dumps(recorder)


def test_importing_the_recorder_loads_no_library() -> None:
    code = "import sys, spark_client.recorder.recorder; print(*{name.partition('.')[0] for name in sys.modules})"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=FACETS.parents[1]
    )

    assert not {"pydantic", "boto3", "pyspark", "orjson", "openlineage"} & set(loaded.stdout.split())


def test_the_recorder_is_quiet_when_all_is_well(lake: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    # Of its own: the local stack of other tests polls on, and botocore logs each call.
    with caplog.at_level(logging.DEBUG, logger="headwater"), a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["tailnum", "co2"])

    assert [record.getMessage() for record in caplog.records if record.name.startswith("headwater")] == []
