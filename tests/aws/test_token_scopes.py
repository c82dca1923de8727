"""Scopes: which routes a token opens, and which namespaces and roots on them."""

import json
import re

import pytest

from headwater import settings
from headwater.api.app import render_document
from headwater.api.tokens import SCOPES
from lambdas import api as api_function
from tests.aws.token_requests import a_token, an_event, send, status
from tests.builders import a_request, messages

OF_ANY_TOKEN = ["/", "/openapi.json", "/api/v1/me"]
RECORDS = "/api/v1/records"
# What sets a tag, an owner or a description, and takes it away.
ANNOTATION = re.compile("/tags/|/owners/{owner}$|/description$")


@pytest.fixture(scope="module")
def routes():
    """Method, path and needed scope (None: any) of each operation of the OpenAPI document."""
    document = json.loads(render_document())
    return [
        (method.upper(), path, _scope(operation.get("security", document["security"])))
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method != "parameters"
    ]


def _scope(security):
    [scopes] = [requirement["bearer"] for requirement in security if "bearer" in requirement]
    return scopes[0] if scopes else None


def test_each_scope_is_needed_by_a_route_and_only_what_describes_the_api_needs_none(routes):
    assert {scope for *_, scope in routes if scope} == set(SCOPES)
    assert [path for _, path, scope in routes if scope is None] == OF_ANY_TOKEN


@pytest.mark.parametrize(
    ("of", "scope"),
    [
        (lambda method, path: path.startswith(RECORDS), "records"),
        (lambda method, path: not path.startswith(RECORDS) and method == "GET", "read"),
        (lambda method, path: not path.startswith(RECORDS) and method == "POST", "write"),
        (lambda method, path: ANNOTATION.search(path) and method != "GET", "write"),
        (
            lambda method, path: not path.startswith(RECORDS) and method == "DELETE" and not ANNOTATION.search(path),
            "delete",
        ),
    ],
)
def test_a_route_needs_the_scope_of_what_it_does(routes, of, scope):
    needed = {needed for method, path, needed in routes if path not in OF_ANY_TOKEN and of(method, path)}
    assert needed == {scope}


@pytest.mark.parametrize("scope", SCOPES)
def test_a_scope_opens_its_own_routes_and_no_other(cloud, routes, scope):
    text = a_token(cloud, scope)
    for method, path, needed in routes:
        body = {} if method == "POST" else None
        code, message, _ = send(cloud, text, method, re.sub("{.*?}", "x", path), body=body)
        if needed in (None, scope):
            assert code not in (401, 403), (method, path)
        else:
            assert (code, message) == (403, f"token: needs the scope {needed}; this one has {scope}"), (method, path)


OURS, THEIRS = "flights-1", "trains-1"


@pytest.fixture
def roots(cloud, monkeypatch):
    """A cloud with two roots, and the text of a token that is good for one of them."""
    monkeypatch.setenv(settings.SEARCH_WORKGROUP, "primary")
    cloud.load(*messages({"shared": OURS, "our": "shared"}, OURS), *messages({"shared": THEIRS, "their": "x"}, THEIRS))
    return a_token(cloud, "records", roots=["flights-*"])


def response_to(cloud, text, path, **query):
    """Return the status and the JSON of an answer."""
    event = an_event(text, "GET", path, **query)
    response = api_function.handler(event, cloud.context(29))
    return response["statusCode"], json.loads(response["body"])


def test_a_tokens_roots_are_all_that_it_reads(cloud, roots):
    ours, theirs = f"{RECORDS}/roots/{OURS}", f"{RECORDS}/roots/{THEIRS}"
    assert [status(cloud, roots, "GET", path) for path in (ours, f"{ours}/trace")] == [200, 200]
    assert status(cloud, roots, "POST", f"{ours}/trace") == 202

    for method, path in (("GET", theirs), ("GET", f"{theirs}/trace"), ("POST", f"{theirs}/trace")):
        unknown = send(cloud, roots, method, path.replace(THEIRS, "no-1"))
        code, message, _ = send(cloud, roots, method, path)
        assert (code, message.replace(THEIRS, "no-1")) == unknown[:2] == (404, "root_id: no root 'no-1' is known")
    assert len(cloud.bodies("TraceQueue")) == 1


def test_a_token_of_some_roots_lists_those_that_begin_as_its_own(cloud, roots):
    for prefix in ("flights-", OURS, "flights-12"):
        own_roots = [{"root_id": OURS, "archivedOn": None, "archivedRecords": 0}] if OURS.startswith(prefix) else []
        assert response_to(cloud, roots, f"{RECORDS}/roots", prefix=prefix) == (
            200,
            {"roots": own_roots, "cursor": None},
        )
    for query in ({}, {"prefix": "f"}, {"prefix": THEIRS}):
        refused = f"token: may not list the roots that begin with {query.get('prefix', '')!r}"
        assert send(cloud, roots, path=f"{RECORDS}/roots", **query)[:2] == (403, refused)
    exact = a_token(cloud, "records", roots=[OURS])
    assert status(cloud, exact, "GET", f"{RECORDS}/roots", prefix=OURS) == 403
    _, listed = response_to(cloud, a_token(cloud, "records"), f"{RECORDS}/roots")
    assert [root["root_id"] for root in listed["roots"]] == [OURS, THEIRS]


def test_a_node_is_shown_in_the_tokens_roots_alone(cloud, roots):
    code, place = response_to(cloud, roots, f"{RECORDS}/nodes/shared")
    assert (code, [record["root_id"] for record in place["path"]]) == (200, [OURS])
    assert len(response_to(cloud, a_token(cloud, "records"), f"{RECORDS}/nodes/shared")[1]["matches"]) == 2
    assert [send(cloud, roots, path=f"{RECORDS}/nodes/{node}")[0] for node in ("our", "their", "none")] == [
        200,
        404,
        404,
    ]


def test_a_search_stays_within_the_tokens_roots(cloud, roots):
    code, page = response_to(cloud, roots, f"{RECORDS}/search", root=OURS, node="shared")
    assert (code, [record["root_id"] for record in page["records"]]) == (200, [OURS])
    for query in ({"node": "shared"}, {"location": "s3://"}, {"root": THEIRS}, {"start": "now-1d"}):
        code, message, _ = send(cloud, roots, path=f"{RECORDS}/search", **query)
        assert code == 403
        assert message in (
            "token: may not use records without naming one of its roots (root=...)",
            f"token: may not use records of the root {THEIRS!r}",
        )


def a_record(root):
    return {"root_id": root, "parent_id": root, "storage_location": "s3://b/in.csv"}


@pytest.mark.parametrize(
    ("request_", "refused"),
    [
        (a_request(root_id=OURS, parent_id=OURS), None),
        (a_request(root_id=THEIRS, parent_id=THEIRS), THEIRS),
        ({"action_taken": "READ", "records": [a_record(OURS)]}, None),
        ({"action_taken": "READ", "records": [a_record(OURS), a_record(THEIRS)]}, THEIRS),
        ({"action_taken": "READ", "root_id": OURS, "parent_id": OURS, "records": [a_record(THEIRS)]}, None),
    ],
)
def test_a_request_is_taken_if_each_of_its_records_is_of_the_tokens_roots(cloud, roots, request_, refused):
    code, message, _ = send(cloud, roots, "POST", RECORDS, body=request_)
    if refused is None:
        assert code == 201
        assert {record["root_id"] for record in cloud.bodies("RecordsQueue")} == {OURS}
    else:
        assert (code, message) == (403, f"token: may not use records of the root {refused!r}")
        assert cloud.bodies("RecordsQueue") == []
