"""A running service, on this machine or behind API Gateway: requests to its API, addresses of its explorer."""

from __future__ import annotations

import http.client
import json
import ssl
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias
from urllib.parse import urlencode, urlsplit

from headwater.cli.program import CommandFailed, command

TIMEOUT_S = 60.0
RESPONSE_MAX_BYTES = 1_000_000_000
_ERROR_MAX_BYTES = 100_000
LOOPBACK = ("127.0.0.1", "localhost", "::1")
# The AWS endpoints of `serve`, by default.
_LOCAL_ENDPOINT = "http://127.0.0.1:4566"
# A GET of a path of the API, with a query.
Get: TypeAlias = Callable[[str, Mapping[str, object]], Any]
_PORTS = {"http": 80, "https": 443}
# The headers of a signature or a token, in urllib's spelling.
_CREDENTIALS = ("Authorization", "X-amz-security-token")
SET_CREDENTIALS = "set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"


class NoResponse(CommandFailed):
    """A request without a usable response; the message has the reason."""


class Missing(NoResponse):
    """A refusal because of an unknown thing (404)."""


class Busy(NoResponse):
    """A refusal for now (429, 503): the same request may succeed later."""


_REFUSALS: Mapping[int, type[NoResponse]] = {404: Missing, 429: Busy, 503: Busy}


def fetch_json(
    url: str, path: str, query: Mapping[str, object], *, token: str | None = None, on_host: bool = False
) -> Any:
    """Fetch the JSON for a path of the API at `url` (the path may have a query).

    A call to an API Gateway host is signed with the credentials of the environment, unless a bearer token is given.
    `on_host`: a redirect to a foreign host is a refusal.

    Raises:
        NoResponse: no such resource, no such service, or a response without JSON.
    """
    body = send(url, path, query, token=token, on_host=on_host)
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise NoResponse(explain_unusable(url, error)) from error


def send(
    url: str,
    path: str,
    query: Mapping[str, object] | None = None,
    *,
    token: str | None = None,
    method: str = "GET",
    body: bytes | None = None,
    on_host: bool = False,
) -> bytes:
    """Send a request with the credentials of `fetch_json`, perhaps with a body of JSON; return the response.

    Raises:
        NoResponse: a refusal, or no such service.
    """
    address = address_of(url, path, query or {})
    headers = _headers(address, token, method, body)
    request = urllib.request.Request(address, data=body, headers=headers, method=method)  # noqa: S310 - it is http(s)
    try:
        with opener_of(address, _OnHost if on_host else _Redirects).open(request, timeout=TIMEOUT_S) as response:
            sent: bytes = response.read(RESPONSE_MAX_BYTES + 1)
            if len(sent) > RESPONSE_MAX_BYTES:
                raise NoResponse(f"{url}: the response has more than {RESPONSE_MAX_BYTES:,} bytes")
            return sent
    except urllib.error.HTTPError as error:
        advice = _advice(error.code, address, token) if _is_same_origin(address, error.url) else ""
        raise _REFUSALS.get(error.code, NoResponse)(f"{url}: HTTP {error.code}: {_message(error)}{advice}") from error
    except urllib.error.URLError as error:
        raise NoResponse(explain_unreached(url, error.reason)) from error
    except (OSError, ValueError, http.client.HTTPException) as error:
        raise NoResponse(explain_unusable(url, error)) from error


def opener_of(address: str, redirects: type[urllib.request.HTTPRedirectHandler]) -> urllib.request.OpenerDirector:
    """Build an opener that uses the environment's proxy, except for a service on this machine."""
    direct = [urllib.request.ProxyHandler({})] if urlsplit(address).hostname in LOOPBACK else []
    return urllib.request.build_opener(redirects, *direct)


def address_of(url: str, path: str, query: Mapping[str, object]) -> str:
    """Build the full address of a request.

    >>> address_of("http://127.0.0.1:8080/", "/api/v1/lineage", {"nodeId": "job:a:b"})
    'http://127.0.0.1:8080/api/v1/lineage?nodeId=job%3Aa%3Ab'

    Raises:
        NoResponse: the service's URL is not an HTTP URL.
    """
    if not url.startswith(("http://", "https://")):
        raise NoResponse(f"url {url!r}: must be http://host[:port][/path] or https://...")
    suffix = f"?{urlencode(query)}" if query else ""
    return f"{url.rstrip('/')}{path}{suffix}"


def map_link(url: str, node_id: str) -> str:
    """Build the address of the map around a job or dataset.

    >>> map_link("http://127.0.0.1:8080/", "job:a:b")
    'http://127.0.0.1:8080/explore/map?node=job%3Aa%3Ab'
    """
    return f"{url.rstrip('/')}/explore/map?{urlencode({'node': node_id})}"


