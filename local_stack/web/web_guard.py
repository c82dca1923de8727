"""Refusals by every server of the local stack: a web page may have sent the request.

The stack requires no credentials: it listens on loopback alone. But every page in a developer's browser can send
requests to loopback, too, and can give loopback a name of its own (DNS rebinding), and so read the responses. A browser
names the page in headers that the page cannot set (Fetch Standard, "forbidden request-header"). Clients of a different
kind send none of these headers, and are not affected.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import NamedTuple
from urllib.parse import parse_qs

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
# RFC 6761, section 6.3: `localhost` and every name under it are loopback. SDKs address a bucket as `bucket.localhost`.
_LOOPBACK = re.compile(r"(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:[\w-]+\.)*localhost)(?::\d{1,5})?", re.IGNORECASE | re.ASCII)
_SHOWN_CHARACTERS = 100


class _RequestHead(NamedTuple):
    """The parts of a request that the rules check; header names are in lower case."""

    method: str
    target: str
    headers: tuple[tuple[str, str], ...]

    def values(self, name: str) -> list[str]:
        """List the values of a header, in the order of the request."""
        return [value.strip() for header, value in self.headers if header == name]

    @property
    def changes_state(self) -> bool:
        """True unless the request only reads; AWS's query protocol has its actions in a GET, too."""
        return self.method not in _SAFE_METHODS or "Action" in parse_qs(self.target.partition("?")[2])


def find_refusal(method: str, target: str, headers: Iterable[tuple[str, str]]) -> str | None:
    """Find the reason of a server on loopback to refuse the request; None for a harmless request.

    >>> find_refusal("POST", "/api/v1/records", [("Host", "127.0.0.1:8080")])
    >>> find_refusal("GET", "/", [("Host", "rebound.example:8080")])
    "Host: must be a loopback name (127.0.0.1, localhost, [::1]), got 'rebound.example:8080'"
    """
    request = _RequestHead(method, target, tuple((name.lower(), value) for name, value in headers))
    return next((refusal for rule in _RULES if (refusal := rule(request)) is not None), None)


def _foreign_host(request: _RequestHead) -> str | None:
    hosts = request.values("host")
    if len(hosts) == 1 and _LOOPBACK.fullmatch(hosts[0]):
        return None
    return f"Host: must be a loopback name (127.0.0.1, localhost, [::1]), got {_show(hosts)}"


def _foreign_origin(request: _RequestHead) -> str | None:
    """Refuse a change by a page of a foreign origin; a page of this port may make it."""
    own = f"http://{request.values('host')[0]}".lower()
    foreign = [origin for origin in request.values("origin") if origin.lower() != own]
    if not foreign or not request.changes_state:
        return None
    return f"Origin: a page may change nothing here unless it came from {own}, got {_show(foreign)}"


def _foreign_site(request: _RequestHead) -> str | None:
    if "cross-site" not in map(str.lower, request.values("sec-fetch-site")) or not request.changes_state:
        return None
    return "Sec-Fetch-Site: a page of another site may change nothing here, got 'cross-site'"


def _show(values: list[str]) -> str:
    return repr(", ".join(values)[:_SHOWN_CHARACTERS]) if values else "none"


_RULES: tuple[Callable[[_RequestHead], str | None], ...] = (_foreign_host, _foreign_origin, _foreign_site)
