"""Destinations of requests and events, and the interface of the transports to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

Json = Mapping[str, object]


class Transport(Protocol):
    """Transport of requests and events to a destination; usable by many threads at once."""

    def send(self, body: bytes, timeout_s: float) -> Json:
        """Send a request and return the service's response ({} if it has none).

        Raises:
            Refused: the service refused the request; sending it again cannot help.
            Undelivered: no response, or a temporary failure.
            Misconfigured: not even tried, for lack of credentials or a region.
        """

    def send_event(self, event: bytes, timeout_s: float) -> None:
        """Send an OpenLineage event; raises as `send` does."""

    def send_events(self, events: Sequence[bytes], timeout_s: float) -> Json:
        """Send several events; the response lists the refused events as `failed_events`, if any."""

    def close(self) -> None:
        """Close the connections; a later `send` connects again."""


@dataclass(frozen=True)
class Destination:
    """Destination of requests: either `url`, `function` (a Lambda name or ARN) or `file` (JSON lines).

    `token` is sent as a bearer token. `auth` is `iam` to sign with the AWS credentials, or `none`; without it, calls to
    an API Gateway host are signed.
    """

    url: str | None = None
    function: str | None = None
    file: str | None = None
    token: str | None = None
    auth: str | None = None
