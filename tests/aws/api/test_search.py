"""Searching records over HTTP: in the table, expired, traced, and archived; each once, however they are paged."""

import pytest

from lambdas import wiring
from tests.aws.api.searching import Search
from tests.aws.faults import meanwhile
from tests.builders import DAY, HOUR, NOON, a_message

MORNING = NOON + 14 * HOUR  # 02:00 of the day after


@pytest.fixture
def search(api, catalog, monkeypatch):
    search_api = Search(api)
    monkeypatch.setattr(wiring, "searcher", search_api.searcher)
    return search_api


def a_step(node, root="flights", **changes):
    return a_message(root_id=root, parent_id=root, node_id=node, storage_location=f"s3://lake/{root}/{node}", **changes)


def returned(message, *, ttl_expiry=NOON + 24 * HOUR, archived_on=None):
    return {**message, "ttl_expiry": ttl_expiry, "archivedOn": archived_on}


def test_a_record_in_the_table_is_found_by_all_that_it_is(search, cloud):
    record, other = a_step("one"), a_step("two", root="other", action_taken="CHECK", recordedAt=NOON + 60)
    cloud.load(record, other)

    hits = {
        "root": search.all(root="flights"),
        "node": search.all(node="one"),
        "action": search.all(action="READ"),
        "location": search.all(location="s3://lake/fl"),
        "time": search.all(start=NOON, end=NOON + 60),
        "all of them": search.all(root="flights", node="one", action="READ", location="s3://", start=NOON),
    }

    assert hits == {requested: [returned(record)] for requested in hits}


def test_a_record_of_a_published_day_is_found_in_its_tables_alone(search, cloud):
    record = a_step("one", run_id="r-1")
    cloud.load(record)
    cloud.now_s = MORNING
    search.night()

    archived = returned(record, ttl_expiry=None, archived_on=DAY)
    assert search.all(root="flights") == [archived]
    assert search.all(node="one") == [archived]
    assert search.all(location="s3://lake/flights/") == [archived]
    cloud.now_s += 48 * HOUR
    cloud.stream(cloud.expire())
    assert search.all(start=NOON) == [archived]


def test_a_record_loaded_while_its_root_was_traced_is_shown_by_the_table_or_by_the_archive_but_once(search, cloud):
    """The object shows if the trace has read it; the times do not."""
    early, read, unread = (a_step(node) for node in ("early", "read", "unread"))
    cloud.load(early)
    cloud.now_s = MORNING
    cloud.load(read)
    with meanwhile(cloud.s3, "PutObject", lambda: cloud.load(unread)):
        search.night()

    archived = [returned(step, ttl_expiry=None, archived_on=DAY) for step in (early, read)]
    assert search.all(root="flights") == [returned(unread), *archived]
    assert search.all(node="read") == archived[1:]
    assert search.all(node="unread") == [returned(unread)]


def test_days_before_the_start_are_not_read(search, cloud):
    cloud.load(a_step("early"))
    cloud.now_s = MORNING
    search.night()
    cloud.now_s += 30 * 24 * HOUR

    assert search.all(start=cloud.now_s - HOUR) == []
    assert search.all(start=NOON + 10 * 24 * HOUR) == []
    assert search.athena.started == []


def test_every_page_keeps_to_the_days_and_the_clock_of_the_first(search, cloud):
    steps = [a_step(f"n-{number}") for number in range(4)]
    cloud.load(*steps)
    first = search.fetch(root="flights", start="now-1h", end="now+1h", limit=2).json
    cloud.now_s = MORNING
    search.night()
    second = search.fetch(root="flights", start="now-1h", end="now+1h", cursor=first["cursor"]).json

    assert [first["records"], second["records"]] == [
        [returned(step) for step in steps[:2]],
        [returned(step) for step in steps[2:]],
    ]
    assert (second["cursor"], search.athena.started) == (None, [])


def test_a_large_root_is_paged_to_its_end(search, cloud, api):
    nodes = [f"{number:04}" for number in range(1300)]
    api.put_rows("flights", nodes, "SPLIT", root="flights")
    api.put_rows("flights", ["x"], "REJECT", root="flights")
    cloud.load(a_step("one"))

    node_ids = [record["node_id"] for record in search.all(root="flights", action="SPLIT", limit=1000)]
    assert (len(node_ids), sorted(node_ids)) == (1300, nodes)
    assert [record["node_id"] for record in search.all(location="s3://lake/many", limit=1000)] == [*nodes, "x"]
    assert search.all(root="flights", action="NEVER") == []


def test_what_is_too_large_to_be_read_is_left_out_and_reported(search, cloud, monkeypatch):
    monkeypatch.setattr("headwater.records.search.live.RECORDS_MAX_ALONE", 2)
    cloud.load(*(a_step(f"n-{number}") for number in range(3)))
    cloud.load(a_step("small", root="other"))
    cloud.now_s = MORNING
    search.seal(DAY)
    cloud.now_s += 24 * HOUR
    cloud.stream(cloud.expire())

    large, small = (search.fetch(root=root).json for root in ("flights", "other"))

    assert large == {"records": [], "cursor": None, "truncated": True}
    assert ([record["node_id"] for record in small["records"]], small["truncated"]) == (["small"], False)


def test_a_request_that_is_nearly_over_returns_what_it_has_and_the_next_goes_on(search, cloud):
    cloud.load(*(a_step("n", root=f"root-{number}") for number in range(4)))

    root_ids, cursor, pages = [], {}, 0
    while cursor is not None:
        page = search.fetch(action="READ", remaining_s=1, **cursor).json
        root_ids += [record["root_id"] for record in page["records"]]
        cursor = {"cursor": page["cursor"]} if page["cursor"] else None
        pages += 1

    assert (sorted(root_ids), len(root_ids)) == ([f"root-{number}" for number in range(4)], 4)
    assert pages >= 16
