"""Transport over HTTP: connections kept alive, bodies compressed, requests signed with AWS credentials if needed."""

from __future__ import annotations

import gzip
import http.client
import io
import json
import logging
import queue
import re
import socket
import ssl
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import SplitResult, urlsplit

from spark_client.errors import LineageError, Misconfigured, Refused, Undelivered
from spark_client.record_requests import BODY_MAX_BYTES
from spark_client.transport.proxy import LOOPBACK, find_proxy
from spark_client.version import USER_AGENT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spark_client.transport.destination import Destination, Json
    from spark_client.transport.retry import RetryPolicy

_RECORDS = "api/v1/records"
_EVENT = "api/v1/lineage"
_EVENTS = "api/v1/lineage/batch"
# Below this a compressed body saves no packet.
COMPRESSED_ABOVE_BYTES = 8_192
# The usual level, 6, takes twice the time. It saves 5 % of the bytes of records with UUIDs, 10 % of the bytes of
# events.
_COMPRESSION_LEVEL = 3
# No response of the service is longer: it only names parts of the request.
_RESPONSE_MAX_BYTES = 4 * BODY_MAX_BYTES
# Statuses of 500 and above that stay: not implemented, version, a network with a login of its own.
_LASTING = (501, 505, 511)
_log = logging.getLogger("headwater.client")

# Adds a URL's headers of authentication to the headers of a body.
Authenticate = Callable[[str, bytes, dict[str, str]], dict[str, str]]


class HttpTransport:
    """Transport of requests to `<url>/api/v1/records` and of events to `<url>/api/v1/lineage`, with kept connections.

    No redirect is followed: a 3xx is `Refused`, so neither credentials nor events reach another host.
    """

    def __init__(self, destination: Destination, policy: RetryPolicy) -> None:
        url = destination.url or ""
        parts = _parse(url)
        self._scheme, self._host, self._port = parts.scheme, parts.hostname or "", parts.port
        self._proxy = find_proxy(self._scheme, self._host)
        self._url = url.rstrip("/")
        self._root = parts.path.rstrip("/")
        if self._proxy and parts.scheme == "http":  # a proxy needs the whole address
            self._root = f"http://{parts.netloc}{self._root}"
        self._policy = policy
        self._authenticate = _authentication(destination, self._host)
        if destination.token is not None and self._scheme == "http" and self._host not in LOOPBACK:
            _warn_of_plain_token(self._host)
        self._idle: queue.LifoQueue[http.client.HTTPConnection] = queue.LifoQueue()
        weakref.finalize(self, _close_all, self._idle)

    def send(self, body: bytes, timeout_s: float) -> Json:
        """POST a request: 429 and passing 5xx are `Undelivered`, a foreign page `Misconfigured`, others `Refused`."""
        status, body_received = self._call(_RECORDS, body, timeout_s)
        fields = _fields(body_received)
        return fields if "root_id" in fields else _reject_foreign_response(status)

    def send_event(self, event: bytes, timeout_s: float) -> None:
        """POST an event."""
        status, body_received = self._call(_EVENT, event, timeout_s)
        if (status, body_received) != (201, b""):
            _reject_foreign_response(status)

    def send_events(self, events: Sequence[bytes], timeout_s: float) -> Json:
        """POST a batch of events."""
        status, body_received = self._call(_EVENTS, b"[" + b",".join(events) + b"]", timeout_s)
        fields = _fields(body_received)
        return fields if status == 204 or "failed_events" in fields else _reject_foreign_response(status)

    def _call(self, path: str, body: bytes, timeout_s: float) -> tuple[int, bytes]:
        """Get status and body of a 2xx; raise the error of any other status."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "User-Agent": USER_AGENT}
        if len(body) > COMPRESSED_ABOVE_BYTES:
            body = gzip.compress(body, compresslevel=_COMPRESSION_LEVEL, mtime=0)
            headers["Content-Encoding"] = "gzip"
        headers = self._authenticate(f"{self._url}/{path}", body, headers)
        if self._proxy and self._scheme == "http":  # a tunnel had them already
            headers.update(self._proxy.headers)
        try:
            status, retry_after, body_received = self._post(f"{self._root}/{path}", body, headers, timeout_s)
        except (OSError, http.client.HTTPException) as error:
            timed_out = isinstance(error, TimeoutError)
            raise Undelivered(f"{self._host}: {type(error).__name__} {error}", timed_out=timed_out) from error
        if not 200 <= status < 300:
            raise _refusal(status, retry_after, body_received)
        return status, body_received

    def close(self) -> None:
        """Close the idle connections."""
        _close_all(self._idle)

    def _post(self, path: str, body: bytes, headers: dict[str, str], timeout_s: float) -> tuple[int, str | None, bytes]:
        connection, kept = self._connection(timeout_s)
        try:
            body_received = _exchange(connection, path, body, headers)
        except (ConnectionError, http.client.RemoteDisconnected):
            connection.close()
            if not kept:
                raise
            # The service may close an idle connection at any moment, without a failure.
            connection = self._connect(timeout_s)
            body_received = _exchange(connection, path, body, headers)
        except BaseException:
            connection.close()
            raise
        self._idle.put(connection)
        return body_received

    def _connection(self, timeout_s: float) -> tuple[http.client.HTTPConnection, bool]:
        try:
            connection = self._idle.get_nowait()
        except queue.Empty:
            return self._connect(timeout_s), False
        if connection.sock is None:  # the last response had `Connection: close`
            return self._connect(timeout_s), False
        connection.sock.settimeout(timeout_s)
        return connection, True

    def _connect(self, timeout_s: float) -> http.client.HTTPConnection:
        connect_s = min(self._policy.connect_s, timeout_s)
        connection: http.client.HTTPConnection
        proxy, address = self._proxy, (self._host, self._port)
        # To HTTPS through a tunnel of the proxy; else over TLS or in plain text, to the proxy or the service.
        if proxy and self._scheme == "https":
            connection = proxy.connect_to(self._host, self._port, connect_s)
        elif self._scheme == "https" or (proxy and proxy.is_tls):
            host, port = (proxy.host, proxy.port) if proxy else address
            context = ssl.create_default_context()
            connection = http.client.HTTPSConnection(host, port, timeout=connect_s, context=context)
        else:
            host, port = (proxy.host, proxy.port) if proxy else address
            connection = http.client.HTTPConnection(host, port, timeout=connect_s)
        connection.response_class = _TimedResponse
        try:
            if connection.sock is None:
                connection.connect()
        except BaseException:
            connection.close()
            raise
        connection.sock.settimeout(timeout_s)
        return connection


def _parse(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        is_ours = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:  # the port is no number
        is_ours = False
    if not is_ours:
        shown = re.sub(r"(?:(?<=//)|^).*@", "***@", url)
        raise Misconfigured(f"url {shown!r}: must be http://host[:port][/path] or https://...")
    return parts


def _close_all(idle: queue.LifoQueue[http.client.HTTPConnection]) -> None:
    with suppress(queue.Empty):
        while True:
            idle.get_nowait().close()


def _exchange(
    connection: http.client.HTTPConnection, path: str, body: bytes, headers: dict[str, str]
) -> tuple[int, str | None, bytes]:
    connection.request("POST", path, body, headers)
    response = connection.getresponse()
    body_received = response.read(_RESPONSE_MAX_BYTES + 1)
    if len(body_received) > _RESPONSE_MAX_BYTES:
        raise http.client.HTTPException(f"response has more than {_RESPONSE_MAX_BYTES} bytes")
    return response.status, response.headers.get("Retry-After"), body_received


class _TimedResponse(http.client.HTTPResponse):
    """Response bounded as a whole by the socket's time-out; without it the time-out holds for each read."""

    def __init__(self, sock: socket.socket, *args: Any, **kwargs: Any) -> None:
        super().__init__(sock, *args, **kwargs)
        self.fp = io.BufferedReader(_Timed(self.fp.detach(), sock))


