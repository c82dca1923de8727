"""Loading queued events into the raw log and the graph table, and replaying the raw log into a graph table."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from botocore.exceptions import BotoCoreError, ClientError

from lineage.aws.bodies import Pointer
from lineage.aws.queues import QueuedMessage
from lineage.graph.apply import apply_changes, failures
from lineage.graph.event_log import EventLog, RawEvent
from lineage.openlineage.ingest import parse_event_message
from lineage.openlineage.naming import NamingRules
from lineage.openlineage.parse import parse_change, parse_deletion, parse_event
from lineage.records.table import is_throttle
from lineage.times import day_of, from_seconds
from lineage_model.errors import HeadwaterError, Invalid, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from lineage.graph.table import GraphTable


_LOGGED_FAULTS = 5
# By how much the clock of the door that took an event may be ahead of the loader's.
_CLOCKS_DIFFER_S = 60


@dataclass(frozen=True, slots=True)
class EventStores:
    """Where events are kept and what is made of them; messages too large for the queue are read from `s3`."""

    log: EventLog
    table: GraphTable
    s3: S3Client
    rules: NamingRules


@dataclass(slots=True)
class EventLoad:
    """What a batch came to: the messages to try again with the reason of each, and counts of events."""

    failed: dict[str, str] = field(default_factory=dict)
    loaded: int = 0
    refused: int = 0


_Read: TypeAlias = Callable[[QueuedMessage, EventStores, int], RawEvent]


def load_events(messages: Sequence[QueuedMessage], stores: EventStores, *, now_s: int) -> EventLoad:
    """Load the messages that arrived at `now_s` (seconds since 1970); the ids of those that failed are in the answer.

    A message succeeds when its event is in the raw log and all of what it says in the graph table. One that is no
    event, or that cannot be loaded, fails alone: its queue gives it to the dead letters after some tries. No message
    need have come by a door: what doors refuse is refused here, too.
    """
    return _load_messages(messages, _read_event, stores, now_s)


def load_deletions(messages: Sequence[QueuedMessage], stores: EventStores, *, now_s: int) -> EventLoad:
    """Load messages of the deletions' queue, as `load_events` does; what is no deletion is refused."""
    return _load_messages(messages, _read_deletion, stores, now_s)


def _load_messages(messages: Sequence[QueuedMessage], read: _Read, stores: EventStores, now_s: int) -> EventLoad:
    result = EventLoad()
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
    """Load the events by message id; return the reason of each that failed."""

    def load(message_ids: Sequence[str]) -> None:
        some = [events[one] for one in message_ids]
        stores.log.put(some, day)
        apply_changes([event.statement for event in some], stores.table)

    return {one: _reason(error) for one, error in failures(list(events), load, is_passing=_is_passing)}


def _is_passing(error: Exception) -> bool:
    """Whether AWS refused for now: no event is to blame, and each alone would be refused as well."""
    return isinstance(error, (Unavailable, BotoCoreError)) or (isinstance(error, ClientError) and is_throttle(error))


def _reason(error: Exception) -> str:
    """What a log may say of it: the rule that was broken or the place in our code, never what the event held."""
    name = type(error).__name__
    if isinstance(error, Invalid):
        return f"{name}: {'; '.join(f'{fault.field}: {fault.rule}' for fault in error.faults[:_LOGGED_FAULTS])}"
    if isinstance(error, (HeadwaterError, BotoCoreError, ClientError)):
        return f"{name}: {error}"
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"{name} in {place.name} ({place.filename.rpartition('/')[2]}:{place.lineno})"


# Events applied together: more share more reads and writes.
_TOGETHER = 200


@dataclass(frozen=True, slots=True)
class Replay:
    """What came of some objects of the log: how many of them, and of events; the reason of each that failed."""

    objects: int = 0
    events: int = 0
    failed: tuple[str, ...] = ()


def replay(keys: Sequence[str], log: EventLog, rules: NamingRules) -> Iterator[Replay]:
    """List and apply again what these objects hold, in the log's own table; one answer for some objects at a time.

    An event that cannot be read or applied is told and passed over. Raises `Unavailable`, or boto3's errors, if AWS
    refuses; all that was answered before is done.
    """
    objects, lines = 0, list[tuple[str, Any]]()
    for key in keys:
        lines += [(f"{key}:{number}", form) for number, form in enumerate(log.read(key), 1)]
        objects += 1
        if len(lines) >= _TOGETHER:
            yield _replay(objects, lines, log, rules)
            objects, lines = 0, []
    if objects:
        yield _replay(objects, lines, log, rules)


def _replay(objects: int, lines: Sequence[tuple[str, Any]], log: EventLog, rules: NamingRules) -> Replay:
    events: list[tuple[str, RawEvent]] = []
    failed: list[str] = []
    for place, form in lines:
        try:
            events.append((place, RawEvent(parse_change(form, rules), form)))
        except HeadwaterError as error:
            failed.append(f"{place}: {error}")
    failed += _apply(events, log)
    return Replay(objects, len(lines) - len(failed), tuple(failed))


def _apply(events: Sequence[tuple[str, RawEvent]], log: EventLog) -> list[str]:
    """Apply the events; return the place and the reason of each that failed."""

    def act(some: Sequence[tuple[str, RawEvent]]) -> None:
        log.enlist(event for _, event in some)
        apply_changes([event.statement for _, event in some], log.table)

    reasons = []
    for (place, _), error in failures(events, act, is_passing=_is_of_aws):
        if _is_of_aws(error):
            raise error
        reasons.append(f"{place}: {type(error).__name__}: {error}")
    return reasons


def _is_of_aws(error: Exception) -> bool:
    """True for any refusal of AWS: a replay stops there and starts over, and loses nothing."""
    return isinstance(error, (Unavailable, BotoCoreError, ClientError))
