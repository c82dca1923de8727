"""The local HTTP server: bodies in chunks, clients that hang up, and a port that opens on a call."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import struct
import threading
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_stack.compute.functions import InvocationResult
from local_stack.compute.http_api import RestApi, Route
from local_stack.errors import PortInUse
from local_stack.web.server import BODY_BYTES_MAX, Reply, Request, Server
from tests.waiting import LONG_S

HEAD = "POST /x HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = f"{HEAD}Transfer-Encoding: chunked\r\n\r\n"
EXTENSIONS = st.sampled_from(["", ";a", ';name="value"', ";a=b;c"])
TRAILERS = st.sampled_from(["", "Expires: never\r\n", "A: 1\r\nB: 2\r\n"])


class Echo:
    """A server that returns its request, once `let` is set."""

    def __init__(self):
        self.requested = []
        self.requesting = threading.Event()
        self.let = threading.Event()
        self.let.set()
        self.server = Server(0, self._reply_to).open()
        self.address = self.server.server_address

    def _reply_to(self, request):
        self.requested.append(request)
        self.requesting.set()
        self.let.wait(LONG_S)
        return Reply(200, [("X-Length", request.header("content-length"))], request.body)

    def send(self, *parts):
        """A connection on which the bytes were sent."""
        connection = socket.create_connection(self.address, timeout=LONG_S)
        for part in parts:
            connection.sendall(part.encode() if isinstance(part, str) else part)
        return connection

    def response_to(self, *parts):
        with self.send(*parts) as connection:
            response = http.client.HTTPResponse(connection, method="POST")
            response.begin()
            return response.status, response.headers, response.read()


@pytest.fixture(scope="module")
def echo():
    server = Echo()
    yield server
    server.server.stop()


def chunk(data, extension=""):
    return f"{len(data):x}{extension}\r\n".encode() + data + b"\r\n"


@given(chunks=st.lists(st.tuples(st.binary(min_size=1, max_size=300), EXTENSIONS), max_size=5), trailers=TRAILERS)
def test_a_body_in_any_chunks_is_the_body_in_one_piece(echo, chunks, trailers):
    body = b"".join(data for data, _ in chunks)
    sent = b"".join(chunk(data, extension) for data, extension in chunks)
    status, headers, responded = echo.response_to(CHUNKED, sent, f"0\r\n{trailers}\r\n")

    assert (status, responded) == (200, body)
    assert headers["X-Length"] == str(len(body))
    assert "transfer-encoding" not in {name.lower() for name, _ in echo.requested[-1].headers}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (f"{CHUNKED}x\r\n", 400),
        (f"{CHUNKED}1\r\nab\r\n", 400),
        (f"{CHUNKED}0\r\n" + "A: 1\r\n" * 20_000, 431),
        (f"{CHUNKED}1;{'e' * 70_000}", 431),
        (f"{HEAD}X: {'x' * 70_000}", 431),
        (f"{HEAD}Content-Length: {BODY_BYTES_MAX + 1}\r\n\r\n", 413),
        (f"{HEAD}Content-Length: ten\r\n\r\n", 400),
        (f"{HEAD}Content-Length: -1\r\n\r\n", 400),
        (f"{HEAD}Content-Length: 3\r\nContent-Length: 4\r\n\r\n", 400),
        (f"{HEAD}Content-Length : 3\r\n\r\n", 400),
        (f"{HEAD}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (f"{HEAD}Transfer-Encoding: gzip, chunked\r\n\r\n", 501),
        (f"{HEAD}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400),
        (f"{HEAD}Transfer-Encoding: \x0bchunked\r\n\r\n", 400),
        (CHUNKED.replace("HTTP/1.1", "HTTP/1.0"), 400),
        (f"{HEAD}X\r\n\r\n", 400),
        (f"{HEAD}X: a\0b\r\n\r\n", 400),
        (f"{HEAD}X: a\rY: b\r\n\r\n", 400),
        (f"{HEAD}Host: 127.0.0.1\r\n\r\n", 400),
        ("GET /x HTTP/1.1\r\n\r\n", 400),
        ("GET /x HTTP/1.1\r\n Host: localhost\r\n\r\n", 400),
        ("GET /x\r\nHost: localhost\r\n\r\n", 400),
        ("\x16\x03\x01\x02\x00\x01\r\n\r\n", 400),
    ],
    ids=lambda value: value[:60] if isinstance(value, str) else None,
)
def test_what_rfc_9112_refuses_is_refused_before_it_is_served(echo, sent, status):
    """A request that two readers split differently may bring a second one along."""
    requested = len(echo.requested)
    smuggled = f"{HEAD}Content-Length: 0\r\n\r\n" if status == 400 else ""
    received, headers, body = echo.response_to(sent, smuggled)

    assert (received, headers["Connection"], json.loads(body).keys()) == (status, "close", {"message"})
    assert len(echo.requested) == requested


EXPECTING = HEAD + "eXpect: 100-Continue\r\n"
BODY = "Content-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize(
    ("sent", "keeps_open"),
    [
        (f"{HEAD}{BODY}", True),
        (f"{EXPECTING}{BODY}", True),
        (f"{EXPECTING}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n", True),
        (f"{HEAD}Connection: close\r\n{BODY}", False),
        (f"POST /x HTTP/1.0\r\nHost: localhost\r\n{BODY}", False),
        (f"{HEAD}Connection: Upgrade\r\nUpgrade: TLS/1.2\r\n{BODY}", True),
    ],
    ids=["plain", "expects", "expects and sends chunks", "closes", "HTTP/1.0", "would upgrade"],
)
def test_a_request_in_any_form_of_http_is_served(echo, sent, keeps_open):
    # A client that sends its body at once needs no leave (RFC 9110, section 10.1.1).
    with echo.send(sent) as connection, connection.makefile("rb") as received:
        assert received.readline() == b"HTTP/1.1 200 OK\r\n"
        headers = http.client.parse_headers(received)
        assert received.read(int(headers["Content-Length"])) == b"{}"
        if keeps_open:
            connection.sendall(f"{HEAD}Content-Length: 0\r\n\r\n".encode())
            assert received.readline() == b"HTTP/1.1 200 OK\r\n"
        else:
            assert received.read() == b""


def test_chunks_that_grow_too_large_together_are_refused(echo):
    half = chunk(bytes(BODY_BYTES_MAX // 2))
    status, _, _ = echo.response_to(CHUNKED, half, half, "1\r\nx")
    assert status == 413


def test_a_client_that_waits_for_leave_gets_it_before_it_sends_the_body(echo):
    with echo.send(f"{HEAD}Content-Length: 1\r\nExpect: 100-continue\r\n\r\n") as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 100 ")
        connection.sendall(b"x")
        response = http.client.HTTPResponse(connection, method="POST")
        response.begin()
        assert (response.status, response.read()) == (200, b"x")


@pytest.mark.parametrize(
    "sent",
    [f"{HEAD}Content-Length: 10\r\n\r\nhalf", f"{CHUNKED}a\r\nhalf", f"{CHUNKED}4\r\nhalf\r\n", f"{CHUNKED}4"],
)
def test_half_a_body_is_never_served_and_prints_nothing(echo, sent, capsys):
    requested = len(echo.requested)
    with echo.send(sent) as connection:
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""  # it closed, too

    assert len(echo.requested) == requested
    assert capsys.readouterr().err == ""


def test_a_client_that_hangs_up_before_its_response_prints_nothing(echo, capsys):
    echo.let.clear()
    echo.requesting.clear()
    of_others = set(threading.enumerate())
    connection = echo.send(f"{HEAD}Content-Length: 1\r\n\r\nx")
    assert echo.requesting.wait(LONG_S)
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()  # a reset, at once
    started = set(threading.enumerate()) - of_others
    responding = [thread for thread in started if "process_request_thread" in thread.name]
    echo.let.set()
    for thread in responding:
        thread.join(LONG_S)

    assert responding
    assert capsys.readouterr().err == ""


def test_a_port_is_taken_at_once_and_responds_when_it_is_opened():
    server = Server(0, lambda request: Reply(200, [], b"open"))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(server.server_address, timeout=LONG_S)
    server.open()
    connection = http.client.HTTPConnection(*server.server_address, timeout=LONG_S)
    connection.request("GET", "/")
    assert connection.getresponse().read() == b"open"
    connection.close()
    server.stop()


def test_of_two_that_took_one_port_the_later_to_open_is_refused_by_its_option():
    first = Server(0, lambda request: Reply(200, [], b""))
    port = first.server_address[1]
    second = Server(port, lambda request: Reply(200, [], b""), option="--token-port")
    first.open()
    with pytest.raises(PortInUse, match=f"port {port} on 127.0.0.1 is in use; choose another with --token-port"):
        second.open()
    first.stop()


def test_a_function_that_does_not_respond_in_time_is_a_time_out_of_api_gateway():
    released = threading.Event()
    functions = SimpleNamespace(invoke=lambda *_: released.wait())
    route = Route("f", "prod", "a", 0.1, binary=True, compress_from=1024)
    api = RestApi(route, functions=functions, clock=SimpleNamespace(now=lambda: 0.0))
    reply = api.reply_to(Request("POST", "/", [], b"", "127.0.0.1"))
    released.set()
    api.stop()

    assert (reply.status, json.loads(reply.body)) == (504, {"message": "Endpoint request timed out"})


@pytest.mark.parametrize(
    ("accepted", "size", "encoding"),
    [("gzip, deflate, br", 1024, "gzip"), ("gzip", 1023, None), ("br", 4096, None), ("", 4096, None)],
)
def test_a_body_is_compressed_as_by_api_gateway_from_its_least_size_for_who_accepts_it(accepted, size, encoding):
    payload = {"statusCode": 200, "headers": {"Content-Type": "text/plain"}, "body": "x" * size}
    functions = SimpleNamespace(invoke=lambda *_: InvocationResult(payload, failed=False))
    route = Route("f", "prod", "a", 5, binary=True, compress_from=1024)
    api = RestApi(route, functions=functions, clock=SimpleNamespace(now=lambda: 0.0))
    reply = api.reply_to(Request("GET", "/", [("Accept-Encoding", accepted)], b"", "127.0.0.1"))
    api.stop()

    assert dict(reply.headers).get("Content-Encoding") == encoding
    assert (gzip.decompress(reply.body) if encoding else reply.body) == b"x" * size
