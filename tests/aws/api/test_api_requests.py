"""POST /api/v1/records: the same request as the input function's, with HTTP around it."""

import gzip
import json
import random

import pytest

from headwater.api.document.examples import EXAMPLES
from tests.aws.faults import before, refused
from tests.builders import NOON

REQUEST = {
    "root_id": "flights",
    "parent_id": "flights",
    "action_taken": "READ",
    "node_id": "read",
    "storage_location": "s3://lake/read",
    "requested_at": NOON,
}
QUEUED = {
    "root_id": "flights",
    "parent_id": "flights",
    "action_taken": "READ",
    "recordedAt": NOON,
    "storage_location": "s3://lake/read",
    "node_id": "read",
}
ACCEPTED = {
    "root_id": "flights",
    "action_taken": "READ",
    "recordedAt": NOON,
    "ttl_expiry": NOON + 86400,
    "node_id": "read",
    "storage_location": "s3://lake/read",
}


def test_a_request_is_queued_and_served_with_what_the_next_step_needs(api, cloud):
    response = api.post(REQUEST)

    assert (response.status, response.headers, response.json) == (201, {"Content-Type": "application/json"}, ACCEPTED)
    assert cloud.bodies("RecordsQueue") == [QUEUED]


def test_a_batch_is_served_with_a_node_for_each_record(api, cloud):
    records = [{"node_id": str(number), "storage_location": f"s3://lake/{number}"} for number in range(10_000)]
    form = {"root_id": "flights", "parent_id": "read", "action_taken": "SPLIT", "requested_at": NOON}

    response = api.post({**form, "records": records})

    returned = {"root_id": "flights", "action_taken": "SPLIT", "recordedAt": NOON, "ttl_expiry": NOON + 86400}
    assert (response.status, response.json) == (201, {**returned, "records": records})
    (pointer,) = cloud.bodies("PackedQueue")
    stored = cloud.s3.get_object(Bucket=pointer["s3"]["bucket"], Key=pointer["s3"]["key"])["Body"]
    assert [record["node_id"] for record in json.load(stored)["records"]] == [str(number) for number in range(10_000)]


PACKED = {
    "base64": (json.dumps(REQUEST).encode(), {}),
    "gzip": (gzip.compress(json.dumps(REQUEST).encode()), {"Content_Encoding": "gzip"}),
    "gzip in capitals": (gzip.compress(json.dumps(REQUEST).encode()), {"content_encoding": "GZIP"}),
    # API Gateway unpacks what it can, and hands the text on.
    "unpacked on the way": (json.dumps(REQUEST), {"Content_Encoding": "gzip"}),
}


def test_a_body_may_come_packed(api, cloud):
    responses = {case: api.post(body, **headers).json for case, (body, headers) in PACKED.items()}

    assert responses == dict.fromkeys(PACKED, ACCEPTED)
    assert cloud.bodies("RecordsQueue") == [QUEUED] * len(PACKED)


NOISE = random.Random(1).randbytes(4 * 1024 * 1024 + 1)
BAD = {
    "not JSON": ("{", {}, 400, "body: must be JSON"),
    "NaN": ('{"requested_at": NaN}', {}, 400, "body: must be JSON"),
    "nested without end": ("[" * 100_000, {}, 400, "body: must be JSON"),
    "nested deep": (
        "[" * 1000 + "]" * 1000,
        {},
        400,
        "request: must be a JSON object, got something nested too deep to p",
    ),
    "a lone surrogate, escaped": ('{"root_id": "\\ud800"}', {}, 400, "body: must be JSON"),
    "a lone surrogate": ('{"root_id": "\ud800"}', {}, 400, "body: must be JSON"),
    "no UTF-8": (b'{"root_id": "\xff"}', {}, 400, "body: must be JSON"),
    "nothing": ("", {}, 422, "body: must be JSON"),
    "a list": ("[]", {}, 400, "request: must be a JSON object, got []"),
    "no field": ("{}", {}, 422, "root_id: is required; parent_id: is required; action_taken: is required"),
    "a number as long as it likes": ('{"requested_at": ' + "9" * 5000 + "}", {}, 400, "body: must be JSON"),
    "a huge number": (
        '{"requested_at": 1e300}',
        {},
        400,
        "requested_at: must be whole seconds since 1970, or ISO 8601 with a time zone, got 1e+",
    ),
    "cut gzip": (
        gzip.compress(b"{}" * 99)[:-9],
        {"Content_Encoding": "gzip"},
        400,
        "body: must be whole gzip: it is cut",
    ),
    "gzip cut in its head": (gzip.compress(b"{}")[:5], {"Content_Encoding": "gzip"}, 400, "body: must be whole gzip: "),
    "bad gzip": (b"\x1f\x8b" + b"x" * 50, {"Content_Encoding": "gzip"}, 400, "body: must be gzip"),
    "another encoding": (b"x", {"Content_Encoding": "br"}, 400, "Content-Encoding: must be gzip or identity, got 'br'"),
    "too large": (NOISE, {}, 413, "body: must be at most 4194304 bytes as sent, got 4194305"),
    "too large once unpacked on the way": (
        NOISE,
        {"Content_Encoding": "Gzip"},
        413,
        "body: must be at most 4194304 bytes once API Gateway has unpacked it, got 4194305",
    ),
    "a bomb": (
        gzip.compress(b" " * (33 * 1024 * 1024)),
        {"Content_Encoding": "gzip"},
        413,
        "body: must be at most 33554432 bytes once unpacked",
    ),
}


def test_a_bad_body_is_refused_and_changes_nothing(api, cloud):
    returned = {case: api.post(body, **headers).refusal for case, (body, headers, _, _) in BAD.items()}

    cut = {case: (status, message[: len(BAD[case][3])]) for case, (status, message) in returned.items()}
    assert cut == {case: (status, message) for case, (_, _, status, message) in BAD.items()}
    assert (cloud.bodies("RecordsQueue"), cloud.bodies("PackedQueue")) == ([], [])


def test_a_batch_whose_response_would_be_too_large_is_not_accepted(api, cloud):
    # Each quote takes two bytes in JSON and four in Lambda's answer.
    records = [{"storage_location": '"' * 2000} for _ in range(600)]

    status, message = api.post({**REQUEST, "node_id": None, "storage_location": None, "records": records}).refusal

    assert (status, message[:59]) == (413, "records: the response must be at most 4194304 bytes, got 48")
    assert (cloud.bodies("RecordsQueue"), cloud.bodies("PackedQueue")) == ([], [])


def test_a_queue_that_refuses_is_reported_as_unavailable(api, cloud):
    with before(cloud.sqs, "SendMessageBatch", refused("ThrottlingException")):
        response = api.post(REQUEST)

    assert (response.refusal[0], response.headers["Retry-After"]) == (503, "5")
    assert api.post(REQUEST).status == 201


@pytest.mark.parametrize("example", EXAMPLES["LineageRequest"], ids=["single", "batch", "many places"])
def test_the_documents_examples_are_accepted(api, example):
    assert api.post(example).status == 201
