"""Loading of queued events, and changes through the API, into the raw log and the graph table."""

from __future__ import annotations

import random
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from botocore.exceptions import BotoCoreError, ClientError

from headwater.aws.bodies import StoredBody, get_body, parse_body
from headwater.aws.queues import QueuedMessage
from headwater.aws.retries import is_passing
from headwater.events.api_changes import parse_api_change
from headwater.events.cost import BYTES_MAX
from headwater.events.event import ApiChange, Event
from headwater.events.ingest import parse_event_message
from headwater.events.naming import NamingRules
from headwater.events.parse import check_body
from headwater.events.rights import limit_event, parse_patterns
from headwater.facts.apply import apply_isolating_failures, apply_statements
from headwater.loading.event_log import EventLog, RawEvent, StoredLines
from headwater.loading.screens import NO_SCREENS, Screens
from headwater.times import day_of, from_seconds
from headwater_model.errors import HeadwaterError, Invalid, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from headwater.facts.table import GraphTable


_LOGGED_FAULTS = 5
# The cost of events loaded together (`headwater.events.cost`): three hundred events of twenty datasets each.
_UNITS_TOGETHER = 150_000
# A function with the message failed or died twice (`lambdas.sqs_batch`).
_SUSPECT_RECEIVES = 3
_NO_TIME = Unavailable("the function has no time left")
# The API's clock may be ahead of the loader's by so much.
_CLOCKS_DIFFER_S = 60


@dataclass(frozen=True, slots=True)
class Loaded:
    """Events stored and applied together: their lines of the raw log, and their statements."""

    lines: StoredLines
    statements: Sequence[Event | ApiChange]


OnLoaded: TypeAlias = Callable[[Loaded], object]


@dataclass(frozen=True, slots=True)
class EventStores:
    """The stores of events and of the graph; `bucket` holds bodies too large for a message.

    The hooks `on_loaded` are called before the messages are acknowledged. If a hook raises, the messages fail. Each
    later try calls all hooks again, also after the death of a loader.
    """

    log: EventLog
    table: GraphTable
    s3: S3Client
    bucket: str
    rules: NamingRules
    on_loaded: Sequence[OnLoaded] = ()
    screens: Screens = NO_SCREENS


@dataclass(slots=True)
class EventLoad:
    """The result of a batch: the messages to try again with the reason of each, and counts of events.

    `passing` are failed messages without a fault of their own: AWS refused for now.
    """

    failed: dict[str, str] = field(default_factory=dict)
    passing: set[str] = field(default_factory=set)
    loaded: int = 0
    refused: int = 0
    screened: int = 0

    def fail(self, message_id: str, error: Exception) -> None:
        """Add a message to try again; of a pack with several faults, the reason of a lasting fault stays."""
        self.refused += isinstance(error, Invalid)
        if is_passing(error):
            if message_id in self.failed:
                return
            self.passing.add(message_id)
        else:
            self.passing.discard(message_id)
        self.failed[message_id] = reason_of(error)


Read: TypeAlias = Callable[[Any, QueuedMessage, EventStores, int], RawEvent]
# An event of a message: the message's id, and the event's index in a pack.
_Place: TypeAlias = tuple[str, int]


def read_event(document: Any, message: QueuedMessage, stores: EventStores, now_s: int) -> RawEvent:
    """Read an OpenLineage event, `{"eventType": "START", ...}`, by the API's rules."""
    checked = check_body(document, now=from_seconds(now_s + _CLOCKS_DIFFER_S))
    writes = _parse_writes(message.writes)
    return RawEvent(
        limit_event(checked.event(stores.rules), writes),
        document,
        message.sender,
        message.caller,
        writes,
        message.forwarded,
        checked.canonical,
    )


def _parse_writes(text: str | None) -> tuple[str, ...] | None:
    try:
        return parse_patterns(None if text is None else orjson.loads(text))
    except orjson.JSONDecodeError as error:
        raise Invalid.because("writes", text, f"must be JSON ({error})") from error


def read_api_change(document: Any, message: QueuedMessage, stores: EventStores, now_s: int) -> RawEvent:
    """Read a change through the API, `{"change": "TAG", ...}`.

    A time after its arrival at SQS becomes the arrival, the same at each delivery.
    """
    change = parse_api_change(document, stores.rules)
    sent_ms = now_s * 1000 if message.sent_ms is None else message.sent_ms
    # SQS cuts its times to milliseconds: the last microsecond of the millisecond.
    latest = from_seconds((sent_ms * 1000 + 999) / 1_000_000)
    if change.time > latest:
        # The log stores the applied time: a replay has no queue to look it up in.
        document = {**document, "eventTime": latest}
        change = parse_api_change(document, stores.rules)
    return RawEvent(change, document, message.sender, message.caller)


