"""Connections to an AWS endpoint, kept open between requests and between the invocations of a function."""

from __future__ import annotations

import select
import socket
import ssl
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from urllib.parse import urlsplit

from botocore.exceptions import (
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    ReadTimeoutError,
    ResponseStreamingError,
    SSLError,
)
from httptools import HttpParserError, HttpResponseParser

# Failures on a connection closed by the server: before a byte of the response.
_CLOSED = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


# A connection in recent use is taken to be open: a check by the system costs a tenth of a call.
_FRESH_S = 0.5
_READ_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP response, with the names of its headers in lower case.

    Its attributes are named as in botocore, whose retries read them.
    """

    status_code: int
    headers: Mapping[str, str]
    content: bytes


class Connections:
    """A pool of connections for any number of threads; at most `keep` stay open while they are idle.

    `ca_file` holds the certificates for an `https` endpoint. A single call of the system writes a request, and
    httptools reads the response: http.client and urllib3 cost more than the rest of a call.
    """

    def __init__(
        self, url: str, *, ca_file: str | None, connect_timeout_s: float, read_timeout_s: float, keep: int
    ) -> None:
        parts = urlsplit(url)
        self.url = url
        self._is_tls, self._ca_file = parts.scheme == "https", ca_file
        self._address = parts.hostname or "", parts.port or (443 if self._is_tls else 80)
        self._connect_timeout_s, self._read_timeout_s = connect_timeout_s, read_timeout_s
        self._keep = keep
        # The idle connections, each with the time of its last use by the monotonic clock.
        self._idle: list[tuple[float, socket.socket]] = []

    def post(self, headers: Mapping[str, str], body: bytes) -> Response:
        """Send the body to `/` and return the response. Raises botocore's `ConnectionError` or `HTTPClientError`.

        AWS closes idle connections after a while; a thawed function finds all of them closed. A request that fails on
        an idle connection before any response is therefore sent once more on a new connection.
        """
        lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        request = f"POST / HTTP/1.1\r\n{lines}content-length: {len(body)}\r\n\r\n".encode("latin-1") + body
        idle = self._pop_open()
        if idle is not None:
            try:
                return self._exchange(idle, request)
            except ConnectionClosedError:
                self.close()
        return self._exchange(self._connect(), request)

    def close(self) -> None:
        """Close the idle connections."""
        while (idle := self._pop()) is not None:
            idle[1].close()

    def _exchange(self, connection: socket.socket, request: bytes) -> Response:
        kept = False
        try:
            connection.sendall(request)
            response, kept = _read(connection)
        except _CLOSED as error:
            raise ConnectionClosedError(endpoint_url=self.url, error=error) from error
        except TimeoutError as error:
            raise ReadTimeoutError(endpoint_url=self.url, error=error) from error
        except (OSError, HttpParserError) as error:
            raise ResponseStreamingError(error=error) from error
        finally:
            if kept and len(self._idle) < self._keep:
                self._idle.append((time.monotonic(), connection))
            else:
                connection.close()
        return response

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Read the certificates, at the first connection: many a function starts without a call of this endpoint."""
        return ssl.create_default_context(cafile=self._ca_file)

    def _connect(self) -> socket.socket:
        tls = self._tls if self._is_tls else None
        try:
            connection = socket.create_connection(self._address, timeout=self._connect_timeout_s)
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if tls is not None:
                # The failed handshake has closed the socket.
                connection = tls.wrap_socket(connection, server_hostname=self._address[0])
        except TimeoutError as error:
            raise ConnectTimeoutError(endpoint_url=self.url, error=error) from error
        except ssl.SSLError as error:
            raise SSLError(endpoint_url=self.url, error=error) from error
        except OSError as error:
            raise EndpointConnectionError(endpoint_url=self.url, error=error) from error
        connection.settimeout(self._read_timeout_s)
        return connection

    def _pop_open(self) -> socket.socket | None:
        """Pop the idle connection in most recent use that is still open."""
        while (idle := self._pop()) is not None:
            used, connection = idle
            if time.monotonic() - used < _FRESH_S or not _is_readable(connection):
                return connection
            connection.close()
        return None

    def _pop(self) -> tuple[float, socket.socket] | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None


class _Received:
    """A response so far, as httptools calls it."""

    def __init__(self) -> None:
        self.headers: dict[str, str] = {}
        self.body: list[bytes] = []
        self.complete = False

    def on_header(self, name: bytes, value: bytes) -> None:
        self.headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        self.body.append(body)

    def on_message_complete(self) -> None:
        self.complete = True


def _read(connection: socket.socket) -> tuple[Response, bool]:
    """Read the response; True if the connection stays open after it.

    A connection closed within the response was not idle: the request has reached AWS.
    """
    received = _Received()
    parser = HttpResponseParser(received)
    parser.feed_data(_receive(connection))
    try:
        while not received.complete:
            parser.feed_data(_receive(connection))
    except _CLOSED as error:
        raise ResponseStreamingError(error=error) from error
    response = Response(parser.get_status_code(), received.headers, b"".join(received.body))
    return response, parser.get_http_version() == "1.1" and received.headers.get("connection", "").lower() != "close"


def _receive(connection: socket.socket) -> bytes:
    data = connection.recv(_READ_BYTES)
    if not data:
        raise ConnectionResetError("the other side closed the connection")
    return data


def _is_readable(connection: socket.socket) -> bool:
    """True if an idle connection has something to read: its end."""
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(0))
