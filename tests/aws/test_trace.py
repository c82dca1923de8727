"""The trace function: a root's records into one archive object, whatever happened before and meanwhile."""

import hashlib
import json
from contextlib import suppress

import pytest

from headwater.records import root_records
from headwater.records import trace as traces
from headwater.records.pointers import Pointers
from headwater_model.ids import sha256_hex
from lambdas import trace as trace_function
from tests.aws.faults import Killed, before, killed_at, meanwhile, refused
from tests.aws.in_moto import BOTH_CLIENTS
from tests.builders import DAY, HOUR, NOON, a_message, messages

pytestmark = BOTH_CLIENTS

FILE_AND_ROWS = {"file": "flights", "row-1": "file", "row-2": "file"}
NEXT_DAY = "2025-11-21"
REQUEST = {"day": DAY, "execution": "nightly", "started_at": NOON}


def test_a_root_becomes_an_object_with_a_line_for_each_leaf(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    assert cloud.trace(**REQUEST) == []

    ((key, body),) = cloud.objects().items()
    root, content = (hashlib.sha256(part).hexdigest() for part in (b"flights", body))
    bucket = cloud.outputs["ArchiveBucketName"]
    assert key == f"traces/year=2025/month=11/day=20/{root}.{content}.jsonl.gz"
    assert [line["record_id"] for line in cloud.archived()] == ["row-1", "row-2"]
    assert cloud.archived()[0]["lineage"][-1] == {
        "node_id": "nightly",
        "parent_id": "row-1",
        "action_taken": "DATA_COMPACTION",
        "recordedAt": NOON,
        "storage_location": f"s3://{bucket}/traces/year=2025/month=11/day=20/",
    }
    assert cloud.dirty() == set()


def test_records_that_expired_are_taken_from_the_last_archive(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.trace(**REQUEST)
    cloud.now_s += 25 * HOUR
    cloud.expire()
    cloud.load(a_message(node_id="late", parent_id="row-1", recordedAt=cloud.now_s))
    cloud.trace(**{**REQUEST, "day": "2025-11-21"})

    assert [[step["node_id"] for step in line["lineage"][:-1]] for line in cloud.archived()] == [
        ["file", "row-1", "late"],
        ["file", "row-2"],
    ]


def test_a_root_above_the_threshold_is_deferred_and_logged(cloud, monkeypatch):
    monkeypatch.setenv("TRACE_RECORDS_MAX", "2")
    cloud.load(*messages(FILE_AND_ROWS))

    assert cloud.trace(**REQUEST) == []
    assert cloud.objects() == {}
    assert cloud.dirty() == {"flights"}
    assert [item["deferred_gen"] for item in cloud.items("Graph") if "gen" in item] == [{"N": "1"}]


COMB = {"n0": "flights", **{f"n{n}": f"n{n - 1}" for n in range(1, 10)}, **{f"leaf-{n}": f"n{n}" for n in range(10)}}


@pytest.fixture
def few_steps(monkeypatch):
    """Bounds as of a small world: 40 steps for free, or 3 for each record."""
    monkeypatch.setattr(root_records, "_STEPS_FREE", 40)
    monkeypatch.setattr(root_records, "_STEPS_OF_RECORD_MAX", 3)


def test_a_root_whose_lines_are_out_of_proportion_is_missing_on_its_day_and_not_tried_again(cloud, few_steps):
    cloud.load(*messages(COMB), *messages(FILE_AND_ROWS, root_id="other"))
    plan = cloud.plan(DAY)
    assert cloud.enqueue(plan) == 2
    cloud.traces()

    assert [item["refused_gen"] for item in cloud.items("Graph") if "refused_gen" in item] == [{"N": "1"}]
    assert cloud.check(plan)["settled"] is True
    assert cloud.step("left", **plan)["roots"] == []
    assert cloud.seal(plan)["missing"] == 1
    assert cloud.archived_nodes("other") == set(FILE_AND_ROWS)
    for day in (NEXT_DAY, "2025-11-22"):
        cloud.now_s += 24 * HOUR
        next_plan = cloud.plan(day)
        assert cloud.enqueue(next_plan) == 0
        assert cloud.seal(next_plan)["missing"] == 0


def test_the_records_of_a_refused_root_outlive_the_table_and_are_archived_once_they_fit(cloud, few_steps, monkeypatch):
    cloud.load(*messages(COMB))
    assert cloud.trace(**REQUEST) == []
    cloud.expire()
    assert cloud.objects() == {}
    assert cloud.trace(**REQUEST) == []

    monkeypatch.setattr(root_records, "_STEPS_FREE", 80)
    cloud.load(a_message(node_id="n10", parent_id="n9"))
    assert cloud.trace(**REQUEST) == []
    assert cloud.archived_nodes() == {*COMB, "n10"}
    assert cloud.dirty() == set()


def test_a_root_with_more_steps_than_the_function_renders_is_left_to_spark(cloud, monkeypatch):
    monkeypatch.setattr(traces, "_STEPS_MAX", 64)
    cloud.load(*messages(COMB))
    assert cloud.trace(**REQUEST) == []
    assert [item["deferred_gen"] for item in cloud.items("Graph") if "gen" in item] == [{"N": "1"}]
    monkeypatch.setattr(traces, "_STEPS_MAX", 65)
    assert cloud.trace(**REQUEST) == []
    assert cloud.archived_nodes() == set(COMB)


def test_a_root_that_would_not_be_done_in_time_is_left(cloud):
    cloud.load(*messages(FILE_AND_ROWS))

    assert cloud.failed(trace_function.handler, "TraceQueue", [{"root_id": "flights"}], remaining_s=30) == []
    assert cloud.objects() == {}
    assert cloud.dirty() == {"flights"}


def test_a_day_that_is_sealed_passes_its_traces_on_to_the_next_open_one(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.compact(DAY)
    cloud.load(a_message(node_id="row-3", parent_id="file"))
    cloud.trace(**REQUEST)

    assert [key.split("/")[3] for key in cloud.objects()] == ["day=20", "day=21"]
    assert cloud.archived_nodes() == {"file", "row-1", "row-2", "row-3"}


def test_a_record_of_other_content_that_the_archive_already_has_goes_to_the_dead_letters(cloud):
    cloud.load(a_message())
    cloud.trace(**REQUEST)
    cloud.now_s += 25 * HOUR
    cloud.expire()
    other = a_message(storage_location="s3://b/other.csv", recordedAt=cloud.now_s)
    cloud.load(other)
    cloud.trace(**{**REQUEST, "day": "2025-11-21"})

    assert cloud.archived()[0]["lineage"][0]["storage_location"] == "s3://b/in.csv"
    assert cloud.bodies("RecordsDeadLetters") == [other]


def of_each(cloud, roots, **request):
    """Trace roots in a batch; list the positions of the failed messages."""
    bodies = [{"root_id": root_id, **REQUEST, **request} for root_id in roots]
    return cloud.failed(trace_function.handler, "TraceQueue", bodies)


def commits(cloud):
    """Count the roots of each commit from now on."""
    sent = []

    def note(params, **_):
        sent.append(len(json.loads(params["body"])["TransactItems"]) // 2)

    cloud.dynamodb.meta.events.register("before-call.dynamodb.TransactWriteItems", note)
    return sent


ROOTS = [f"r-{number}" for number in range(10)]


def test_the_roots_of_a_batch_share_a_commit(cloud):
    cloud.load(*(message for root_id in ROOTS for message in messages(FILE_AND_ROWS, root_id)))
    committed = commits(cloud)

    assert of_each(cloud, ROOTS) == []
    assert committed == [10]
    assert (len(cloud.objects()), cloud.dirty()) == (10, set())
    assert all(cloud.archived_nodes(root_id) == set(FILE_AND_ROWS) for root_id in ROOTS)


def test_a_large_root_of_a_batch_is_traced_alone(cloud, monkeypatch):
    monkeypatch.setenv("TRACE_RECORDS_MAX", "12")
    large = {"file": "large", **{f"row-{number}": "file" for number in range(10)}}
    cloud.load(*messages(large, "large"), *messages(FILE_AND_ROWS), *messages(FILE_AND_ROWS, "other"))
    committed = commits(cloud)

    assert of_each(cloud, ["flights", "large", "other"]) == []
    assert committed == [2, 1]
    assert (cloud.archived_nodes("large"), cloud.dirty()) == (set(large), set())


def test_a_large_root_waits_for_a_function_with_time(cloud, monkeypatch):
    monkeypatch.setenv("TRACE_RECORDS_MAX", "8")
    cloud.load(*messages(FILE_AND_ROWS), *messages(FILE_AND_ROWS, "other"))
    bodies = [{"root_id": root_id, **REQUEST} for root_id in ("flights", "other")]

    assert cloud.failed(trace_function.handler, "TraceQueue", bodies, remaining_s=400) == [0, 1]
    assert cloud.dirty() == {"flights", "other"}
    assert [item for item in cloud.items("Graph") if "deferred_gen" in item] == []


def test_a_failed_upload_and_a_message_at_fault_harm_no_neighbour(cloud):
    cloud.load(*(message for root_id in ROOTS[:3] for message in messages(FILE_AND_ROWS, root_id)))
    faulty = sha256_hex("r-1")
    only = lambda params: faulty in params["url"]  # noqa: E731 - a condition
    with before(cloud.s3, "PutObject", refused("ServiceUnavailable"), times=99, only=only):
        assert of_each(cloud, [*ROOTS[:3], ""]) == [3, 1]

    assert cloud.dirty() == {"r-1"}
    assert of_each(cloud, ["r-1"]) == []
    assert cloud.dirty() == set()


@pytest.mark.parametrize("effective", [False, True], ids=["before the call", "after the call"])
def test_a_batch_killed_at_any_call_is_completed_by_a_redelivery(cloud, effective):
    for number in range(1, 100):
        roots = [f"{number}-a", f"{number}-b"]
        cloud.load(*(message for root_id in roots for message in messages(FILE_AND_ROWS, root_id)))
        with killed_at((cloud.dynamodb, cloud.s3), number, effective=effective) as counted, suppress(Killed):
            of_each(cloud, roots, marked=[DAY])
        assert of_each(cloud, roots, marked=[DAY]) == []
        assert (cloud.dirty(), [cloud.archived_nodes(root_id) for root_id in roots]) == (
            set(),
            [set(FILE_AND_ROWS)] * 2,
        )
        if counted[0] < number:
            break
    assert 8 < number < 99


def test_a_foreign_commit_of_a_root_delays_no_neighbour(cloud):
    for root_id in ROOTS[:3]:
        cloud.load(*messages(FILE_AND_ROWS, root_id))

    def other():
        cloud.load(a_message(root_id="r-1", node_id="row-3", parent_id="file"))
        cloud.trace("r-1", **REQUEST)

    with meanwhile(cloud.dynamodb, "TransactWriteItems", other):
        assert of_each(cloud, ROOTS[:3]) == []

    assert cloud.dirty() == set()
    assert [len(cloud.archived_nodes(root_id)) for root_id in ROOTS[:3]] == [3, 4, 3]


def test_a_day_sealed_under_a_batch_passes_its_roots_to_the_next_day(cloud):
    cloud.load(*(message for root_id in ROOTS[:2] for message in messages(FILE_AND_ROWS, root_id)))
    with meanwhile(cloud.dynamodb, "TransactWriteItems", lambda: cloud.seal(cloud.plan(DAY))):
        assert of_each(cloud, ROOTS[:2]) == []

    assert [key.split("/")[3] for key in cloud.objects()] == ["day=21"] * 2


def test_a_root_twice_in_a_batch_and_a_clean_root_are_traced_once(cloud):
    cloud.load(*messages(FILE_AND_ROWS), *messages(FILE_AND_ROWS, "other"))
    cloud.trace("other", **REQUEST)

    assert of_each(cloud, ["flights", "flights", "other"], marked=[DAY]) == []
    assert [version for version, _ in objects_of(cloud, DAY)] == [1, 1]


def objects_of(cloud, day):
    """The day's committed objects of the root, the oldest first: (version, base)."""
    objects = Pointers(cloud.dynamodb, cloud.outputs["GraphTableName"]).objects_of(day)
    return sorted((stored.version, stored.base) for stored in objects)


def key_of_last(cloud):
    return Pointers(cloud.dynamodb, cloud.outputs["GraphTableName"]).find("flights").object.key


def test_an_object_names_the_last_one_of_an_earlier_day(cloud):
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.trace(day=DAY)
    cloud.load(a_message(node_id="row-3", parent_id="file"))
    cloud.trace(day=DAY)
    base = key_of_last(cloud)
    cloud.now_s += 24 * HOUR
    for node in ("row-4", "row-5"):
        cloud.load(a_message(node_id=node, parent_id="file"))
        cloud.trace(day=NEXT_DAY)

    assert objects_of(cloud, DAY) == [(1, None), (2, None)]
    assert objects_of(cloud, NEXT_DAY) == [(3, base), (4, base)]


def test_a_roots_objects_never_go_back_in_days(cloud):
    cloud.now_s += 24 * HOUR
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.trace(day=NEXT_DAY)
    cloud.load(a_message(node_id="row-3", parent_id="file"))
    cloud.trace(day=DAY)

    assert (objects_of(cloud, DAY), objects_of(cloud, NEXT_DAY)) == ([], [(1, None), (2, None)])
    assert cloud.dirty() == set()


@pytest.mark.parametrize(
    ("compacted", "requested", "committed"),
    [
        (None, "2001-01-01", "2025-11-17"),  # before a first digest: as far back as compaction looks
        (None, "2025-11-18", "2025-11-18"),
        ("2025-11-19", "2025-11-12", "2025-11-20"),  # never sealed, but before the chain's end: no digest will cover it
        ("2025-11-19", "2025-11-19", "2025-11-20"),
        ("2025-11-19", "2025-11-20", "2025-11-20"),
    ],
)
def test_an_object_lies_on_a_day_that_a_digest_will_cover(cloud, compacted, requested, committed):
    if compacted:
        cloud.compact(compacted)
    cloud.load(*messages(FILE_AND_ROWS))
    cloud.trace(day=requested)
    assert key_of_last(cloud).startswith(f"traces/year={committed[:4]}/month={committed[5:7]}/day={committed[8:]}/")
