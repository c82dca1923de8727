"""A server on loopback: requests and responses as plain values, with a refusal of requests by foreign web pages."""

from __future__ import annotations

import hmac
import json
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from email.utils import formatdate
from http.client import responses
from http.server import ThreadingHTTPServer
from socketserver import StreamRequestHandler

import h11

from local_stack.errors import PortInUse
from local_stack.web.web_guard import find_refusal

# API Gateway quotas: "payload size 10 MB".
BODY_BYTES_MAX = 10 * 1024 * 1024
# The head of a request, a line of a chunk's size, or its trailers.
_HEAD_BYTES_MAX = 65_536
_READ_BYTES = 65_536
# The headers set by the server itself.
_OF_THE_SERVER = frozenset({"content-length", "date", "transfer-encoding"})


@dataclass(frozen=True)
class Request:
    """An HTTP request as it came: `target` is the path and query, undecoded."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    source_ip: str

    def header(self, name: str) -> str:
        """Read the last value of a header; empty if it was not sent."""
        values = [value for key, value in self.headers if key.lower() == name]
        return values[-1] if values else ""


@dataclass(frozen=True)
class Reply:
    """An HTTP response."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes


class Server(ThreadingHTTPServer):
    """A server on 127.0.0.1 that calls `reply_to`, unless a web page may have sent the request (`web_guard`).

    It binds its port at once, but refuses connections until `open`: waiting clients then find the whole stack.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, reply_to: Callable[[Request], Reply], *, option: str = "--api-port") -> None:
        self.reply_to = reply_to
        self._option = option
        self._thread: threading.Thread | None = None
        super().__init__(("127.0.0.1", port), _Handler, bind_and_activate=False)
        self._try_port(self.server_bind)

    def open(self) -> Server:
        """Respond from now on. Raises PortInUse if a foreign process took the port meanwhile."""
        self._try_port(self.server_activate)
        # The longest that a stop may take.
        seconds = {"poll_interval": 0.05}
        self._thread = threading.Thread(target=self.serve_forever, kwargs=seconds, name="http", daemon=True)
        self._thread.start()
        return self

    def _try_port(self, step: Callable[[], None]) -> None:
        """Bind or listen; either may find a foreign process there: two may share a port until one of them listens."""
        try:
            step()
        except OSError as error:
            self.server_close()
            raise PortInUse(self.server_address[1], self._option) from error

    @property
    def url(self) -> str:
        """The address of the server, without a slash at the end."""
        return f"http://127.0.0.1:{self.server_address[1]}"

    def stop(self) -> None:
        """Close the port."""
        if self._thread is not None:
            self.shutdown()
            self._thread.join()
        self.server_close()

    def handle_error(self, request: object, client_address: object) -> None:
        """Print the error of a handler, unless the client closed the connection: it waits for no response."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]  # of the base class's own making


class _Handler(StreamRequestHandler):
    """The handler of a connection: reads requests by RFC 9112, and writes their responses."""

    server: Server
    disable_nagle_algorithm = True
    timeout = 60

    def handle(self) -> None:
        """Handle requests in turn, until either side closes the connection."""
        self._http = h11.Connection(h11.SERVER, max_incomplete_event_size=_HEAD_BYTES_MAX)
        self._has_ended = False
        with suppress(TimeoutError):
            while self._handle_request():
                self._http.start_next_cycle()

    def _handle_request(self) -> bool:
        """Handle a request; return True if the connection can take the next."""
        try:
            request = self._read_request()
        except h11.RemoteProtocolError as error:
            if not self._has_ended:  # the rest of the request is still on the wire
                refused = render_message(error.error_status_hint, str(error))
                self._write(replace(refused, headers=[*refused.headers, ("Connection", "close")]))
            return False
        if request is None:
            return False
        refusal = find_refusal(request.method, request.target, request.headers)
        reply = render_message(403, refusal) if refusal is not None else self.server.reply_to(request)
        self._write(replace(reply, body=b"") if request.method == "HEAD" else reply, length=len(reply.body))
        return self._http.our_state is h11.DONE and self._http.their_state is h11.DONE

    def _read_request(self) -> Request | None:
        """Read a request with its body in one piece, without its transfer coding; None if the client hung up.

        Raises:
            h11.RemoteProtocolError: larger than `BODY_BYTES_MAX`, invalid by RFC 9112, or cut off.
        """
        head, body = self._next_event(), bytearray()
        if not isinstance(head, h11.Request):
            return None
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in head.headers.raw_items()]
        _check_framing(head)
        while isinstance(part := self._next_event(), h11.Data):
            body += part.data
            _check_size(len(body))
        if (b"transfer-encoding", b"chunked") in head.headers:  # API Gateway passes the body on in one piece
            headers = [header for header in headers if header[0].lower() != "transfer-encoding"]
            headers.append(("Content-Length", str(len(body))))
        return Request(head.method.decode(), head.target.decode(), headers, bytes(body), self.client_address[0])

    def _next_event(self) -> object:
        while (event := self._http.next_event()) is h11.NEED_DATA:
            if self._http.they_are_waiting_for_100_continue:
                self._send(h11.InformationalResponse(status_code=100, headers=[]))
            data = self.connection.recv(_READ_BYTES)
            self._has_ended = not data
            self._http.receive_data(data)
        return event

    def _write(self, reply: Reply, *, length: int | None = None) -> None:
        headers = [(name, value) for name, value in reply.headers if name.lower() not in _OF_THE_SERVER]
        headers += [
            ("Date", formatdate(usegmt=True)),
            ("Content-Length", str(len(reply.body) if length is None else length)),
        ]
        reason = responses.get(reply.status, "").encode()
        response = h11.Response(status_code=reply.status, headers=headers, reason=reason)
        self._send(response, *([h11.Data(data=reply.body)] if reply.body else ()), h11.EndOfMessage())

    def _send(self, *events: h11.Event) -> None:
        self.connection.sendall(b"".join(self._http.send(event) or b"" for event in events))


def _check_framing(head: h11.Request) -> None:
    """Refuse a request with a body framed in two ways, or too large (RFC 9112, section 6)."""
    framing = dict(head.headers)
    if b"transfer-encoding" in framing and (b"content-length" in framing or head.http_version < b"1.1"):
        raise h11.RemoteProtocolError("Transfer-Encoding beside Content-Length, or in HTTP/1.0")
    _check_size(int(framing.get(b"content-length", 0)))


def _check_size(size: int) -> None:
    if size > BODY_BYTES_MAX:
        raise h11.RemoteProtocolError("Request Too Long", error_status_hint=413)


def render_message(status: int, message: str) -> Reply:
    """Render a response of API Gateway's own: `{"message"}`."""
    body = json.dumps({"message": message}).encode()
    return Reply(status, [("Content-Type", "application/json")], body)


def behind_secret(secret: str, reply_to: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
    """Pass requests under `/<secret>` to `reply_to` without it; further requests get 404."""

    def reply(request: Request) -> Reply:
        given, slash, rest = request.target.removeprefix("/").partition("/")
        if not hmac.compare_digest(given.encode(), secret.encode()):
            return render_message(404, "Not Found")
        return reply_to(replace(request, target=f"{slash}{rest}"))

    return reply
