"""`headwater explore`: the server on loopback between a browser and an API that wants credentials."""

from __future__ import annotations

import http.client
import re
from contextlib import closing
from urllib.parse import urljoin, urlsplit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.cli.explore import Explorer, authorize_for
from tests.servers import serving
from tests.waiting import LONG_S


class Browser:
    """A browser on this machine; `cookie` is what it was instructed to keep."""

    def __init__(self, explorer):
        self.port = explorer.port
        self.cookie = ""

    def get(self, target, *, method="GET", **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        cookie = {"Cookie": self.cookie} if self.cookie else {}
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=LONG_S)) as connection:
            connection.request(method, target, headers={**cookie, **named})
            response = connection.getresponse()
            self.cookie = response.headers.get("Set-Cookie", self.cookie).partition(";")[0]
            return response.status, response.headers, response.read()


@pytest.fixture
def explorer(service):
    explorer = Explorer(service.url, lambda _, headers: {**headers, "Authorization": "signed"})
    with serving(explorer.server):
        yield explorer


def target_of(link):
    url = urlsplit(link)
    return f"{url.path}?{url.query}"


def test_the_link_sets_a_cookie_with_which_requests_are_forwarded_signed(service, explorer):
    browser = Browser(explorer)
    service.body = b'{"graph": []}'

    status, headers, _ = browser.get(target_of(explorer.link))
    assert (status, headers["Location"]) == (303, "/explore/")
    assert headers["Set-Cookie"].endswith("; Path=/; HttpOnly; SameSite=Strict")
    assert service.requested == []

    assert browser.get("/api/v1/lineage?nodeId=job%3Aa%3Ab")[::2] == (200, b'{"graph": []}')
    assert service.requested == [("/api/v1/lineage", {"nodeId": ["job:a:b"]}, "signed")]


def test_the_secret_does_not_stay_in_the_address_of_a_view(explorer):
    secret = urlsplit(explorer.link).query
    assert Browser(explorer).get(f"/explore/map?node=job%3Aa%3Ab&{secret}")[1]["Location"] == (
        "/explore/map?node=job%3Aa%3Ab"
    )


@pytest.mark.parametrize(
    ("target", "headers", "message"),
    [
        ("/explore/", {}, "open the link"),
        ("/explore/?key=guessed", {}, "open the link"),
        ("/explore/", {"Cookie": "headwater_explore=x; a=b"}, "open the link"),
        ("/explore/", {"Host": "rebound.example"}, "Host: must be 127.0.0.1"),
        ("/explore/", {"Sec_Fetch_Site": "cross-site"}, "Sec-Fetch-Site: must be none or same-origin"),
        ("//other.example/", {}, "open the link"),
    ],
)
def test_others_are_refused_and_nothing_is_forwarded(service, explorer, target, headers, message):
    status, _, body = Browser(explorer).get(target, **headers)
    assert status == 403
    assert message in body.decode()
    assert service.requested == []


def seen_by_browsers(location):
    """The address that a browser goes to: tabs and line feeds are left out, backslashes are slashes (WHATWG, URL)."""
    text = "".join(char for char in location.strip() if char not in "\t\r\n").replace("\\", "/")
    return urljoin("http://127.0.0.1:8080/explore/", text)


PARTS = (
    "/",
    "//",
    "\\",
    "/\\",
    "%5c",
    "%2f",
    "%09",
    "%0a",
    "\t",
    "\n",
    " ",
    ".",
    "..",
    "@",
    ":",
    "http:",
    "host.example",
    "explore",
    "/explore/",
)


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=6).map("".join) | st.text(max_size=8))
@example("/\\host.example/")
@example("/%5chost.example/")
@example("/\thost.example")
@example("//host.example/")
def test_the_secret_leads_to_no_other_host_and_out_of_no_view_whatever_path_is_before_it(path):
    explorer = Explorer("http://127.0.0.1:1", lambda _, headers: headers)
    explorer.server.server_close()
    reply = explorer.reply_to(f"{path}?key={explorer._secret}", {"Host": f"127.0.0.1:{explorer.port}"})
    location = reply.headers.get("Location")
    assert (reply.status, location) == (403, None) or (
        reply.status == 303
        and re.fullmatch(r"http://127\.0\.0\.1:8080/explore/[\w-]*", seen_by_browsers(str(location)))
    )


def test_a_site_that_knows_the_cookie_is_refused_still(service, explorer):
    browser = Browser(explorer)
    browser.get(target_of(explorer.link))
    assert browser.get("/api/v1/jobs", Sec_Fetch_Site="same-site")[0] == 403
    assert browser.get("/api/v1/jobs", method="POST")[0] == 501
    assert service.requested == []


def test_redirects_and_errors_of_the_api_reach_the_browser(service, explorer):
    browser = Browser(explorer)
    browser.get(target_of(explorer.link))
    service.redirects["/api/v1/lineage"] = "https://bucket.example/large"
    status, headers, _ = browser.get("/api/v1/lineage")
    assert (status, headers["Location"]) == (303, "https://bucket.example/large")

    service.status, service.body = 404, b'{"code": 404, "message": "no such job"}'
    assert browser.get("/api/v1/jobs")[::2] == (404, service.body)


def test_a_token_takes_the_place_of_a_signature_and_is_sent_over_https_alone():
    assert authorize_for("https://lineage.example", "t")("", {})["Authorization"] == "Bearer t"
    with pytest.raises(ValueError, match="HEADWATER_TOKEN: is sent over https alone"):
        authorize_for("http://lineage.example", "t")


def test_requests_to_api_gateway_are_signed_for_its_region(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKID")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    url = "https://a1.execute-api.eu-central-1.amazonaws.com/prod"
    sent = authorize_for(url, None)(f"{url}/api/v1/jobs?limit=1", {"Accept": "*/*"})
    assert sent["Authorization"].startswith("AWS4-HMAC-SHA256 Credential=AKID/")
    assert "/eu-central-1/execute-api/aws4_request" in sent["Authorization"]
