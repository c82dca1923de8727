"""A lineage service of a few lines on a real socket, which fails in the ways that a test chooses."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from spark_client import RetryPolicy
from spark_client.transport.retry import Clock
from tests.servers import serving

TTL_S = 86_400


@dataclass
class Call:
    path: str
    headers: dict[str, str]
    request: dict[str, Any]
    size_bytes: int


@dataclass
class Service:
    """Answers as the input function does; each entry of `faults` spoils one call, in order."""

    url: str = ""
    calls: list[Call] = field(default_factory=list)
    faults: list[Callable[[BaseHTTPRequestHandler], None]] = field(default_factory=list)
    connections: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def requests(self) -> list[dict[str, Any]]:
        return [call.request for call in self.calls]


def respond_to(request: dict[str, Any]) -> dict[str, Any]:
    place = request if "root_id" in request else request["records"][0]
    shared = {
        "root_id": place["root_id"],
        "action_taken": place["action_taken"],
        "recordedAt": request["requested_at"],
        "ttl_expiry": request["requested_at"] + TTL_S,
    }
    return {**shared, **request["record"]} if "record" in request else {**shared, "records": request["records"]}


def reply(handler: BaseHTTPRequestHandler, status: int, body: bytes, **headers: str) -> None:
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(body)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def failing(status: int, body: object = None, **headers: str) -> Callable[[BaseHTTPRequestHandler], None]:
    return lambda handler: reply(handler, status, json.dumps(body).encode(), **headers)


def hanging_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def silent(handler: BaseHTTPRequestHandler) -> None:
    """Give no response until the client is gone."""
    handler.rfile.read(1)
    handler.close_connection = True


def trickling(pause_s: float) -> Callable[[BaseHTTPRequestHandler], None]:
    """Return a response that is never late, and never whole: a byte of a header, again and again, without an end."""

    def trickle(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(b"HTTP/1.1 201 Created\r\nX-Slow: ")
        with suppress(OSError):
            while True:
                handler.wfile.write(b"x")
                time.sleep(pause_s)
        handler.close_connection = True

    return trickle


@contextmanager
def served() -> Iterator[Service]:
    service = Service()
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(service))
    server.daemon_threads, server.block_on_close = True, False
    with serving(server) as service.url:
        yield service


def handler_of(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def setup(self) -> None:
            super().setup()
            with service.lock:
                service.connections += 1

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            plain = gzip.decompress(body) if self.headers["Content-Encoding"] == "gzip" else body
            request = json.loads(plain)
            with service.lock:
                service.calls.append(Call(self.path, dict(self.headers.items()), request, len(body)))
                fault = service.faults.pop(0) if service.faults else None
            if fault:
                fault(self)
            else:
                reply(self, 201, json.dumps(respond_to(request)).encode())

        def do_CONNECT(self) -> None:
            """Open the tunnel of a proxy, with no server at its other end."""
            service.calls.append(Call(self.path, dict(self.headers.items()), {}, 0))
            self.send_response(200)
            self.end_headers()
            self.close_connection = True

        def log_message(self, *args: object) -> None:
            """Quiet."""

    return Handler


@dataclass
class Watch:
    """A clock that moves only when the client sleeps."""

    now_s: float = 1_357_016_400.5
    pauses: list[float] = field(default_factory=list)

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now_s += seconds

    @property
    def clock(self) -> Clock:
        return Clock(now=lambda: self.now_s, monotonic=lambda: self.now_s, sleep=self.sleep, dice=lambda: 1.0)


# Pauses of 1, 2, 4, 4, ... seconds on the watch above.
SHORT = RetryPolicy(deadline_s=20, attempt_s=20, connect_s=20, pause_s=1, pause_max_s=4)
