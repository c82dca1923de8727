"""A request through the input function, the queue and the load function into the table."""

import json
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from headwater_model.errors import Invalid, TooLarge
from lambdas import input as input_function
from lambdas import load as load_function
from tests.aws.in_moto import BOTH_CLIENTS
from tests.builders import NOON, a_batch, a_message, a_request
from tests.examples import examples

pytestmark = BOTH_CLIENTS

DAY_S = 24 * 3600


def test_a_single_request_becomes_the_seeds_message(cloud):
    response = input_function.handler(a_request(node_id="n-1"), cloud.context())

    assert response == {
        "root_id": "flights",
        "action_taken": "READ",
        "recordedAt": cloud.now_s,
        "ttl_expiry": cloud.now_s + DAY_S,
        "node_id": "n-1",
        "storage_location": "s3://b/in.csv",
    }
    assert cloud.bodies("RecordsQueue") == [
        {
            "root_id": "flights",
            "parent_id": "flights",
            "action_taken": "READ",
            "recordedAt": cloud.now_s,
            "storage_location": "s3://b/in.csv",
            "node_id": "n-1",
        }
    ]


@pytest.mark.parametrize("sent", [None, 7, "text", [], [{}], [None, a_request()], {"events": 7}, {"run": []}, {}])
def test_what_is_neither_a_request_nor_an_event_is_invalid(cloud, sent):
    with pytest.raises(Invalid):
        input_function.handler(sent, cloud.context())
    assert cloud.bodies("RecordsQueue") == cloud.bodies("EventsQueue") == []


_SCALARS = st.none() | st.booleans() | st.integers() | st.text()
_NAMES = st.sampled_from(
    ("root_id", "parent_id", "action_taken", "events", "run", "job", "records", "storage_location")
)
_ANY_JSON = st.recursive(
    _SCALARS, lambda inner: st.lists(inner) | st.dictionaries(_NAMES | st.text(), inner), max_leaves=10
)


@examples(300, HealthCheck.function_scoped_fixture)
@given(sent=_ANY_JSON)
def test_any_json_is_accepted_or_invalid(cloud, sent):
    with suppress(Invalid):
        input_function.handler(sent, cloud.context())


@pytest.mark.parametrize(("number", "queue"), [(2, "RecordsQueue"), (100, "RecordsQueue"), (101, "PackedQueue")])
def test_the_records_of_a_request_are_a_message(cloud, number, queue):
    input_function.handler(a_batch(number), cloud.context())
    (message,) = cloud.bodies(queue)
    sent = [record["node_id"] for record in message["records"]]

    assert sent == [f"n-{place}" for place in range(number)]


def test_records_too_large_for_a_message_travel_as_one_pointer_and_all_arrive(cloud):
    response = input_function.handler(a_batch(900, location="s3://bucket/" + "k" * 1_000), cloud.context())
    (pointer,) = cloud.bodies("PackedQueue")
    load_function.handler(cloud.event("PackedQueue", [pointer]), cloud.context())

    assert list(pointer) == ["s3"]
    assert {item["node_id"]["S"] for item in cloud.items()} == {node["node_id"] for node in response["records"]}


def test_a_record_is_stored_as_in_carbonlake_and_its_root_marked(cloud):
    assert cloud.load(a_message()) == []

    (item,) = cloud.items()
    (mark,) = [item for item in cloud.items("Graph") if "gen" in item]
    assert item == {
        "root_id": {"S": "flights"},
        "node_id": {"S": "n-1"},
        "parent_id": {"S": "flights"},
        "action_taken": {"S": "READ"},
        "storage_location": {"S": "s3://b/in.csv"},
        "recordedAt": {"N": "1763640000"},
        "ttl_expiry": {"N": str(NOON + DAY_S)},
        "loaded_at": {"N": str(cloud.now_s)},
    }
    assert (mark["root_id"], mark["gen"]) == ({"S": "flights"}, {"N": "1"})


def test_loading_a_batch_twice_keeps_each_record_once(cloud):
    messages = [a_message(node_id=f"n-{number}") for number in range(5)]
    cloud.load(*messages, messages[0])
    before = cloud.items()
    cloud.load(*reversed(messages))

    assert sorted(map(json.dumps, cloud.items())) == sorted(map(json.dumps, before))
    assert cloud.bodies("RecordsDeadLetters") == []


def test_a_request_whose_response_lambda_could_not_return_is_refused_before_it_is_queued(cloud):
    request = {**a_batch(10_000), "storage_location": "s3://b/" + "k" * 1000}

    with pytest.raises(TooLarge, match="records: the response must be at most 6000000 bytes, got 10"):
        input_function.handler(request, cloud.context())
    assert cloud.bodies("PackedQueue") == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("together", [True, False])
def test_of_two_records_of_one_node_the_earlier_stays_and_the_later_goes_to_the_dead_letters(cloud, order, together):
    both = a_message(), a_message(recordedAt=1_763_640_001, storage_location="s3://b/other.csv")
    arriving = [both[number] for number in order]
    if together:
        cloud.load(*arriving)
    else:
        for message in arriving:
            cloud.load(message)

    assert [item["storage_location"]["S"] for item in cloud.items()] == ["s3://b/in.csv"]
    assert cloud.bodies("RecordsDeadLetters") == [both[1]]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_the_same_record_sent_at_two_times_keeps_the_earlier_and_displaces_nothing(cloud, order):
    both = a_message(), a_message(recordedAt=1_763_640_900)
    for number in order:
        cloud.load(both[number])

    assert [item["recordedAt"]["N"] for item in cloud.items()] == ["1763640000"]
    assert cloud.bodies("RecordsDeadLetters") == []


@pytest.mark.parametrize(
    "body",
    ["not json", "[]", "{}", '{"records": []}', '{"s3": {"bucket": ""}}']
    + [json.dumps(a_message(node_id=node_id)) for node_id in (None, "n" * 1025)],
)
def test_a_bad_message_fails_alone(cloud, body):
    assert cloud.load(a_message(), body, a_message(node_id="n-2")) == [1]
    assert {item["node_id"]["S"] for item in cloud.items()} == {"n-1", "n-2"}


def test_a_bad_record_in_a_pack_goes_to_the_dead_letters_alone(cloud):
    bad = a_message(node_id="")
    pack = {"records": [a_message(), bad, a_message(node_id="n-2")]}

    assert cloud.load(pack, queue="PackedQueue") == []
    assert {item["node_id"]["S"] for item in cloud.items()} == {"n-1", "n-2"}
    assert cloud.bodies("RecordsDeadLetters") == [bad]


def test_a_pointer_to_more_than_it_states_is_refused(cloud):
    pointer = {"bucket": cloud.outputs["IntakeBucketName"], "key": "requests/x.json", "size_bytes": 10}
    cloud.s3.put_object(Bucket=pointer["bucket"], Key=pointer["key"], Body=json.dumps({"records": [a_message()]}))

    assert cloud.load({"s3": pointer}, queue="PackedQueue") == [0]
    assert cloud.items() == []
