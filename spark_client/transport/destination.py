"""Destinations of requests and events, and the interface of the transports to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

Json = Mapping[str, object]


class Transport(Protocol):
    """Transport of requests and events to one destination; usable by many threads at once."""

    def send(self, body: bytes, timeout_s: float) -> Json:
        """Send one request and return the service's response ({} if it has none).

        Raises:
            Refused: the service refused the request; sending it again cannot help.
            Undelivered: no response, or a failure that may pass.
            Misconfigured: not even tried, for lack of credentials or a region.
        """

    def send_event(self, event: bytes, timeout_s: float) -> None:
        """Send one OpenLineage event; raises as `send` does."""

    def send_events(self, events: Sequence[bytes], timeout_s: float) -> Json:
        """Send several events; the response's `failed_events` are those not accepted, none where it has none."""

    def close(self) -> None:
        """Close the connections; a later `send` opens new ones."""


@dataclass(frozen=True)
class Destination:
    """Destination of requests: exactly one of `url`, `function` (a Lambda name or ARN) and `file` (JSON lines).

    `token` is sent as a bearer token. `auth` is `iam` to sign with the AWS credentials, or `none`; without it, calls to
    an API Gateway host are signed.
    """

    url: str | None = None
    function: str | None = None
    file: str | None = None
    token: str | None = None
    auth: str | None = None
