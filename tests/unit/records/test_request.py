"""The rules of a lineage request, and the error for each fault."""

import json

import pytest

from headwater.records.request import parse_request, render_response
from headwater_model.errors import Invalid
from tests.builders import NOON, a_request

DAY_S = 86_400


def parse(payload):
    numbers = iter(range(100_000))
    return parse_request(payload, now_s=NOON, new_id=lambda: f"new-{next(numbers)}")


def without(field, **changes):
    request = a_request(**changes)
    del request[field]
    return request


def faults(payload):
    with pytest.raises(Invalid) as caught:
        parse(payload)
    return str(caught.value).split("; ")


def mixed(*records, **changes):
    """Records that name their own places, of a request that names none."""
    own = {"root_id": "flights", "parent_id": "landed", "action_taken": "CHECKED", "storage_location": "s3://b/k"}
    return {"records": [{**own, **record} for record in records], **changes}


MISSING_ALL = [
    "root_id: is required",
    "parent_id: is required",
    "action_taken: is required",
    "storage_location: is required, or record, or records",
]


@pytest.mark.parametrize(
    ("payload", "expected"),
    [
        (None, ["request: must be a JSON object, got None"]),
        ({}, MISSING_ALL),
        (without("root_id"), ["root_id: is required"]),
        (without("storage_location"), ["storage_location: is required, or record, or records"]),
        (a_request(root_id=""), ["root_id: must not be empty, got ''"]),
        (a_request(root_id=None), ["root_id: is required"]),
        (a_request(action_taken=["READ"]), ["action_taken: must be a string, got ['READ']"]),
        (a_request(root_id="\ud800"), ["root_id: must be valid Unicode (it holds a lone surrogate), got '\\ud800'"]),
        (a_request(records={}), ["records: must be a list, got {}"]),
        (without("storage_location", record={}), ["record.storage_location: is required"]),
        (without("storage_location", records=[{"node_id": "a"}]), ["records[0].storage_location: is required"]),
        (
            without("storage_location", records=[{"storage_location": "x"}, {"storage_location": 3}]),
            ["records[1].storage_location: must be a string, got 3"],
        ),
        (a_request(records=[]), ["records: must have at least 1 item, got []"]),
        (
            a_request(record={}, records=[{}]),
            ["record: only one of record and records may be given, got 'record and records'"],
        ),
        (
            a_request(node_id="n", record={"node_id": "m"}),
            ["node_id: goes inside record or records where one is given, got 'n'"],
        ),
        (
            a_request(records=[{"node_id": "a"}, {"node_id": "b"}, {"node_id": "a"}]),
            [f"records[{place}].node_id: must be given once in a request, got 'a'" for place in (0, 2)],
        ),
        (
            mixed({}, {"parent_id": None, "action_taken": None}),
            [
                "records[1].parent_id: is required, or for all records",
                "records[1].action_taken: is required, or for all records",
            ],
        ),
        (mixed({"root_id": ""}), ["records[0].root_id: must not be empty, got ''"]),
        (mixed({"parent_id": None}), ["parent_id: is required"]),
        (
            mixed({"node_id": "n", "parent_id": "n"}, {"node_id": "landed", "root_id": "landed"}),
            ["records[0].node_id: must not be its own parent (only the root may be), got 'n'"],
        ),
        (
            a_request(parent_id="n", node_id="n"),
            ["node_id: must not be its own parent (only the root may be), got 'n'"],
        ),
        (
            a_request(requested_at="noon"),
            ["requested_at: must be whole seconds since 1970, or ISO 8601 with a time zone, got 'noon'"],
        ),
        (
            a_request(requested_at="2025-11-20T12:00:00"),
            ["requested_at: must carry a time zone, as in 2026-11-20T08:00:00Z, got '2025-11-20T12:00:00'"],
        ),
        (
            a_request(requested_at=NOON + DAY_S + 1),
            [
                "requested_at: must not be more than 24 hours after now (2025-11-20T12:00:00+00:00), "
                f"got {NOON + DAY_S + 1}"
            ],
        ),
    ],
    ids=str,
)
def test_every_fault_is_named_with_its_value_and_rule(payload, expected):
    assert faults(payload) == expected


