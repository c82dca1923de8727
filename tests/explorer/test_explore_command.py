"""`headwater explore` in a browser, over an API that takes signed requests alone, as API Gateway with IAM does."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from local_stack.web.server import Reply, Request
from tests.explorer import stories
from tests.explorer.conftest import ROOT
from tests.explorer.served import ServedGraph
from tests.explorer.stories import LAKE

API = "http://abc123.execute-api.eu-central-1.amazonaws.com/prod"
ACCOUNT = Credentials("AKIAEXPLORER", "its-secret")
REFUSAL = b'{"message":"The request signature we calculated does not match the signature you provided."}'


class SignedGraph(ServedGraph):
    """The API behind API Gateway's check of signatures; reached by a proxy, since its name is none of this machine."""

    def __init__(self):
        super().__init__()
        proxy = ThreadingHTTPServer(("127.0.0.1", 0), type("Proxy", (_Proxy,), {"graph": self}))
        self.proxy = f"http://127.0.0.1:{proxy.server_address[1]}"
        Thread(target=proxy.serve_forever, daemon=True).start()


class _Proxy(BaseHTTPRequestHandler):
    def do_GET(self):
        headers = list(self.headers.items())
        request = Request("GET", self.path.removeprefix(API), headers, b"", "127.0.0.1")
        refusal = Reply(403, [("Content-Type", "application/json")], REFUSAL)
        reply = self.graph.reply_to(request) if is_signed(self.path, dict(headers)) else refusal
        self.send_response(reply.status)
        for header in (*reply.headers, ("Content-Length", str(len(reply.body)))):
            self.send_header(*header)
        self.end_headers()
        self.wfile.write(reply.body)

    def log_message(self, *_):
        """Print nothing."""


def is_signed(url, headers):
    """Compute the signature of a request anew, with the account's secret."""
    algorithm, _, rest = headers.get("Authorization", "").partition(" ")
    if algorithm != "AWS4-HMAC-SHA256":
        return False
    given = dict(part.strip().split("=", 1) for part in rest.split(","))
    names = given["SignedHeaders"].split(";")
    signed = {name: value for name, value in headers.items() if name.lower() in names}
    request = AWSRequest("GET", url, headers=signed)
    request.context["timestamp"] = headers["X-Amz-Date"]
    check = SigV4Auth(ACCOUNT, "execute-api", "eu-central-1")
    expected = check.signature(check.string_to_sign(request, check.canonical_request(request)), request)
    return {"host", "x-amz-date"} <= set(names) and given["Signature"] == expected


@pytest.fixture(scope="module")
def gateway():
    served = SignedGraph()
    served.load(*stories.emissions(days=(20,)))
    yield served
    served.stop()


@contextmanager
def explore(gateway, secret):
    """The command, with these credentials; yield the URL that it serves, and the query of its link."""
    variables = {name: value for name, value in os.environ.items() if not name.upper().startswith(("AWS_", "NO_PROXY"))}
    variables |= {"AWS_ACCESS_KEY_ID": ACCOUNT.access_key, "AWS_SECRET_ACCESS_KEY": secret, "http_proxy": gateway.proxy}
    command = [sys.executable, "-m", "headwater", "explore", "--url", API]
    with subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert API in process.stdout.readline()
            link = urlsplit(process.stdout.readline().strip())
            yield SimpleNamespace(url=f"{link.scheme}://{link.netloc}", also=(), secret=link.query)
        finally:
            process.terminate()


def test_the_explorer_of_an_api_with_iam_is_read_with_the_credentials_of_the_environment(open_view, gateway):
    with explore(gateway, ACCOUNT.secret_key) as served:
        page = open_view(served, f"map?node=dataset:{LAKE}:checked&{served.secret}")
        page.locator(".react-flow__node", has_text="emissions.check").wait_for()
        assert "key=" not in page.url
        # An address with all that a query may hold is signed as it is sent.
        page.get_by_role("combobox", name="Find").fill("Größe & +%/ = '\"")
        page.get_by_text("Nothing has this name").wait_for()
        # What it does not forward, the page does not offer.
        assert {*page.request.get(f"{served.url}/api/v1/me").json()["scopes"]} == {"read", "records"}
        page.context.clear_cookies()
        assert "open the link" in page.request.get(f"{served.url}/api/v1/namespaces").text()
    assert any(path.startswith("/api/v1/search?q=Gr%C3%B6%C3%9Fe") for path in gateway.requested)


@pytest.mark.slow
def test_the_refusal_of_other_credentials_reaches_the_browser(browser, gateway):
    with explore(gateway, "another-secret") as served, browser.new_context() as context:
        response = context.request.get(f"{served.url}/explore/?{served.secret}")
        assert (response.status, response.body()) == (403, REFUSAL)
