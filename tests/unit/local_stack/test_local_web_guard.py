"""A page in the developer's browser is refused; every other client, and the explorer's own page, is answered."""

from __future__ import annotations

import http.client

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local_stack.web.server import Reply, Server, behind_secret
from local_stack.web.web_guard import find_refusal
from tests.waiting import LONG_S

OWN = "127.0.0.1:8080"
LOOPBACK = [
    "127.0.0.1:8080",
    "127.0.0.1",
    "127.8.0.1:1",
    "localhost",
    "LOCALHOST:8080",
    "[::1]:8080",
    "bucket.localhost:4566",
]
ELSEWHERE = [
    "rebound.example:8080",
    "127.0.0.1.rebound.example",
    "localhost.rebound.example:8080",
    "notlocalhost",
    "0.0.0.0:8080",
    "192.168.0.2:8080",
    "user@127.0.0.1",
    "127.0.0.1:8080, rebound.example",
    "[::2]",
    "",
]
CHANGES = ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"]


def refusal(method="POST", target="/", host=OWN, **headers):
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return find_refusal(method, target, [("Host", host), *named])


@pytest.mark.parametrize("host", LOOPBACK)
def test_a_client_that_is_no_browser_is_served_by_every_name_of_loopback(host):
    assert [refusal(method, host=host) for method in ("GET", *CHANGES)] == [None] * 6


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("host", ELSEWHERE)
def test_a_name_that_somebody_else_gave_to_loopback_is_refused_for_reads_too(host, method):
    assert refusal(method, host=host) == f"Host: must be a loopback name (127.0.0.1, localhost, [::1]), got {host!r}"


def test_a_request_without_a_host_or_with_two_is_refused():
    assert find_refusal("GET", "/", []) == "Host: must be a loopback name (127.0.0.1, localhost, [::1]), got none"
    assert "got '127.0.0.1, rebound.example'" in find_refusal(
        "GET", "/", [("host", "127.0.0.1"), ("HOST", "rebound.example")]
    )


@pytest.mark.parametrize("method", CHANGES)
@pytest.mark.parametrize(
    "origin",
    ["https://news.example", "null", "http://127.0.0.1:3000", "http://localhost:8080", "https://127.0.0.1:8080", ""],
)
def test_a_page_of_another_origin_changes_nothing(method, origin):
    message = refusal(method, Origin=origin)
    assert message == f"Origin: a page may change nothing here unless it came from http://{OWN}, got {origin!r}"


def test_a_page_of_another_site_changes_nothing_where_the_browser_names_no_origin():
    message = "Sec-Fetch-Site: a page of another site may change nothing here, got 'cross-site'"
    assert [refusal(method, Sec_Fetch_Site="cross-site") for method in CHANGES] == [message] * 5


def test_an_action_in_the_query_is_a_change_by_get_too():
    assert "Origin: " in refusal("GET", "/?Action=DeleteStack&StackName=Local", Origin="https://news.example")
    assert "Sec-Fetch-Site: " in refusal("GET", "/?StackName=Local&Action=DeleteStack", Sec_Fetch_Site="cross-site")


@pytest.mark.parametrize("host", LOOPBACK)
def test_the_explorers_own_page_may_read_and_change(host):
    sent = {"host": host, "Origin": f"http://{host.lower()}", "Sec_Fetch_Site": "same-origin"}
    assert [refusal(method, **sent) for method in ("GET", *CHANGES)] == [None] * 6


@pytest.mark.parametrize("site", ["none", "cross-site", "same-site"])
def test_links_of_other_pages_lead_to_the_explorer(site):
    assert refusal("GET", "/explore/?node=job:a:b", Sec_Fetch_Site=site) is None


@given(
    method=st.sampled_from(CHANGES),
    host=st.sampled_from(LOOPBACK),
    origin=st.sampled_from(["https", "http"]).flatmap(
        lambda scheme: st.from_regex(r"[a-z0-9.-]{1,20}(:[0-9]{1,5})?", fullmatch=True).map(
            lambda at: f"{scheme}://{at}"
        )
    ),
)
def test_no_origin_but_the_servers_api_changes_anything(method, host, origin):
    assert (refusal(method, host=host, Origin=origin) is None) is (origin == f"http://{host.lower()}")


@pytest.fixture
def server():
    requested = []

    def reply_to(request):
        requested.append(request.target)
        return Reply(200, [], b"ran")

    server = Server(0, behind_secret("a-secret", reply_to)).open()
    server.requested = requested
    yield server
    server.stop()


def status_of(server, target, **headers):
    connection = http.client.HTTPConnection(*server.server_address, timeout=LONG_S)
    connection.request("POST", target, b"{}", headers)
    response = connection.getresponse()
    response.read()
    connection.close()
    return response.status


INVOKE = "/2015-03-31/functions/load/invocations"


@pytest.mark.parametrize("before", ["", "/", "/another", "/a-secre", "/a-secret-", "/x/a-secret", "/A-SECRET"])
def test_whoever_does_not_know_the_secret_runs_no_function(server, before):
    assert (status_of(server, f"{before}{INVOKE}"), server.requested) == (404, [])


def test_whoever_knows_the_secret_requests_what_is_behind_it(server):
    assert (status_of(server, f"/a-secret{INVOKE}?x=1"), server.requested) == (200, [f"{INVOKE}?x=1"])


def test_the_server_checks_the_guard_before_it_responds(server):
    assert status_of(server, f"/a-secret{INVOKE}", Origin="https://news.example") == 403
    assert status_of(server, f"/a-secret{INVOKE}", Host="rebound.example") == 403
    assert server.requested == []
