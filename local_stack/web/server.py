"""A server on loopback: requests and responses as plain values, with a refusal of requests by foreign web pages."""

from __future__ import annotations

import hmac
import json
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from email.utils import formatdate
from functools import lru_cache
from http.client import responses
from http.server import ThreadingHTTPServer
from socketserver import StreamRequestHandler
from typing import NamedTuple

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser

from local_stack.errors import PortInUse
from local_stack.web.web_guard import find_refusal

# API Gateway quotas: "payload size 10 MB".
BODY_BYTES_MAX = 10 * 1024 * 1024
# The head of a request, a line of a chunk's size, or its trailers.
_HEAD_BYTES_MAX = 65_536
_READ_BYTES = 65_536
# The headers set by the server itself.
_OF_THE_SERVER, _CLOSE = frozenset({"content-length", "date", "transfer-encoding"}), ("Connection", "close")


class Request(NamedTuple):
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


class Reply(NamedTuple):
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

    def __init__(
        self,
        port: int,
        reply_to: Callable[[Request], Reply],
        *,
        option: str = "--api-port",
        body_bytes_max: int = BODY_BYTES_MAX,
        idle_s: float | None = 60.0,
    ) -> None:
        self.reply_to, self.body_bytes_max, self.idle_s = reply_to, body_bytes_max, idle_s
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


class _Refused(Exception):
    """A request with a refusal, and its status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


class _Handler(StreamRequestHandler):
    """The handler of a connection: httptools reads requests, by RFC 9112."""

    server: Server
    disable_nagle_algorithm = True

    def handle(self) -> None:
        """Handle requests in turn, until either side closes the connection."""
        self.connection.settimeout(self.server.idle_s)
        self._parser, self._whole, self._is_open = HttpRequestParser(self), list[tuple[Request, bool]](), True
        self._expects, self._unread_bytes = False, 0
        with suppress(TimeoutError):
            while self._is_open and (received := self.connection.recv(_READ_BYTES)):
                refused = self._feed(received)
                while self._is_open and self._whole:
                    self._respond(*self._whole.pop(0))
                if refused and self._is_open:
                    self._write(render_message(refused.status, str(refused)), closes=True)
                    self._is_open = False

    def _feed(self, received: bytes) -> _Refused | None:
        """Read a part of a request; find the refusal of it."""
        self._unread_bytes += len(received)
        try:
            self._parser.feed_data(received)
        except HttpParserUpgrade as upgrade:  # The connection stays with HTTP: httptools has left out the body
            method, kept = self._whole.pop()[0].method, [h for h in self._headers if h[0].lower() != "upgrade"]
            head = [f"{method} {self._target.decode('latin-1')} HTTP/1.1", *map(": ".join, kept), "", ""]
            self._parser = HttpRequestParser(self)
            return self._feed("\r\n".join(head).encode("latin-1") + received[upgrade.args[0] :])
        except HttpParserError as error:
            return error.__context__ if isinstance(error.__context__, _Refused) else _Refused(400, str(error))
        if self._unread_bytes > _HEAD_BYTES_MAX:
            return _Refused(431, "Request Header Fields Too Large")
        if self._expects:  # A client that sends its body at once needs no leave
            self._expects = False
            self.connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
        return None

    # -- called by httptools

    def on_message_begin(self) -> None:
        """Begin a request."""
        self._target, self._headers, self._body, self._in_body = b"", list[tuple[str, str]](), bytearray(), False

    def on_url(self, part: bytes) -> None:
        """Read a part of the target."""
        self._target += part

    def on_header(self, name: bytes, value: bytes) -> None:
        """Read a header; leave out trailers."""
        if not self._in_body:
            self._headers.append((name.decode("latin-1"), value.decode("latin-1")))

    def on_headers_complete(self) -> None:
        """Refuse a body framed in two ways, or too large (RFC 9112, section 6)."""
        self._in_body = True
        version, codings = self._parser.get_http_version(), self._values("transfer-encoding")
        if version not in {"1.0", "1.1"} or (version == "1.1" and len(self._values("host")) != 1):
            raise _Refused(400, "must be HTTP/1.1 with one Host")
        if codings and (version == "1.0" or self._values("content-length")):
            raise _Refused(400, "Transfer-Encoding beside Content-Length, or in HTTP/1.0")
        if codings not in ([], ["chunked"]):
            raise _Refused(501, "Transfer-Encoding: only chunked is known")
        self._check_size(int((self._values("content-length") or ["0"])[0]))
        self._expects = self._values("expect") == ["100-continue"]

    def on_body(self, part: bytes) -> None:
        """Read a part of the body."""
        self._body += part
        self._expects, self._unread_bytes = False, 0
        self._check_size(len(self._body))

    def on_message_complete(self) -> None:
        """End a request; its body is in one piece, as API Gateway passes it on."""
        self._expects, self._unread_bytes = False, 0
        headers = [header for header in self._headers if header[0].lower() != "transfer-encoding"]
        if len(headers) < len(self._headers):
            headers.append(("Content-Length", str(len(self._body))))
        method, target = self._parser.get_method().decode(), self._target.decode("latin-1")
        request = Request(method, target, headers, bytes(self._body), self.client_address[0])
        self._whole.append((request, self._parser.should_keep_alive()))

    def _values(self, name: str) -> list[str]:
        return [value.lower() for each, value in self._headers if each.lower() == name]

    def _check_size(self, size: int) -> None:
        if size > self.server.body_bytes_max:
            raise _Refused(413, "Request Too Long")

    # -- responses

    def _respond(self, request: Request, keeps_open: bool) -> None:
        refusal = find_refusal(request.method, request.target, request.headers)
        reply = render_message(403, refusal) if refusal is not None else self.server.reply_to(request)
        self._write(reply, closes=not keeps_open, has_body=request.method != "HEAD")
        self._is_open = keeps_open

    def _write(self, reply: Reply, *, closes: bool, has_body: bool = True) -> None:
        given = {name.lower(): value for name, value in reply.headers}
        length = str(len(reply.body)) if has_body else given.get("content-length", str(len(reply.body)))
        headers = [(name, value) for name, value in reply.headers if name.lower() not in _OF_THE_SERVER]
        headers += [("Date", _date(int(time.time()))), ("Content-Length", length), *([_CLOSE] if closes else [])]
        status = f"HTTP/1.1 {reply.status} {responses.get(reply.status, '')}"
        head = "\r\n".join([status, *map(": ".join, headers), "", ""]).encode("latin-1")
        # A single write: after each write, the thread waits for its turn.
        self.connection.sendall(head + reply.body if has_body else head)


@lru_cache(maxsize=1)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)


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
        return reply_to(request._replace(target=f"{slash}{rest}"))

    return reply
