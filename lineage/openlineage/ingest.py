"""Ingest of events: each event is checked, then put on its queue by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import orjson

from lineage.aws.bodies import BODY_BYTES_MAX, Pointer, parse_pointer, put_body, render_body, render_pointer
from lineage.aws.queues import CALLER, Message, send_all, send_each
from lineage.openlineage.bounds import EVENTS_MAX
from lineage.openlineage.naming import NamingRules
from lineage.openlineage.parse import parse_api_change, parse_event, render_deletion, render_description, render_tagging
from lineage_model.errors import Invalid, TooLarge, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient


def render_event_message(body: Mapping[str, object]) -> str:
    """Return the body of a message with one event, which `parse_event` has accepted."""
    return render_body(body)


def parse_event_message(body: str | bytes) -> object | Pointer:
    """Return the content of a message, or of the object behind a pointer: JSON for `parse_event`, or a pointer.

    Raises:
        Invalid: the content is no JSON object, or a pointer without bucket and key.
    """
    try:
        form = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Invalid.because("message", body, f"must be JSON ({error})") from error
    if not isinstance(form, dict):
        raise Invalid.because("message", form, "must be a JSON object")
    # An event has a time and a producer beside whatever it calls `s3`.
    return parse_pointer(form["s3"]) if form.keys() == {"s3"} else form


@dataclass(frozen=True, slots=True)
class EventQueue:
    """The queue of events, and the bucket for events too large for a message."""

    sqs: SQSClient
    s3: S3Client
    queue_url: str
    bucket: str

    def put(self, body: Mapping[str, object], *, caller: str | None = None) -> None:
        """Put one event on the queue; raise `Unavailable` if that failed and the caller must send it again."""
        send_all(self.sqs, self.queue_url, [self._message(body, caller)])

    def put_many(self, bodies: Sequence[Mapping[str, object]], *, caller: str | None = None) -> Mapping[int, str]:
        """Put each event on the queue by itself; return the reason for each index that the caller must send again."""
        failed: dict[int, str] = {}
        messages: dict[int, Message] = {}
        for place, body in enumerate(bodies):
            try:
                messages[place] = self._message(body, caller)
            except Unavailable as error:
                failed[place] = str(error)
        places = list(messages)
        unsent = send_each(self.sqs, self.queue_url, list(messages.values()))
        return {**failed, **{places[number]: reason for number, reason in unsent.items()}}

    def _message(self, body: Mapping[str, object], caller: str | None) -> Message:
        text = render_event_message(body)
        if len(text.encode()) > BODY_BYTES_MAX:
            text = render_pointer(put_body(self.s3, self.bucket, text))
        return _message(text, caller)


@dataclass(frozen=True, slots=True)
class ApiChangeQueue:
    """The queue of changes through the API: deletions, tags, descriptions. Only the api function may send to it."""

    sqs: SQSClient
    queue_url: str

    def put_deletion(
        self,
        namespace: str,
        *,
        time: str,
        job: str | None = None,
        dataset: str | None = None,
        caller: str | None = None,
    ) -> None:
        """Put the deletion of a job, a dataset or a whole namespace on the queue; `time` is normalized (`times`).

        Raises:
            Unavailable: the deletion was not queued; the caller sends it again.
        """
        self._send(render_deletion(namespace, time=time, job=job, dataset=dataset), caller)

    def put_tagging(
        self, tag: str, *, time: str, present: bool = True, caller: str | None = None, **about: str | None
    ) -> None:
        """Put a tag that was set, or taken away, on the queue; `about` as in `render_tagging`.

        Raises:
            Invalid: a name breaks a rule.
            Unavailable: it was not queued; the caller sends it again.
        """
        body = render_tagging(tag, time=time, present=present, caller=caller, **about)
        parse_api_change(body, _RULES)
        self._send(body, caller)

    def put_description(self, *, time: str, caller: str | None = None, **about: str | None) -> None:
        """Put the description of a namespace or a source on the queue; `about` as in `render_description`.

        Raises:
            Invalid: a name breaks a rule.
            Unavailable: it was not queued; the caller sends it again.
        """
        body = render_description(time=time, **about)
        parse_api_change(body, _RULES)
        self._send(body, caller)

    def _send(self, body: Mapping[str, str], caller: str | None) -> None:
        send_all(self.sqs, self.queue_url, [_message(render_event_message(body), caller)])


def _message(text: str, caller: str | None) -> Message:
    return Message(text, {CALLER: caller} if caller else {})


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


def accept_event(body: object, queue: EventQueue, *, now: str, caller: str | None = None) -> None:
    """Accept one event onto the queue; `now` is normalized (`times`), `caller` is the sender, if known.

    Raises:
        Invalid: the event breaks a rule.
        TooLarge: the event names too many datasets.
        Unavailable: the event was not queued; the caller sends it again.
    """
    queue.put(_read(body, now), caller=caller)


def accept_events(bodies: object, queue: EventQueue, *, now: str, caller: str | None = None) -> Accepted:
    """Accept each event of a list onto the queue by itself; `caller` is the sender, if known.

    Raises:
        Invalid: `bodies` is no list.
        TooLarge: the list has more than `EVENTS_MAX` events; none was accepted.
    """
    if not isinstance(bodies, list):
        raise Invalid.because("events", bodies, "must be a list")
    if len(bodies) > EVENTS_MAX:
        raise TooLarge(f"events: must be at most {EVENTS_MAX} at once, got {len(bodies)}")
    failed: dict[int, Failed] = {}
    good: dict[int, Mapping[str, object]] = {}
    for index, body in enumerate(bodies):
        try:
            good[index] = _read(body, now)
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


def _read(body: object, now: str) -> Mapping[str, object]:
    parse_event(body, _RULES, now=now)
    return cast("Mapping[str, object]", body)
