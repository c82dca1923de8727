"""The HTTP API on the local stack: real requests, real links, and whatever a fuzzer makes of the OpenAPI document."""

from __future__ import annotations

import gzip
import http.client
import json
import re
import urllib.error
import urllib.request
from urllib.parse import quote, urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, settings
from schemathesis.checks import not_a_server_error
from schemathesis.pytest.lazy import get_all_tests
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from headwater.api.app import all_routes, render_document
from local_stack.stack import LocalStack
from tests.examples import scaled
from tests.unit.api.document_examples import CHECK_EVENT, ESTIMATE_EVENT

# `GET /api/v1/records/roots/{root_id}`, as in the document, without the seconds to make it.
OPERATIONS = sorted(re.sub("<(.*?)>", r"{\1}", f"{route.method} {route.path}") for route in all_routes())
PROMISES = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]


class Kept(urllib.request.HTTPRedirectHandler):
    """Answers a redirect, rather than following it."""

    def redirect_request(self, *_):
        return None


def send(method, url, form=None):
    body = None if form is None else json.dumps(form).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.build_opener(Kept).open(request, timeout=30) as response:
            return response.status, _lowered(response.headers), response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, _lowered(error.headers), error.read()


def _lowered(headers):
    return {name.lower(): value for name, value in headers.items()}


def test_ids_with_slashes_travel_through_the_path(local_stack):
    root = "s3://lake/a b/ü%2F?#x"
    records = f"{local_stack.api_url}/api/v1/records"
    form = {"root_id": root, "parent_id": root, "action_taken": "READ", "storage_location": root, "node_id": root}

    assert send("POST", records, form)[0] == 201
    local_stack.drain()

    _, _, body = send("GET", f"{records}/roots/{quote(root, safe='')}")
    assert [record["node_id"] for record in json.loads(body)["records"]] == [root]
    _, headers, lines = send("GET", f"{records}/roots/{quote(root, safe='')}/trace")
    assert headers["content-type"] == "application/x-ndjson"
    assert [step["node_id"] for step in json.loads(lines)["lineage"]] == [root]


@pytest.mark.parametrize(
    ("body", "headers", "status", "message"),
    [
        (b'{"root_id": "\xff"}', {}, 400, "body: must be JSON (str is not valid UTF-8"),
        (gzip.compress(b"{}" * 999)[:-9], {"Content-Encoding": "gzip"}, 400, "body: must be whole gzip: it is cut off"),
    ],
    ids=["no UTF-8", "gzip cut off"],
)
def test_a_body_reaches_the_function_byte_by_byte(local_stack, body, headers, status, message):
    request = urllib.request.Request(f"{local_stack.api_url}/api/v1/records", body, headers)

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)

    with refused.value as response:
        assert (response.code, json.load(response)["message"][: len(message)]) == (status, message)


def test_an_event_may_come_gzipped_in_chunks_as_java_clients_send_it(local_stack):
    """Apache HttpClient's GzipCompressingEntity does not know its length beforehand."""
    namespace = "chunked"
    event = {**CHECK_EVENT, "job": {"namespace": namespace, "name": "check"}, "inputs": [], "outputs": []}
    packed = gzip.compress(json.dumps(event).encode())
    connection = http.client.HTTPConnection(urlsplit(local_stack.api_url).netloc, timeout=30)
    headers = {"Content-Type": "application/json", "Content-Encoding": "gzip", "Transfer-Encoding": "chunked"}
    parts = (packed[start : start + 100] for start in range(0, len(packed), 100))
    connection.request("POST", "/api/v1/lineage", parts, headers, encode_chunked=True)
    response = connection.getresponse()
    assert (response.status, response.read()) == (201, b"")
    connection.close()
    local_stack.drain()

    status, _, body = send("GET", f"{local_stack.api_url}/api/v1/namespaces/{namespace}/jobs")
    assert (status, [job["name"] for job in json.loads(body)["jobs"]]) == (200, ["check"])


def test_a_large_trace_is_fetched_by_its_link(local_stack):
    root = "api-large-trace"
    records = f"{local_stack.api_url}/api/v1/records"
    parent = root
    for number in range(8):
        form = {"root_id": root, "parent_id": parent, "action_taken": "CHECK", "node_id": str(number)}
        assert send("POST", records, {**form, "storage_location": "s3://" + "x" * 2000})[0] == 201
        parent = str(number)
    leaves = [{"node_id": f"leaf {number}", "storage_location": "s3://x"} for number in range(400)]
    form = {"root_id": root, "parent_id": parent, "action_taken": "SPLIT", "records": leaves}
    assert send("POST", records, form)[0] == 201
    local_stack.drain()

    status, headers, _ = send("GET", f"{records}/roots/{root}/trace")

    assert status == 303
    link = headers["location"]
    status, headers, body = send("GET", link)
    assert (status, headers["content-type"], headers["content-encoding"]) == (200, "application/x-ndjson", "gzip")
    assert "access-control-allow-origin" not in headers
    # A page of this machine may follow it, too; a page from elsewhere may not, for nobody here checks signatures.
    for origin, allowed in (("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("https://example.com", None)):
        request = urllib.request.Request(link, headers={"Origin": origin})
        with urllib.request.urlopen(request, timeout=30) as response:
            assert (response.headers["Access-Control-Allow-Origin"], response.read()) == (allowed, body)
    returned = {json.loads(line)["record_id"] for line in gzip.decompress(body).splitlines()}
    assert returned == {f"leaf {number}" for number in range(400)}


@pytest.fixture(scope="module")
def document():
    """The API's document as Schemathesis reads it: 1.5 s."""
    return schemathesis.openapi.from_dict(json.loads(render_document()))


@pytest.fixture(scope="module")
def api_url(template, tmp_path_factory):
    """The API of a stack of its own, for a fuzzer deletes; it has the runs of the document's examples."""
    with LocalStack(template, window_cap_s=0.2, logs=tmp_path_factory.mktemp("logs")) as stack:
        started = {**CHECK_EVENT, "eventType": "START", "eventTime": "2025-11-20T11:00:00Z"}
        for event in (started, CHECK_EVENT, ESTIMATE_EVENT):
            assert send("POST", f"{stack.api_url}/api/v1/lineage", event)[0] == 201
        stack.drain()
        yield stack.api_url


def check_promises(case, api_url):
    # API Gateway hands on seven methods alone.
    assume(case.method in {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
    case.call_and_validate(base_url=api_url, checks=PROMISES, allow_redirects=False, timeout=60)


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS)
def test_nothing_a_fuzzer_sends_makes_it_break_its_promises(document, api_url, operation):
    """The document's examples, values at the edges of the schemas, and random values: made when the test runs.

    The simplest request of each operation: tests/aws/api/test_api_operations.py.
    """
    often = settings(
        max_examples=scaled(24),
        deadline=None,
        derandomize=True,
        phases=[Phase.explicit, Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    fuzzed = get_all_tests(
        schema=document.include(name=operation), test_func=check_promises, settings=often, given_kwargs=None
    )
    [(_, fuzz)] = [result.ok() for result in fuzzed]
    fuzz(api_url=api_url)
