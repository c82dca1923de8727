"""OpenLineage events as the client sends them: dicts, or the events of openlineage-python where that is installed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

from spark_client.errors import Refused, Undelivered
from spark_client.requests import BODY_MAX_BYTES, Tally

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from spark_client.transport.destination import Json, Transport

# The service's bound on a batch.
EVENTS_MAX = 1_000


class EventParcel:
    """One event."""

    def __init__(self, event: object) -> None:
        self._event = event

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Hand over the event."""
        transport.send_event(rendered(self._event), timeout_s)
        return {}

    def tally(self, *, delivered: bool) -> Tally:
        """Taken or not."""
        return Tally(1, 0) if delivered else Tally(0, 1)

    def describe(self, count: int) -> str:
        """How many events."""
        return f"{count} events"


class EventsParcel:
    """Events that travel together; each is taken or refused by itself, and those that may yet be taken are left."""

    def __init__(self, events: list[bytes], refused: list[str]) -> None:
        self._total = len(events) + len(refused)
        self._left = events
        self._refused = refused

    def send(self, transport: Transport, timeout_s: float) -> Json:
        """Hand over what is left."""
        answer = transport.send_events(self._left, timeout_s) if self._left else {}
        again: list[tuple[int, str]] = []
        for index, reason, retriable in _failures(answer):
            if retriable:
                again.append((index, reason))
            else:
                self._refused.append(reason)
        self._left = [self._left[index] for index, _ in again]
        if again:
            raise Undelivered(f"{len(again)} events were not taken: {again[0][1]}")
        if self._refused:
            raise Refused("Invalid", self._refused[0])
        return answer

    def tally(self, *, delivered: bool) -> Tally:  # noqa: ARG002 - it counts its own
        """Those neither refused nor left were taken."""
        failed = len(self._left) + len(self._refused)
        return Tally(self._total - failed, failed)

    def describe(self, count: int) -> str:
        """How many events."""
        return f"{count} events"


def parcels_of(events: Iterable[object]) -> Iterator[EventsParcel]:
    """The events in their order, in parcels within the service's bounds; one that has no JSON is refused here."""
    lines: list[bytes] = []
    refused: list[str] = []
    room = BODY_MAX_BYTES
    for event in events:
        try:
            line = rendered(event)
        except Refused as error:
            refused.append(str(error))
            continue
        if lines and (len(lines) == EVENTS_MAX or room < len(line) + 1):
            yield EventsParcel(lines, refused)
            lines, refused, room = [], [], BODY_MAX_BYTES
        lines.append(line)
        room -= len(line) + 1
    if lines or refused:
        yield EventsParcel(lines, refused)


def rendered(event: object) -> bytes:
    """An event as JSON in UTF-8; `Refused` if it has none."""
    try:
        return _text(event).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise Refused("Invalid", f"event: must be JSON ({type(error).__name__}: {error})") from error


def _text(event: object) -> str:
    if isinstance(event, Mapping):
        # A lone surrogate or a NaN has no JSON, and would spoil the whole batch.
        return json.dumps(dict(event), default=str, ensure_ascii=False, allow_nan=False)
    try:
        from openlineage.client.serde import Serde
    except ImportError:
        raise TypeError("an event is a dict, or one of openlineage-python's, which is not installed") from None
    text: str = Serde.to_json(event, ensure_ascii=False, allow_nan=False)
    return text


def _failures(answer: Json) -> Iterator[tuple[int, str, bool]]:
    """Place, reason, and whether it may yet be taken, of each event that was not."""
    failed = answer.get("failed_events")
    for one in failed if isinstance(failed, list) else []:
        yield one["index"], str(one["reason"]), bool(one["retriable"])
