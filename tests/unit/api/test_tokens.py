"""The tokens that a function remembers: bounded, and no flood of made-up ones costs it what it knows."""

from __future__ import annotations

import pytest

from headwater.api import tokens as tokens_module
from headwater.api.tokens import Token, Tokens, new_token
from tests.builders import NOON
from tests.fakes.memory_table import MemoryTable

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
