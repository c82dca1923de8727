"""OpenLineage events as the client sends them: dicts, or openlineage-python's own events where it is installed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from headwater_model.errors import print_value
from spark_client.errors import Refused, Undelivered
from spark_client.record_requests import BODY_MAX_BYTES, DeliveryCounts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from spark_client.transport.destination import Json, Transport

# The service's bound on a batch.
EVENTS_MAX = 1_000


class EventJson(bytes):
    """Event as JSON in UTF-8."""


class Event(dict[str, Any]):
    """Event with its JSON, rendered at most once."""

    @cached_property
    def json(self) -> EventJson:
        """Render the event as JSON; raise `Refused` if it has none."""
        return rendered(self)


class EventPayload:
    """One event."""

    def __init__(self, event: object) -> None:
        self._event = event

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Hand over the event."""
        transport.send_event(rendered(self._event), timeout_s)
        return {}

    def count(self, *, delivered: bool) -> DeliveryCounts:
        """Count the event as sent or as failed."""
        return DeliveryCounts(1, 0) if delivered else DeliveryCounts(0, 1)

    def describe(self, count: int) -> str:
        """Describe the number of events."""
        return f"{count} events"


class EventsPayload:
    """Events sent together; each is accepted or refused by itself, and retriable events are sent again."""

    def __init__(self, events: list[bytes], refused: list[str]) -> None:
        self._total = len(events) + len(refused)
        self._left = events
        self._is_sent = bool(events)
        self._refused = refused

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Send the events without an acceptance so far."""
        response = transport.send_events(self._left, timeout_s) if self._left else {}
        retriable_failures: list[tuple[int, str]] = []
        for index, reason, retriable in _failures(response):
            if retriable:
                retriable_failures.append((index, reason))
            else:
                self._refused.append(reason)
        self._left = [self._left[index] for index, _ in retriable_failures]
        if retriable_failures:
            raise Undelivered(f"{len(retriable_failures)} events were not accepted: {retriable_failures[0][1]}")
        if self._refused:
            raise Refused("Invalid", self._refused[0], responded=self._is_sent)
        return response

    def count(self, *, delivered: bool) -> DeliveryCounts:  # noqa: ARG002 - it counts its own
        """Count as sent the events neither refused nor left over."""
        failed = len(self._left) + len(self._refused)
        return DeliveryCounts(self._total - failed, failed)

    def describe(self, count: int) -> str:
        """Describe the number of events."""
        return f"{count} events"


def payloads_of(events: Iterable[object]) -> Iterator[EventsPayload]:
    """Yield the events in their order, in payloads within the service's bounds; refuse an event without JSON."""
    if not isinstance(events, Iterable) or isinstance(events, (str, bytes, Mapping)):
        raise TypeError(f"events: must be an iterable of events, got {print_value(events)}")
    lines: list[bytes] = []
    refused: list[str] = []
    left_bytes = BODY_MAX_BYTES
    for event in events:
        try:
            line = rendered(event)
        except Refused as error:
            refused.append(str(error))
            continue
        if lines and (len(lines) == EVENTS_MAX or left_bytes < len(line) + 1):
            yield EventsPayload(lines, refused)
            lines, refused, left_bytes = [], [], BODY_MAX_BYTES
        lines.append(line)
        left_bytes -= len(line) + 1
    if lines or refused:
        yield EventsPayload(lines, refused)


def rendered(event: object) -> EventJson:
    """Render an event as JSON; raise `Refused` if it has none."""
    try:
        return event if isinstance(event, EventJson) else EventJson(_text(event).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("Invalid", f"event: must be JSON ({type(error).__name__}: {error})", responded=False) from error


def _text(event: object) -> str:
    if isinstance(event, Mapping):
        # A lone surrogate or a NaN has no JSON, and would make the service refuse the whole batch.
        return json.dumps(dict(event), default=str, ensure_ascii=False, allow_nan=False)
    try:
        from openlineage.client.serde import Serde
    except ImportError:
        raise TypeError("an event is a dict, or one of openlineage-python's, which is not installed") from None
    text: str = Serde.to_json(event, ensure_ascii=False, allow_nan=False)
    return text


def _failures(response: Json) -> Iterator[tuple[int, str, bool]]:
    """Yield index and reason of each event not accepted, and True if it may still be accepted."""
    failed = response.get("failed_events")
    for failure in failed if isinstance(failed, list) else []:
        yield failure["index"], str(failure["reason"]), bool(failure["retriable"])
