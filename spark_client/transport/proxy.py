"""The proxy of the environment: `HTTPS_PROXY=http://user:password@proxy:3128`, also `https://` and `HTTP_PROXY`."""

from __future__ import annotations

import base64
import http.client
import re
import socket
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from spark_client.errors import Misconfigured, Undelivered

LOOPBACK = ("127.0.0.1", "localhost", "::1")
# The words of http.client, and so of urllib3 and botocore, for the response to CONNECT.
_NO_TUNNEL = re.compile(r"Tunnel connection failed: (\d{3}) ?([^'\")]*)")
# Statuses of a proxy that pass: the service behind it is away or slow.
_PASSING = (408, 429, 500, 502, 503, 504)


@dataclass(frozen=True)
class Proxy:
    """A proxy, and the headers of its user."""

    is_tls: bool
    host: str
    port: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def connect_to(self, host: str, port: int | None, timeout_s: float) -> http.client.HTTPConnection:
        """Open a connection through the proxy's tunnel, encrypted for the host; over TLS twice if the proxy has TLS.

        Raises:
            Misconfigured: the proxy refuses the tunnel for good, or TLS within TLS needs urllib3.
            Undelivered: the proxy refuses the tunnel for now.
            OSError: there is no connection.
        """
        context = ssl.create_default_context()
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout_s)
        connection.set_tunnel(host, port or 443, headers=dict(self.headers))
        if self.is_tls:
            vars(connection)["_create_connection"] = self._dial_tls
        try:
            connection.connect()
            connection.sock = _encrypted(connection.sock, context, host)
        except OSError as error:
            connection.close()
            if refusal := refused_tunnel(str(error), f"proxy {self.host}:{self.port}"):
                raise refusal from error
            raise
        return connection

    def _dial_tls(self, address: tuple[str, int], *rest: Any) -> ssl.SSLSocket:
        plain = socket.create_connection(address, *rest)
        return ssl.create_default_context().wrap_socket(plain, server_hostname=self.host)


def find_proxy(scheme: str, host: str) -> Proxy | None:
    """Read the environment's proxy for this host (`https_proxy`, `no_proxy`); None for this machine.

    Raises:
        Misconfigured: the proxy's URL is none.
    """
    named = getproxies().get(scheme)
    if named is None or host in LOOPBACK or proxy_bypass(host):
        return None
    parts = urlsplit(named if "://" in named else f"http://{named}")
    try:
        port = parts.port
    except ValueError as error:
        raise Misconfigured(f"{scheme}_proxy: its port must be a number from 0 to 65535") from error
    if parts.scheme not in ("http", "https"):
        raise Misconfigured(f"{scheme}_proxy: must be http://... or https://..., got {parts.scheme}://...")
    if not parts.hostname:
        return None
    headers = {}
    if parts.username is not None:
        user = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        headers["Proxy-Authorization"] = f"Basic {base64.b64encode(user).decode()}"
    is_tls = parts.scheme == "https"
    return Proxy(is_tls, parts.hostname, port or (443 if is_tls else 80), headers)


def refused_tunnel(message: str, name: str) -> Misconfigured | Undelivered | None:
    """Make the error of a proxy that refused a tunnel; None for another error.

    >>> refused_tunnel("Tunnel connection failed: 407 Proxy Authentication Required", "proxy p:80")
    Misconfigured('proxy p:80: 407 Proxy Authentication Required')
    """
    refused = _NO_TUNNEL.search(message)
    if refused is None:
        return None
    kind = Undelivered if int(refused[1]) in _PASSING else Misconfigured
    return kind(f"{name}: {refused[1]} {refused[2].strip()}".rstrip())


def _encrypted(sock: socket.socket, context: ssl.SSLContext, host: str) -> Any:
    """Encrypt a socket for a host; Python's own TLS takes no socket with TLS, urllib3's does."""
    if not isinstance(sock, ssl.SSLSocket):
        return context.wrap_socket(sock, server_hostname=host)
    try:
        from urllib3.util.ssltransport import SSLTransport
    except ImportError as error:
        raise Misconfigured("an https:// proxy for an https:// url needs the package urllib3") from error
    return SSLTransport(sock, context, server_hostname=host)
