"""DynamoDB's side of a socket, as a test wants it: the next act deals with a request, else it is answered with `{}`."""

import json
import socket
import socketserver
import struct
import threading
import zlib
from contextlib import contextmanager

from tests import servers

_RESET = struct.pack("ii", 1, 0)  # SO_LINGER: closing sends RST


def respond(status=200, document=None, *, content=None, then_close=False, **headers):
    """Respond; headers are given as `x_amz_crc32="1"`."""
    content = json.dumps(document or {}).encode() if content is None else content

    def act(connection):
        given = {"Content-Length": str(len(content)), "x-amz-crc32": str(zlib.crc32(content))}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in given.items())
        connection.sendall(f"HTTP/1.1 {status} \r\n{lines}\r\n".encode() + content)
        return not then_close

    return act


def refuse(code, status=400, *, headers=None, **more):
    """Respond with an error of DynamoDB."""
    document = {"__type": f"com.amazonaws.dynamodb.v20120810#{code}", "message": f"{code}!", **more}
    return respond(status, document, **(headers or {}))


def reset(connection):
    """Reset the connection."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    return False


def hang_up(_):
    """Close the connection without a word."""
    return False


def truncate(connection):
    """Close the connection in the middle of a response."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
    return False


def send(*pieces):
    """Send the pieces in turn."""

    def act(connection):
        for piece in pieces:
            connection.sendall(piece)
        return True

    return act


class Service:
    """The received requests, as (number of the connection, headers, body)."""

    def __init__(self, url):
        self.url, self.acts, self.requests, self.stopped = url, [], [], threading.Event()
        self.connections = self.closed = 0
        self._lock = threading.Lock()

    def keep_silent(self, _):
        """Say nothing until the test is over."""
        self.stopped.wait()
        return False

    def connected(self):
        with self._lock:
            self.connections += 1
            return self.connections

    def received(self, request):
        with self._lock:
            self.requests.append(request)
            return self.acts.pop(0) if self.acts else respond()


class _Handler(socketserver.StreamRequestHandler):
    def handle(self):
        number = self.server.service.connected()
        while request := self._read():
            if not self.server.service.received((number, *request))(self.connection):
                return

    def _read(self):
        try:
            if not self.rfile.readline():
                return None
            headers = {}
            while line := self.rfile.readline().strip().decode():
                name, _, value = line.partition(": ")
                headers[name.lower()] = value
            return headers, self.rfile.read(int(headers["content-length"]))
        except OSError:
            return None

    def finish(self):
        # No half-closed state in between: SO_LINGER takes effect here.
        self.rfile.close()
        self.connection.close()
        self.server.service.closed += 1


class _Server(socketserver.ThreadingTCPServer):
    # With the default of 5, the sixth of eight connections at once may wait a second for its second packet.
    request_queue_size = 64
    daemon_threads = True
    block_on_close = False

    def shutdown_request(self, request):
        self.close_request(request)


@contextmanager
def serving(tls=None):
    """A service on a free port."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        if tls is not None:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        scheme = "http" if tls is None else "https"
        server.service = Service(f"{scheme}://127.0.0.1:{server.server_address[1]}")
        with servers.serving(server):
            try:
                yield server.service
            finally:
                server.service.stopped.set()
