"""Questions about live records: pages of a root, a node's place; and ids of every kind in the path."""

import re
from dataclasses import replace

from headwater.api.app import all_routes
from tests.aws.api.conftest import RECORDS, ROOT
from tests.aws.faults import before, refused
from tests.builders import HOUR, NOON
from tests.builders_events import NAMESPACE, READ_FLIGHTS, RUN, a_run_event

GETS = [route for route in all_routes() if route.method == "GET"]


def a_record(parent, node, action, *, root=ROOT, at=NOON, location=None):
    return {
        "root_id": root,
        "parent_id": parent,
        "action_taken": action,
        "recordedAt": at,
        "storage_location": location or f"s3://lake/{node}",
        "node_id": node,
        "ttl_expiry": at + 24 * HOUR,
    }


def nodes_of(response):
    return [record["node_id"] for record in response.json["records"]]


def pages(api, root_id=ROOT, **query):
    """Every page of a question, to the end."""
    response = api.root(root_id, **query)
    yield nodes_of(response)
    while response.json["cursor"] is not None:
        response = api.root(root_id, **query, cursor=response.json["cursor"])
        yield nodes_of(response)


# Roots


def test_a_root_returns_its_live_records_in_the_seeds_form(api, cloud):
    api.put((ROOT, "read", "READ"), at=NOON - 25 * HOUR)
    api.put(("read", "good", "CHECK"), ("good", "left", "SPLIT"))

    response = api.root()

    returned = [a_record("read", "good", "CHECK"), a_record("good", "left", "SPLIT")]
    assert (response.status, response.headers) == (200, {"Content-Type": "application/json"})
    assert response.json == {"records": returned, "cursor": None}


def test_a_record_hides_in_the_second_in_which_it_expires(api, cloud):
    api.put((ROOT, "read", "READ"))

    cloud.now_s = NOON + 24 * HOUR - 1
    assert nodes_of(api.root()) == ["read"]
    cloud.now_s += 1
    assert (api.root().status, api.root().json) == (200, {"records": [], "cursor": None})


def test_pages_hold_each_record_once_and_the_last_says_so(api):
    nodes = [f"{number:03}" for number in range(101)]
    api.put_rows(ROOT, nodes, "SPLIT")

    assert list(pages(api)) == [nodes[:100], nodes[100:]]
    assert list(pages(api, limit=40)) == [nodes[:40], nodes[40:80], nodes[80:]]
    assert list(pages(api, limit=101)) == [nodes]


def test_one_action_is_requested_by_its_index(api):
    api.put_many(ROOT, ["a", "b", "c"], "SPLIT")
    api.put_many(ROOT, ["x", "y"], "REJECT")

    first, second = pages(api, action="SPLIT", limit=2)

    assert (len(first), len(second), sorted([*first, *second])) == (2, 1, ["a", "b", "c"])
    assert (api.root(action="NEVER").status, api.root(action="NEVER").json) == (200, {"records": [], "cursor": None})


def test_a_page_of_expired_rows_is_empty_and_not_the_last(api, cloud):
    api.put_rows(ROOT, [f"a{number:04}" for number in range(1100)], "SPLIT")
    cloud.now_s += 25 * HOUR
    api.put((ROOT, "z", "LATE"))

    assert list(pages(api)) == [[], ["z"]]


def test_a_page_is_cut_where_lambda_could_not_return_more(api):
    nodes = [f"{number:04}" for number in range(600)]
    # Each quote takes two bytes in JSON and four in Lambda's answer.
    api.put_rows(ROOT, nodes, "SPLIT", location='"' * 2000)

    first, second = pages(api, limit=1000)

    assert first + second == nodes
    assert 500 < len(first) < 520


def test_a_cursor_of_another_query_is_refused(api):
    api.put_many(ROOT, ["a", "b"], "SPLIT")
    api.put_many("other", ["a", "b"], "SPLIT", root="other")
    cursor = api.root(limit=1).json["cursor"]

    assert nodes_of(api.root(limit=1, cursor=cursor)) == ["b"]
    assert api.root("other", cursor=cursor).refusal[0] == 400
    assert api.root(action="SPLIT", cursor=cursor).refusal[0] == 400


# Nodes


