"""Destinations of requests and events, and the interface of the transports that lead there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

Json = Mapping[str, object]


class Transport(Protocol):
    """A place that takes requests; it may be used by many threads at once."""

    def send(self, body: bytes, timeout_s: float) -> Json:
        """Hand over one request and return the service's answer ({} where none is given).

        Raises:
            Refused: the service says no; sending the same again cannot help.
            Undelivered: not answered, or a failure that may pass.
            Misconfigured: not even tried, for want of credentials or a region.
        """

    def send_event(self, event: bytes, timeout_s: float) -> None:
        """Hand over one OpenLineage event; raises as `send` does."""

    def send_events(self, events: Sequence[bytes], timeout_s: float) -> Json:
        """Hand over several; the answer's `failed_events` are those not taken, none where it has none."""

    def close(self) -> None:
        """Let go of connections; a later `send` opens new ones."""


@dataclass(frozen=True)
class Destination:
    """Where requests go: exactly one of `url`, `function` (a Lambda name or ARN) and `file` (JSON lines).

    `token` is sent as a bearer token; `auth` is `iam` to sign with the AWS credentials, `none` not to; left out, calls
    to an API Gateway host are signed.
    """

    url: str | None = None
    function: str | None = None
    file: str | None = None
    token: str | None = None
    auth: str | None = None
