"""Questions to a running service, on this machine or behind API Gateway."""

from __future__ import annotations

import json
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Mapping
from functools import cache
from typing import Any
from urllib.parse import urlencode, urlsplit

_ANSWER_S = 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PORTS = {"http": 80, "https": 443}
# What signs a request or proves a token, as urllib spells headers.
_CREDENTIALS = ("Authorization", "X-amz-security-token")


class NoAnswer(Exception):
    """The service did not answer the question; the message says what it did."""


def ask(url: str, path: str, asked: Mapping[str, object], *, token: str | None = None) -> Any:
    """The JSON that the service at `url` answers at a path of its API (which may hold a query already).

    A call to an API Gateway host is signed with the credentials of the environment, unless a bearer token is given.

    Raises:
        NoAnswer: no such thing, no such service, or an answer that is not JSON.
    """
    question = question_of(url, path, asked)
    request = urllib.request.Request(question, headers=_headers(question, token))  # noqa: S310 - it is http(s)
    try:
        with _opener(question).open(request, timeout=_ANSWER_S) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        raise NoAnswer(f"{url}: HTTP {error.code}: {_message(error)}") from error
    except urllib.error.URLError as error:
        raise NoAnswer(_unreached(url, error.reason)) from error
    except (OSError, ValueError) as error:
        raise NoAnswer(f"{url}: {error}") from error


def question_of(url: str, path: str, asked: Mapping[str, object]) -> str:
    """The whole address of a question.

    >>> question_of("http://127.0.0.1:8080/", "/api/v1/lineage", {"nodeId": "job:a:b"})
    'http://127.0.0.1:8080/api/v1/lineage?nodeId=job%3Aa%3Ab'

    Raises:
        NoAnswer: the service's URL is none of HTTP.
    """
    if not url.startswith(("http://", "https://")):
        raise NoAnswer(f"url {url!r}: must be http://host[:port][/path] or https://...")
    query = f"?{urlencode(asked)}" if asked else ""
    return f"{url.rstrip('/')}{path}{query}"


def printable(text: str) -> str:
    r"""The text with every character that moves a cursor, or has no glyph or no place in XML, replaced.

    >>> printable("a job\x1b[2J")
    'a job�[2J'
    """
    return "".join(one if one.isprintable() else "\N{REPLACEMENT CHARACTER}" for one in text)


def _unreached(url: str, reason: str | BaseException) -> str:
    """Return why there is no connection; an unknown certificate means that something is there."""
    if isinstance(reason, ssl.SSLError):
        return f"{url}: {reason}"
    why = "" if isinstance(reason, ConnectionRefusedError) else f" ({reason})"
    return f"nothing answers at {url}{why}; start `headwater serve` or give --url"


def _opener(question: str) -> urllib.request.OpenerDirector:
    """By the proxy that the environment names, but for a service on this machine."""
    direct = [urllib.request.ProxyHandler({})] if urlsplit(question).hostname in _LOOPBACK else []
    return urllib.request.build_opener(_Redirects, *direct)


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Redirects without the credentials, where they lead to another origin: a large result is a signed link to S3."""

    def redirect_request(self, req: urllib.request.Request, *args: Any) -> urllib.request.Request | None:
        """Return the request that follows the redirect."""
        following = super().redirect_request(req, *args)
        if following is not None and not _is_same_origin(req.full_url, following.full_url):
            for header in _CREDENTIALS:
                following.remove_header(header)
        return following


def _is_same_origin(url: str, other: str) -> bool:
    """True if credentials for a URL may go to another, by the rule of requests (`Session.should_strip_auth`).

    >>> url = "http://service/lineage"
    >>> [_is_same_origin(url, other) for other in ("http://service:80/other", "https://service/other")]
    [True, True]
    >>> [_is_same_origin(url, other) for other in ("http://service.example/", "http://service:81/", "https://service:444/")]
    [False, False, False]
    """
    before, after = urlsplit(url), urlsplit(other)
    ports = [parts.port or _PORTS.get(parts.scheme) for parts in (before, after)]
    upgraded = (before.scheme, after.scheme, *ports) == ("http", "https", 80, 443)
    return before.hostname == after.hostname and (upgraded or (before.scheme == after.scheme and ports[0] == ports[1]))


def _headers(question: str, token: str | None) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    host = urlsplit(question).hostname or ""
    if token:
        if question.startswith("http://") and host not in _LOOPBACK:
            _warn_of_plain_token(host)
        return {**headers, "Authorization": f"Bearer {token}"}
    return _signed(question, host, headers) if ".execute-api." in host else headers


@cache
def _warn_of_plain_token(host: str) -> None:
    """Warn once of each host."""
    warning = f"the token goes to {host} over plain http, where anybody on the way reads it: use https"
    print(f"! {warning}", file=sys.stderr)


def _signed(question: str, host: str, headers: dict[str, str]) -> dict[str, str]:
    import botocore.session
    from botocore.auth import SigV4Auth
    from botocore.awsrequest import AWSRequest

    credentials = botocore.session.get_session().get_credentials()
    if credentials is None:
        raise NoAnswer(f"cannot sign for {host}: no AWS credentials found")
    region = host.partition(".execute-api.")[2].partition(".")[0]
    request = AWSRequest(method="GET", url=question, headers=headers)
    SigV4Auth(credentials.get_frozen_credentials(), "execute-api", region).add_auth(request)
    return dict(request.headers.items())


def _message(error: urllib.error.HTTPError) -> str:
    """What the service says of it, in Marquez's two forms or API Gateway's."""
    try:
        said = json.loads(error.read())
        return printable(str(said.get("message") or "; ".join(said["errors"])))
    except (ValueError, LookupError, TypeError, AttributeError):
        return str(error.reason)
