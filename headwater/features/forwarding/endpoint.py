"""The endpoint of forwarded events: an HTTPS URL, and its bearer token in Secrets Manager, if it has a token.

    secret = Secret(secrets_manager, "forward-token", clock=time.monotonic)
    endpoint = Endpoint("https://marquez.example/api/v1/lineage", token=secret.token, forget_token=secret.forget)
    status = endpoint.post(b"{...}")

A redirect is a response like any other: the token goes to the deployer's URL alone.

Time-outs of http.client, and of urllib3 above it, begin again at each byte. So a request runs in a thread, and its
caller leaves the thread when the time of the whole request is up.
"""

from __future__ import annotations

import re
import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from typing import Any, Protocol
from urllib.parse import urlsplit

from headwater.settings import FORWARDED_HEADER
from headwater_model.errors import Invalid

# A replaced token is used for this long at most; after a refusal it is read at once.
_KEPT_S = 300
# Characters of a header.
_TOKEN_FORM = re.compile(r"[!-~]+")
# Of an event, from the look-up of the host to the headers of the response.
TIMEOUT_S = 10
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_UNAUTHORIZED = 401


class Secret:
    """A token, read at its first use, and again after some minutes by the `clock`, in seconds."""

    def __init__(self, client: Any, secret_id: str, *, clock: Callable[[], float]) -> None:
        self._client, self._id, self._clock = client, secret_id, clock
        self._token = ""
        self._until_s = 0.0

    def token(self) -> str:
        """Read the token, or repeat the token read some minutes ago.

        Raises:
            Invalid: the secret holds no token; the message does not show the value.
        """
        if not self._token or self._clock() >= self._until_s:
            value = self._client.get_secret_value(SecretId=self._id).get("SecretString", "").strip()
            if not _TOKEN_FORM.fullmatch(value):
                raise Invalid.because("forward_secret", self._id, "must hold a token as text, without spaces")
            self._token, self._until_s = value, self._clock() + _KEPT_S
        return self._token

    def forget(self) -> None:
        """Read the secret again when the token is needed next."""
        self._token = ""


class Unreachable(Exception):
    """An endpoint without a response in time, or without a connection; names the kind of error, never the event."""


class Unsendable(Exception):
    """An event that the target never takes, with the rule."""


class Target(Protocol):
    """A receiver of events: an `Endpoint`, or a domain of `datazone`."""

    def post(self, body: bytes) -> int:
        """Send an event and return the status of the response. Raises `Unreachable` or `Unsendable`."""


class Endpoint:
    """An OpenLineage endpoint, with a connection kept open between requests.

    `token` gives the bearer token, or None. If the endpoint does not accept the token, `forget_token` is called: it may
    have been replaced.
    """

    def __init__(
        self,
        url: str,
        *,
        token: Callable[[], str | None],
        forget_token: Callable[[], None] = lambda: None,
        ca_file: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        parts = urlsplit(url)
        host = parts.hostname or ""
        if parts.scheme != "https" and (parts.scheme != "http" or host not in _LOOPBACK):
            raise ValueError("events are forwarded over https alone")
        self._target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        self._token, self._forget_token, self._timeout_s = token, forget_token, timeout_s
        self._connect: Callable[[], HTTPConnection] = lambda: HTTPConnection(host, parts.port, timeout=timeout_s)
        if parts.scheme == "https":
            context = ssl.create_default_context(cafile=ca_file)
            self._connect = lambda: HTTPSConnection(host, parts.port, timeout=timeout_s, context=context)
        self._connection = self._connect()

    def post(self, body: bytes) -> int:
        """Send an event and return the status of the response. Raises `Unreachable`."""
        headers = {"Content-Type": "application/json", "User-Agent": "headwater", FORWARDED_HEADER: "true"}
        token = self._token()
        if token:
            headers["Authorization"] = f"Bearer {token}"
        exchange = _Exchange(self._connection, self._target, body, headers)
        exchange.start()
        exchange.join(self._timeout_s)
        if exchange.is_alive():
            exchange.leave()
            self._connection = self._connect()
            raise Unreachable("the endpoint did not respond (TimeoutError)")
        if exchange.status is None:
            raise Unreachable(f"the endpoint did not respond ({type(exchange.error).__name__})") from exchange.error
        if exchange.status == _UNAUTHORIZED:
            self._forget_token()
        return exchange.status


class _Exchange(threading.Thread):
    """A request and the status of its response; the body is not read."""

    def __init__(self, connection: HTTPConnection, target: str, body: bytes, headers: Mapping[str, str]) -> None:
        super().__init__(name="forward", daemon=True)
        self.status: int | None = None
        self.error: Exception | None = None
        self._connection = connection
        self._request = ("POST", target, body, headers)
        self._left = False

    def run(self) -> None:
        """Send the request, once more if the endpoint closed the connection while it was idle."""
        was_open = self._connection.sock is not None
        try:
            try:
                response = self._respond()
            except (ConnectionError, ssl.SSLError):
                if not was_open:
                    raise
                self._connection.close()
                response = self._respond()
            # A connection is used again only if no body is on it: bodies are never read, nor unpacked.
            if response.length == 0:
                response.read()
            else:
                self._connection.close()
            self.status = response.status
        except (OSError, HTTPException) as error:
            self._connection.close()
            self.error = error

    def leave(self) -> None:
        """End the exchange from outside: all that it does next on the connection fails."""
        self._left = True
        if self._connection.sock is not None:
            with suppress(OSError):
                # An SSLSocket's own `shutdown` would let the thread go on in plain text.
                socket.socket.shutdown(self._connection.sock, socket.SHUT_RDWR)

    def _respond(self) -> HTTPResponse:
        if self._connection.sock is None:
            self._connection.connect()
        if self._left:
            raise TimeoutError
        self._connection.request(*self._request)
        return self._connection.getresponse()
