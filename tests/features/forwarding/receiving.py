"""An endpoint for forwarded events on this machine; the test decides its response to each request."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HANG, HANG_UP, DRIBBLE = "hang", "hang up", "dribble"


@dataclass
class Received:
    """The endpoint's URL, its received events, and `act`: a function from an event to a status, `HANG` or the like."""

    url: str = ""
    events: list[Any] = field(default_factory=list)
    # The path and the bytes of each request.
    requests: list[tuple[str, bytes]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    connections: set[Any] = field(default_factory=set)
    act: Callable[[Any], Any] = lambda event: 201
    # Headers of the responses; their bodies never come.
    more_headers: dict[str, str] = field(default_factory=lambda: {"Content-Length": "0"})
    over: threading.Event = field(default_factory=threading.Event)
    # Set when a client hung up before the end of a response.
    left: threading.Event = field(default_factory=threading.Event)


class _Handler(BaseHTTPRequestHandler):
    """The handler of a connection to the endpoint."""

    protocol_version = "HTTP/1.1"
    received: Received

    def do_POST(self) -> None:
        """Receive an event, and respond by `act`."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        event = json.loads(body)
        self.received.requests.append((self.path, body))
        self.received.headers.append({name.lower(): value for name, value in self.headers.items()})
        self.received.connections.add(self.client_address)
        status = self.received.act(event)
        if status == HANG_UP:
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
            return
        self.received.events.append(event)
        if status == HANG:
            self.received.over.wait()
            self.close_connection = True
            return
        if status == DRIBBLE:
            self.close_connection = True
            self.dribble()
            return
        self.send_response(status)
        for name, value in self.received.more_headers.items():
            self.send_header(name, value)
        self.end_headers()

    def dribble(self) -> None:
        """Send an endless header, a byte at a time, until the client is gone."""
        with suppress(OSError):
            self.wfile.write(b"HTTP/1.1 201 Created\r\nX-Slow: ")
            while not self.received.over.wait(0.005):
                self.wfile.write(b"x")
        self.received.left.set()

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def an_endpoint() -> Iterator[Received]:
    """Listen until the block ends."""
    received = Received()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"received": received}))
    server.daemon_threads = True
    received.url = f"http://127.0.0.1:{server.server_address[1]}/api/v1/lineage"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield received
    finally:
        received.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
