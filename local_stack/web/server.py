"""A server on loopback: requests and responses as plain values, and what no web page may send refused."""

from __future__ import annotations

import hmac
import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from local_stack.errors import PortInUse
from local_stack.web.request_body import BodyRefused, read_body
from local_stack.web.web_guard import find_refusal

# API Gateway quotas: "payload size 10 MB".
BODY_BYTES_MAX = 10 * 1024 * 1024


@dataclass(frozen=True)
class Request:
    """An HTTP request as it came: `target` is the path and query, undecoded."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes
    source_ip: str

    def header(self, name: str) -> str:
        """Return the last value of a header; empty if it was not sent."""
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

    It takes its port at once, but refuses connections until `open`: clients that wait for it find the whole stack.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, port: int, reply_to: Callable[[Request], Reply], *, option: str = "--api-port") -> None:
        self.reply_to = reply_to
        self._option = option
        self._thread: threading.Thread | None = None
        super().__init__(("127.0.0.1", port), _Handler, bind_and_activate=False)
        self._take(self.server_bind)

    def open(self) -> Server:
        """Respond from now on. Raises PortInUse if another process took the port meanwhile."""
        self._take(self.server_activate)
        # The longest that a stop may take.
        seconds = {"poll_interval": 0.05}
        self._thread = threading.Thread(target=self.serve_forever, kwargs=seconds, name="http", daemon=True)
        self._thread.start()
        return self

    def _take(self, step: Callable[[], None]) -> None:
        """Bind or listen; either may find another process there, which shares a port until one of the two listens."""
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


class _Handler(BaseHTTPRequestHandler):
    """The handler of a connection: reads a request, and writes its response."""

    server: Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    timeout = 60

    def __getattr__(self, name: str) -> Callable[[], None]:
        """Return the one handler of all methods; the base class calls `do_<method>`, and sends HTML without one."""
        if name.startswith("do_"):
            return self.handle_any
        raise AttributeError(name)

    def handle_any(self) -> None:
        """Handle a request of any method."""
        try:
            body = read_body(self.headers, self.rfile, bytes_max=BODY_BYTES_MAX)
        except BodyRefused as refused:
            self.close_connection = True  # the rest of the body is still on the wire
            self._write(render_message(refused.status, refused.message))
            return
        if "Transfer-Encoding" in self.headers:  # API Gateway passes the body on in one piece
            del self.headers["Transfer-Encoding"]
            self.headers["Content-Length"] = str(len(body))
        request = Request(self.command, self.path, self.headers.items(), body, self.client_address[0])
        refusal = find_refusal(request.method, request.target, request.headers)
        self._write(render_message(403, refusal) if refusal is not None else self.server.reply_to(request))

    def _write(self, reply: Reply) -> None:
        self.send_response(reply.status)
        for name, value in reply.headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(reply.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the parameter's name is the base class's
        """Log nothing: the function logs its requests."""


def render_message(status: int, message: str) -> Reply:
    """Return a response as API Gateway writes its own: `{"message"}`."""
    body = json.dumps({"message": message}).encode()
    return Reply(status, [("Content-Type", "application/json")], body)


def behind_secret(secret: str, reply_to: Callable[[Request], Reply]) -> Callable[[Request], Reply]:
    """Return a function that passes requests under `/<secret>` to `reply_to` without it; all others get 404."""

    def reply(request: Request) -> Reply:
        given, slash, rest = request.target.removeprefix("/").partition("/")
        if not hmac.compare_digest(given.encode(), secret.encode()):
            return render_message(404, "Not Found")
        return reply_to(replace(request, target=f"{slash}{rest}"))

    return reply
