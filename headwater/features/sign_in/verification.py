"""The verification of a token of the issuer: signature, issuer, audience and times, by PyJWT."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import jwt

from headwater.features.sign_in.claims import LEEWAY_S

# Public keys alone: `none` and HS256 would let the reader of a public key sign.
ALGORITHMS = ("RS256", "ES256")
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (jwt.ExpiredSignatureError, "the token has expired"),
    (jwt.ImmatureSignatureError, "the token is not valid yet"),
    (jwt.InvalidIssuerError, "the token is of another issuer"),
    (jwt.InvalidAlgorithmError, f"the token must be signed by {' or '.join(ALGORITHMS)}"),
    (jwt.PyJWKClientConnectionError, "the keys of the issuer cannot be read for now"),
    (jwt.PyJWKClientError, "the key of the token is none of the issuer's"),
    (jwt.InvalidSignatureError, "the signature of the token is wrong"),
    (jwt.MissingRequiredClaimError, "the token must have exp, iss and iat"),
)


class Refused(Exception):
    """A token that lets nobody in; the message has the reason, and nothing of the token."""


def verify(text: str, keys: jwt.PyJWKClient, *, issuer: str, audiences: Collection[str]) -> Mapping[str, Any]:
    """Verify a token, and return its claims.

    Raises:
        Refused: with the broken rule.
    """
    try:
        header = jwt.get_unverified_header(text)
        if header.get("alg") not in ALGORITHMS:
            # Before the keys are read.
            raise jwt.InvalidAlgorithmError
        claims: Mapping[str, Any] = jwt.decode(
            text,
            keys.get_signing_key(str(header.get("kid"))),
            algorithms=ALGORITHMS,
            issuer=issuer,
            leeway=LEEWAY_S,
            options={"require": ["exp", "iss", "iat"], "verify_aud": False},
        )
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        reasons = (reason for kind, reason in _REASONS if isinstance(error, kind))
        raise Refused(next(reasons, "the token is damaged")) from error
    # As API Gateway's own authorizer: Cognito's access tokens have no audience, but a client.
    audience = claims.get("aud", claims.get("client_id"))
    if not set(audience if isinstance(audience, list) else [audience]) & set(audiences):
        raise Refused("the token is for another audience")
    if claims.get("token_use") == "id":
        raise Refused("the token is an ID token: send the access token")
    return claims
