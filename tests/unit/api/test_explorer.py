"""The files of the explorer: which are served, to whom, and with which headers."""

from types import SimpleNamespace

import boto3
import pytest

from headwater.api import page_files
from headwater.api.app import Api
from headwater.api.http.responses import RESPONSE_BYTES_MAX, Links, size_of
from headwater_model.errors import Unauthorized
from tests.gateway import headers_of, proxy_event
from tests.unit.api.proxy import CONTEXT

PAGE = "<!doctype html><title>Headwater</title>"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; worker-src 'self'; img-src 'self' blob:; "
    "font-src data:; connect-src 'self' https://archive.s3.amazonaws.com https://intake.s3.amazonaws.com; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@pytest.fixture
def built(tmp_path):
    """Fill the folder that is served, for one test."""
    for name, text in {
        "index.html": PAGE,
        "index-a1.js": "1",
        "base-b2.css": "",
        ".built-from": "",
        "x.map": "{}",
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.fixture
def get(monkeypatch):
    """Return a function that requests a path; files are those of the folder that it is given."""
    keys = {"aws_access_key_id": "x", "aws_secret_access_key": "x", "region_name": "eu-central-1"}
    links = Links(boto3.client("s3", **keys), "archive", "intake")

    def refuse(*_, **__):
        raise Unauthorized("Authorization: must be `Bearer` and a token")

    services = SimpleNamespace(door=None, links=links, tokens=SimpleNamespace(find=refuse), now_s=lambda: 0)
    api = Api(lambda: services)

    def get(path, folder=None, *, door="token", method="GET", accept="*/*"):
        if folder is not None:
            monkeypatch.setattr(page_files, "built_files", lambda: page_files.list_files(folder))
        response = api.resolve(proxy_event(method, path, headers={"Accept": accept}, door=door), CONTEXT)
        return response["statusCode"], headers_of(response), response["body"]

    return get


@pytest.mark.parametrize(
    "path", ["/explore/", "/explore/map", "/explore/no-such-view", "/explore/x.map", "/explore/index.html"]
)
def test_the_page_is_at_every_view_and_needs_no_token(get, built, path):
    status, headers, body = get(path, built)
    assert (status, body) == (200, PAGE)
    assert headers == {
        "Content-Type": "text/html; charset=utf-8",
        "Cache-Control": "no-cache",
        "Content-Security-Policy": POLICY,
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
    }


def test_a_file_with_a_hash_in_its_name_is_kept_for_a_year(get, built):
    status, headers, body = get("/explore/index-a1.js", built)
    assert (status, body, headers["Content-Type"]) == (200, "1", "text/javascript; charset=utf-8")
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"


@pytest.mark.parametrize(
    "path", ["/explore/..%2fpackage.json", "/explore/%2e%2e%2f%2e%2e%2fapp.py", "/explore/.built-from"]
)
def test_nothing_is_served_but_what_the_build_made(get, built, path):
    (built.parent / "package.json").write_text("secret")
    assert get(path, built)[2] == PAGE


def test_relative_links_hold_since_the_address_without_a_slash_leads_to_the_one_with_it(get, built):
    status, headers, _ = get("/explore", built)
    assert (status, headers["Location"]) == (308, "explore/")


@pytest.mark.parametrize(
    "path",
    ["/\\host/explore", "//host/explore", "/%5chost/explore", "/\thost/explore", "/explore\\", "/explore/\\host"],
)
def test_no_path_redirects_to_another_host(get, built, path):
    _, headers, _ = get(path, built)
    assert headers.get("Location", "explore/") == "explore/"


def test_a_browser_at_the_root_is_led_to_the_page_and_a_client_gets_the_api(get, built):
    status, headers, _ = get("/", built, door="iam", accept="text/html,application/xhtml+xml,*/*;q=0.8")
    assert (status, headers["Location"]) == (303, "explore/")
    assert get("/", built, door="iam")[0] == 200


def test_data_needs_a_token_still(get, built):
    assert get("/api/v1/jobs", built)[0] == 401
    assert get("/explore/map/more", built)[0] == 401


def test_a_page_is_only_read(get, built):
    status, headers, _ = get("/explore/map", built, method="POST", door="iam")
    assert (status, headers["Allow"]) == (405, "GET, HEAD")


def test_without_a_build_the_page_says_what_builds_it(get, tmp_path):
    status, headers, body = get("/explore/", tmp_path)
    assert (status, headers["Content-Security-Policy"]) == (503, POLICY)
    assert "make explorer" in body


def test_every_file_of_the_build_fits_into_a_response_and_is_text():
    for path in page_files.list_files(page_files.DIST).values():
        assert size_of(path.read_bytes()) <= RESPONSE_BYTES_MAX
