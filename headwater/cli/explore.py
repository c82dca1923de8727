"""`headwater explore`: the explorer on this machine, over an API with signed requests."""

from __future__ import annotations

import argparse
import gzip
import hmac
import http.client
import json
import re
import secrets
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TypeAlias
from urllib.parse import parse_qsl, urlencode, urlsplit

from headwater.cli.logins import token_for
from headwater.cli.options import add_command, add_url, parse_port
from headwater.cli.program import CommandFailed, command
from headwater.cli.service import (
    LOOPBACK,
    SET_CREDENTIALS,
    TIMEOUT_S,
    NoRedirects,
    NoResponse,
    explain_unreached,
    explain_unusable,
    is_api_gateway,
    opener_of,
)

_ABOUT = """\
Serve the explorer on 127.0.0.1 and forward its requests to the API of a deployed stack, signed with the AWS credentials
of the environment: a browser cannot sign. With HEADWATER_TOKEN, requests carry that bearer token instead. Only GET is
forwarded. Open the printed link: it holds a secret, which the browser keeps in a cookie until the command ends.
Requests without it are refused, and so are those for other hosts and those of other sites.

An API for bearer tokens serves the explorer itself, at <url>/explore/, and needs no such command.
"""
# Headers of the API for the page; the remaining headers are about the connection.
_PASSED = (
    *("Cache-Control", "Content-Disposition", "Content-Encoding", "Content-Security-Policy", "Content-Type"),
    *("Location", "Referrer-Policy", "Retry-After", "WWW-Authenticate", "X-Content-Type-Options"),
)
_KEY = "key"
# A browser reads two slashes as a host, and a backslash as a slash; it drops tabs and line feeds.
_PATH = re.compile(r"/(?![/\\])[^\\\x00-\x20\x7f]*\Z")
_VIEW = re.compile(r"/explore/[\w-]*")

