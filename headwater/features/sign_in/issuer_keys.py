"""The issuer's public keys: read at most once in five minutes, kept in the graph table while the issuer is down.

    SIGN_IN_KEYS    <issuer>    keys, fetched (seconds since 1970)

The authorizer alone may write the row: whoever writes keys can sign tokens.
"""

from __future__ import annotations

import json
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from botocore.exceptions import BotoCoreError, ClientError
from jwt import PyJWKClient, PyJWKClientConnectionError, PyJWKClientError

from headwater.facts.table import GraphTable, Row
from headwater.features.sign_in.settings import ISSUER_KEYS

_DISCOVERY = "/.well-known/openid-configuration"
_LIFESPAN_S = 300
# A token with an unknown key makes a request; further such tokens wait. So do all requests after a failure.
_COOLDOWN_S = 10
_STALE_MAX_S = 24 * 3600
_TIMEOUT_S = 3
_BYTES_MAX = 256 * 1024


class IssuerKeys(PyJWKClient):
    """The keys of an issuer, by its discovery document.

    Keys of a silent issuer count for a day. The library caches keys for five minutes, and reads them anew for an
    unknown key.
    """

    def __init__(self, issuer: str, table: GraphTable, now_s: Callable[[], int]) -> None:
        super().__init__(issuer, lifespan=_LIFESPAN_S, cooldown_duration=_COOLDOWN_S)
        self._table, self._now_s = table, now_s
        self._failed_s = -_COOLDOWN_S
        self._is_new = True

    def fetch_data(self) -> Any:
        """Read the keys: fresh keys of the table in a new instance, else of the issuer, else of the table.

        Raises:
            PyJWKClientConnectionError: the issuer is silent, and its last keys are older than a day.
        """
        now_s, is_new = self._now_s(), self._is_new
        self._is_new = False
        keys = self._stored(now_s, _LIFESPAN_S) if is_new else None
        if keys is None and now_s - self._failed_s >= _COOLDOWN_S:
            keys = self._fetch(now_s)
        if keys is None:
            keys = self._stored(now_s, _STALE_MAX_S)
        if keys is None:
            raise PyJWKClientConnectionError("the issuer is silent")
        if self.jwk_set_cache is not None:
            self.jwk_set_cache.put(keys)
        return keys

    def _fetch(self, now_s: int) -> dict[str, Any] | None:
        """Fetch the keys, and store them; None from a silent issuer."""
        try:
            keys = fetch_keys(self.uri)
        except PyJWKClientError:
            self._failed_s = now_s
            return None
        self._last_successful_fetch = time.monotonic()
        with suppress(BotoCoreError, ClientError):
            self._table.put([Row(ISSUER_KEYS, self.uri, {"keys": keys["keys"], "fetched": now_s})])
        return keys

    def _stored(self, now_s: int, age_max_s: int) -> dict[str, Any] | None:
        """Read the stored keys up to this age."""
        with suppress(BotoCoreError, ClientError):
            row = self._table.get([(ISSUER_KEYS, self.uri)]).get((ISSUER_KEYS, self.uri))
            if row and 0 <= now_s - row.data["fetched"] < age_max_s:
                return {"keys": row.data["keys"]}
        return None


def discover(issuer: str) -> dict[str, Any]:
    """Fetch the discovery document of an issuer, `{"issuer": ..., "jwks_uri": ..., "token_endpoint": ...}`.

    Raises:
        PyJWKClientError: nothing usable responds, or the document is of another issuer (Discovery, section 4.3).
    """
    document = _read_json(f"{issuer.rstrip('/')}{_DISCOVERY}")
    if document.get("issuer") != issuer:
        raise PyJWKClientError("the discovery document names another issuer")
    return document


def fetch_keys(issuer: str) -> dict[str, Any]:
    """Fetch the issuer's set of keys (RFC 7517).

    Raises:
        PyJWKClientError: as `discover`, or the set of keys is none.
    """
    address = str(discover(issuer).get("jwks_uri"))
    if urlsplit(address).scheme not in ("https", urlsplit(issuer).scheme):
        raise PyJWKClientError("the keys have no https address")
    keys = _read_json(address)
    if not isinstance(keys.get("keys"), list):
        raise PyJWKClientError("the keys are no list")
    return keys


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Redirects as errors."""

    def redirect_request(self, *_: object) -> None:
        """Follow nothing."""


def _read_json(address: str) -> dict[str, Any]:
    try:
        with urllib.request.build_opener(_NoRedirects).open(address, timeout=_TIMEOUT_S) as response:
            document = json.loads(response.read(_BYTES_MAX))
    except (OSError, HTTPException, ValueError, RecursionError) as error:
        raise PyJWKClientConnectionError(f"{address}: {type(error).__name__}") from error
    if not isinstance(document, dict):
        raise PyJWKClientError(f"{address}: no JSON object")
    return document
