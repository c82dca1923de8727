"""The claims of a verified token: the caller's name, and the grants that fit."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Mapping
from typing import Any

from headwater.api.tokens import Token
from headwater.namespaces import is_match
from headwater_model.ids import sha256_hex

# The difference of clocks between the issuer and us.
LEEWAY_S = 300
# Claims with words in a text (RFC 8693); Entra's name is `scp`.
_WORDS = ("scope", "scp")
_NAME_CHARS_MAX = 256
_HASH_DIGITS = 16


def read_claims(text: str) -> Mapping[str, Any]:
    """Read the claims of a token without a check of its signature.

    >>> read_claims("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbm4ifQ.c2ln")
    {'sub': 'ann'}

    Raises:
        ValueError: the text is no token.
    """
    _, payload, _ = text.split(".")
    claims = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    if not isinstance(claims, dict):
        raise ValueError("a token's claims are an object")
    return claims


def name_caller(claims: Mapping[str, Any], *, by_mail: bool = False) -> str:
    """Name the holder of a token in logs: by the issuer's id, or `by_mail`, if it is verified; a machine by its client.

    An id like a mail address is hashed.

    >>> name_caller({"sub": "1", "email": "ann@example.org", "email_verified": True}), name_caller({"client_id": "etl"})
    ('user:1', 'client:etl')
    """
    client = claims.get("client_id") or claims.get("azp") or claims.get("cid")
    subject = claims.get("sub") or client
    kind = "client" if subject == client else "user"
    if kind == "user" and by_mail and claims.get("email_verified") is True:
        return f"user:{str(claims.get('email'))[:_NAME_CHARS_MAX]}"
    is_address = kind == "user" and "@" in str(subject) and not by_mail
    return f"{kind}:{sha256_hex(str(subject))[:_HASH_DIGITS] if is_address else str(subject)[:_NAME_CHARS_MAX]}"


def fitting_grants(claims: Mapping[str, Any], grants: Iterable[Token], now_s: int) -> list[Token]:
    """List the valid grants that fit a caller's claims; the id of a grant is its claim, `groups=analysts`."""
    return [grant for grant in grants if grant.is_good(now_s) and _fits(claims, grant.id)]


def _fits(claims: Mapping[str, Any], to: str) -> bool:
    name, _, pattern = to.partition("=")
    return any(is_match(pattern, value) for value in values_of(claims, name))


def values_of(claims: Mapping[str, Any], name: str) -> list[str]:
    """List the values of a claim; a name with dots may lead into objects. A mail address must be verified.

    >>> values_of({"realm_access": {"roles": ["a", "b"]}}, "realm_access.roles")
    ['a', 'b']
    >>> values_of({"email": "ann@example.org"}, "email")
    []
    """
    if name == "email" and claims.get("email_verified") is not True:
        return []
    value: Any = claims.get(name)
    if value is None:
        value = claims
        for part in name.split("."):
            value = value.get(part) if isinstance(value, dict) else None
    if name in _WORDS and isinstance(value, str):
        return value.split()
    values = value if isinstance(value, list) else [value]
    return [str(each) for each in values if isinstance(each, (str, int)) and not isinstance(each, bool)]