@pytest.mark.parametrize(
    ("field", "limit"),
    [
        ("root_id", 2048),
        ("parent_id", 2048),
        ("action_taken", 1024),
        ("storage_location", 2048),
        ("node_id", 1024),
        ("request_id", 256),
        ("run_id", 256),
    ],
)
def test_sizes_count_bytes_up_to_what_dynamodb_takes(field, limit):
    parse(a_request(**{field: "é" * (limit // 2)}))

    (fault,) = faults(a_request(**{field: "é" * (limit // 2) + "x"}))
    assert fault.startswith(f"{field}: must be at most {limit} bytes of UTF-8, got 'é")


def test_all_faults_of_a_request_are_raised_at_once():
    returned = faults(a_request(root_id="", action_taken=3, records=[{"node_id": ""}]))

    assert [fault.split(":")[0] for fault in returned] == ["root_id", "action_taken", "records[0].node_id"]


def test_a_batch_of_ten_thousand_is_taken_and_one_more_is_not():
    records = [{"storage_location": "s3://b/k"}] * 10_001
    assert len(parse(a_request(records=records[:-1])).records) == 10_000

    (fault,) = faults(a_request(records=records))
    assert fault.startswith("records: must have at most 10000 items, not 10001, got [")
    assert len(fault) < 300


FORMS = [
    a_request(node_id="n"),
    without("storage_location", record={"node_id": "n", "storage_location": "s3://b/in.csv"}),
    without("node_id", node_id=None, record={"node_id": "n", "storage_location": "s3://b/in.csv"}),
    a_request(record={"node_id": "n", "storage_location": "s3://overridden"}),
]


@pytest.mark.parametrize("payload", FORMS, ids=json.dumps)
def test_every_form_of_a_single_request_gets_the_same_response(payload):
    assert render_response(parse(payload), DAY_S) == {
        "root_id": "flights",
        "action_taken": "READ",
        "recordedAt": NOON,
        "ttl_expiry": NOON + DAY_S,
        "node_id": "n",
        "storage_location": "s3://b/in.csv",
    }


def test_the_response_to_a_batch_has_its_nodes_in_order():
    payload = without(
        "storage_location", records=[{"storage_location": "a"}, {"node_id": "n", "storage_location": "b"}]
    )

    assert render_response(parse(payload), DAY_S) == {
        "root_id": "flights",
        "action_taken": "READ",
        "recordedAt": NOON,
        "ttl_expiry": NOON + DAY_S,
        "records": [
            {"node_id": "new-0", "storage_location": "a"},
            {"node_id": "n", "storage_location": "b"},
        ],
    }


def test_records_may_each_name_their_own_root_parent_and_action():
    payload = mixed(
        {"node_id": "n"}, {"root_id": "trains", "parent_id": "sold", "action_taken": "READ", "node_id": "n"}
    )
    places = [
        (record.root_id, record.parent_id, record.action_taken, record.node_id) for record in parse(payload).records
    ]

    assert places == [("flights", "landed", "CHECKED", "n"), ("trains", "sold", "READ", "n")]


def test_what_is_given_for_all_records_overrides_each_ones_own():
    (record,) = parse(mixed({}, root_id="trains", parent_id="sold", action_taken="READ")).records

    assert (record.root_id, record.parent_id, record.action_taken) == ("trains", "sold", "READ")


def test_the_nodes_of_a_retry_are_the_same_and_those_of_another_step_are_not():
    steps = [a_request(request_id="r"), a_request(request_id="r"), a_request(request_id="r", action_taken="CHECK")]
    first, retry, other = (parse({**step, "records": [{}, {}]}).records for step in steps)

    assert first == retry
    assert len({record.node_id for record in (*first, *other)}) == 4
