"""The client behind a company's proxy: credentials, TLS to the proxy, and answers that will not change."""

from __future__ import annotations

import base64
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta, timezone
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from spark_client import LineageClient
from tests import servers
from tests.unit.spark_client.a_client import RAW, ROOT, a_client
from tests.unit.spark_client.lineage_service import Call, Service, Watch, failing, handler_of, reply

HOST = "lineage.invalid"
USER, HEADER = "ann:p%40ss%2Fword", "Basic " + base64.b64encode(b"ann:p@ss/word").decode()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a certificate of the service and the proxy, signed by itself, and its key."""
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    now = datetime.now(timezone.utc)
    names = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1")), x509.DNSName(HOST)])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=1))
    signed = builder.add_extension(names, critical=True).sign(key, hashes.SHA256())
    path = tmp_path_factory.mktemp("tls") / "both.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.write_bytes(signed.public_bytes(Encoding.PEM) + private)
    return path


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler], certificate: Path | None) -> Iterator[int]:
    """Serve on a port; with TLS by a certificate."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads, server.block_on_close = True, False
    if certificate:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True)
    with servers.serving(server):
        yield server.server_address[1]


def proxy_to(port: int, connects: list[Call], refuse: Callable[[BaseHTTPRequestHandler], None] | None = None):
    """Make the handler of a proxy whose tunnels lead to a port, whatever the host."""

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_CONNECT(self) -> None:
            connects.append(Call(self.path, dict(self.headers.items()), {}, 0))
            self.close_connection = True
            if refuse:
                refuse(self)
                return
            with socket.create_connection(("127.0.0.1", port)) as upstream:
                self.send_response(200)
                self.end_headers()
                back = threading.Thread(target=copy, args=(upstream.recv, self.connection.sendall), daemon=True)
                back.start()
                copy(self.connection.recv, upstream.sendall)
                with suppress(OSError):
                    upstream.shutdown(socket.SHUT_RDWR)
                back.join()

        def log_message(self, *args: object) -> None:
            """Quiet."""

    return Proxy


def copy(receive: Callable[[int], bytes], send: Callable[[bytes], None]) -> None:
    with suppress(OSError):
        while data := receive(65_536):
            send(data)


@pytest.mark.parametrize("tls", [False, True], ids=["http proxy", "https proxy"])
def test_a_tunnel_is_opened_with_the_user_of_the_proxy_and_kept(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, certificate: Path, tls: bool
) -> None:
    service, connects = Service(), list[Call]()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with (
        serving(handler_of(service), certificate) as port,
        serving(proxy_to(port, connects), certificate if tls else None) as proxy_port,
    ):
        monkeypatch.setenv("https_proxy", f"http{'s' if tls else ''}://{USER}@127.0.0.1:{proxy_port}")
        with a_client(service, watch, url=f"https://{HOST}", strict=True) as lineage:
            assert all(lineage.record(ROOT, ROOT, "READ", RAW).delivered for _ in range(2))
    assert [(call.path, call.headers["Proxy-Authorization"]) for call in connects] == [(f"{HOST}:443", HEADER)]
    assert len(service.requests) == 2
    assert "Proxy-Authorization" not in service.calls[0].headers


@pytest.mark.parametrize("tls", [False, True], ids=["http proxy", "https proxy"])
def test_a_plain_request_names_the_user_of_the_proxy(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, certificate: Path, tls: bool
) -> None:
    service = Service()
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with serving(handler_of(service), certificate if tls else None) as port:
        monkeypatch.setenv("http_proxy", f"http{'s' if tls else ''}://{USER}@127.0.0.1:{port}")
        with a_client(service, watch, url=f"http://{HOST}/prod", strict=True) as lineage:
            lineage.record(ROOT, ROOT, "READ", RAW)
    (call,) = service.calls
    assert (call.path, call.headers["Host"]) == (f"http://{HOST}/prod/api/v1/records", HOST)
    assert call.headers["Proxy-Authorization"] == HEADER


FINAL = [
    pytest.param(failing(407), "HTTP 407: Proxy Authentication Required", id="407"),
    pytest.param(failing(511), "HTTP 511: Network Authentication Required", id="the login of a network"),
    pytest.param(failing(501), "501: Not Implemented", id="501"),
    pytest.param(failing(200, "<html>"), "HTTP 200 without a lineage response: is the URL that", id="a login page"),
    pytest.param(failing(302, Location="https://login.example"), "302: Found", id="a redirect to a login page"),
]


@pytest.mark.parametrize(("fault", "named"), FINAL)
def test_a_lasting_response_is_final_at_once_with_a_warning(
    service: Service, watch: Watch, caplog: pytest.LogCaptureFixture, fault: object, named: str
) -> None:
    service.faults = [fault, fault]  # type: ignore[list-item]
    lineage = a_client(service, watch)

    assert not lineage.record(ROOT, ROOT, "READ", RAW).delivered
    assert not lineage.emit({"eventType": "COMPLETE"})
    assert (watch.pauses, len(service.calls)) == ([], 2)
    assert named in warned(caplog)[0]


def test_a_tunnel_that_the_proxy_refuses_is_final_at_once_and_shows_no_password(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    connects: list[Call] = []
    with serving(proxy_to(0, connects, lambda handler: reply(handler, 407, b"")), None) as port:
        monkeypatch.setenv("https_proxy", f"http://{USER}@127.0.0.1:{port}")
        lineage = LineageClient(url=f"https://{HOST}", clock=watch.clock)
        assert not lineage.record(ROOT, ROOT, "READ", RAW).delivered
    assert (watch.pauses, len(connects)) == ([], 1)
    (warning,) = warned(caplog)
    assert f"proxy 127.0.0.1:{port}: 407 Proxy Authentication Required" in warning
    assert not [secret for secret in ("p%40ss", "p@ss", HEADER) if secret in warning]


def test_a_proxy_that_is_busy_is_tried_again(watch: Watch, monkeypatch: pytest.MonkeyPatch) -> None:
    connects: list[Call] = []
    with serving(proxy_to(0, connects, lambda handler: reply(handler, 503, b"")), None) as port:
        monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{port}")
        lineage = a_client(Service(), watch, url=f"https://{HOST}")
        assert not lineage.record(ROOT, ROOT, "READ", RAW).delivered
    assert len(connects) == 7


def test_a_function_behind_a_proxy_that_refuses_its_user_is_final_at_once(
    watch: Watch, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    connects: list[Call] = []
    for name, value in {"ACCESS_KEY_ID": "a", "SECRET_ACCESS_KEY": "b", "DEFAULT_REGION": "eu-west-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    with serving(proxy_to(0, connects, lambda handler: reply(handler, 407, b"")), None) as port:
        monkeypatch.setenv("https_proxy", f"http://{USER}@127.0.0.1:{port}")
        lineage = LineageClient(function="input", clock=watch.clock)
        assert not lineage.record(ROOT, ROOT, "READ", RAW).delivered
    assert (watch.pauses, len(connects)) == ([], 1)
    assert "proxy: 407 Proxy Authentication Required" in warned(caplog)[0]


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:1080", "http://127.0.0.1:nine"])
def test_a_proxy_that_is_none_switches_lineage_off_with_a_warning(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, watch: Watch, proxy: str
) -> None:
    monkeypatch.setenv("https_proxy", proxy)
    lineage = LineageClient(url=f"https://{HOST}", clock=watch.clock)
    assert not lineage.record(ROOT, ROOT, "READ", RAW).delivered
    assert (len(warned(caplog)), watch.pauses) == (1, [])
    assert "https_proxy: " in warned(caplog)[0]


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]
