"""The local stack's changes to moto's EventBridge: events are shown; see `local_stack.aws.moto_patches`."""

from __future__ import annotations

import json
from typing import Any

from moto.events.models import EventsBackend

from local_stack.aws.endpoint import EVENTS_PATH
from local_stack.aws.moto_patches import post

_stock_put_events = EventsBackend.put_events


def show_events_at(url: str) -> None:
    """Post each event of a bus to this URL, beside the targets of its rules."""

    def put_events(self: EventsBackend, events: list[dict[str, Any]]) -> list[dict[str, Any]]:
        entries = _stock_put_events(self, events)
        taken = [event for event, entry in zip(events, entries, strict=True) if "EventId" in entry]
        if taken:
            post(f"{url}{EVENTS_PATH}", json.dumps(taken, default=str).encode()).close()
        return entries

    EventsBackend.put_events = put_events  # type: ignore[method-assign]
