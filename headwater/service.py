"""Questions to a running service, on this machine or behind API Gateway."""

from __future__ import annotations

import json
import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode, urlsplit

_ANSWER_S = 60.0
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


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
    return urllib.request.build_opener(*direct)


def _headers(question: str, token: str | None) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    host = urlsplit(question).hostname or ""
    if token:
        return {**headers, "Authorization": f"Bearer {token}"}
    return _signed(question, host, headers) if ".execute-api." in host else headers


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
