"""A file refuses what the service would refuse: by the same rules, in the same words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.naming import AS_SENT
from headwater.events.parse import parse_event
from headwater.records.request import parse_request
from headwater_model.errors import Invalid, TooLarge
from headwater_model.named_datasets import DATASETS_MAX
from spark_client import DeliveryCounts, LineageClient, Refused
from spark_client.transport.choose import FileTransport
from tests.builders import NOON, a_request
from tests.builders_events import a_run_event, without
from tests.unit.events.spoiling import JSON, SPOILED, places, replaced

NOW = "2025-11-20T12:00:00.000000Z"
NAMELESS = without(a_run_event(), "job", "name")
BATCH = {**a_request(request_id="r", run_id="run"), "records": [{"node_id": "n", "storage_location": "s3://b"}, {}]}
REQUESTS = [a_request(node_id="n", requested_at=NOON), BATCH, {**a_request(), "record": {"node_id": "n"}}]


def written(send: str, body: dict[str, Any], folder: Path) -> str | None:
    """Return what a file refuses, or None if it holds the body."""
    path = folder / "lineage.jsonl"
    path.unlink(missing_ok=True)
    try:
        getattr(FileTransport(path, now=lambda: NOON), send)(json.dumps(body).encode(), 1.0)
    except Refused as error:
        assert not path.exists()
        return str(error)
    assert json.loads(path.read_bytes()) == body
    return None


def refused(error: Invalid) -> str:
    return str(Refused("Invalid", str(error)))


INPUTS = [{"namespace": "s3://b", "name": str(number)} for number in range(DATASETS_MAX)]
COLUMN = {
    "columnLineage": {"fields": {"a": {"inputFields": [{"namespace": "s3://b", "name": "source", "field": "a"}]}}}
}


@pytest.mark.parametrize(
    "wide",
    {
        "an output": {"outputs": ["raw"]},
        "a source of columns": {"outputs": [{**INPUTS[0], "facets": COLUMN}]},
        "partitions of a dataset": {"outputs": [{"namespace": "s3://b", "name": f"raw/day={day}"} for day in (1, 2)]},
        "as many as may be": {"outputs": [INPUTS[0]]},
    }.items(),
    ids=lambda item: item[0],
)
def test_an_event_of_too_many_datasets_is_refused_as_the_service_refuses_it(
    tmp_path: Path, wide: tuple[str, Any]
) -> None:
    event, expected = a_run_event(inputs=INPUTS, **wide[1]), None
    try:
        parse_event(event, AS_SENT, now=NOW)
    except TooLarge as error:
        expected = str(Refused("TooLarge", str(error)))

    assert (expected is None) == (wide[0] == "as many as may be")
    assert written("send_event", event, tmp_path) == expected


@given(SPOILED, JSON)
def test_a_spoiled_event_is_refused_as_the_service_refuses_it(
    tmp_path_factory: pytest.TempPathFactory, spoiled: tuple[Any, Any], new: object
) -> None:
    body, expected = json.loads(json.dumps(replaced(*spoiled, new), sort_keys=True)), None
    try:
        parse_event(body, AS_SENT, now=NOW)
    except Invalid as error:
        expected = refused(error)

    assert written("send_event", body, tmp_path_factory.getbasetemp()) == expected


@given(st.sampled_from([(form, place) for form in REQUESTS for place in places(form)]), JSON)
def test_a_spoiled_request_is_refused_as_the_service_refuses_it(
    tmp_path_factory: pytest.TempPathFactory, spoiled: tuple[Any, Any], new: object
) -> None:
    body, expected = json.loads(json.dumps(replaced(*spoiled, new), sort_keys=True)), None
    try:
        parse_request(body, now_s=NOON, new_id=lambda: "new")
    except Invalid as error:
        expected = refused(error)

    assert written("send", body, tmp_path_factory.getbasetemp()) == expected


def test_a_file_refuses_each_event_by_itself_as_the_service_would(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "lineage.jsonl"
    with LineageClient(file=path) as lineage:
        assert not lineage.emit(NAMELESS)
        assert lineage.emit_many([a_run_event(), {}, a_run_event(job="other")]) == DeliveryCounts(2, 1)

    assert [json.loads(line) for line in path.read_bytes().splitlines()] == [a_run_event(), a_run_event(job="other")]
    assert caplog.messages == [
        "1 events not recorded: Invalid: job.name: is required",
        "1 events not recorded: Invalid: eventTime: is required; producer: is required; job: is required; "
        "run: is required",
    ]
