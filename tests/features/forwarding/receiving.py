"""An endpoint for forwarded events on this machine; the test decides its response to each request."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any

from tests.servers import Handler, serving

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


class _Handler(Handler):
    """The handler of a connection to the endpoint."""

    protocol_version = "HTTP/1.1"
    received: Received

    def post(self) -> None:
        """Receive an event, and respond by `act`."""
        body = self.sent()
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


@contextmanager
def an_endpoint() -> Iterator[Received]:
    """Listen until the block ends."""
    received = Received()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"received": received}))
    server.daemon_threads = True
    with serving(server, "/api/v1/lineage") as received.url:
        try:
            yield received
        finally:
            received.over.set()
