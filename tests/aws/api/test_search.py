"""Searching records over HTTP: in the table, expired, traced, and archived; each once, however they are paged."""

from __future__ import annotations

import pytest

from lambdas import wiring
from tests.aws.api.searching import Search
from tests.builders import DAY, HOUR, NOON, a_message

DAY_AFTER = "2025-11-21"
MORNING = NOON + 14 * HOUR  # 02:00 of the day after


@pytest.fixture
def search(api, monkeypatch):
    one = Search(api)
    monkeypatch.setattr(wiring, "searcher", one.searcher)
    return one


def a_step(node, root="flights", **changes):
    return a_message(root_id=root, parent_id=root, node_id=node, storage_location=f"s3://lake/{root}/{node}", **changes)


def told(message, *, ttl_expiry=NOON + 24 * HOUR, archived_on=None):
    return {**message, "ttl_expiry": ttl_expiry, "archivedOn": archived_on}


def test_a_record_in_the_table_is_found_by_all_that_it_is(search, cloud):
    one, other = a_step("one"), a_step("two", root="other", action_taken="CHECK", recordedAt=NOON + 60)
    cloud.load(one, other)

    found = {
        "root": search.all(root="flights"),
        "node": search.all(node="one"),
        "action": search.all(action="READ"),
        "location": search.all(location="s3://lake/fl"),
        "time": search.all(start=NOON, end=NOON + 60),
        "all of them": search.all(root="flights", node="one", action="READ", location="s3://", start=NOON),
    }

    assert found == {asked: [told(one)] for asked in found}


def test_nothing_is_asked_of_athena_before_a_day_is_published(search, cloud):
    cloud.load(a_step("one"))
    search.all(root="flights")

    assert search.athena.started == []


def test_a_record_of_a_published_day_is_found_in_its_tables_alone(search, cloud):
    one = a_step("one", run_id="r-1")
    cloud.load(one)
    cloud.now_s = MORNING
    search.night()

    archived = told(one, ttl_expiry=None, archived_on=DAY)
    assert search.all(root="flights") == [archived]
    assert search.all(node="one") == [archived]
    assert search.all(location="s3://lake/flights/") == [archived]
    cloud.now_s += 48 * HOUR
    cloud.stream(cloud.expire())
    assert search.all(start=NOON) == [archived]


def test_a_record_that_expired_untraced_is_found_by_its_root_and_among_all(search, cloud):
    one = a_step("one")
    cloud.load(one)
    cloud.now_s += 25 * HOUR
    cloud.stream(cloud.expire())

    assert search.all(root="flights") == [told(one, ttl_expiry=None)]
    assert search.all(action="READ") == [told(one, ttl_expiry=None)]
    assert search.all(node="one") == []


def test_a_record_that_expired_after_its_trace_is_found_before_its_day_is_published(search, cloud):
    one = a_step("one")
    cloud.load(one)
    cloud.now_s = MORNING
    search.seal(DAY)
    cloud.now_s += 24 * HOUR
    cloud.stream(cloud.expire())

    assert cloud.items() == []
    assert search.all(root="flights") == [told(one, ttl_expiry=None)]
    assert search.all(location="s3://lake/") == [told(one, ttl_expiry=None)]
    search.publish(DAY)
    assert search.all(location="s3://lake/") == [told(one, ttl_expiry=None, archived_on=DAY)]
