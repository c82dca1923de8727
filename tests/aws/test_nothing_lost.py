"""Nothing accepted is lost: after every fault and redelivery each record is in the table, archive, a queue or dead
letters. A replay brings it to where it would have been.
"""

import json
import random
from itertools import pairwise

import pytest

from headwater_model.errors import Unavailable
from lambdas import expired as expired_function
from lambdas import input as input_function
from tests.aws.faults import Killed, after, before, killed_at, meanwhile, refused, timed_out
from tests.builders import DAY, HOUR, a_batch, a_message, messages

FILE_AND_ROWS = {"file": "flights", "row-1": "file", "row-2": "file"}
NEXT_DAY = "2025-11-21"
THROTTLED = refused("ProvisionedThroughputExceededException")


def in_table(cloud):
    return {item["node_id"]["S"] for item in cloud.items()}


# Into the queue


def test_a_request_that_the_queue_keeps_refusing_is_raised_as_a_whole_and_a_retry_completes_it(cloud):
    request = {**a_batch(20), "request_id": "r-1", "requested_at": cloud.now_s}
    with (
        before(cloud.sqs, "SendMessageBatch", refused("ServiceUnavailable"), times=99),
        pytest.raises(Unavailable, match="1 messages could not be queued"),
    ):
        input_function.handler(request, cloud.context())
    assert cloud.bodies("RecordsQueue") == []
    input_function.handler(request, cloud.context())
    cloud.load(*cloud.bodies("RecordsQueue"))

    assert len(in_table(cloud)) == 20


def test_a_pack_with_a_failed_record_comes_again_and_keeps_each_record_once(cloud):
    pack = {"records": messages({f"row-{number}": "flights" for number in range(20)})}
    only = lambda params: '"row-7"' in str(params["body"])  # noqa: E731 - a condition
    with before(cloud.dynamodb, "PutItem", refused("InternalServerError"), only=only):
        assert cloud.load(pack, a_message(root_id="other", node_id="alone")) == [0]
    assert in_table(cloud) == {"alone", *(f"row-{number}" for number in range(20) if number != 7)}
    written = {item["node_id"]["S"]: item["loaded_at"] for item in cloud.items()}
    cloud.now_s += 30
    assert cloud.load(pack) == []

    assert {item["node_id"]["S"]: item["loaded_at"] for item in cloud.items()} == {
        **written,
        "row-7": {"N": str(cloud.now_s)},
    }
    assert (cloud.dirty(), cloud.bodies("RecordsDeadLetters")) == ({"flights", "other"}, [])


def test_an_entry_that_the_queue_refuses_is_sent_again_alone(cloud):
    roots = {f"r-{number}" for number in range(40)}
    cloud.load(*(a_message(root_id=root_id) for root_id in roots))
    plan, sent = cloud.plan(DAY), []
    events = cloud.sqs.meta.events
    events.register("before-call.sqs.SendMessageBatch", lambda params, **_: sent.append(json.loads(params["body"])))

    def lose_first(parsed, **_):
        if len(sent) == 1:
            parsed["Failed"] = [{"Id": "0", "Code": "InternalError", "SenderFault": False}]

    events.register("after-call.sqs.SendMessageBatch", lose_first)

    assert cloud.enqueue(plan) == 40
    assert sent[1]["Entries"] == sent[0]["Entries"][:1]
    assert {message["root_id"] for message in cloud.bodies("TraceQueue")} == roots


# Into the table


@pytest.mark.parametrize(
    "fault", [THROTTLED, refused("InternalServerError"), timed_out()], ids=["throttled", "failed", "timed out"]
)
def test_a_write_that_fails_leaves_its_message_and_the_rest_is_loaded(cloud, fault):
    only = lambda params: '"row-1"' in str(params["body"])  # noqa: E731 - a condition
    with before(cloud.dynamodb, "PutItem", fault, only=only):
        failed = cloud.load(*messages({"row-1": "flights"}), *messages({"row-2": "other"}, "other"))

    assert failed == [0]
    assert in_table(cloud) == {"row-2"}
    assert cloud.load(*messages({"row-1": "flights"})) == []
    assert in_table(cloud) == {"row-1", "row-2"}


