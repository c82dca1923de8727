"""Ingest of events: each is read, then made durable by itself on its queue."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import orjson

from lineage.aws.bodies import BODY_BYTES_MAX, Pointer, parse_pointer, put_body, render_body, render_pointer
from lineage.aws.queues import CALLER, Message, send_all, send_each
from lineage.openlineage.naming import NameRules
from lineage.openlineage.parse import parse_event, render_deletion
from lineage_model.errors import Invalid, TooLarge, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient


def render_event_message(body: Mapping[str, object]) -> str:
    """The body of a message with one event; `parse` has read it, so it has JSON."""
    return render_body(body)


def parse_event_message(body: str | bytes) -> object | Pointer:
    """Return what a message, or the object behind a pointer, holds: JSON for `parse`, or a pointer.

    Raises:
        Invalid: it is no JSON object, or a pointer that points nowhere.
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
class EventsIntake:
    """The queue that events go to, and the bucket for what is too large for a message."""

    sqs: SQSClient
    s3: S3Client
    queue_url: str
    bucket: str

    def put(self, body: Mapping[str, object], *, caller: str | None = None) -> None:
        """Make one event durable; `Unavailable` if that failed, and it has to be sent again."""
        send_all(self.sqs, self.queue_url, [self._message(body, caller)])

    def put_many(self, bodies: Sequence[Mapping[str, object]], *, caller: str | None = None) -> Mapping[int, str]:
        """Make each event durable by itself; return by place why an event is not, and has to be sent again."""
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
class DeletionsIntake:
    """The queue that deletions go to; only the api function may send to it."""

    sqs: SQSClient
    queue_url: str

    def put(
        self,
        namespace: str,
        *,
        time: str,
        job: str | None = None,
        dataset: str | None = None,
        caller: str | None = None,
    ) -> None:
        """Make durable that a job, a dataset or a whole namespace was deleted at `time` (as `times` keeps it).

        Raises:
            Unavailable: it is not durable; the caller asks again.
        """
        form = render_deletion(namespace, time=time, job=job, dataset=dataset)
        send_all(self.sqs, self.queue_url, [_message(render_event_message(form), caller)])


def _message(text: str, caller: str | None) -> Message:
    return Message(text, {CALLER: caller} if caller else {})


# A hundred calls of SQS: a second or two of the half minute that API Gateway waits.
EVENTS_MAX = 1000
# So that the answer to a thousand bad events is still small.
_REASON_CHARS_MAX = 500
# What the names of datasets tell is asked when an event is loaded.
_RULES = NameRules(trim_partitions=False, temporary=())


@dataclass(frozen=True, slots=True)
class Failed:
    """An event of a batch, by its place, that was not accepted; `retriable`: it is correct, AWS refused for now."""

    index: int
    reason: str
    retriable: bool


@dataclass(frozen=True, slots=True)
class Accepted:
    """What became of a batch: the number of its events, and those that failed, in their order."""

    received: int
    failed: tuple[Failed, ...]


def accept_event(body: object, intake: EventsIntake, *, now: str, caller: str | None = None) -> None:
    """Make one event durable; `now` is as `times` keeps it, `caller` who sent it, if known.

    Raises:
        Invalid: it breaks a rule.
        TooLarge: it names too many datasets.
        Unavailable: it is not durable; the caller sends it again.
    """
    intake.put(_read(body, now), caller=caller)


def accept_events(bodies: object, intake: EventsIntake, *, now: str, caller: str | None = None) -> Accepted:
    """Make each event of a list durable by itself; `caller` is who sent it, if known.

    Raises:
        Invalid: it is no list.
        TooLarge: there are more than `EVENTS_MAX`; none was accepted.
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
    for number, reason in intake.put_many(list(good.values()), caller=caller).items():
        failed[places[number]] = Failed(places[number], reason[:_REASON_CHARS_MAX], retriable=True)
    return Accepted(len(bodies), tuple(failed[index] for index in sorted(failed)))


def render_accepted(accepted: Accepted) -> dict[str, object]:
    """What became of a batch, as OpenLineage's specification has it (`POST /lineage/batch`)."""
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
