from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from openlineage.client import OpenLineageClient
from openlineage.client.serde import Serde
from openlineage.client.transport import Transport

from spark_client import LineageClient, Misconfigured
from spark_client.capturing.events import run_events
from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.event_transports import (
    HeadwaterTransport,
    OpenLineageTransport,
    open_event_transport,
    run_event_of,
)
from spark_client.capturing.session.settings import Settings
from spark_client.current_run import JobRun, RunContext
from spark_client.event_payloads import Event, EventJson
from spark_client.record_requests import DeliveryCounts
from spark_client.transport.destination import Destination
from tests.unit.spark_client.capturing.fake_executions import a_write, an_execution
from tests.unit.spark_client.lineage_service import Service, failing

RUN = "0176a8c2-fe01-7439-87e6-56a1a1b4029f"
PARENT = JobRun("airflow", "nightly", "1176a8c2-fe01-7439-87e6-56a1a1b4029f")
APPLICATION = run_events.Application(RunContext(JobRun("emissions", "calculate", RUN), PARENT), "4.3.0")


class Recording(Transport):
    """Transport of openlineage-python that keeps the events it gets, except those it is set to refuse."""

    kind = "recording"

    def __init__(self, refused: int = 0) -> None:
        self.taken: list[Any] = []
        self.refused = refused

    def emit(self, event: Any) -> None:
        if self.refused:
            self.refused -= 1
            raise ConnectionError("reset")
        self.taken.append(json.loads(Serde.to_json(event)))


@pytest.fixture(autouse=True)
def nothing_configured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def emitted_events() -> list[Event]:
    return run_events.write_events(a_write(an_execution(1)), APPLICATION, "calculate.flights_estimated")


def emitted_json() -> list[EventJson]:
    return [event.json for event in emitted_events()]


def without_clients_own(event: Any) -> Any:
    """Return an event but for what openlineage-python's client puts in by itself, and its form of the parent facet."""
    event["run"]["facets"].pop("tags", None)
    event["job"]["facets"].pop("sourceCodeLocation", None)
    for output in event["outputs"]:
        output.setdefault("outputFacets", {})
    parent = event["run"]["facets"]["parent"]
    event["run"]["facets"]["parent"] = (
        parent["run"]["runId"],
        parent["job"]["namespace"],
        parent["job"]["name"],
        parent["root"]["run"]["runId"],
        parent["root"]["job"]["namespace"],
        parent["root"]["job"]["name"],
    )
    return event


def test_events_reach_headwater(tmp_path: Path) -> None:
    events_to = open_event_transport(LineageClient(file=tmp_path / "out.jsonl"), Settings(), {}, Counts())
    assert isinstance(events_to, HeadwaterTransport)
    assert events_to.send(emitted_json()) == DeliveryCounts(2, 0)
    assert (tmp_path / "out.jsonl").read_bytes().splitlines() == emitted_json()
    assert events_to.close(1)


def test_events_reach_a_transport_of_openlineage_as_they_are() -> None:
    transport = Recording()
    events_to = open_event_transport(transport, Settings(), {}, Counts())
    sent = [*emitted_events(), run_events.application_event(APPLICATION, "COMPLETE", 5)]
    assert events_to.send([event.json for event in sent]) == DeliveryCounts(3, 0)
    assert [without_clients_own(event) for event in transport.taken] == [
        without_clients_own(json.loads(Serde.to_json(event))) for event in sent
    ]


def test_an_event_is_keyed_for_kafka_by_the_run_above_it() -> None:
    from openlineage.client.transport.kafka import KafkaTransport

    key = KafkaTransport._get_message_key(object.__new__(KafkaTransport), run_event_of(emitted_events()[0]))
    assert key == "run:airflow/nightly"


def test_a_client_of_openlineage_is_taken_as_it_is() -> None:
    transport = Recording()
    assert open_event_transport(OpenLineageClient(transport=transport), Settings(), {}, Counts()).send(emitted_json())
    assert len(transport.taken) == 2


def test_an_event_that_is_not_taken_does_not_keep_the_next_ones(caplog: pytest.LogCaptureFixture) -> None:
    transport, counts = Recording(refused=1), Counts()
    assert open_event_transport(transport, Settings(), {}, counts).send(emitted_json()) == DeliveryCounts(1, 1)
    assert [event["eventType"] for event in transport.taken] == ["COMPLETE"]
    warned = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert warned == ["capture: events are not sent: ConnectionError: reset"]


@pytest.mark.parametrize(
    ("settings", "environment", "kind"),
    [
        (Settings(destination=Destination(file="x.jsonl")), {}, HeadwaterTransport),
        (Settings(destination=Destination(file="x.jsonl"), transport={"type": "console"}), {}, HeadwaterTransport),
        (Settings(transport={"type": "console"}), {}, OpenLineageTransport),
        (Settings(), {"OPENLINEAGE_URL": "http://h"}, OpenLineageTransport),
        (Settings(), {"OPENLINEAGE__TRANSPORT__TYPE": "console"}, OpenLineageTransport),
    ],
)
def test_the_place_is_headwaters_then_openlineages(
    settings: Settings, environment: dict[str, str], kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert isinstance(open_event_transport(None, settings, environment, Counts()), kind)


def test_openlineages_file_is_enough(tmp_path: Path) -> None:
    (tmp_path / "openlineage.yml").write_text("transport: {type: file, log_file_path: out.jsonl, append: true}")
    events_to = open_event_transport(None, Settings(), {}, Counts())
    assert events_to.send(emitted_json()) == DeliveryCounts(2, 0)
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == 2


@pytest.mark.parametrize(
    ("client", "settings", "message"),
    [
        (None, Settings(), "nowhere to send lineage to: set HEADWATER_URL"),
        ("http://h", Settings(), "client is a str: must be a LineageClient, or"),
        (None, Settings(destination=Destination(file="a", url="http://b")), "url and file are both set"),
        (None, Settings(transport={"type": "http"}), "OpenLineage's transport: RuntimeError"),
        (None, Settings(transport={"type": "no.such.Thing"}), "OpenLineage's transport: "),
    ],
)
def test_an_invalid_configuration_is_named(client: object, settings: Settings, message: str) -> None:
    with pytest.raises(Misconfigured, match=message):
        open_event_transport(client, settings, {}, Counts())


def test_a_service_that_refuses_every_event_for_one_reason_is_one_warning(
    service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    service.faults = [failing(403, {"message": "Forbidden"})] * 10
    events_to = HeadwaterTransport(LineageClient(url=service.url), Counts())
    assert [events_to.send(emitted_json()) for _ in range(10)] == [DeliveryCounts(0, 2)] * 10
    warned = [record.message for record in caplog.records if record.levelno == logging.WARNING]
    assert len(warned) == 1
