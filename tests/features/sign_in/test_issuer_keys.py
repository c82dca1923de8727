"""The keys of an issuer: read seldom, read anew for a new key, and kept while the issuer is down."""

import time

import pytest
from jwt import PyJWKClientConnectionError, PyJWKClientError

from headwater.features.sign_in.issuer_keys import IssuerKeys
from tests.fakes.memory_table import MemoryTable

DAY_S = 24 * 3600


class Clock:
    def __init__(self):
        self.now_s = int(time.time())

    def __call__(self):
        return self.now_s


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def table():
    return MemoryTable()


def fetches(issuer):
    return issuer.requested.count("/keys")


def test_keys_are_fetched_once_for_many_tokens_and_new_instances(issuer, table, clock):
    keys = IssuerKeys(issuer.url, table, clock)
    assert {keys.get_signing_key(issuer.kid).key_id for _ in range(9)} == {issuer.kid}
    assert IssuerKeys(issuer.url, table, clock).get_signing_key(issuer.kid).key_id == issuer.kid
    assert fetches(issuer) == 1


def test_a_new_key_is_fetched_and_unknown_keys_cost_no_second_fetch(issuer, table, clock):
    IssuerKeys(issuer.url, table, clock).get_signing_key(issuer.kid)
    issuer.rotate()
    keys = IssuerKeys(issuer.url, table, clock)
    assert keys.get_signing_key(issuer.kid).key_id == issuer.kid
    assert fetches(issuer) == 2
    for number in range(9):
        with pytest.raises(PyJWKClientError):
            keys.get_signing_key(f"unknown-{number}")
    assert fetches(issuer) == 2


def test_known_keys_count_for_a_day_while_the_issuer_is_down_and_its_silence_is_not_tried_at_each_token(
    issuer, table, clock
):
    IssuerKeys(issuer.url, table, clock).get_signing_key(issuer.kid)
    issuer.is_down = True
    clock.now_s += DAY_S - 1
    keys = IssuerKeys(issuer.url, table, clock)
    assert {keys.get_signing_key(issuer.kid).key_id for _ in range(9)} == {issuer.kid}
    assert len(issuer.requested) == 3

    clock.now_s += 1
    with pytest.raises(PyJWKClientConnectionError):
        IssuerKeys(issuer.url, table, clock).get_signing_key(issuer.kid)


def test_without_any_keys_a_silent_issuer_lets_nobody_in_and_is_tried_every_ten_seconds(issuer, table, clock):
    issuer.is_down = True
    keys = IssuerKeys(issuer.url, table, clock)
    for _ in range(3):
        with pytest.raises(PyJWKClientConnectionError):
            keys.get_signing_key(issuer.kid)
    assert len(issuer.requested) == 1
    issuer.is_down = False
    clock.now_s += 10
    assert keys.get_signing_key(issuer.kid).key_id == issuer.kid


def test_a_document_of_another_issuer_gives_no_keys(issuer, table, clock):
    issuer.named = "https://id.example.org"
    with pytest.raises(PyJWKClientConnectionError):
        IssuerKeys(issuer.url, table, clock).get_signing_key(issuer.kid)
    assert fetches(issuer) == 0
