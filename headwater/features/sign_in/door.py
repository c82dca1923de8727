"""The door of the API for signed-in callers: their claims, and the grants that fit."""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from headwater.api.tokens import Token, Tokens
from headwater.features.sign_in.claims import LEEWAY_S, fitting_grants, name_caller, read_claims
from headwater.features.sign_in.grants import Grants, unite
from headwater.features.sign_in.settings import (
    SIGN_IN_CLIENT,
    SIGN_IN_ISSUER,
    SIGN_IN_NAMES,
    SIGN_IN_ORIGINS,
    SIGN_IN_SCOPE,
)
from headwater_model.errors import Unauthorized
from headwater_model.ids import sha256_hex

# As of tokens: a revoked grant counts for a minute more.
_KNOWN_S = 60


def make_door(tokens: Tokens) -> SignIn:
    """Make the door of this deployment's variables."""
    issuer, client = os.environ[SIGN_IN_ISSUER], os.environ.get(SIGN_IN_CLIENT, "")
    place = urlsplit(issuer)
    origins = [f"{place.scheme}://{place.netloc}", *json.loads(os.environ.get(SIGN_IN_ORIGINS, "[]"))]
    page = {"issuer": issuer, "client": client, "scope": os.environ.get(SIGN_IN_SCOPE, "")}
    return SignIn(tokens, page, origins, by_mail=os.environ.get(SIGN_IN_NAMES) == "email")


@dataclass(frozen=True)
class SignIn:
    """The way in for tokens that the authorizer has verified."""

    tokens: Tokens
    page: Mapping[str, str]
    origins: Sequence[str]
    by_mail: bool = False
    _grants: dict[str, tuple[int, list[Token]]] = field(default_factory=dict, repr=False)

    def find_caller(self, text: str, verified: str, *, now_s: int) -> Token:
        """Find the rights of a verified token's holder; none without a grant.

        API Gateway keeps the authorizer's word for a minute, so the token may have expired since.

        Raises:
            Unauthorized: the token is another than the verified token, or has expired.
        """
        if not hmac.compare_digest(sha256_hex(text), verified):
            raise Unauthorized("Authorization: the token is another than the verified token")
        claims = read_claims(text)
        expires = int(claims["exp"])
        if now_s >= expires + LEEWAY_S:
            raise Unauthorized("Authorization: the token has expired")
        parts = fitting_grants(claims, self._read_grants(now_s), now_s)
        return unite(name_caller(claims, by_mail=self.by_mail), parts, created=int(claims["iat"]), expires=expires)

    def _read_grants(self, now_s: int) -> list[Token]:
        read_s, grants = self._grants.get("", (-_KNOWN_S, []))
        if not 0 <= now_s - read_s < _KNOWN_S:
            grants = Grants(self.tokens).list().good
            self._grants[""] = (now_s, grants)
        return grants
