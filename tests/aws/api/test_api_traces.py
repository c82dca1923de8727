"""A root's trace over HTTP: in the answer, behind a link, or later."""

import json

import boto3

from lambdas import load as load_function
from tests.aws.api.conftest import ROOT
from tests.builders import HOUR, NOON


def a_step(parent, node, action, *, at=NOON, location=None):
    return {
        "node_id": node,
        "parent_id": parent,
        "action_taken": action,
        "recordedAt": at,
        "storage_location": location or f"s3://lake/{node}",
    }


def put_large(api):
    """A chain of 8 long steps and 400 leaves below it: 7 MB of lines."""
    above = [(str(number - 1) if number else ROOT, str(number), "CHECK") for number in range(8)]
    api.put(*above, location="s3://" + "x" * 2000)
    api.put_many("7", LEAVES, "SPLIT")


def expire_all(cloud):
    """Remove expired records, as TTL does within days."""
    name = cloud.outputs["RecordsTableName"]
    for item in cloud.items():
        key = {"root_id": item["root_id"], "node_id": item["node_id"]}
        cloud.dynamodb.delete_item(TableName=name, Key=key)


def leaves_of(lines):
    return sorted(json.loads(line)["record_id"] for line in lines)


LEAVES = [f"leaf {number:03}" for number in range(400)]


def test_a_trace_is_a_line_for_each_leaf_expired_ones_too(api):
    api.put((ROOT, "read", "READ"), at=NOON - 25 * HOUR)
    api.put(("read", "east", "SPLIT"), ("read", "west", "SPLIT"), ("never", "orphan", "CHECK"))

    response = api.trace_of()

    read = a_step(ROOT, "read", "READ", at=NOON - 25 * HOUR)
    assert (response.status, response.headers) == (200, {"Content-Type": "application/x-ndjson"})
    assert response.lines == [
        {"record_id": "east", "root_id": ROOT, "lineage": [read, a_step("read", "east", "SPLIT")]},
        {"record_id": "west", "root_id": ROOT, "lineage": [read, a_step("read", "west", "SPLIT")]},
        {
            "record_id": "orphan",
            "root_id": ROOT,
            "complete": False,
            "missing": ["never"],
            "lineage": [a_step("never", "orphan", "CHECK")],
        },
    ]


def test_a_trace_outlives_the_records_and_joins_with_what_came_later(api, cloud):
    api.put((ROOT, "read", "READ"))
    assert api.trace_of(method="POST").status == 202
    assert api.trace() == 1
    expire_all(cloud)

    read = a_step(ROOT, "read", "READ")
    assert api.trace_of().lines == [{"record_id": "read", "root_id": ROOT, "lineage": [read]}]
    assert (api.root().status, api.root().json) == (200, {"records": [], "cursor": None})
    assert api.node("read").status == 404

    api.put(("read", "late", "CHECK"))
    late = a_step("read", "late", "CHECK")
    assert api.trace_of().lines == [{"record_id": "late", "root_id": ROOT, "lineage": [read, late]}]


def test_a_trace_demanded_now_is_archived_now_and_its_location_is_shown(api, cloud):
    api.put((ROOT, "read", "READ"))

    demanded = api.trace_of(method="POST")

    assert (demanded.status, demanded.json) == (202, {"root_id": ROOT, "status": "queued"})
    assert api.poll(demanded).json == demanded.json
    assert api.trace() == 1
    key, lines = api.linked(api.poll(demanded))
    assert key.startswith("traces/year=2025/month=11/day=20/")
    assert leaves_of(lines) == ["read"]
    # The next demand waits for the next version.
    again = api.trace_of(method="POST")
    assert (api.poll(again).status, api.trace(), api.poll(again).status) == (202, 1, 303)


def test_a_large_trace_that_is_archived_whole_is_the_archives_object(api):
    put_large(api)
    api.trace_of(method="POST")
    api.trace()

    key, lines = api.linked(api.trace_of())

    assert key.startswith("traces/year=2025/month=11/day=20/")
    assert leaves_of(lines) == LEAVES
    # What came since is in no object of the archive.
    api.put(("7", "late", "CHECK"))
    key, lines = api.linked(api.trace_of())
    assert (key.partition("/")[0], leaves_of(lines)) == ("answers", [*sorted(["late", *LEAVES])])


def test_a_trace_that_takes_too_long_is_demanded_and_polled_for(api, cloud):
    api.put((ROOT, "read", "READ"))

    # Little time stands for many records: the trace function has fifteen minutes, this one seconds.
    later = api.trace_of(remaining_s=1)

    assert (later.status, later.json) == (202, {"root_id": ROOT, "status": "queued"})
    assert api.poll(later).status == 202
    assert api.trace() == 1
    assert leaves_of(api.linked(api.poll(later))[1]) == ["read"]
    # Now that nothing is new, the same question is answered by the archive.
    assert leaves_of(api.linked(api.trace_of(remaining_s=1))[1]) == ["read"]
    assert api.trace() == 0


def test_a_trace_demanded_twice_for_the_same_records_is_made_once(api, cloud):
    api.put((ROOT, "read", "READ"))
    later = [api.trace_of(remaining_s=1) for _ in range(3)]

    assert api.trace() == 3

    versions = (
        boto3.client("dynamodb")
        .get_paginator("scan")
        .paginate(
            TableName=cloud.outputs["GraphTableName"],
            FilterExpression="sk = :archive",
            ExpressionAttributeValues={":archive": {"S": "ARCHIVE"}},
        )
    )
    assert [item["version"]["N"] for page in versions for item in page["Items"]] == ["1"]
    assert [api.poll(response).status for response in later] == [303] * 3


def test_a_root_too_large_for_the_trace_function_is_shown_as_too_large(api, cloud):
    # The stack of these tests traces 1,000 records of a root.
    nodes = [{"node_id": f"{number}", "storage_location": "s3://lake/x"} for number in range(1001)]
    form = {"root_id": ROOT, "parent_id": ROOT, "action_taken": "SPLIT", "records": nodes}
    api.post(form)
    (packed,) = cloud.bodies("PackedQueue")
    load_function.handler(cloud.event("PackedQueue", [packed]), cloud.context())

    later = api.trace_of(remaining_s=1)
    api.trace()

    returned = f"root {ROOT!r} is too large for the trace function; it is left to the Spark tracer"
    assert api.trace_of(after=0).refusal == (413, returned)
    assert api.trace_of(remaining_s=1).refusal == (413, returned)
    assert (later.status, api.trace_of().status) == (202, 200)


def test_an_outline_has_expired_records_and_those_without_a_way_to_the_root(api):
    api.put((ROOT, "read", "READ"), at=NOON - 25 * HOUR)
    api.put(("read", "east", "SPLIT"), ("read", "west", "SPLIT"), ("never", "orphan", "CHECK"))

    response = api.outline_of()

    assert (response.status, response.json["records"], response.json["truncated"]) == (200, 4, False)
    assert [
        (group["action_taken"], group["parent"], group["records"], group["leaves"], group["complete"])
        for group in response.json["groups"]
    ] == [("READ", None, 1, 0, True), ("SPLIT", 0, 2, 2, True), ("CHECK", None, 1, 1, False)]
    assert api.outline_of("nowhere").status == 404
