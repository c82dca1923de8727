"""`headwater search` against a service with given responses, over HTTP."""

from __future__ import annotations

import json

import pytest

from headwater.cli.main import main

LIVE = {
    "root_id": "flights",
    "parent_id": "flights",
    "action_taken": "READ",
    "recordedAt": 1_763_640_000,
    "storage_location": "s3://lake/in.csv",
    "node_id": "n-1",
    "ttl_expiry": 1_763_726_400,
    "archivedOn": None,
}
ARCHIVED = {**LIVE, "node_id": "n-0", "ttl_expiry": None, "archivedOn": "2025-11-19"}
SEARCH = "/api/v1/records/search"


def a_page(*records, cursor=None, truncated=False):
    return json.dumps({"records": records, "cursor": cursor, "truncated": truncated}).encode()


def test_records_are_printed_with_the_day_they_are_archived_under(service, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "160")
    service.body = a_page(LIVE, {**LIVE, "ttl_expiry": None}, ARCHIVED)

    assert main(["search", "--root", "flights", "--url", service.url]) == 0

    shown = capsys.readouterr()
    assert [line.split() for line in shown.out.splitlines()] == [
        ["2025-11-20", "12:00:00", "READ", "flights", "n-1", "s3://lake/in.csv", "table"],
        ["2025-11-20", "12:00:00", "READ", "flights", "n-1", "s3://lake/in.csv", "not", "yet"],
        ["2025-11-20", "12:00:00", "READ", "flights", "n-0", "s3://lake/in.csv", "2025-11-19"],
    ]
    assert shown.err.splitlines()[-1] == "3 records"


def test_what_is_requested_goes_into_the_query_and_days_become_seconds(service):
    service.body = a_page()
    given = ["--node", "n&1", "--action", "READ", "--location", "s3://lake/ä", "--from", "2025-11-20", "--to", "now-1h"]

    assert main(["search", *given, "--url", service.url]) == 0

    query = {"node": ["n&1"], "action": ["READ"], "location": ["s3://lake/ä"], "limit": ["200"]}
    assert service.requested == [(SEARCH, {**query, "start": ["1763596800"], "end": ["now-1h"]}, None)]


@pytest.mark.parametrize(
    ("given", "sent"),
    [
        ("1763640000", "1763640000"),
        ("17120101112", "17120101112"),
        ("2025-11-20T12:00:00Z", "1763640000"),
        ("2025-11-20T13:00:00+01:00", "1763640000"),
        ("yesterday", "yesterday"),
    ],
)
def test_a_time_is_sent_as_seconds_and_what_is_none_is_left_to_the_service(service, given, sent):
    service.body = a_page()

    main(["search", "--from", given, "--url", service.url])

    ((_, query, _),) = service.requested
    assert query["start"] == [sent]


def test_cursors_are_followed_to_the_end_and_json_is_printed_as_it_came(service, capsys):
    service.pages = [a_page(LIVE, cursor="c-1"), a_page(cursor="c-2"), a_page(ARCHIVED)]

    assert main(["search", "--action", "READ", "--json", "--url", service.url]) == 0

    shown = capsys.readouterr()
    assert [json.loads(line) for line in shown.out.splitlines()] == [LIVE, ARCHIVED]
    assert [query.get("cursor") for _, query, _ in service.requested] == [None, ["c-1"], ["c-2"]]
    assert shown.err.splitlines()[-1] == "2 records"


def test_the_limit_stops_and_says_that_there_may_be_more(service, capsys):
    service.pages = [a_page(LIVE, LIVE, cursor="c-1"), a_page(LIVE, cursor="c-2")]

    assert main(["search", "--action", "READ", "--limit", "3", "--url", service.url]) == 0

    assert [query["limit"] for _, query, _ in service.requested] == [["3"], ["1"]]
    assert capsys.readouterr().err.splitlines()[-1] == "3 records; there may be more (--limit)"


def test_a_search_that_was_cut_says_so(service, capsys):
    service.body = a_page(LIVE, truncated=True)

    main(["search", "--action", "READ", "--url", service.url])

    assert capsys.readouterr().err.splitlines()[-1] == "1 record; there are more than a search may look at: narrow it"


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (400, b'{"code":400,"message":"start: must be later"}', "HTTP 400: start: must be later"),
        (503, b'{"code":503,"message":"Athena refuses for now"}', "HTTP 503: Athena refuses for now"),
        (200, b'{"records":[]}', "not a response about records"),
        (200, b'{"records":[],"cursor":1,"truncated":false}', "not a response about records"),
    ],
)
def test_what_the_service_says_instead_is_shown(service, status, body, message, capsys):
    service.status, service.body = status, body

    assert main(["search", "--root", "r", "--url", service.url]) == 1

    assert capsys.readouterr().err.splitlines()[-1] == f"headwater search: {service.url}: {message}"


def test_control_characters_of_ids_do_not_reach_the_terminal(service, capsys):
    service.body = a_page({**LIVE, "node_id": "a\x1b[2Jb", "recordedAt": 10**15})

    assert main(["search", "--root", "r", "--url", service.url]) == 0

    assert "\x1b" not in capsys.readouterr().out