Headers: TypeAlias = dict[str, str]
Authorize: TypeAlias = Callable[[str, Headers], Headers]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `headwater explore` to the command line."""
    summary = "show lineage of a deployed stack in a browser, with the AWS credentials of the environment"
    parser = add_command(subparsers, "explore", summary, _ABOUT, run=run_explore)
    add_url(parser)
    parser.add_argument(
        "--port", type=parse_port, default=0, metavar="PORT", help="on 127.0.0.1 (default: any free port)"
    )


def run_explore(given: argparse.Namespace) -> int:
    """Serve until Ctrl-C; 1 if the port is in use, nothing answers, or there are no credentials to sign with."""
    from spark_client.errors import Misconfigured

    try:
        explorer = Explorer(given.url, authorize_for(given.url, token_for(given.url)), port=given.port)
    except Misconfigured as error:
        raise CommandFailed(f"{error}; {SET_CREDENTIALS}, or HEADWATER_TOKEN for an API of tokens") from error
    except ValueError as error:
        raise CommandFailed(str(error)) from error
    with explorer.server:
        explorer.knock()
        print(f"Explorer of {given.url}, until Ctrl-C:\n  {explorer.link}", flush=True)
        with suppress(KeyboardInterrupt):
            explorer.server.serve_forever()
    return 0


def authorize_for(url: str, token: str | None) -> Authorize:
    """Choose the credentials of a GET's headers: a bearer token, or a signature at an API Gateway host.

    Raises:
        Misconfigured: There are no AWS credentials.
        ValueError: The URL is not HTTP, or a token would be sent over plain HTTP.
    """
    parts = urlsplit(url)
    host = parts.hostname or ""
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError(f"--url: must be http(s)://host[:port][/path], got {url!r}")
    if token and parts.scheme == "http" and host not in LOOPBACK:
        raise ValueError(f"HEADWATER_TOKEN: is sent over https alone, got --url {url}")
    if token:
        return lambda _, headers: {**headers, "Authorization": f"Bearer {token}"}
    if not is_api_gateway(url):
        return lambda _, headers: headers
    from spark_client.transport.signing import sign_with_aws

    sign = sign_with_aws(host, method="GET")
    return lambda target, headers: sign(target, b"", headers)


@dataclass(frozen=True, slots=True)
class Reply:
    """An HTTP response."""

    status: int
    headers: Mapping[str, str]
    body: bytes


class Explorer:
    """A server on loopback that forwards GETs with its secret."""

    def __init__(self, url: str, authorize: Authorize, *, port: int = 0) -> None:
        self._url = url.rstrip("/")
        self._authorize = authorize
        self._secret = secrets.token_urlsafe(24)
        # The browser follows redirects, without credentials.
        self._opener = opener_of(url, NoRedirects)
        self.server = ThreadingHTTPServer(("127.0.0.1", port), _handler_of(self))
        self.server.daemon_threads = True

    @property
    def port(self) -> int:
        """Port on 127.0.0.1."""
        return int(self.server.server_address[1])

    @property
    def link(self) -> str:
        """Address to open; every reader of it may read all that the credentials may."""
        return f"http://127.0.0.1:{self.port}/explore/?{urlencode({_KEY: self._secret})}"

    def reply_to(self, target: str, headers: Mapping[str, str]) -> Reply:
        """Answer with the API's response, a redirect that sets the cookie, or a refusal."""
        path, _, query = target.partition("?")
        refusal = self._find_refusal(path, headers)
        if refusal:
            return _message(403, refusal)
        pairs = parse_qsl(query, keep_blank_values=True)
        if self._is_secret(dict(pairs).get(_KEY, "")):
            return self._set_cookie(path, [(name, value) for name, value in pairs if name != _KEY])
        if not self._is_secret(_cookies(headers).get(self._cookie, "")):
            return _message(403, f"open the link that {command('explore')} printed: it holds the secret of this server")
        try:
            reply = self._fetch(target, headers)
        except NoResponse as error:
            return _message(502, str(error))
        is_of_caller = urlsplit(target).path == "/api/v1/me" and reply.status == HTTPStatus.OK
        return _without_writes(reply) if is_of_caller else reply

    @property
    def _cookie(self) -> str:
        """Name of the cookie; a browser does not separate cookies by port."""
        return f"headwater_explore_{self.port}"

    def _is_secret(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._secret.encode())

    def _find_refusal(self, path: str, headers: Mapping[str, str]) -> str | None:
        host = headers.get("Host", "")
        if host not in (f"127.0.0.1:{self.port}", f"localhost:{self.port}"):
            return f"Host: must be 127.0.0.1:{self.port}, got {host[:100]!r}"
        site = headers.get("Sec-Fetch-Site", "none")
        if site not in ("none", "same-origin"):
            return f"Sec-Fetch-Site: must be none or same-origin, got {site[:100]!r}"
        return (
            None if _PATH.match(path) else "path: must begin with one slash, and have neither a backslash nor a blank"
        )

    def _set_cookie(self, path: str, pairs: list[tuple[str, str]]) -> Reply:
        """Redirect to the view without the secret, never to a path that a browser could read as a host."""
        if not _VIEW.fullmatch(path):
            return _message(403, "path: the link is to a view under /explore/")
        cookie = f"{self._cookie}={self._secret}; Path=/; HttpOnly; SameSite=Strict"
        query = f"?{urlencode(pairs)}" if pairs else ""
        return Reply(303, {"Location": f"{path}{query}", "Set-Cookie": cookie, "Referrer-Policy": "no-referrer"}, b"")

    def knock(self) -> None:
        """Check the connection: send a request to the API; any response will do.

        Raises:
            NoResponse: nothing answers there.
        """
        self._fetch("/api/v1/me", {})

    def _fetch(self, target: str, headers: Mapping[str, str]) -> Reply:
        url = f"{self._url}{target}"
        sent = self._authorize(url, {"Accept": headers.get("Accept", "*/*")})
        # Unsigned, since a proxy before API Gateway may change it.
        request = urllib.request.Request(url, headers={**sent, "Accept-Encoding": "gzip"})  # noqa: S310 - it is http(s)
        try:
            with self._opener.open(request, timeout=TIMEOUT_S) as response:
                return _pass_on(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return _pass_on(error.code, error.headers, error.read())
        except urllib.error.URLError as error:
            raise NoResponse(explain_unreached(self._url, error.reason)) from error
        except (OSError, http.client.HTTPException) as error:
            raise NoResponse(explain_unusable(self._url, error)) from error


def _handler_of(explorer: Explorer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        """Requests of the browser: GET, and 501 for every further method."""

        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            """Write the reply."""
            reply = explorer.reply_to(self.path, {name.title(): value for name, value in self.headers.items()})
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names the parameter
            """Print nothing: a request's line may hold the secret."""

    return Handler


def _cookies(headers: Mapping[str, str]) -> Mapping[str, str]:
    try:
        return {name: morsel.value for name, morsel in SimpleCookie(headers.get("Cookie", "")).items()}
    except CookieError:
        return {}


def _pass_on(status: int, headers: Message, body: bytes) -> Reply:
    values = {name: value for name in _PASSED if (value := headers.get(name)) is not None}
    return Reply(status, values, body)


def _without_writes(reply: Reply) -> Reply:
    """Cut the response of `/api/v1/me` to reads: only GET is forwarded, so the page offers nothing more."""
    headers = dict(reply.headers)
    packed = headers.pop("Content-Encoding", None) == "gzip"
    me = json.loads(gzip.decompress(reply.body) if packed else reply.body)
    scopes = [scope for scope in me["scopes"] if scope in ("read", "records")]
    return Reply(reply.status, headers, json.dumps({**me, "scopes": scopes}).encode())


def _message(status: int, message: str) -> Reply:
    body = json.dumps({"code": status, "message": message}).encode()
    return Reply(status, {"Content-Type": "application/json", "X-Content-Type-Options": "nosniff"}, body)
