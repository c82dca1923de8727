"""Transports of a capture's events: Headwater's client, or openlineage-python."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from spark_client.capturing.session.counts import Counts
from spark_client.capturing.session.settings import Settings
from spark_client.client import LineageClient
from spark_client.errors import Misconfigured
from spark_client.event_payloads import EventJson
from spark_client.record_requests import DeliveryCounts
from spark_client.transport.choose import choose_destination

if TYPE_CHECKING:
    from openlineage.client import OpenLineageClient

_NOWHERE = (
    "nowhere to send lineage to: set HEADWATER_URL, HEADWATER_FUNCTION or HEADWATER_FILE, spark.headwater.url, "
    "or OpenLineage's own configuration (OPENLINEAGE_URL, openlineage.yml, spark.openlineage.transport.type)"
)
_NOT_INSTALLED = "OpenLineage's transports need the package openlineage-python"


def open_event_transport(
    client: object, settings: Settings, environment: Mapping[str, str], counts: Counts, *, at_once: bool = True
) -> HeadwaterTransport | OpenLineageTransport:
    """Choose the transport: the given client's, or else by the job's configuration.

    Unless opened `at_once`, the sending thread loads openlineage-python, which takes a second.

    Raises:
        Misconfigured: the client or the configuration is missing or invalid.
    """
    if isinstance(client, LineageClient):
        return HeadwaterTransport(client, counts)
    if client is not None:
        given = _given(client)
        return OpenLineageTransport(lambda: given, counts, type(given.transport).__name__)
    # Headwater's own destinations come before OpenLineage's configuration.
    to = settings.destination
    if to.url or to.function or to.file:
        choose_destination(to, {})
        return HeadwaterTransport(
            LineageClient(url=to.url, function=to.function, file=to.file, token=to.token, auth=to.auth), counts
        )
    if settings.transport is None and not _is_configured(environment):
        raise Misconfigured(_NOWHERE)
    _check_installed()
    conf = settings.transport or {"type": "the transport of openlineage-python's configuration"}
    place = " ".join(str(conf[key]) for key in ("type", "url") if key in conf)
    transport = OpenLineageTransport(partial(_configured, settings.transport), counts, place)
    if at_once:
        transport.open()
    return transport


class HeadwaterTransport:
    """Transport by a `LineageClient`; the client retries and warns by itself.

    Attributes:
        place: destination, for a person.
    """

    def __init__(self, client: LineageClient, counts: Counts) -> None:
        to = client.destination
        self.place = "nowhere" if to is None else to.url or to.function or str(to.file)
        self._client = client
        self._counts = counts

    def send(self, events: Sequence[EventJson]) -> DeliveryCounts:
        """Send the events in few requests."""
        delivered = self._client.emit_many(events)
        if delivered.failed:
            self._counts.last_loss = self._client.last_failure
        return delivered

    def hurry(self) -> None:
        """Let the client stop its retries soon."""
        self._client.hurry()

    def close(self, timeout_s: float) -> bool:  # noqa: ARG002 - it keeps nothing
        """Close its connections."""
        self._client.close()
        return True


class OpenLineageTransport:
    """Transport by a client of openlineage-python; each event goes by itself, as the package's `RunEvent`.

    Attributes:
        place: destination, for a person.
    """

    def __init__(self, open_client: Callable[[], OpenLineageClient], counts: Counts, place: str) -> None:
        self.place = place
        self._open_client = open_client
        self._client: OpenLineageClient | None = None
        self._counts = counts

    def open(self) -> OpenLineageClient:
        """Open the client at the first call.

        Raises:
            Misconfigured: the package refuses this configuration.
        """
        if self._client is None:
            self._client = self._open_client()
        return self._client

    def send(self, events: Sequence[EventJson]) -> DeliveryCounts:
        """Send the events in turn, also after a failure."""
        client, failed = self.open(), 0
        for event in events:
            try:
                client.emit(run_event_of(json.loads(event)))
            except Exception as error:  # noqa: BLE001 - transports raise their libraries' errors
                failed += 1
                self._counts.warn_of_loss(f"{type(error).__name__}: {error}")
        return DeliveryCounts(len(events) - failed, failed)

    def hurry(self) -> None:
        """Do nothing: the package has its own rules of retries."""

    def close(self, timeout_s: float) -> bool:
        """Wait for a transport with a queue of its own."""
        return self._client is None or bool(self._client.close(timeout_s))


def run_event_of(event: Mapping[str, Any]) -> Any:
    """Make openlineage-python's `RunEvent` of an event.

    Its facets stay mappings, except the parent: the Kafka transport uses its attributes.
    """
    from openlineage.client import event_v2
    from openlineage.client.facet_v2 import parent_run

    run, job = event["run"], event["job"]
    facets = dict(run.get("facets") or {})
    parent = facets.get("parent")
    if parent:
        root = parent.get("root")
        facets["parent"] = parent_run.ParentRunFacet(
            run=parent_run.Run(**parent["run"]),
            job=parent_run.Job(**parent["job"]),
            root=root and parent_run.Root(parent_run.RootRun(**root["run"]), parent_run.RootJob(**root["job"])),
            producer=parent["_producer"],
        )
    return event_v2.RunEvent(
        eventType=event_v2.RunState(event["eventType"]),
        eventTime=event["eventTime"],
        run=event_v2.Run(run["runId"], facets),
        job=event_v2.Job(job["namespace"], job["name"], dict(job.get("facets") or {})),
        inputs=[event_v2.InputDataset(**dataset) for dataset in event.get("inputs", ())],
        outputs=[event_v2.OutputDataset(**dataset) for dataset in event.get("outputs", ())],
        producer=event["producer"],
    )


def _check_installed() -> None:
    if find_spec("openlineage") is None:
        raise Misconfigured(_NOT_INSTALLED)


def _given(client: object) -> OpenLineageClient:
    _check_installed()
    from openlineage.client import OpenLineageClient
    from openlineage.client.transport import Transport

    if isinstance(client, OpenLineageClient):
        return client
    if isinstance(client, Transport):
        return OpenLineageClient(transport=client)
    raise Misconfigured(
        f"client is a {type(client).__name__}: must be a LineageClient, or a client or transport of openlineage-python"
    )


def _configured(transport: Mapping[str, Any] | None) -> OpenLineageClient:
    from openlineage.client import OpenLineageClient

    try:
        return OpenLineageClient(config={"transport": dict(transport)} if transport else None)
    except Exception as error:  # any error of the transport's configuration
        raise Misconfigured(f"OpenLineage's transport: {type(error).__name__}: {error}") from error


def _is_configured(environment: Mapping[str, str]) -> bool:
    """True if openlineage-python finds a configuration; else it would print events to the console."""
    if environment.get("OPENLINEAGE_URL") or any(name.startswith("OPENLINEAGE__TRANSPORT") for name in environment):
        return True
    files = (environment.get("OPENLINEAGE_CONFIG"), "openlineage.yml", "~/.openlineage/openlineage.yml")
    return any(name and os.access(Path(name).expanduser(), os.R_OK) for name in files)
