"""Ingest of events: each is checked and put on its queue; small events of a batch share messages, packs.

Bodies of messages:

    {"eventType": "START", ...}                             an event
    {"events": [{"eventType": "START", ...}, ...]}          a pack: up to ten events of a batch
    {"s3": {"bucket": "b", "key": "k", "size_bytes": 3}}    a pointer to an event too large for a message
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

from headwater.aws.bodies import (
    BODY_BYTES_MAX,
    StoredBody,
    parse_body,
    parse_pointer,
    put_body,
    render_body,
    render_pointer,
)
from headwater.aws.queues import FORWARDED, WRITES, Message, from_caller, send_each
from headwater.events.cost import events_of
from headwater.events.event import EVENTS_MAX
from headwater.events.naming import AS_SENT, NamingRules
from headwater.events.parse import check_body
from headwater.events.rights import applied_patterns, check_rights
from headwater.namespaces import EVERY_RIGHT, EVERYWHERE, Rights, covers
from headwater_model.errors import Invalid, TooLarge, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient

    from headwater.events.event import Event

Spend: TypeAlias = Callable[[int], object]
# Keeps the response to a thousand bad events small.
_REASON_CHARS_MAX = 500
# Of a pack: SQS bills 64 KB as a request. A costly event (`CheckedEvent.counts`) travels alone.
PACK_EVENTS_MAX, _PACK_CHARS_MAX = 10, 60_000


def render_event_message(body: Mapping[str, object]) -> str:
    """Render the body of a message with a checked event or change: `{"change": "TAG", ...}`."""
    return render_body(body)


def parse_event_message(body: str | bytes) -> Sequence[object] | StoredBody:
    """Parse the JSON of an event, `[{"eventType": "START"}]`, or of a pack, or the pointer to an event.

    Raises:
        Invalid: the content is no JSON object, an empty pack, or a pointer without bucket and key.
    """
    document = parse_body(body)
    # An event with a field `s3` or `events` has a time and a producer, too.
    if document.keys() == {"s3"}:
        return parse_pointer(document["s3"])
    if document.keys() != {"events"}:
        return [document]
    events = document["events"]
    if not isinstance(events, list) or not events:
        raise Invalid.because("events", events, "must be a list of at least one event")
    return events


@dataclass(frozen=True, slots=True)
class CheckedEvent:
    """An event within its sender's rights; `writes` are the patterns of namespaces that limit its effect, if any.

    `counts` is its cost in events of a budget.
    """

    body: Mapping[str, object]
    writes: tuple[str, ...] | None
    counts: int = 1


@dataclass(frozen=True, slots=True)
class EventQueue:
    """The queue of events, and the bucket for events too large for a message.

    `drop_running` are patterns of namespaces: RUNNING events of their jobs are accepted and not stored. A deployer sets
    them for producers that repeat themselves every few seconds. `rules` returns the current rules of names: a limited
    sender needs rights over the names that the loader will give.
    """

    sqs: SQSClient
    s3: S3Client
    queue_url: str
    bucket: str
    drop_running: tuple[str, ...] = ()
    rules: Callable[[], NamingRules] = lambda: AS_SENT

    def drops(self, event: Event) -> bool:
        """True for an event to accept without storing it."""
        return event.type == "RUNNING" and event.job is not None and covers(self.drop_running, event.job.namespace)

    def put(
        self, events: Sequence[CheckedEvent], *, caller: str | None = None, forwarded: bool = False
    ) -> Mapping[int, str]:
        """Put events on the queue, in packs; return the reason for each index to send again."""
        failed: dict[int, str] = {}
        messages: list[tuple[Sequence[int], Message]] = []
        for places, texts in _packs(events):
            text = f'{{"events":[{",".join(texts)}]}}' if len(texts) > 1 else texts[0]
            try:
                messages.append((places, self._message(text, events[places[0]].writes, caller, forwarded)))
            except Unavailable as error:
                failed |= dict.fromkeys(places, str(error))
        unsent = send_each(self.sqs, self.queue_url, [message for _, message in messages])
        for number, reason in unsent.items():
            failed |= dict.fromkeys(messages[number][0], reason)
        return failed

    def _message(self, text: str, writes: tuple[str, ...] | None, caller: str | None, forwarded: bool) -> Message:
        limits = {} if writes is None else {WRITES: json.dumps(writes)}
        if forwarded:
            limits[FORWARDED] = "true"
        if len(text.encode()) + sum(len(limit.encode()) for limit in limits.values()) > BODY_BYTES_MAX:
            text = render_pointer(put_body(self.s3, self.bucket, text))
        return from_caller(text, caller, **limits)


def _packs(events: Sequence[CheckedEvent]) -> Iterator[tuple[list[int], list[str]]]:
    """Yield the indexes and texts of the events of each message; events of a message have the same limit of writes."""
    places: list[int] = []
    texts: list[str] = []
    for place, event in enumerate(events):
        text = render_event_message(event.body)
        fits = len(texts) < PACK_EVENTS_MAX and sum(map(len, texts)) + len(text) <= _PACK_CHARS_MAX
        alike = texts and event.writes == events[places[0]].writes
        if texts and not (fits and alike and max(event.counts, events[places[-1]].counts) == 1):
            yield places, texts
            places, texts = [], []
        places.append(place)
        texts.append(text)
    if texts:
        yield places, texts


@dataclass(frozen=True, slots=True)
class Failed:
    """A refused event of a batch, by its index; `retriable`: it is correct, AWS refused for now."""

    index: int
    reason: str
    retriable: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """The result of a batch: the number of events, the failed events in order, and the number not stored by rule."""

    received: int
    failed: tuple[Failed, ...] = ()
    dropped: int = 0

    @property
    def counts(self) -> Mapping[str, int]:
        """The metrics of the result by name, without zeros: `{"EventsAccepted": 2}`."""
        numbers = {"EventsAccepted": self.received - len(self.failed) - self.dropped, "EventsDropped": self.dropped}
        return {name: number for name, number in numbers.items() if number}


def accept_event(
    *bodies: object,
    queue: EventQueue,
    now: str,
    caller: str | None = None,
    rights: Rights = EVERY_RIGHT,
    forwarded: bool = False,
    spend: Spend = lambda _: None,
) -> Accepted:
    """Accept an event onto the queue, or several events that belong together.

    `now` is normalized (`times`), `caller` is the sender, if known. An event `forwarded` by another stack is not
    forwarded on. `spend` takes the cost of the events beyond their number from the caller's budget; the number was
    taken before.

    Raises:
        Invalid: an event breaks a rule; no event was accepted.
        TooLarge: an event costs too much; no event was accepted.
        Forbidden: an event is beyond the sender's rights; no event was accepted.
        Unavailable: an event was not queued; the caller sends all of them again.
    """
    events = [_read(body, now, rights, queue) for body in bodies]
    kept = [event for event in events if event is not None]
    _spend(kept, spend)
    for reason in queue.put(kept, caller=caller, forwarded=forwarded).values():
        raise Unavailable(reason)
    return Accepted(len(events), dropped=len(events) - len(kept))


def accept_events(
    bodies: object,
    queue: EventQueue,
    *,
    now: str,
    caller: str | None = None,
    rights: Rights = EVERY_RIGHT,
    spend: Spend = lambda _: None,
) -> Accepted:
    """Accept each event of a list onto the queue by itself; `caller` and `spend` as for `accept_event`.

    Raises:
        Invalid: `bodies` is no list.
        Forbidden: an event is beyond the sender's rights; no event was accepted.
        TooLarge: the list has more than `EVENTS_MAX` events; no event was accepted.
    """
    if not isinstance(bodies, list):
        raise Invalid.because("events", bodies, "must be a list")
    if len(bodies) > EVENTS_MAX:
        raise TooLarge(f"events: must be at most {EVENTS_MAX} at once, got {len(bodies)}")
    failed: dict[int, Failed] = {}
    good: dict[int, CheckedEvent] = {}
    for index, body in enumerate(bodies):
        try:
            event = _read(body, now, rights, queue)
            if event is not None:
                good[index] = event
        except (Invalid, TooLarge) as error:
            failed[index] = Failed(index, str(error)[:_REASON_CHARS_MAX], retriable=False)
    dropped = len(bodies) - len(failed) - len(good)
    _spend(good.values(), spend)
    places = list(good)
    for number, reason in queue.put(list(good.values()), caller=caller).items():
        failed[places[number]] = Failed(places[number], reason[:_REASON_CHARS_MAX], retriable=True)
    return Accepted(len(bodies), tuple(failed[index] for index in sorted(failed)), dropped)


def _spend(events: Iterable[CheckedEvent], spend: Spend) -> None:
    if further := sum(event.counts - 1 for event in events):
        spend(further)


def render_accepted(accepted: Accepted) -> dict[str, object]:
    """Render the response to a batch, as OpenLineage specifies it (`POST /lineage/batch`)."""
    failed, retriable = len(accepted.failed), sum(failure.retriable for failure in accepted.failed)
    return {
        "status": "partial_success" if failed else "success",
        "summary": {
            "received": accepted.received,
            "successful": accepted.received - failed,
            "failed": failed,
            "retriable": retriable,
            "non_retriable": failed - retriable,
        },
        "failed_events": [
            {"index": failure.index, "reason": failure.reason, "retriable": failure.retriable}
            for failure in accepted.failed
        ],
    }


def _read(body: object, now: str, rights: Rights, queue: EventQueue) -> CheckedEvent | None:
    """Check an event and the sender's rights; None for an event that is not stored by rule.

    Raises:
        Invalid: it breaks a rule.
        TooLarge: it costs too much.
        Forbidden: it is beyond the rights.
    """
    checked = check_body(body, now=now)
    renamed = event = checked.event(AS_SENT)
    if EVERYWHERE not in rights.writes and (rules := queue.rules()).names:
        renamed = checked.event(rules)
    check_rights(renamed, rights)
    if queue.drops(event):
        return None
    writes = applied_patterns(event, rights.writes, renamed=renamed)
    return CheckedEvent(cast("Mapping[str, object]", body), writes, events_of(event.units))
