"""The tokens that are made, those that a function remembers, and the callers that it refuses without one."""

import pytest

from headwater.api import tokens as tokens_module
from headwater.api.tokens import Token, Tokens, new_token
from headwater_model.errors import Invalid
from tests.builders import NOON
from tests.fakes.memory_table import MemoryTable
from tests.unit.api.proxy import respond
from tests.unit.api.teams import World

KNOWN_MAX = tokens_module._KNOWN_MAX


@pytest.fixture
def table():
    return MemoryTable()


def a_text(id_):
    return f"hw_{id_:016x}_{'A' * 43}"


def test_a_malformed_token_is_refused_without_a_read(table):
    tokens = Tokens(table)
    for text in ("", "hw_", "hw_x", a_text(1)[:-1], a_text(1) + "A", a_text(1).upper(), f"{a_text(1)}\n", "é" * 64):
        assert tokens.find(text, now_s=NOON) is None
    assert table.calls == {}


def test_an_unknown_id_is_looked_up_once_a_minute(table):
    tokens = Tokens(table)
    assert [tokens.find(a_text(1), now_s=NOON + second) for second in range(60)] == [None] * 60
    assert table.calls == {"get": 1}

    tokens.find(a_text(1), now_s=NOON + 60)
    assert table.calls == {"get": 2}


def test_a_token_is_looked_up_once_a_minute(table):
    tokens = Tokens(table)
    text, token = new_token(scopes=["records"], now_s=NOON, lifetime_s=None, random=bytes)
    tokens.put(token)
    read = table.calls.get("get", 0)
    assert [tokens.find(text, now_s=NOON + second) for second in range(60)] == [token] * 60
    assert table.calls["get"] == read + 1

    tokens.find(text, now_s=NOON + 60)
    assert table.calls["get"] == read + 2


def test_a_wrong_secret_of_a_known_id_is_refused_without_another_read(table):
    tokens = Tokens(table)
    text, token = new_token(scopes=["records"], now_s=NOON, lifetime_s=None, random=bytes)
    tokens.put(token)
    assert tokens.find(text, now_s=NOON) == token
    read = table.calls["get"]
    assert tokens.find(text[:-1] + "B", now_s=NOON) is None
    assert table.calls["get"] == read


def test_a_flood_of_made_up_ids_takes_bounded_memory_and_pushes_no_good_token_out(table):
    tokens = Tokens(table)
    text, token = new_token(scopes=["records"], now_s=NOON, lifetime_s=None, random=lambda size: b"\xff" * size)
    tokens.put(token)
    assert tokens.find(text, now_s=NOON) == token
    for id_ in range(KNOWN_MAX + 5):
        tokens.find(a_text(id_), now_s=NOON)

    def reads(text):
        before = table.calls["get"]
        tokens.find(text, now_s=NOON + 1)
        return table.calls["get"] - before

    assert max(map(len, (tokens._known, tokens._unknown, tokens._used))) <= KNOWN_MAX
    # The oldest were forgotten, the rest and the good one were not.
    assert [reads(text), reads(a_text(KNOWN_MAX + 4)), reads(a_text(5)), reads(a_text(4))] == [0, 0, 0, 1]


def test_a_token_without_roots_is_of_none():
    bare = Token(id="", hash="", scopes=("read",), namespaces=("*",), created=0)
    assert not bare.covers_root("flights")
    assert not bare.is_of_every_root


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


PATHS = ["/", "/openapi.json", "/api/v1/namespaces", "/nowhere"]


def refusal(response):
    return response.status, response.form["message"]


@pytest.mark.parametrize("door", [None, "", "IAM", "none", "tokens"])
def test_a_caller_is_refused_where_no_stage_variable_says_who_checks_callers(door):
    """A stage without the variable, as a third API or a console test would have: nobody may have checked the caller."""
    world = World()
    headers = {"Authorization": f"Bearer {world.token()}"}
    for path in PATHS:
        refused = respond(world.api, path, None, headers, door)
        assert refusal(refused) == (403, "stage variable auth: must be iam or token")


@pytest.mark.parametrize("form", ["Bearer {}", "bearer {}", "BEARER {}", " Bearer  {} ", "BeArEr \t{}"])
@pytest.mark.parametrize("name", ["Authorization", "authorization", "AUTHORIZATION"])
def test_a_token_may_come_in_any_form_of_the_header(name, form):
    world = World()
    response = respond(world.api, "/api/v1/jobs", None, {name: form.format(world.token())}, door="token")
    assert response.status == 200


@pytest.mark.parametrize("form", ["Bearer {0}x", "Bearer {0} {0}", "Bearer {0},", 'Bearer "{0}"', "Bearer Bearer {0}"])
def test_a_token_with_anything_beside_it_is_none(form):
    world = World()
    refused = respond(world.api, "/api/v1/jobs", None, {"Authorization": form.format(world.token())}, door="token")
    assert refusal(refused) == (401, "Authorization: the token is unknown, expired or revoked")


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Basic eA=="}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Bearer"}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Bearer  "}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "hw_x"}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Token hw_x"}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": ["Bearer a", "Bearer b"]}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Bearer a", "authorization": "Bearer b"}, "Authorization: must be `Bearer` and a token"),
        ({"Authorization": "Bearer hw_x"}, "Authorization: the token is unknown, expired or revoked"),
    ],
)
def test_a_caller_without_a_valid_token_is_challenged_whatever_the_path(headers, message):
    world = World()
    for path in PATHS:
        refused = respond(world.api, path, None, headers, door="token")
        assert refusal(refused) == (401, message)
        assert refused.headers["WWW-Authenticate"] == "Bearer"
    refused_tokens = len(PATHS) if message.endswith("revoked") else 0  # a scanner without a token is no metric
    assert world.metrics["RequestsUnauthorized"] == refused_tokens


def test_a_token_of_more_than_ten_years_is_not_made():
    with pytest.raises(Invalid, match="expires_days: must be at most 3650, got 3651"):
        new_token(scopes=["records"], now_s=NOON, lifetime_s=3651 * 86_400, random=bytes)