class _Timed(io.RawIOBase):
    """Bytes of a socket, until the socket's time-out has passed."""

    def __init__(self, raw: io.RawIOBase, sock: socket.socket) -> None:
        self._raw, self._sock = raw, sock
        self._end_s = time.monotonic() + (sock.gettimeout() or 0.0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        left_s = self._end_s - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("timed out")
        self._sock.settimeout(left_s)
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


def _fields(body_received: bytes) -> Json:
    try:
        parsed = json.loads(body_received)
    except (ValueError, RecursionError):
        parsed = None
    return parsed if isinstance(parsed, dict) else {}


def _reject_foreign_response(status: int) -> NoReturn:
    """Raise for a 2xx without the service's fields: the login page of a proxy, so nothing was accepted."""
    raise Misconfigured(f"HTTP {status} without a lineage response: is the URL that of the service?")


def _refusal(status: int, retry_after: str | None, body_received: bytes) -> LineageError:
    fields = _fields(body_received)
    message = str(fields.get("message") or http.client.responses.get(status, "unknown status"))
    if status in (407, 511):  # a proxy's, or a network's: no request gets through
        return Misconfigured(f"HTTP {status}: {message}")
    if status in (408, 429) or (status >= 500 and status not in _LASTING):
        return Undelivered(f"HTTP {status}: {message}", _seconds(retry_after))
    return Refused(str(fields.get("code") or status), message)


def _seconds(retry_after: str | None) -> float:
    """Parse the seconds of `Retry-After`; 0 for its form as a date, never sent by AWS services."""
    return float(retry_after) if retry_after and retry_after.isdecimal() else 0.0


@cache
def _warn_of_plain_token(host: str) -> None:
    """Warn once for each host, since a job makes many clients."""
    _log.warning("the token goes to %s over plain http, where anybody on the way reads it: use https", host)


def _authentication(destination: Destination, host: str) -> Authenticate:
    if destination.auth not in (None, "iam", "none"):
        raise Misconfigured(f"auth {destination.auth!r}: must be 'iam' or 'none'")
    if destination.token is not None:
        if destination.auth == "iam":
            raise Misconfigured("a token and auth 'iam' are both set: keep one of them")
        token = destination.token.strip()  # a file's last line has an end
        if not (token.isascii() and token.isprintable()):
            raise Misconfigured("token: must be printable ASCII")
        bearer = {"Authorization": f"Bearer {token}"}
        return lambda _url, _body, headers: {**headers, **bearer}
    gateway = ".execute-api." in host
    if destination.auth == "iam" or (gateway and destination.auth is None):
        from spark_client.transport.signing import sign_with_aws

        return sign_with_aws(host)
    return lambda _url, _body, headers: headers