def test_a_throttled_root_waits_as_a_whole_and_other_roots_do_not(cloud, monkeypatch):
    monkeypatch.setattr("headwater.records.load.CONCURRENCY", 1)
    hot = messages({f"row-{number}": "flights" for number in range(5)})
    with before(cloud.dynamodb, "PutItem", THROTTLED) as left:
        failed = cloud.load(*hot, *messages({"file": "calm"}, "calm"))

    assert left == [0]
    assert failed == [0, 1, 2, 3, 4]
    assert in_table(cloud) == {"file"}


def test_a_root_whose_mark_fails_keeps_all_its_messages(cloud):
    with before(cloud.dynamodb, "UpdateItem", THROTTLED):
        failed = cloud.load(*messages(FILE_AND_ROWS))
    assert failed == [0, 1, 2]
    assert cloud.load(*messages(FILE_AND_ROWS)) == []
    assert cloud.dirty() == {"flights"}


def test_a_root_that_is_full_sends_the_record_to_the_dead_letters_alone(cloud):
    only = lambda params: '"row-1"' in str(params["body"])  # noqa: E731 - a condition
    with before(cloud.dynamodb, "PutItem", refused("ItemCollectionSizeLimitExceededException"), only=only):
        assert cloud.load(*messages(FILE_AND_ROWS)) == []

    assert in_table(cloud) == {"file", "row-2"}
    assert cloud.bodies("RecordsDeadLetters") == messages({"row-1": "file"})


def test_a_refused_record_that_the_dead_letters_do_not_take_leaves_its_message_alone(cloud, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    only = lambda params: '"row-1"' in str(params["body"])  # noqa: E731 - a condition
    full = before(cloud.dynamodb, "PutItem", refused("ItemCollectionSizeLimitExceededException"), only=only)
    with full, before(cloud.sqs, "SendMessageBatch", refused("ServiceUnavailable"), times=9):
        assert cloud.load(*messages(FILE_AND_ROWS)) == [1]

    assert in_table(cloud) == {"file", "row-2"}


def test_a_displaced_record_that_the_dead_letters_do_not_take_stays_in_the_queue(cloud, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    cloud.load(a_message())
    later = a_message(storage_location="s3://b/other.csv", recordedAt=cloud.now_s + 1)
    with before(cloud.sqs, "SendMessageBatch", refused("ServiceUnavailable"), times=9):
        assert cloud.load(later) == [0]
    assert cloud.load(later) == []
    assert cloud.bodies("RecordsDeadLetters") == [later]


def test_an_earlier_record_takes_the_place_only_after_the_later_one_is_saved(cloud, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    later = a_message(storage_location="s3://b/other.csv", recordedAt=cloud.now_s + 1)
    cloud.load(later)
    with before(cloud.sqs, "SendMessageBatch", refused("ServiceUnavailable"), times=9):
        assert cloud.load(a_message()) == [0]
    assert [item["storage_location"]["S"] for item in cloud.items()] == ["s3://b/other.csv"]
    cloud.load(a_message())

    assert [item["storage_location"]["S"] for item in cloud.items()] == ["s3://b/in.csv"]
    assert cloud.bodies("RecordsDeadLetters") == [later]


# Into the archive


@pytest.mark.parametrize("moment", [before, after])
def test_an_upload_that_fails_leaves_the_trace_for_another_try(cloud, moment):
    cloud.load(*messages(FILE_AND_ROWS))
    with moment(cloud.s3, "PutObject", timed_out()):
        assert cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s) == [0]
    assert cloud.dirty() == {"flights"}
    assert cloud.archived() == []
    assert cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s) == []
    assert cloud.archived_nodes() == set(FILE_AND_ROWS)
    assert len(cloud.objects()) == 1


def test_two_traces_at_once_archive_what_both_of_them_saw(cloud):
    cloud.load(*messages(FILE_AND_ROWS))

    def other():
        cloud.load(a_message(node_id="row-3", parent_id="file"))
        cloud.trace(day=DAY, execution="other", started_at=cloud.now_s)

    with meanwhile(cloud.dynamodb, "TransactWriteItems", other):
        cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s)

    assert cloud.archived_nodes() == {*FILE_AND_ROWS, "row-3"}
    assert cloud.dirty() == set()
    # The loser keeps its first upload, as another trace might commit it: sealing the day removes it.
    assert len(cloud.objects()) == 3
    cloud.compact(DAY)
    assert len(cloud.objects()) == 2
    assert cloud.archived_nodes() == {*FILE_AND_ROWS, "row-3"}


