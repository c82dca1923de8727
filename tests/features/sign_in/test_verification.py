"""Tokens of an issuer: refused by each broken rule, with the reason, and accepted in all their forms."""

import hashlib
import hmac
import json
import time
from base64 import urlsafe_b64encode

import jwt
import pytest

from headwater.features.sign_in.issuer_keys import IssuerKeys
from headwater.features.sign_in.verification import Refused, verify
from tests.fakes.memory_table import MemoryTable
from tests.features.sign_in.issuing import AUDIENCE, Issuer, unsigned

MINUTE_S = 60


@pytest.fixture(scope="module")
def issuer():
    issuer = Issuer()
    yield issuer
    issuer.stop()


@pytest.fixture
def refusal(issuer):
    """`refusal(token)` is the reason, None for a token that lets its holder in."""
    keys = IssuerKeys(issuer.url, MemoryTable(), lambda: int(time.time()))

    def refusal(token):
        try:
            verify(token, keys, issuer=issuer.url, audiences=[AUDIENCE, "other"])
        except Refused as refused:
            return str(refused)
        return None

    return refusal


@pytest.mark.parametrize(
    "claims",
    [
        {},
        {"aud": ["x", AUDIENCE]},
        {"aud": "other"},
        {"aud": None, "client_id": AUDIENCE, "token_use": "access"},
        {"sub": None, "client_id": "etl"},
        {"begins_s": 4 * MINUTE_S},
    ],
)
def test_a_token_of_the_issuer_for_the_audience_lets_its_holder_in(issuer, refusal, claims):
    assert refusal(issuer.token(**claims)) is None


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_keys_are_of_rsa_or_of_an_elliptic_curve(issuer, refusal, algorithm):
    issuer.rotate(algorithm)
    assert refusal(issuer.token()) is None


def test_a_clock_may_differ_by_five_minutes(issuer, refusal):
    assert refusal(issuer.token(age_s=-4 * MINUTE_S)) is None
    assert refusal(issuer.token(age_s=4 * MINUTE_S, lasts_s=1)) is None


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"age_s": 6 * MINUTE_S, "lasts_s": 1}, "the token has expired"),
        ({"age_s": -6 * MINUTE_S}, "the token is not valid yet"),
        ({"begins_s": 6 * MINUTE_S}, "the token is not valid yet"),
        ({"iss": "https://id.example.org"}, "the token is of another issuer"),
        ({"aud": "else"}, "the token is for another audience"),
        ({"aud": None}, "the token is for another audience"),
        ({"aud": None, "client_id": "else"}, "the token is for another audience"),
        ({"token_use": "id"}, "the token is an ID token: send the access token"),
        ({"exp": None}, "the token must have exp, iss and iat"),
        ({"iss": None}, "the token must have exp, iss and iat"),
        ({"iat": None}, "the token must have exp, iss and iat"),
        ({"exp": "soon"}, "the token is damaged"),
        ({"headers": {"kid": "unknown"}}, "the key of the token is none of the issuer's"),
        (
            {"key": "a-secret-of-32-characters-or-more", "algorithm": "HS256"},
            "the token must be signed by RS256 or ES256",
        ),
    ],
)
def test_each_broken_rule_refuses_with_its_reason(issuer, refusal, given, reason):
    assert refusal(issuer.token(**given)) == reason


def test_the_public_key_signs_no_token(issuer, refusal):
    """The oldest trick: the public key as the secret of HS256, which PyJWT does not even sign with."""
    issuer.rotate("RS256")
    _, payload, _ = issuer.token().split(".")
    header = urlsafe_b64encode(json.dumps({"alg": "HS256", "kid": issuer.kid}).encode()).decode().rstrip("=")
    signature = hmac.new(issuer.public_pem(), f"{header}.{payload}".encode(), hashlib.sha256).digest()
    forged = f"{header}.{payload}.{urlsafe_b64encode(signature).decode().rstrip('=')}"
    assert refusal(forged) == "the token must be signed by RS256 or ES256"


def test_a_token_without_a_signature_or_with_foreign_keys_is_refused(issuer, refusal):
    claims = jwt.decode(issuer.token(), options={"verify_signature": False})
    assert refusal(unsigned(claims, alg="none", kid=issuer.kid)) == "the token must be signed by RS256 or ES256"
    assert refusal(unsigned(claims, alg=issuer.algorithm, kid=issuer.kid)) == "the signature of the token is wrong"


def test_a_foreign_key_signs_no_token_wherever_the_token_says_it_is(issuer, refusal):
    issuer.rotate()
    kid, foreign = issuer.kid, Issuer()
    forged = foreign.token(iss=issuer.url, headers={"kid": kid, "jku": f"{foreign.url}/keys"})
    foreign.stop()
    assert refusal(forged) == "the signature of the token is wrong"
    assert foreign.requested == []


@pytest.mark.parametrize("text", ["", "a", "a.b", "a.b.c", "..", "é.é.é", "e30.e30.e30", "." * 9_000])
def test_damaged_texts_are_refused(refusal, text):
    assert refusal(text) in ("the token is damaged", "the token must be signed by RS256 or ES256")


def test_json_as_deep_as_a_token_is_long_is_refused(refusal):
    deep = urlsafe_b64encode(b'{"a":' + b"[" * 7_000).decode().rstrip("=")
    assert refusal(f"{deep}.e30.e30") == "the token is damaged"