def test_a_node_returns_its_record_its_path_and_what_came_of_it(api):
    read, check = a_record(ROOT, "read", "READ"), a_record("read", "checked", "CHECK")
    east, west = a_record("checked", "east", "SPLIT"), a_record("checked", "west", "SPLIT")
    sums = a_record("east", "a sum", "SUM")
    api.put((ROOT, "read", "READ"), ("read", "checked", "CHECK"), ("read", "rejected", "REJECT"))
    api.put(("checked", "west", "SPLIT"), ("checked", "east", "SPLIT"), ("east", "a sum", "SUM"))

    assert api.node("checked").json == {
        "record": check,
        "path": [read, check],
        "descendants": [east, west, sums],
        "truncated": False,
    }
    assert api.node("a sum").json == {
        "record": sums,
        "path": [read, check, east, sums],
        "descendants": [],
        "truncated": False,
    }


def test_the_root_may_be_a_record_and_its_own_parent(api):
    api.put((ROOT, ROOT, "ARRIVED"), (ROOT, "read", "READ"))
    arrived, read = a_record(ROOT, ROOT, "ARRIVED"), a_record(ROOT, "read", "READ")

    assert api.node(ROOT).json == {"record": arrived, "path": [arrived], "descendants": [read], "truncated": False}
    assert api.node("read").json["path"] == [arrived, read]


def test_a_node_of_several_roots_returns_a_match_for_each(api):
    api.put(("b", "part", "SPLIT"), root="b")
    api.put(("a", "part", "SPLIT"), ("part", "sum", "SUM"), root="a")
    ours, theirs = (a_record(root, "part", "SPLIT", root=root) for root in ("a", "b"))
    below = a_record("part", "sum", "SUM", root="a")

    assert api.node("part").json == {
        "matches": [
            {"record": ours, "path": [ours], "descendants": [below], "truncated": False},
            {"record": theirs, "path": [theirs], "descendants": [], "truncated": False},
        ],
        "truncated": False,
    }


def test_a_node_of_very_many_roots_returns_ten_and_says_so(api):
    for number in range(11):
        api.put((f"r{number}", "part", "SPLIT"), root=f"r{number}")

    response = api.node("part").json

    assert (len(response["matches"]), response["truncated"]) == (10, True)


def test_a_path_that_does_not_reach_the_root_says_why(api, cloud):
    api.put((ROOT, "read", "READ"), at=NOON - 25 * HOUR)
    api.put(("read", "expired above", "CHECK"), ("never", "orphan", "CHECK"))
    api.put(("three", "one", "TURN"), ("one", "two", "TURN"), ("two", "three", "TURN"), ("one", "tail", "LEAVE"))

    def returned(node):
        response = api.node(node).json
        path = [record["node_id"] for record in response.pop("path")]
        below = [record["node_id"] for record in response.pop("descendants")]
        assert response.pop("record")["node_id"] == node
        return path, below, response

    cut = {"truncated": False, "complete": False}
    assert returned("expired above") == (["expired above"], [], {**cut, "missing": ["read"]})
    assert returned("orphan") == (["orphan"], [], {**cut, "missing": ["never"]})
    assert returned("one") == (
        ["two", "three", "one"],
        ["tail", "two", "three"],
        {**cut, "cycle": ["two", "three", "one"]},
    )
    assert returned("tail") == (["two", "three", "one", "tail"], [], {**cut, "cycle": ["two", "three", "one"]})


def test_a_large_root_is_read_up_to_a_bound_and_its_path_to_the_end(api):
    """10,000 rows are read at most: 1,000 of each root where ten have the node."""
    for number in range(9):
        api.put((f"r{number}", "a leaf", "SPLIT"), root=f"r{number}")
    api.put((ROOT, "zz first", "READ"), ("zz first", "zz second", "CHECK"), ("zz second", "a leaf", "SPLIT"))
    api.put_rows("a leaf", [f"b{number:05}" for number in range(1_000)], "SPLIT")

    [place] = [match for match in api.node("a leaf").json["matches"] if match["record"]["root_id"] == ROOT]

    assert [record["node_id"] for record in place["path"]] == ["zz first", "zz second", "a leaf"]
    assert place["truncated"] is True
    # One of the 1,000 rows that are read is the node itself.
    assert [record["node_id"] for record in place["descendants"]] == [f"b{number:05}" for number in range(999)]


def test_a_large_response_is_cut_and_says_so(api):
    nodes = [f"{number:04}" for number in range(1500)]
    api.put((ROOT, "top", "READ"))
    api.put_rows("top", nodes, "SPLIT", location="\x01" * 500)

    response = api.node("top").json

    returned = [record["node_id"] for record in response["descendants"]]
    assert (returned, response["truncated"]) == (nodes[: len(returned)], True)
    assert 1000 < len(returned) < 1500