@pytest.mark.parametrize("operation", ["PutObject", "TransactWriteItems"])
def test_a_record_that_arrives_while_its_root_is_traced_keeps_the_root_dirty(cloud, operation):
    cloud.load(*messages(FILE_AND_ROWS))
    client = cloud.s3 if operation == "PutObject" else cloud.dynamodb
    with meanwhile(client, operation, lambda: cloud.load(a_message(node_id="late", parent_id="file"))):
        cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s)

    assert "late" not in cloud.archived_nodes()
    assert cloud.dirty() == {"flights"}
    cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s)
    assert cloud.archived_nodes() == {*FILE_AND_ROWS, "late"}
    assert cloud.dirty() == set()


def test_a_day_sealed_under_a_trace_passes_it_to_the_next_day(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    with meanwhile(cloud.dynamodb, "TransactWriteItems", lambda: cloud.seal(cloud.plan(DAY))):
        cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s)

    assert [key.split("/")[3] for key in cloud.objects()] == ["day=21"]
    assert cloud.archived_nodes() == set(FILE_AND_ROWS)


# Out of the table


def test_a_record_that_expires_before_any_trace_is_staged_and_archived(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.now_s += 25 * HOUR
    cloud.stream(cloud.expire())
    assert in_table(cloud) == set()
    cloud.compact(NEXT_DAY)

    assert cloud.archived_nodes() == set(FILE_AND_ROWS)
    assert [item for item in cloud.items("Graph") if item["pk"]["S"].startswith("STAGED#")] == []


def test_a_record_that_expires_after_a_trace_read_it_is_not_staged(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.now_s += HOUR
    cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s)
    cloud.now_s += 25 * HOUR
    cloud.stream(cloud.expire())

    assert [item for item in cloud.items("Graph") if item["pk"]["S"].startswith("STAGED#")] == []
    assert cloud.dirty() == set()


def test_a_record_that_expired_while_the_stream_was_late_is_archived_when_it_comes(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.now_s += 25 * HOUR
    removed = cloud.expire()
    cloud.load(a_message(node_id="late", parent_id="row-1", recordedAt=cloud.now_s))
    cloud.compact(NEXT_DAY)
    assert cloud.archived()[0]["missing"] == ["row-1"]
    cloud.now_s += 20 * HOUR
    cloud.stream(removed)
    cloud.compact("2025-11-22")

    assert cloud.archived_nodes() == {*FILE_AND_ROWS, "late"}
    assert all("missing" not in line for line in cloud.archived())


def test_a_record_loaded_shortly_before_the_trace_is_staged_to_be_sure(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.now_s += 60
    cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s)
    cloud.now_s += 25 * HOUR
    cloud.stream(cloud.expire())
    assert cloud.dirty() == {"flights"}
    cloud.compact(NEXT_DAY)

    assert cloud.archived_nodes() == set(FILE_AND_ROWS)


def test_what_the_graph_table_does_not_take_at_once_is_staged_all_the_same(cloud, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda _: None)
    cloud.load(*messages({f"row-{number}": "flights" for number in range(30)}))
    cloud.now_s += 25 * HOUR
    dropped = []

    def drop_last(params, **_):
        """Drop the request's last write, as a table without capacity does."""
        (table,) = params["RequestItems"]
        if not dropped:
            dropped.append({table: [params["RequestItems"][table].pop()]})

    def say_so(parsed, **_):
        parsed["UnprocessedItems"] = dropped.pop() if len(dropped) == 1 and dropped[0] else {}
        dropped.append(None)

    cloud.dynamodb.meta.events.register("before-parameter-build.dynamodb.BatchWriteItem", drop_last)
    cloud.dynamodb.meta.events.register("after-call.dynamodb.BatchWriteItem", say_so)
    cloud.stream(cloud.expire())

    staged = {item["node_id"]["S"] for item in cloud.items("Graph") if item["pk"]["S"].startswith("STAGED#")}
    assert staged == {f"row-{number}" for number in range(30)}


@pytest.mark.parametrize("operation", ["BatchGetItem", "BatchWriteItem", "UpdateItem"])
def test_a_stream_batch_that_fails_is_raised_and_completes_when_it_is_delivered_again(cloud, operation):
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.now_s += 25 * HOUR
    removed = cloud.expire()
    error = refused("InternalServerError")
    with before(cloud.dynamodb, operation, error), pytest.raises(cloud.dynamodb.exceptions.ClientError):
        expired_function.handler({"Records": removed}, cloud.context())
    cloud.stream(removed)
    cloud.compact(NEXT_DAY)

    assert cloud.archived_nodes() == set(FILE_AND_ROWS)


def test_an_item_that_is_no_record_does_not_hold_up_the_stream(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.now_s += 25 * HOUR
    foreign = {"OldImage": {"root_id": {"S": "x"}}, "ApproximateCreationDateTime": 1, "SequenceNumber": "9"}
    cloud.stream([{"dynamodb": foreign}, *cloud.expire()])
    cloud.compact(NEXT_DAY)

    assert cloud.archived_nodes() == set(FILE_AND_ROWS)


# All the way


def story(cloud, root, deliver):
    """Two days of a root: rows loaded, a displaced row, a trace, a late row, all expired, a second trace."""
    started = cloud.now_s
    message = {"root_id": root, "execution": "nightly", "started_at": started}
    other = a_message(root_id=root, node_id="row-1", parent_id="file", recordedAt=started + 1, storage_location="other")
    deliver(lambda: cloud.load(*messages(FILE_AND_ROWS, root)))
    deliver(lambda: cloud.load(other, *messages({"row-3": "file"}, root)))
    deliver(lambda: cloud.trace(**message, day=DAY))
    deliver(lambda: cloud.load(*messages({"late": "row-2"}, root)))
    cloud.now_s += 25 * HOUR
    removed = [removal for removal in cloud.expire() if removal["dynamodb"]["OldImage"]["root_id"]["S"] == root]
    deliver(lambda: cloud.stream(removed) or [])
    deliver(lambda: cloud.trace(**message, day=NEXT_DAY))
    cloud.now_s = started
    displaced = [body for body in cloud.bodies("RecordsDeadLetters") if body["root_id"] == root]
    return cloud.archived(root), {body["storage_location"] for body in displaced}, cloud.dirty() & {root}


def until_done(act):
    """Deliver until it succeeds, as a queue or a stream does."""
    for _ in range(3):
        try:
            if act() == []:
                return
        except Killed:
            continue
    raise AssertionError("not done after three deliveries")


@pytest.mark.parametrize(
    "all_calls", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["one of each function", "all"]
)
@pytest.mark.parametrize("effective", [False, True], ids=["before the call", "after the call"])
def test_a_function_killed_at_any_call_leaves_a_state_that_a_redelivery_completes(cloud, effective, all_calls):
    clients, ends = (cloud.dynamodb, cloud.s3, cloud.sqs), [0]

    def deliver(act):
        until_done(act)
        ends.append(counted[0])

    with killed_at(clients, 0, effective=effective) as counted:
        expected = story(cloud, "r-0000", deliver)
    calls = counted[0]
    assert expected[1:] == ({"other"}, set())
    assert calls > 20
    middles = [(begin + end + 1) // 2 for begin, end in pairwise(ends)]
    for number in range(1, calls + 1) if all_calls else middles:
        root = f"r-{number:04}"
        with killed_at(clients, number, effective=effective):
            returned = story(cloud, root, until_done)
        assert returned == renamed(expected, root), f"killed at call {number} of {calls}"


def renamed(expected, root):
    lines, *rest = expected
    return json.loads(json.dumps(lines).replace("r-0000", root)), *rest


@pytest.mark.parametrize("seed", range(5))
def test_duplicates_and_disorder_change_nothing(cloud, seed):
    dice = random.Random(seed)
    sent = [
        *messages(FILE_AND_ROWS),
        *messages({"row-3": "file", "row-4": "row-3"}, recordedAt=cloud.now_s + 5),
        a_message(node_id="row-1", parent_id="file", storage_location="s3://b/later", recordedAt=cloud.now_s + 9),
    ]
    deliveries = dice.sample(sent * 3, k=len(sent) * 3)
    for start in range(0, len(deliveries), 4):
        assert cloud.load(*deliveries[start : start + 4]) == []
        if dice.random() < 0.3:
            cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s)
    cloud.trace(day=DAY, execution="nightly", started_at=cloud.now_s)

    assert {tuple(step["node_id"] for step in line["lineage"][:-1]) for line in cloud.archived()} == {
        ("file", "row-1"),
        ("file", "row-2"),
        ("file", "row-3", "row-4"),
    }
    assert {step["storage_location"] for line in cloud.archived() for step in line["lineage"][:-1]} == {"s3://b/in.csv"}
    assert {body["storage_location"] for body in cloud.bodies("RecordsDeadLetters")} == {"s3://b/later"}
    assert cloud.dirty() == set()
