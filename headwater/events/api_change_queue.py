"""The queue of changes through the API."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headwater.aws.queues import from_caller, send_all
from headwater.events.api_changes import (
    parse_api_change,
    render_deletion,
    render_description,
    render_documentation,
    render_ownership,
    render_tagging,
)
from headwater.events.ingest import render_event_message
from headwater.events.naming import AS_SENT

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True, slots=True)
class ApiChangeQueue:
    """The queue of changes through the API: deletions, annotations, descriptions. Only the api function sends to it."""

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
        self._send_checked(render_tagging(tag, time=time, present=present, caller=caller, **about), caller)

    def put_ownership(
        self, owner: str, *, time: str, present: bool = True, caller: str | None = None, **about: str | None
    ) -> None:
        """Put an owner that was set, or taken away, on the queue; `about` as in `render_ownership`.

        Raises:
            Invalid: a name breaks a rule.
            Unavailable: it was not queued; the caller sends it again.
        """
        self._send_checked(render_ownership(owner, time=time, present=present, caller=caller, **about), caller)

    def put_documentation(self, *, time: str, caller: str | None = None, **about: str | None) -> None:
        """Put the description of a job, a dataset or a field on the queue; `about` as in `render_documentation`.

        Raises:
            Invalid: a name, or the description, breaks a rule.
            Unavailable: it was not queued; the caller sends it again.
        """
        self._send_checked(render_documentation(time=time, caller=caller, **about), caller)

    def put_description(self, *, time: str, caller: str | None = None, **about: str | None) -> None:
        """Put the description of a namespace or a source on the queue; `about` as in `render_description`.

        Raises:
            Invalid: a name breaks a rule.
            Unavailable: it was not queued; the caller sends it again.
        """
        self._send_checked(render_description(time=time, **about), caller)

    def _send_checked(self, body: Mapping[str, str], caller: str | None) -> None:
        parse_api_change(body, AS_SENT)
        self._send(body, caller)

    def _send(self, body: Mapping[str, str], caller: str | None) -> None:
        send_all(self.sqs, self.queue_url, [from_caller(render_event_message(body), caller)])