def load_events(
    messages: Sequence[QueuedMessage],
    stores: EventStores,
    *,
    now_s: int,
    may_go_on: Callable[[], bool] = lambda: True,
    read: Read = read_event,
) -> EventLoad:
    """Load the messages that arrived at `now_s` (seconds since 1970); return counts and the failed messages.

    A message succeeds when its events are in the raw log and all their facts are in the graph table. An event with a
    fault fails its message, and all others are loaded: after a hundred tries the queue moves the message to the dead
    letters. Once `may_go_on` is false, the messages of failing and of further groups are left for another try.
    Not all messages come through the API, so `read` repeats its checks: `read_event` or `read_api_change`.
    """
    result = EventLoad()
    for number, group in enumerate(_groups(messages, read, stores, now_s, result)):
        goes_on = not number or may_go_on()
        failures = _load(group, stores, day_of(now_s), may_go_on) if goes_on else zip(group, repeat(_NO_TIME))
        for (message_id, _), failure in failures:
            result.fail(message_id, failure)
            result.loaded -= 1
        result.loaded += len(group)
    return result


def _groups(
    messages: Sequence[QueuedMessage], read: Read, stores: EventStores, now_s: int, result: EventLoad
) -> Iterator[dict[_Place, RawEvent]]:
    """Yield groups of events, each of limited memory; add messages with unreadable events to the result."""
    group: dict[_Place, RawEvent] = {}
    units = 0
    for message in messages:
        for place, event in _read_each(message, read, stores, now_s, result):
            group[place] = event
            units += event.statement.units if isinstance(event.statement, Event) else 0
            if units >= _UNITS_TOGETHER or message.receives >= _SUSPECT_RECEIVES:
                yield group
                group, units = {}, 0
    if group:
        yield group


def _read_each(
    message: QueuedMessage, read: Read, stores: EventStores, now_s: int, result: EventLoad
) -> Iterator[tuple[_Place, RawEvent]]:
    """Yield the readable events of a message, as far as the screens leave them in."""
    try:
        # A change is a message of its own: others may write where a pointer leads.
        documents = _documents_of(message, stores) if read is read_event else [parse_body(message.body)]
    except (HeadwaterError, BotoCoreError, ClientError) as error:
        result.fail(message.message_id, error)
        return
    places = list(enumerate(documents))
    if message.receives >= _SUSPECT_RECEIVES:
        # The second receive of two reverses the order: a neighbour behind a killer comes before it.
        random.Random((message.receives + 1) // 2).shuffle(places)  # noqa: S311 - no secret
        places = places[:: 1 if message.receives % 2 else -1]
    for place, document in places:
        try:
            left = stores.screens.event(document, stores.rules)
            if left is not None:
                yield (message.message_id, place), read(left, message, stores, now_s)
            else:
                result.screened += 1
        except (HeadwaterError, BotoCoreError, ClientError) as error:
            result.fail(message.message_id, error)


def _documents_of(message: QueuedMessage, stores: EventStores) -> Sequence[object]:
    documents = parse_event_message(message.body)
    if isinstance(documents, StoredBody):
        # The API's JSON has no spaces; the JSON of further senders may.
        pointer = replace(documents, size_bytes=min(documents.size_bytes, 2 * BYTES_MAX))
        documents = parse_event_message(get_body(stores.s3, stores.bucket, pointer))
        if isinstance(documents, StoredBody):
            raise Invalid.because("s3", documents.key, "must hold an event, not another pointer")
    return documents


def _load(
    events: dict[_Place, RawEvent], stores: EventStores, day: str, may_go_on: Callable[[], bool]
) -> Iterator[tuple[_Place, Exception]]:
    """Load the events; yield the failed events with their errors."""

    def load(places: Sequence[_Place]) -> None:
        group = [events[place] for place in places]
        stored = stores.log.put(group, day)
        statements = [event.statement for event in group]
        apply_statements(statements, stores.table)
        if stored:
            loaded = Loaded(stored, statements)
            for hook in stores.on_loaded:
                hook(loaded)

    return apply_isolating_failures(list(events), load, may_go_on=may_go_on)


def reason_of(error: Exception) -> str:
    """Print an error for the log: the broken rule or the line of code, never the content of an event.

    `Invalid: event.eventTime: is required`, `KeyError in _swap (event_index.py:291)`
    """
    name = type(error).__name__
    if isinstance(error, Invalid):
        return f"{name}: {'; '.join(f'{fault.field}: {fault.rule}' for fault in error.faults[:_LOGGED_FAULTS])}"
    if isinstance(error, (HeadwaterError, BotoCoreError, ClientError)):
        return f"{name}: {error}"
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{name} in {frame.name} ({frame.filename.rpartition('/')[2]}:{frame.lineno})"
