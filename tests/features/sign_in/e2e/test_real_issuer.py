"""A real issuer before the local stack: machines, the page in Chromium, the command line, and the issuer's end.

The module takes a minute: a stack, an issuer, and sign-ins in a browser.
"""

import gzip
import json
import re
import subprocess
import sys
import time
from types import SimpleNamespace
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import boto3
import pytest
from openlineage.client.transport.http import OAuth2ClientCredentialsTokenProvider

from tests.features.sign_in.e2e.conftest import ROOT, headwater

pytestmark = pytest.mark.slow
VIEW = "map?node=job%3Aflights%3Aestimate"
# The forms of the issuer want a font, which this machine does not reach, and have no icon.
REFUSALS, FONTS = ("status of 401", "ERR_NAME_NOT_RESOLVED", "status of 404"), "https://fonts.googleapis.com"


def a_machine_token(issuer):
    """Get a token as the transport of openlineage-python does."""
    client = {"clientId": "etl", "clientSecret": "a-secret-of-the-etl", "tokenEndpoint": f"{issuer.url}/token"}
    return OAuth2ClientCredentialsTokenProvider(client).get_bearer().removeprefix("Bearer ")


def send(stack, token, path, body=None):
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        with urlopen(Request(f"{stack.token_api_url}{path}", body, headers if token else {})) as response:
            return response.status, response.read().decode()
    except HTTPError as error:
        return error.code, json.loads(error.read())["message"]


def sign_in(page, name="ann"):
    """Fill in the form of the issuer, and consent."""
    page.get_by_role("button", name=re.compile("^Sign in at ")).click()
    page.locator("input[name=login]").fill(name)
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    page.get_by_role("button", name="Continue").click()


def open_page(open_view, stack, issuer, view=VIEW):
    served = SimpleNamespace(url=stack.token_api_url, also=(issuer.url, FONTS))
    return open_view(served, view, fresh=True, expected=REFUSALS)


def node(page):
    return page.locator(".react-flow__node", has_text="estimate").first


def test_a_machine_sends_events_by_client_credentials_within_its_grant(stack, issuer, an_event):
    token = a_machine_token(issuer)
    assert send(stack, token, "/api/v1/lineage", json.dumps(an_event).encode())[0] == 201
    stack.drain()
    other = {**an_event, "job": {**an_event["job"], "namespace": "payments"}}
    status, message = send(stack, token, "/api/v1/lineage", json.dumps(other).encode())
    assert (status, "payments" in message) == (403, True)
    assert send(stack, token, "/api/v1/namespaces")[0] == 403
    assert send(stack, None, "/api/v1/namespaces") == (401, "Authorization: must be `Bearer` and a token")
    assert send(stack, token[:-4] + "AAAA", "/api/v1/me")[0] == 401
    assert stack.errors == []
    logged = [line["event"] for line in raw_log(stack)]
    granted = {event["grantee"] for event in logged if event.get("change") == "GRANT"}
    assert granted == {"groups=staff", "client_id=etl"}


def raw_log(stack):
    """List the lines of the raw log, in the order of their objects' times."""
    s3, bucket = boto3.client("s3", **stack.client_settings), stack.outputs["ArchiveBucketName"]
    listed = s3.list_objects_v2(Bucket=bucket, Prefix="events/year=")["Contents"]
    for each in sorted(listed, key=lambda each: each["LastModified"]):
        body = s3.get_object(Bucket=bucket, Key=each["Key"])["Body"].read()
        yield from map(json.loads, gzip.decompress(body).decode().splitlines())


def test_a_link_leads_back_to_its_view_and_a_token_that_ends_in_it_is_renewed(stack, issuer, open_view):
    page = open_page(open_view, stack, issuer)
    sign_in(page)
    node(page).wait_for()
    assert page.url == f"{stack.token_api_url}/explore/{VIEW}"
    page.get_by_role("button", name="ann").wait_for()
    kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}])")
    assert "eyJ" not in kept

    # The stack's clock: the first token has ended, the renewed token has not.
    stack.advance(1_000)
    with page.expect_response(lambda response: response.url == f"{issuer.url}/token") as renewed:
        page.get_by_role("link", name="Jobs").click()
    assert renewed.value.status == 200
    page.get_by_role("link", name="estimate").first.wait_for()
    assert page.get_by_role("dialog").count() == 0

    # A reload leads to the issuer and back, without a form.
    page.reload()
    page.get_by_role("link", name="estimate").first.wait_for()
    assert page.url == f"{stack.token_api_url}/explore/jobs"


def test_a_code_is_used_once_and_the_way_out_ends_the_session(stack, issuer, open_view):
    page = open_page(open_view, stack, issuer, "jobs")
    returns = []
    page.on("request", lambda request: "code=" in request.url and returns.append(request.url))
    sign_in(page, "bob")
    page.get_by_role("button", name="bob").click()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Yes, sign me out").click()
    page.get_by_role("button", name=re.compile("^Sign in at ")).wait_for()

    page.goto(next(url for url in returns if url.startswith(stack.token_api_url)))
    page.get_by_role("button", name=re.compile("^Sign in at ")).click()
    page.locator("input[name=login]").wait_for()


def test_the_command_line_signs_in_by_a_code_and_renews_its_token(stack, issuer, open_view, tmp_path):
    environment = {"XDG_CONFIG_HOME": str(tmp_path)}
    login = subprocess.Popen(
        [sys.executable, "-m", "headwater", "login", "--url", stack.token_api_url],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **environment},
        stdout=subprocess.PIPE,
        text=True,
    )
    address = login.stdout.readline().removeprefix("Open ").strip()
    page = open_page(open_view, stack, issuer)
    page.watch.expected = ("",)
    page.goto(address)
    page.get_by_role("button", name="Continue").click()
    page.locator("input[name=login]").fill("ann")
    page.locator("input[name=password]").fill("any")
    page.locator("button[type=submit]").click()
    page.get_by_role("button", name="Continue").click()
    assert "signed in" in login.communicate(timeout=60)[0]

    file = tmp_path / "headwater" / "logins.json"
    assert file.stat().st_mode & 0o777 == 0o600
    drawn = headwater("graph", "job:flights:estimate", "--url", stack.token_api_url, **environment)
    assert "estimate" in drawn
    logins = json.loads(file.read_text())
    logins[stack.token_api_url] |= {"access": "ended", "expires": 0}
    file.write_text(json.dumps(logins))
    headwater("graph", "job:flights:estimate", "--url", stack.token_api_url, **environment)
    renewed = json.loads(file.read_text())[stack.token_api_url]
    assert (renewed["access"] != "ended", renewed["expires"] > time.time()) == (True, True)


# The last test: the issuer goes down.
def test_while_the_issuer_is_down_who_is_signed_in_goes_on_and_nobody_new_comes_in(stack, issuer, open_view):
    page, other = (open_page(open_view, stack, issuer, "jobs") for _ in range(2))
    sign_in(page)
    page.get_by_role("link", name="estimate").first.wait_for()
    issuer.stop()
    try:
        page.get_by_role("link", name="Datasets").click()
        page.get_by_role("link", name="clean").first.wait_for()
        other.watch.expected = ("",)
        other.get_by_role("button", name=re.compile("^Sign in at ")).click()
        other.get_by_text("The issuer does not respond").wait_for()
    finally:
        issuer.start()
