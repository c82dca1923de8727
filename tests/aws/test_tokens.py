"""Bearer tokens: kept as hashes, checked by the function at the door where API Gateway lets everybody through."""

from __future__ import annotations

import pytest

from headwater.api.tokens import Tokens, new_token
from headwater_model.errors import Conflict, Invalid, NotFound
from lambdas import wiring
from tests.aws.token_requests import DAY_S, a_token, send, status
from tests.builders import NOON
from tests.token_texts import id_of, secret_of


def test_a_token_is_known_by_its_hash_alone(cloud):
    text = a_token(cloud)

    assert text.startswith("hw_")
    assert secret_of(text) not in repr(cloud.items("Graph"))
    token = wiring.tokens().find(text, now_s=NOON)
    assert (token.scopes, token.namespaces, token.created) == (("read", "write"), ("*",), NOON)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda text: text[:-1] + ("A" if text[-1] != "A" else "B"),
        lambda text: text + "A",
        lambda text: text.upper(),
        lambda text: "hw_" + "0" * 16 + "_" + "A" * 43,
        lambda _: "",
        lambda _: "hw__",
        lambda _: "é" * 64,
    ],
)
def test_what_is_not_quite_a_token_finds_none(cloud, spoil):
    assert Tokens(wiring.graph_table()).find(spoil(a_token(cloud)), now_s=NOON) is None


def test_a_token_ends_at_its_stated_time(cloud):
    text = a_token(cloud, lifetime_s=DAY_S)

    assert wiring.tokens().find(text, now_s=NOON + DAY_S - 1) is not None
    assert wiring.tokens().find(text, now_s=NOON + DAY_S) is None


def test_a_revoked_token_is_listed_and_refused_within_a_minute(cloud):
    text = a_token(cloud)
    known = wiring.tokens()
    assert known.find(text, now_s=NOON) is not None

    id_ = id_of(text)
    assert Tokens(wiring.graph_table()).revoke(id_, now_s=NOON + 1).revoked == NOON + 1
    assert known.find(text, now_s=NOON + 59) is not None
    assert known.find(text, now_s=NOON + 60) is None
    assert known.revoke(id_, now_s=NOON + 99).revoked == NOON + 1
    assert [(token.id, token.revoked) for token in known.all()] == [(id_, NOON + 1)]


def test_a_token_is_looked_up_with_one_request_a_minute(cloud):
    text, known, calls = a_token(cloud), wiring.tokens(), []
    cloud.dynamodb.meta.events.register("before-call.dynamodb.*", lambda **_: calls.append(1))

    for second in range(59):
        known.find(text, now_s=NOON + second)
    assert len(calls) == 1


def test_tokens_have_ids_of_their_own_and_unknown_ones_are_not_revoked(cloud):
    _, token = new_token(scopes=["read"], namespaces=["*"], now_s=NOON, lifetime_s=None, random=bytes)
    wiring.tokens().put(token)

    with pytest.raises(Conflict, match="there is one of this id"):
        wiring.tokens().put(token)
    with pytest.raises(NotFound, match="there is none with the id 'x'"):
        wiring.tokens().revoke("x", now_s=NOON)


NAME = "must be a name, or the beginning of names and then `*`"


@pytest.mark.parametrize(
    ("scopes", "limits", "message"),
    [
        ([], {}, "scope: must be at least one of records, read, write, delete, got []"),
        (["admin"], {}, "scope: must be at least one of records, read, write, delete, got ['admin']"),
        (
            ["read"],
            {},
            "namespace: must be given with the scopes read, write, delete (`*` for all namespaces)",
        ),
        (
            ["records"],
            {"namespaces": ["*"]},
            "namespace: must not be given with the scope records alone, which roots limit, got ['*']",
        ),
        (
            ["read"],
            {"namespaces": ["a"], "roots": ["b"]},
            "root: must not be given without the scope records, got ['b']",
        ),
        (["read"], {"namespaces": [""]}, f"namespace: {NAME}, got ''"),
        (["read"], {"namespaces": ["a*b"]}, f"namespace: {NAME}, got 'a*b'"),
        (["records"], {"roots": ["*b"]}, f"root: {NAME}, got '*b'"),
        (
            ["read"],
            {"namespaces": ["a"], "references": ["b"]},
            "reference: must not be given without the scope write, got ['b']",
        ),
        (["write"], {"namespaces": ["a"], "references": ["b*c"]}, f"reference: {NAME}, got 'b*c'"),
        (
            ["read"],
            {"namespaces": [str(number) for number in range(101)]},
            "namespace: must be given at most 100 times, got 101",
        ),
        (["records"], {"roots": ["b" * 2050]}, "root: must have at most 2049 characters, got 'bbbb"),
    ],
)
def test_a_token_without_meaning_is_not_made(scopes, limits, message):
    with pytest.raises(Invalid) as refused:
        new_token(scopes=scopes, **limits, now_s=NOON, lifetime_s=None, random=bytes)
    assert str(refused.value).startswith(message)


def test_the_signed_api_needs_no_token_and_ignores_one(cloud):
    assert status(cloud, "nonsense", door="iam") == 200


@pytest.mark.parametrize("door", [None, "", "IAM", "none", "tokens"])
def test_a_caller_is_refused_where_no_stage_variable_says_who_checks_callers(cloud, door):
    """A stage without the variable, as a third API or a console test would have: nobody may have checked the caller."""
    for path in ("/", "/openapi.json", "/api/v1/namespaces", "/nowhere"):
        assert send(cloud, a_token(cloud), path=path, door=door)[:2] == (
            403,
            "stage variable auth: must be iam or token",
        )


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Basic eA=="}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Bearer"}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": ["Bearer a", "Bearer b"]}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Bearer hw_x"}, "Authorization: the token is unknown, expired or revoked"),
    ],
)
@pytest.mark.parametrize("path", ["/", "/openapi.json", "/api/v1/namespaces", "/nowhere"])
def test_a_caller_without_a_valid_token_is_challenged_whatever_the_path(cloud, headers, message, path):
    code, returned, responded = send(cloud, None, path=path, headers=headers)

    assert (code, returned) == (401, message)
    assert responded["WWW-Authenticate"] in ("Bearer", ["Bearer"])


def test_the_header_may_be_spelled_as_clients_do(cloud):
    text = a_token(cloud)

    for name, kind in (("authorization", "Bearer"), ("AUTHORIZATION", "bearer")):
        assert status(cloud, None, headers={name: f"{kind} {text}"}) == 200


def test_an_expired_token_is_refused(cloud):
    text = a_token(cloud, lifetime_s=10)
    assert status(cloud, text) == 200
    cloud.now_s += 10
    assert status(cloud, text) == 401


def test_no_token_is_written_to_a_log(cloud, capsys, caplog):
    text = a_token(cloud)
    send(cloud, text)
    send(cloud, text + "x")
    printed = capsys.readouterr()
    assert len(caplog.records) == 2
    logged = [str(vars(record)) for record in caplog.records]
    assert secret_of(text) not in "".join([printed.out, printed.err, *logged])