def columns_link(url: str, node_id: str) -> str:
    """Build the address of a column's path, a dataset's columns, or a job's map.

    >>> columns_link("http://127.0.0.1:8080", "datasetField:s3://lake:raw:id")
    'http://127.0.0.1:8080/explore/columns?node=datasetField%3As3%3A%2F%2Flake%3Araw%3Aid'
    """
    view = "map" if node_id.startswith("job:") else "columns"
    return f"{url.rstrip('/')}/explore/{view}?{urlencode({'node': node_id})}"


def printable(text: str) -> str:
    r"""Replace characters that move a cursor, have no glyph, or are invalid in XML.

    >>> printable("a job\x1b[2J")
    'a job�[2J'
    """
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def explain_unreached(url: str, reason: str | BaseException) -> str:
    """Explain a missing connection, and the next step; an unknown certificate means that a server is there."""
    if isinstance(reason, ssl.SSLError):
        return f"{url}: {reason}"
    why = "" if isinstance(reason, ConnectionRefusedError) else f" ({reason})"
    start = f"start {command('serve')} or " if urlsplit(url).hostname in LOOPBACK else ""
    return f"nothing answers at {url}{why}; {start}give --url"


def explain_unusable(url: str, error: Exception) -> str:
    """Explain an unusable response, on one line."""
    return f"{url}: {' '.join(str(error).split()) or type(error).__name__}"


def _advice(status: int, address: str, token: str | None) -> str:
    """Advise a refused caller: an API takes bearer tokens, or requests signed by AWS credentials."""
    if status not in (401, 403):
        return ""
    local = f" --local {_LOCAL_ENDPOINT}" if urlsplit(address).hostname in LOOPBACK else ""
    create = command(f"token create --scope read --scope records --all-namespaces{local}")
    if token:
        return f"; set HEADWATER_TOKEN to another token, as {create} makes it, or unset it where requests are signed"
    if status == 403 and is_api_gateway(address):
        return "; the AWS credentials of the environment, which sign the request, need execute-api:Invoke on this API"
    return f"; set HEADWATER_TOKEN to a token, as {create} makes it"


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Redirects, to a foreign origin without the credentials: a large result is a signed link to S3."""

    def redirect_request(self, req: urllib.request.Request, *args: Any) -> urllib.request.Request | None:
        """Build the request that follows the redirect."""
        following = super().redirect_request(req, *args)
        if following is not None and not _is_same_origin(req.full_url, following.full_url):
            for header in _CREDENTIALS:
                following.remove_header(header)
        return following


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects as error statuses: credentials go nowhere else."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


class _OnHost(urllib.request.HTTPRedirectHandler):
    """Redirects within an origin; a redirect elsewhere is an error, like an error status."""

    def redirect_request(self, req: urllib.request.Request, *args: Any) -> urllib.request.Request | None:
        """Build the request that follows the redirect, None if it leads elsewhere."""
        following = super().redirect_request(req, *args)
        return following if following and _is_same_origin(req.full_url, following.full_url) else None


def _is_same_origin(url: str, other: str) -> bool:
    """True if a URL's credentials may go to a second URL, by the rule of requests (`Session.should_strip_auth`).

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


def _headers(address: str, token: str | None, method: str, body: bytes | None) -> dict[str, str]:
    headers = {"Accept": "application/json"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    host = urlsplit(address).hostname or ""
    if token:
        if address.startswith("http://") and host not in LOOPBACK:
            _warn_of_plain_token(host)
        return {**headers, "Authorization": f"Bearer {token}"}
    return _sign(address, host, headers, method, body) if is_api_gateway(address) else headers


def is_api_gateway(address: str) -> bool:
    """True for `https://a1.execute-api.eu-west-1.amazonaws.com`: its requests are signed, unless they carry a token."""
    return ".execute-api." in (urlsplit(address).hostname or "")


@cache
def _warn_of_plain_token(host: str) -> None:
    """Warn once for each host."""
    warning = f"the token goes to {host} over plain http, where it can be read in transit: use https"
    print(f"! {warning}", file=sys.stderr)


def _sign(address: str, host: str, headers: dict[str, str], method: str, body: bytes | None) -> dict[str, str]:
    from botocore.exceptions import BotoCoreError

    from spark_client.errors import Misconfigured
    from spark_client.transport.signing import sign_with_aws

    try:
        return sign_with_aws(host, method)(address, body or b"", headers)
    except Misconfigured as error:
        raise NoResponse(
            f"cannot sign for {host}: no AWS credentials; {SET_CREDENTIALS}, or HEADWATER_TOKEN for an API of tokens"
        ) from error
    except BotoCoreError as error:
        raise NoResponse(f"cannot sign for {host}: {error}") from error


def _message(error: urllib.error.HTTPError) -> str:
    """Read the message of an error response, in Marquez's two forms or API Gateway's."""
    try:
        with error:
            body = json.loads(error.read(_ERROR_MAX_BYTES))
        return printable(str(body.get("message") or "; ".join(body["errors"])))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        elsewhere = "; no API of a stack answers there, give another --url" if error.code == 404 else ""
        return f"{printable(str(error.reason))}{elsewhere}"
