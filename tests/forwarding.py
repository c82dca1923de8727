"""An endpoint for forwarded events on this machine, which does with each request what the test says."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

# The context of a stack that forwards; a test puts its endpoint's URL in place of this one.
PLACE, SECRET = "http://127.0.0.1:1/api/v1/lineage", "second/token"
CONTEXT = {"forward_url": PLACE, "forward_namespaces": "flights*", "forward_secret": SECRET}
HANG, HANG_UP = "hang", "hang up"


@dataclass
class Received:
    """The endpoint's URL, what it was sent, and what it does next: a function from an event to a status, or an act."""

    url: str = ""
    events: list[Any] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    connections: set[Any] = field(default_factory=set)
    act: Callable[[Any], Any] = lambda event: 201
    location: str = ""
    over: threading.Event = field(default_factory=threading.Event)


@contextmanager
def an_endpoint() -> Iterator[Received]:
    """Listen until the block ends."""
    received = Received()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            received.headers.append({name.lower(): value for name, value in self.headers.items()})
            received.connections.add(self.client_address)
            status = received.act(event)
            if status == HANG_UP:
                self.connection.shutdown(socket.SHUT_RDWR)
                self.close_connection = True
                return
            received.events.append(event)
            if status == HANG:
                received.over.wait()
                self.close_connection = True
                return
            self.send_response(status)
            if received.location:
                self.send_header("Location", received.location)
            body = b'{"secret": "echo"}'
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
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
