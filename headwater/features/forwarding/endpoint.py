"""The endpoint that events are forwarded to: one HTTPS URL, and its bearer token in Secrets Manager, if it has one.

    secret = Secret(secrets_manager, "forward-token", clock=time.monotonic)
    endpoint = Endpoint("https://marquez.example/api/v1/lineage", token=secret.token, forget_token=secret.forget)
    status = endpoint.post(b"{...}")

A redirect is a response like any other: the token goes to the URL that the deployer gave, and to no other. urllib3
comes with botocore, in Lambda's runtime and here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import urlsplit

import urllib3
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError, ProtocolError

from headwater.settings import FORWARDED_HEADER
from headwater_model.errors import Invalid

# A token that was replaced is used for this long at most; after a refusal it is read at once.
_KEPT_S = 300
# What a header may hold.
_TOKEN_FORM = re.compile(r"[!-~]+")
# Of one event, from the connection to the headers of the response.
TIMEOUT_S = 10
_CONNECT_TIMEOUT_S = 3
# Of a response the status alone counts; a body up to this is read, so that the connection can be used again.
_BODY_BYTES_MAX = 65_536
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_UNAUTHORIZED = 401


class SecretsClient(Protocol):
    """The client of Secrets Manager, as far as it is used."""

    def get_secret_value(self, *, SecretId: str) -> Any:  # noqa: N803 - boto3's own name
        """Return the secret's value, as `SecretString`."""


class Secret:
    """A token that is read when it is first needed, and again after some minutes by the `clock`, in seconds."""

    def __init__(self, client: SecretsClient, secret_id: str, *, clock: Callable[[], float]) -> None:
        self._client, self._id, self._clock = client, secret_id, clock
        self._token = ""
        self._until_s = 0.0

    def token(self) -> str:
        """Return the token.

        Raises:
            Invalid: the secret holds none; the message does not show the value.
        """
        if not self._token or self._clock() >= self._until_s:
            value = self._client.get_secret_value(SecretId=self._id).get("SecretString", "").strip()
            if not _TOKEN_FORM.fullmatch(value):
                raise Invalid.because("forward_secret", self._id, "must hold a token as text, without spaces")
            self._token, self._until_s = value, self._clock() + _KEPT_S
        return self._token

    def forget(self) -> None:
        """Read the secret again when the token is needed next."""
        self._token = ""


class Unreachable(Exception):
    """An endpoint that did not respond in time, or not at all; names the kind of error, never what was sent."""


class Endpoint:
    """An OpenLineage endpoint, with connections kept open between requests.

    `token` returns the bearer token, if there is one; `forget_token` is called where the endpoint does not accept it,
    because it may have been replaced.
    """

    def __init__(
        self,
        url: str,
        *,
        token: Callable[[], str | None],
        forget_token: Callable[[], None] = lambda: None,
        ca_file: str | None = None,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme != "https" and (parts.scheme != "http" or parts.hostname not in _LOOPBACK):
            raise ValueError("events are forwarded over https alone")
        self._url, self._token, self._forget_token = url, token, forget_token
        self._pool = urllib3.PoolManager(
            num_pools=1,
            maxsize=1,
            ca_certs=ca_file,
            cert_reqs="CERT_REQUIRED",
            retries=False,
            timeout=urllib3.Timeout(connect=min(_CONNECT_TIMEOUT_S, timeout_s), total=timeout_s),
        )

    def post(self, body: bytes) -> int:
        """Send an event and return the status of the response.

        A connection that the other side closed while it was idle costs a second try. Raises `Unreachable`.
        """
        try:
            try:
                return self._post(body)
            except ProtocolError:
                return self._post(body)
        except HTTPError as error:
            raise Unreachable(f"the endpoint did not respond ({type(error).__name__})") from error

    def _post(self, body: bytes) -> int:
        headers = {"Content-Type": "application/json", "User-Agent": "headwater", FORWARDED_HEADER: "true"}
        token = self._token()
        if token:
            headers["Authorization"] = f"Bearer {token}"
        response = self._pool.request(
            "POST", self._url, body=body, headers=headers, redirect=False, preload_content=False
        )
        if response.status == _UNAUTHORIZED:
            self._forget_token()
        _finish(response)
        return response.status


def _finish(response: BaseHTTPResponse) -> None:
    """Read a short body, so that the connection can be used again; close the connection of any other."""
    length = response.length_remaining
    try:
        if length is not None and length <= _BODY_BYTES_MAX:
            response.read()
    except HTTPError:
        length = None
    if length is None or length > _BODY_BYTES_MAX:
        response.close()
    else:
        response.release_conn()
