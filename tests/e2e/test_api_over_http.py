"""The HTTP API on the local stack: real requests, real links, and whatever a fuzzer makes of the OpenAPI document."""

from __future__ import annotations

import gzip
import http.client
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from email.message import Message
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, assume, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from headwater.api.app import render_document
from local_stack.stack import LocalStack
from local_stack.template.template import RawTemplate
from tests.examples import scaled
from tests.unit.api.document_examples import CHECK_EVENT, ESTIMATE_EVENT

BUILT = json.loads(render_document())
DOCUMENT = schemathesis.openapi.from_dict(BUILT)
PROMISES = [not_a_server_error, content_type_conformance, response_schema_conformance, status_code_conformance]


class Kept(urllib.request.HTTPRedirectHandler):
    """Answers a redirect, rather than following it."""

    def redirect_request(self, *_):
        return None


def send(method: str, url: str, form: object = None) -> tuple[int, dict[str, str], bytes]:
    body = None if form is None else json.dumps(form).encode()
    request = urllib.request.Request(url, body, {"Content-Type": "application/json"}, method=method)
    try:
        with urllib.request.build_opener(Kept).open(request, timeout=30) as response:
            return response.status, _lowered(response.headers), response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, _lowered(error.headers), error.read()


def _lowered(headers: Message) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def test_ids_with_slashes_travel_through_the_path(local_stack: LocalStack) -> None:
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
        (gzip.compress(b"{}"), {"Content-Encoding": "GZip"}, 422, "root_id: is required"),
        (
            gzip.compress(b" " * 33 * 2**20),
            {"Content-Encoding": "gzip"},
            413,
            "body: must be at most 33554432 bytes on",
        ),
    ],
    ids=["no UTF-8", "gzip cut off", "gzip in another case", "gzip too large once unpacked"],
)
def test_a_body_reaches_the_function_byte_by_byte(
    local_stack: LocalStack, body: bytes, headers: dict[str, str], status: int, message: str
) -> None:
    request = urllib.request.Request(f"{local_stack.api_url}/api/v1/records", body, headers)

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=30)

    with refused.value as response:
        assert (response.code, json.load(response)["message"][: len(message)]) == (status, message)


def test_a_request_may_come_gzipped(local_stack: LocalStack) -> None:
    form = {"root_id": "gzipped", "parent_id": "gzipped", "action_taken": "READ", "storage_location": "s3://x"}
    request = urllib.request.Request(
        f"{local_stack.api_url}/api/v1/records",
        gzip.compress(json.dumps(form).encode()),
        {"Content-Type": "application/json", "Content-Encoding": "gzip"},
    )

    with urllib.request.urlopen(request, timeout=30) as response:
        assert (response.status, json.load(response)["root_id"]) == (201, "gzipped")


def test_an_event_may_come_gzipped_in_chunks_as_java_clients_send_it(local_stack: LocalStack) -> None:
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


def test_a_large_trace_is_fetched_by_its_link(local_stack: LocalStack) -> None:
    root = "api-large-trace"
    records = f"{local_stack.api_url}/api/v1/records"
    parent = root
    for number in range(40):
        form = {"root_id": root, "parent_id": parent, "action_taken": "CHECK", "node_id": str(number)}
        assert send("POST", records, {**form, "storage_location": "s3://" + "x" * 2000})[0] == 201
        parent = str(number)
    leaves = [{"node_id": f"leaf {number}", "storage_location": "s3://x"} for number in range(80)]
    form = {"root_id": root, "parent_id": parent, "action_taken": "SPLIT", "records": leaves}
    assert send("POST", records, form)[0] == 201
    local_stack.drain()

    status, headers, _ = send("GET", f"{records}/roots/{root}/trace")

    assert status == 303
    link = headers["location"]
    status, headers, body = send("GET", link)
    assert (status, headers["content-type"], headers["content-encoding"]) == (200, "application/x-ndjson", "gzip")
    assert "access-control-allow-origin" not in headers
    # A page of this machine may follow it, too; one from elsewhere may not, for nobody here checks signatures.
    for origin, allowed in (("http://127.0.0.1:8080", "http://127.0.0.1:8080"), ("https://example.com", None)):
        request = urllib.request.Request(link, headers={"Origin": origin})
        with urllib.request.urlopen(request, timeout=30) as response:
            assert (response.headers["Access-Control-Allow-Origin"], response.read()) == (allowed, body)
    returned = {json.loads(line)["record_id"] for line in gzip.decompress(body).splitlines()}
    assert returned == {f"leaf {number}" for number in range(80)}


@pytest.fixture(scope="module")
def api_url(template: RawTemplate, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The API of a stack of its own, for a fuzzer deletes; the runs that the document's examples mention have been."""
    with LocalStack(template, window_cap_s=0.2, logs=tmp_path_factory.mktemp("logs")) as stack:
        started = {**CHECK_EVENT, "eventType": "START", "eventTime": "2025-11-20T11:00:00Z"}
        for event in (started, CHECK_EVENT, ESTIMATE_EVENT):
            assert send("POST", f"{stack.api_url}/api/v1/lineage", event)[0] == 201
        stack.drain()
        yield stack.api_url


PATHS = [
    path
    for path, item in BUILT["paths"].items()
    if "get" in item
    and path.startswith(("/api/v1/", "/v3/"))
    and not path.startswith(("/api/v1/records", "/api/v1/column"))
]


# Parameters of which a route wants one or the other.
ONE_OF_TWO = ("q", "nodeId")


@pytest.mark.parametrize("path", PATHS)
def test_the_documents_examples_request_what_is_there(path: str, api_url: str) -> None:
    item: dict[str, Any] = BUILT["paths"][path]
    query = {}
    for parameter in [*item.get("parameters", []), *item["get"].get("parameters", [])]:
        example = next(iter(parameter["schema"].get("examples", parameter["schema"].get("enum", []))), None)
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", quote(example, safe=""))
        elif parameter.get("required") or parameter["name"] in ONE_OF_TWO:
            query[parameter["name"]] = example

    status, _, body = send("GET", f"{api_url}{path}?{urlencode(query)}")

    assert status == 200, body


@DOCUMENT.parametrize()
@settings(
    max_examples=scaled(24),
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_nothing_a_fuzzer_sends_makes_it_break_its_promises(case, api_url: str) -> None:
    # API Gateway hands on seven methods; others never reach the function.
    assume(case.method in {"DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"})
    case.call_and_validate(base_url=api_url, checks=PROMISES, allow_redirects=False, timeout=60)