# What both share

IDS = [
    "s3://bucket/a b/ü%2F?#x",
    "a/trace",
    "..",
    ".",
    "/",
    "100%",
    "%2F",
    "%25",
    "a+b",
    'quote " backslash \\ backtick ` brace {}',
    "arn:aws:glue:eu-west-1:123456789012:table/db/t",
    "日本語\t\n\0",
    "\ufffe\uffff",
    "x" * 1024,
    "😀" * 256,
]


def test_ids_hold_any_text(api):
    for name in IDS:
        api.put((name, name, "READ"), root=name)
        record = a_record(name, name, "READ", root=name)

        assert api.root(name).json == {"records": [record], "cursor": None}
        assert api.node(name).json == {"record": record, "path": [record], "descendants": [], "truncated": False}
        assert [line["record_id"] for line in api.trace_of(name).lines] == [name]
        assert (api.trace_of(name, method="POST").json, api.trace()) == ({"root_id": name, "status": "queued"}, 1)


def test_an_id_over_size_is_refused(api):
    for name in ("x" * 2049, "ü" * 1025):
        for response in (api.root(name), api.trace_of(name), api.trace_of(name, method="POST")):
            status, returned = response.refusal
            rule = f"root_id: must be at most 2048 bytes of UTF-8, got '{name[:70]}"
            assert (status, returned[: len(rule)]) == (400, rule)
    assert api.node("x" * 1025).refusal[1].startswith("node_id: must be at most 1024 bytes of UTF-8")


def test_an_id_that_is_no_utf8_is_refused(api):
    bad = ["%FF", "%ED%A0%80", "a%C3"]

    returned = [api.send("GET", f"{RECORDS}/roots/{encoded}").refusal for encoded in bad]

    assert returned == [(400, f"root_id: must be percent-encoded UTF-8, got '{encoded}'") for encoded in bad]


def test_what_is_not_known_is_not_found(api):
    assert api.root("never").refusal == (404, "root_id: no root 'never' is known")
    assert api.trace_of("never").refusal == (404, "root_id: no root 'never' is known")
    assert api.trace_of("never", after=0).refusal == (404, "root_id: no root 'never' is known")
    assert api.trace_of("never", method="POST").refusal == (404, "root_id: no root 'never' is known")
    assert api.node("never").refusal == (
        404,
        "node_id: no live record 'never'; the archive may hold it: /api/v1/records/search",
    )


def test_a_method_that_a_route_does_not_take_is_shown_which_it_does(api):
    requested = [
        ("GET", RECORDS, "POST"),
        ("DELETE", f"{RECORDS}/roots/a", "GET, HEAD"),
        ("PUT", f"{RECORDS}/roots/a/trace", "GET, HEAD, POST"),
        ("OPTIONS", f"{RECORDS}/nodes/a", "GET, HEAD"),
        ("PATCH", "/api/v1/namespaces/a/jobs/b/", "DELETE, GET, HEAD, PUT"),
        # Methods that API Gateway knows not, other servers do.
        ("TRACE", "/openapi.json", "GET, HEAD"),
        ("PROPFIND", f"{RECORDS}/roots/a%2Fb", "GET, HEAD"),
    ]

    responses = [api.send(method, path) for method, path, _ in requested]

    assert [(response.refusal, response.headers["Allow"]) for response in responses] == [
        ((405, f"method: must be {allowed}, got {method!r}"), allowed) for method, _, allowed in requested
    ]


def test_head_returns_for_each_get_route_what_get_does_without_the_body(api, cloud):
    assert cloud.load_events(a_run_event()) == []
    # Known names, so that some answers are good and some are refusals.
    names = {"namespace": NAMESPACE, "job": READ_FLIGHTS, "run_id": RUN}
    paths = [re.sub("<(.*?)>", lambda name: names.get(name[1], "x"), route.path) for route in GETS]

    wholes = {path: api.send("GET", path) for path in paths}
    heads = {path: api.send("HEAD", path) for path in paths}

    assert {200, 400, 404} <= {whole.status for whole in wholes.values()}
    assert heads == {path: replace(whole, body="") for path, whole in wholes.items()}


def test_aws_refusing_for_now_is_reported_as_unavailable(api, cloud):
    with before(cloud.dynamodb, "Query", refused("ProvisionedThroughputExceededException")):
        response = api.root()

    assert response.refusal == (503, "an AWS service refused for now; trying again may help")
    assert response.headers["Retry-After"] == "5"
