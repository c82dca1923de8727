"""Events and deletions onto their queues, each a message of its own.

An event too large for a message travels as a pointer to S3; a deletion never is. Deletions have a queue of their own,
since producers may send to that of events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lineage.aws.bodies import BODY_BYTES_MAX, put_body, render_pointer
from lineage.aws.queues import CALLER, Message, send_all, send_each
from lineage.errors import Unavailable
from lineage.runs.door.messages import render_event_message
from lineage.runs.door.parse import render_deletion

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_sqs import SQSClient


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
