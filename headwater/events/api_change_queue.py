"""The queue of changes through the API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.queues import from_caller, send_all
from headwater.events.api_changes import parse_api_change, render_change
from headwater.events.ingest import render_event_message
from headwater.events.naming import AS_SENT

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

# Changes whose facts name the caller; for a DELETE or DESCRIBE the raw log alone does.
_WITH_CALLER = frozenset({"TAG", "UNTAG", "OWN", "DISOWN", "DOCUMENT"})


@dataclass(frozen=True, slots=True)
class ApiChangeQueue:
    """The queue of changes through the API: deletions, annotations, descriptions. Only the api function sends to it."""

    sqs: SQSClient
    queue_url: str

    def put(self, change: str, *, time: str, caller: str | None = None, **fields: str | None) -> None:
        """Put a change (`API_CHANGES`) on the queue; `time` is normalized (`times`), the fields are its model's.

        Raises:
            Invalid: a field breaks a rule.
            Unavailable: the change was not queued; the caller sends it again.
        """
        by = {"caller": caller} if change in _WITH_CALLER else {}
        body = render_change(change, time=time, **fields, **by)
        parse_api_change(body, AS_SENT)
        send_all(self.sqs, self.queue_url, [from_caller(render_event_message(body), caller)])
