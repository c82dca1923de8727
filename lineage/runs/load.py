"""Loading queued events and deletions: into the raw log, then as facts into the graph table.

A wrong one harms no other. What a message may say depends on its queue: on that of events, to which producers may send,
a deletion is wrong.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from botocore.exceptions import BotoCoreError, ClientError

from lineage.aws.bodies import Pointer
from lineage.aws.queues import QueuedMessage
from lineage.days import day_of
from lineage.errors import HeadwaterError, Invalid, Unavailable
from lineage.records.table import is_throttle
from lineage.runs.apply import apply
from lineage.runs.door.messages import parse_event_message
from lineage.runs.door.parse import parse_deletion, parse_event
from lineage.runs.door.rules import NameRules
from lineage.runs.log.event_log import EventLog, RawEvent
from lineage.runs.times import from_seconds

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from lineage.runs.facts.table import GraphTable


_TOLD_FAULTS = 5
# By how much the clock of the door that took an event may be ahead of the loader's.
_CLOCKS_DIFFER_S = 60


@dataclass(frozen=True, slots=True)
class EventStores:
    """Where events are kept and what is made of them; messages too large for the queue are read from `s3`."""

    log: EventLog
    table: GraphTable
    s3: S3Client
    rules: NameRules


@dataclass(slots=True)
class Loaded:
    """What a batch came to: the messages to try again with the reason of each, and counts of events."""

    failed: dict[str, str] = field(default_factory=dict)
    loaded: int = 0
    refused: int = 0


_Read: TypeAlias = Callable[[QueuedMessage, EventStores, int], RawEvent]


def load_events(messages: Sequence[QueuedMessage], stores: EventStores, *, now_s: int) -> Loaded:
    """Load the messages that arrived at `now_s` (seconds since 1970); the ids of those that failed are in the answer.

    A message succeeds when its event is in the raw log and all of what it says in the graph table. One that is no
    event, or that cannot be loaded, fails alone: its queue gives it to the dead letters after some tries. No message
    need have come by a door: what doors refuse is refused here, too.
    """
    return _load_messages(messages, _read_event, stores, now_s)


def load_deletions(messages: Sequence[QueuedMessage], stores: EventStores, *, now_s: int) -> Loaded:
    """Load messages of the deletions' queue, as `load_events` does; what is no deletion is refused."""
    return _load_messages(messages, _read_deletion, stores, now_s)


def _load_messages(messages: Sequence[QueuedMessage], read: _Read, stores: EventStores, now_s: int) -> Loaded:
    result = Loaded()
    events: dict[str, RawEvent] = {}
    for message in messages:
        try:
            events[message.message_id] = read(message, stores, now_s)
        except (HeadwaterError, BotoCoreError, ClientError) as error:
            result.failed[message.message_id] = _reason(error)
            result.refused += isinstance(error, Invalid)
    result.failed.update(_load(events, stores, day=day_of(now_s)))
    result.loaded = len(messages) - len(result.failed)
    return result


def _read_event(message: QueuedMessage, stores: EventStores, now_s: int) -> RawEvent:
    form = parse_event_message(message.body)
    if isinstance(form, Pointer):
        form = _fetch(form, stores.s3)
    event = parse_event(form, stores.rules, now=from_seconds(now_s + _CLOCKS_DIFFER_S))
    return RawEvent(event, form, message.sender, message.caller)


def _read_deletion(message: QueuedMessage, stores: EventStores, now_s: int) -> RawEvent:
    """Read a deletion; one of a clock that was ahead is dated back to when SQS took it, the same at each delivery."""
    form: Any = parse_event_message(message.body)
    deletion = parse_deletion(form, stores.rules)
    sent_ms = now_s * 1000 if message.sent_ms is None else message.sent_ms
    # SQS cuts its times to milliseconds: the last microsecond of that one.
    latest = from_seconds((sent_ms * 1000 + 999) / 1_000_000)
    if deletion.time > latest:
        # The log keeps what is applied: a replay has no queue to ask.
        form = {**form, "eventTime": latest}
        deletion = parse_deletion(form, stores.rules)
    return RawEvent(deletion, form, message.sender, message.caller)


def _fetch(pointer: Pointer, s3: S3Client) -> Any:
    body = s3.get_object(Bucket=pointer.bucket, Key=pointer.key)["Body"].read()
    form = parse_event_message(body)
    if isinstance(form, Pointer):
        raise Invalid.because("s3", form.key, "must hold an event, not another pointer")
    return form


def _load(events: dict[str, RawEvent], stores: EventStores, *, day: str) -> dict[str, str]:
    """Load them together or, if that fails because of one of them, each alone; why each failed that did."""
    if not events:
        return {}
    try:
        stores.log.put(list(events.values()), day)
        apply([event.statement for event in events.values()], stores.table)
    except Exception as error:  # noqa: BLE001 - a fault of ours that one event finds must not keep the others
        if len(events) == 1 or _is_passing(error):
            return dict.fromkeys(events, _reason(error))
        return {
            message_id: reason
            for one in events
            for message_id, reason in _load({one: events[one]}, stores, day=day).items()
        }
    return {}


def _is_passing(error: Exception) -> bool:
    """Whether AWS refused for now: no event is to blame, and each alone would be refused as well."""
    return isinstance(error, (Unavailable, BotoCoreError)) or (isinstance(error, ClientError) and is_throttle(error))


def _reason(error: Exception) -> str:
    """What a log may say of it: the rule that was broken or the place in our code, never what the event held."""
    name = type(error).__name__
    if isinstance(error, Invalid):
        return f"{name}: {'; '.join(f'{fault.field}: {fault.rule}' for fault in error.faults[:_TOLD_FAULTS])}"
    if isinstance(error, (HeadwaterError, BotoCoreError, ClientError)):
        return f"{name}: {error}"
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{name} in {place.name} ({place.filename.rpartition('/')[2]}:{place.lineno})"
