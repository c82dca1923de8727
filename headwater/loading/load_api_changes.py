"""Loading queued changes through the API, as events are loaded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from headwater.aws.queues import QueuedMessage
from headwater.events.api_changes import parse_api_change
from headwater.events.event_messages import parse_event_message
from headwater.loading.event_log import RawEvent
from headwater.loading.load import EventLoad, EventStores, load_messages
from headwater.times import from_seconds


def load_api_changes(
    messages: Sequence[QueuedMessage], stores: EventStores, *, now_s: int, may_go_on: Callable[[], bool] = lambda: True
) -> EventLoad:
    """Load messages of the queue of changes, as `load_events` does; no event is accepted."""
    return load_messages(messages, _read_api_change, stores, now_s, may_go_on)


def _read_api_change(message: QueuedMessage, stores: EventStores, now_s: int) -> RawEvent:
    """Read a change through the API; date one from a fast clock back to when SQS took it, the same at each delivery."""
    document: Any = parse_event_message(message.body)
    change = parse_api_change(document, stores.rules)
    sent_ms = now_s * 1000 if message.sent_ms is None else message.sent_ms
    # SQS cuts its times to milliseconds: the last microsecond of that one.
    latest = from_seconds((sent_ms * 1000 + 999) / 1_000_000)
    if change.time > latest:
        # The log stores the applied time: a replay has no queue to look it up in.
        document = {**document, "eventTime": latest}
        change = parse_api_change(document, stores.rules)
    return RawEvent(change, document, message.sender, message.caller)
