"""Ingest of events: each event is checked, then put on its queue by itself."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from headwater.aws.bodies import BODY_BYTES_MAX, put_body, render_pointer
from headwater.aws.queues import WRITES, Message, from_caller, send_all, send_each
from headwater.events.bounds import EVENTS_MAX
from headwater.events.event_messages import render_event_message
from headwater.events.naming import NamingRules
from headwater.events.parse import parse_event
from headwater.events.rights import applied_patterns, check_rights
from headwater.namespaces import EVERY_RIGHT, Rights
from headwater_model.errors import Invalid, TooLarge, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True, slots=True)
class CheckedEvent:
    """An event that its sender may send; `writes` are the patterns of namespaces that limit its effect, if any do."""

    body: Mapping[str, object]
    writes: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class EventQueue:
    """The queue of events, and the bucket for events too large for a message."""

    sqs: SQSClient
    s3: S3Client
    queue_url: str
    bucket: str

    def put(self, event: CheckedEvent, *, caller: str | None = None) -> None:
        """Put one event on the queue; raise `Unavailable` if that failed and the caller must send it again."""
        send_all(self.sqs, self.queue_url, [self._message(event, caller)])

    def put_many(self, events: Sequence[CheckedEvent], *, caller: str | None = None) -> Mapping[int, str]:
        """Put each event on the queue by itself; return the reason for each index that the caller must send again."""
        failed: dict[int, str] = {}
        messages: dict[int, Message] = {}
        for place, event in enumerate(events):
            try:
                messages[place] = self._message(event, caller)
            except Unavailable as error:
                failed[place] = str(error)
        places = list(messages)
        unsent = send_each(self.sqs, self.queue_url, list(messages.values()))
        return {**failed, **{places[number]: reason for number, reason in unsent.items()}}

    def _message(self, event: CheckedEvent, caller: str | None) -> Message:
        text = render_event_message(event.body)
        limits = {} if event.writes is None else {WRITES: json.dumps(event.writes)}
        if len(text.encode()) + sum(len(limit.encode()) for limit in limits.values()) > BODY_BYTES_MAX:
            text = render_pointer(put_body(self.s3, self.bucket, text))
        return from_caller(text, caller, **limits)


# Keeps the response to a thousand bad events small.
_REASON_CHARS_MAX = 500
# Naming rules apply when an event is loaded.
_RULES = NamingRules(trim_partitions=False, temporary=())


@dataclass(frozen=True, slots=True)
class Failed:
    """An event of a batch, by its index, that was not accepted; `retriable`: it is correct, AWS refused for now."""

    index: int
    reason: str
    retriable: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """The result of a batch: the number of its events, and the failed ones in their order."""

    received: int
    failed: tuple[Failed, ...]


def accept_event(
    *bodies: object, queue: EventQueue, now: str, caller: str | None = None, rights: Rights = EVERY_RIGHT
) -> None:
    """Accept one event onto the queue, or several that belong together.

    `now` is normalized (`times`), `caller` is the sender, if known.

    Raises:
        Invalid: an event breaks a rule; none was accepted, as for the next two.
        TooLarge: an event names too many datasets.
        Forbidden: an event is beyond the sender's rights.
        Unavailable: an event was not queued; the caller sends all of them again.
    """
    for event in [_read(body, now, rights) for body in bodies]:
        queue.put(event, caller=caller)


def accept_events(
    bodies: object, queue: EventQueue, *, now: str, caller: str | None = None, rights: Rights = EVERY_RIGHT
) -> Accepted:
    """Accept each event of a list onto the queue by itself; `caller` is the sender, if known.

    Raises:
        Invalid: `bodies` is no list.
        Forbidden: an event is beyond the sender's rights; none was accepted.
        TooLarge: the list has more than `EVENTS_MAX` events; none was accepted.
    """
    if not isinstance(bodies, list):
        raise Invalid.because("events", bodies, "must be a list")
    if len(bodies) > EVENTS_MAX:
        raise TooLarge(f"events: must be at most {EVENTS_MAX} at once, got {len(bodies)}")
    failed: dict[int, Failed] = {}
    good: dict[int, CheckedEvent] = {}
    for index, body in enumerate(bodies):
        try:
            good[index] = _read(body, now, rights)
        except (Invalid, TooLarge) as error:
            failed[index] = Failed(index, str(error)[:_REASON_CHARS_MAX], retriable=False)
    places = list(good)
    for number, reason in queue.put_many(list(good.values()), caller=caller).items():
        failed[places[number]] = Failed(places[number], reason[:_REASON_CHARS_MAX], retriable=True)
    return Accepted(len(bodies), tuple(failed[index] for index in sorted(failed)))


def render_accepted(accepted: Accepted) -> dict[str, object]:
    """Return the response to a batch, as OpenLineage specifies it (`POST /lineage/batch`)."""
    failed, retriable = len(accepted.failed), sum(one.retriable for one in accepted.failed)
    return {
        "status": "partial_success" if failed else "success",
        "summary": {
            "received": accepted.received,
            "successful": accepted.received - failed,
            "failed": failed,
            "retriable": retriable,
            "non_retriable": failed - retriable,
        },
        "failed_events": _failed_events(accepted.failed),
    }


def _failed_events(failed: Sequence[Failed]) -> list[dict[str, object]]:
    return [{"index": one.index, "reason": one.reason, "retriable": one.retriable} for one in failed]


def _read(body: object, now: str, rights: Rights) -> CheckedEvent:
    event = parse_event(body, _RULES, now=now)
    check_rights(event, rights)
    return CheckedEvent(cast("Mapping[str, object]", body), applied_patterns(event, rights.writes))
