"""Loading of queued events, and changes through the API, into the raw log and the graph table."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson
from botocore.exceptions import BotoCoreError, ClientError

from headwater.aws.bodies import StoredBody, get_body
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
from headwater_model.errors import HeadwaterError, Invalid

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from headwater.facts.table import GraphTable


_LOGGED_FAULTS = 5
# The cost of events loaded together (`headwater.events.cost`): a hundred events of twenty datasets each.
_UNITS_TOGETHER = 50_000
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
        """Add a message to try again."""
        self.failed[message_id] = reason_of(error)
        self.refused += isinstance(error, Invalid)
        if is_passing(error):
            self.passing.add(message_id)


# None for a message whose content a screen leaves out.
_Read: TypeAlias = Callable[[QueuedMessage, EventStores, int], RawEvent | None]


def load_events(
    messages: Sequence[QueuedMessage], stores: EventStores, *, now_s: int, may_go_on: Callable[[], bool] = lambda: True
) -> EventLoad:
    """Load the messages that arrived at `now_s` (seconds since 1970); return counts and the failed messages.

    A message succeeds when its event is in the raw log and all its facts are in the graph table. A message without an
    event, or with a fault, fails alone: after a hundred tries its queue moves it to the dead letters. Once `may_go_on`
    is false, the messages of a failing group are left for another try. Not all messages come through the API, so the
    API's checks are repeated here.
    """
    return load_messages(messages, _read_event, stores, now_s, may_go_on)


def load_messages(
    messages: Sequence[QueuedMessage], read: _Read, stores: EventStores, now_s: int, may_go_on: Callable[[], bool]
) -> EventLoad:
    """Read each message alone, so a fault fails it alone; load the events together, in groups of limited cost."""
    result = EventLoad()
    for group in _groups(messages, read, stores, now_s, result):
        for message_id, failure in _load(group, stores, day_of(now_s), may_go_on):
            result.fail(message_id, failure)
    result.loaded = len(messages) - len(result.failed) - result.screened
    return result


def _groups(
    messages: Sequence[QueuedMessage], read: _Read, stores: EventStores, now_s: int, result: EventLoad
) -> Iterator[dict[str, RawEvent]]:
    """Yield groups of events by message id, each of limited memory; add unreadable messages to the result."""
    group: dict[str, RawEvent] = {}
    units = 0
    for message in messages:
        try:
            event = read(message, stores, now_s)
        except (HeadwaterError, BotoCoreError, ClientError) as error:
            result.fail(message.message_id, error)
            continue
        if event is None:
            result.screened += 1
            continue
        group[message.message_id] = event
        units += event.statement.units if isinstance(event.statement, Event) else 0
        if units >= _UNITS_TOGETHER:
            yield group
            group, units = {}, 0
    if group:
        yield group


def _read_event(message: QueuedMessage, stores: EventStores, now_s: int) -> RawEvent | None:
    document = parse_event_message(message.body)
    if isinstance(document, StoredBody):
        # The API's JSON has no spaces; the JSON of further senders may.
        document = replace(document, size_bytes=min(document.size_bytes, 2 * BYTES_MAX))
        document = parse_event_message(get_body(stores.s3, stores.bucket, document))
        if isinstance(document, StoredBody):
            raise Invalid.because("s3", document.key, "must hold an event, not another pointer")
    document = stores.screens.event(document, stores.rules)
    if document is None:
        return None
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


def _load(
    events: dict[str, RawEvent], stores: EventStores, day: str, may_go_on: Callable[[], bool]
) -> Iterator[tuple[str, Exception]]:
    """Load the events by message id; yield the failed ids with their errors."""

    def load(message_ids: Sequence[str]) -> None:
        group = [events[message_id] for message_id in message_ids]
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


def load_api_changes(
    messages: Sequence[QueuedMessage], stores: EventStores, *, now_s: int, may_go_on: Callable[[], bool] = lambda: True
) -> EventLoad:
    """Load messages of the queue of changes, as `load_events` does; an event is refused."""
    return load_messages(messages, _read_api_change, stores, now_s, may_go_on)


def _read_api_change(message: QueuedMessage, stores: EventStores, now_s: int) -> RawEvent | None:
    """Read a change through the API; a time after its arrival at SQS becomes the arrival, the same at each delivery."""
    document: Any = stores.screens.event(parse_event_message(message.body), stores.rules)
    if document is None:
        return None
    change = parse_api_change(document, stores.rules)
    sent_ms = now_s * 1000 if message.sent_ms is None else message.sent_ms
    # SQS cuts its times to milliseconds: the last microsecond of the millisecond.
    latest = from_seconds((sent_ms * 1000 + 999) / 1_000_000)
    if change.time > latest:
        # The log stores the applied time: a replay has no queue to look it up in.
        document = {**document, "eventTime": latest}
        change = parse_api_change(document, stores.rules)
    return RawEvent(change, document, message.sender, message.caller)
