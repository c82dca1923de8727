"""Recordings of a job's fields, and the events that they become."""

from __future__ import annotations

import json
import logging
import pickle
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest

from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater_model.ids import DatasetId
from headwater_model.operations import InputField, Read, Transform, Write
from spark_client import FieldOperation, LineageRecorder, OperationRecorder
from spark_client.version import PRODUCER
from tests.unit.spark_client.recordings import (
    CHECKED,
    DROP,
    ESTIMATE,
    ESTIMATED,
    FACETS,
    PLANES,
    READ,
    RUN,
    a_recorder,
    dataset,
    names_in,
    operations_in,
    written_in,
)


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


def test_a_recorder_that_owns_its_run_reports_its_beginning_and_its_end(lake: SimpleNamespace) -> None:
    with a_recorder(lake, owns_run=True) as recorder:
        recorder.record(ESTIMATED, [READ, ESTIMATE], ["co2"])
    with pytest.raises(ZeroDivisionError), a_recorder(lake, owns_run=True, run_id="failing") as recorder:
        1 / 0  # noqa: B018

    assert [(event["run"]["runId"], event["eventType"], event["outputs"] != []) for event in lake.events()] == [
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

    assert [event["eventType"] for event in lake.events()] == ["RUNNING", "COMPLETE"]


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
        recorder.report_roots(root for root in ("c", "a"))

    assert [event["run"]["facets"]["headwater_records"]["rootIds"] for event in lake.events()] == [
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


def test_a_job_that_forgets_to_close_sends_at_its_end(tmp_path: Path) -> None:
    job = f"""
from spark_client import FieldOperation, LineageClient, OperationRecorder
recorder = OperationRecorder(LineageClient(file={str(tmp_path / "lineage.jsonl")!r}), ("emissions", "job"))
recorder.record(("s3://flights", "out"), [FieldOperation("read").reads(("s3://flights", "in")).outputs("a")])
"""
    subprocess.run([sys.executable, "-c", job], check=True, cwd=FACETS.parents[1])

    assert len((tmp_path / "lineage.jsonl").read_text("utf-8").splitlines()) == 1


def test_the_recorder_is_found_by_its_old_name_too() -> None:
    assert LineageRecorder is OperationRecorder


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


def test_operations_that_name_their_origins_guess_nothing(
    lake: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    with a_recorder(lake) as recorder:
        recorder.record(ESTIMATED, GIVEN["of the model"])

    assert caplog.messages == []
