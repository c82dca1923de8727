"""A day is sealed into a chain of digests, once, whatever fails meanwhile; what is missing is carried over."""

import hashlib

import pytest

from headwater.times import days_between
from headwater_model.ids import sha256_hex
from lambdas import wiring
from tests.aws.days import NEXT_DAY, digest_of, roots
from tests.aws.faults import Killed, after, killed_at
from tests.builders import DAY, HOUR, NOON, a_message
from tests.builders_events import a_run_event


def test_a_day_is_compacted_and_sealed(cloud):
    cloud.load(*roots(5))
    sealed = cloud.compact(DAY)

    digest, _ = digest_of(cloud, DAY)
    objects = cloud.objects()
    bucket = cloud.outputs["ArchiveBucketName"]
    assert sealed == {
        "day": DAY,
        "roots": 5,
        "objects": 5,
        "lines": 5,
        "missing": 0,
        "digest": f"s3://{bucket}/digests/year=2025/month=11/day=20/digest.jsonl.gz",
    }
    assert {entry["key"]: entry["sha256"] for entry in digest["objects"]} == {
        key: hashlib.sha256(body).hexdigest() for key, body in objects.items()
    }
    assert digest["counts"] == {
        "objects": 5,
        "roots": 5,
        "records": 10,
        "lines": 5,
        "size_bytes": sum(map(len, objects.values())),
        "missing": 0,
        "event_objects": 0,
        "event_bytes": 0,
    }
    assert (digest["previous"], digest["missing"]) == (None, [])


def test_a_digest_lists_the_events_that_arrived_since_the_one_before(cloud):
    cloud.now_s -= 24 * HOUR
    cloud.load_events(a_run_event())
    cloud.now_s += 24 * HOUR
    cloud.load_events(a_run_event(run="01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2d"))
    cloud.now_s += 13 * HOUR  # an hour after midnight
    cloud.compact(DAY)

    digest, _ = digest_of(cloud, DAY)
    stored = cloud.objects("events/")
    assert digest["events"] == {"after": "", "to": DAY}
    assert [key.split("/")[3] for key in stored] == ["day=19", "day=20"]
    assert digest["event_objects"] == [
        {"key": key, "sha256": hashlib.sha256(body).hexdigest(), "size_bytes": len(body)}
        for key, body in stored.items()
    ]
    assert digest["counts"]["event_objects"] == 2
    assert digest["counts"]["event_bytes"] == sum(map(len, stored.values()))


def test_events_of_a_day_that_is_not_over_are_left_to_the_next_digest(cloud):
    cloud.load_events(a_run_event())
    cloud.compact(DAY)
    cloud.load_events(a_run_event(run="01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2d"))
    cloud.now_s += 37 * HOUR
    cloud.compact(NEXT_DAY)

    first, second = (digest_of(cloud, day)[0] for day in (DAY, NEXT_DAY))
    assert (first["events"], first["event_objects"]) == ({"after": "", "to": "2025-11-19"}, [])
    assert second["events"] == {"after": "2025-11-19", "to": NEXT_DAY}
    assert {entry["key"] for entry in second["event_objects"]} == set(cloud.objects("events/"))


@pytest.mark.parametrize("operation", ["PutObject", "PutItem"])
def test_a_seal_that_died_covers_the_same_events_when_it_is_finished(cloud, operation):
    cloud.load_events(a_run_event())
    cloud.now_s += 13 * HOUR
    plan = cloud.plan(DAY)
    client = cloud.s3 if operation == "PutObject" else cloud.dynamodb
    with pytest.raises(Killed), after(client, operation, Killed()):
        cloud.seal(plan)
    cloud.now_s += 24 * HOUR
    cloud.seal(plan)

    assert digest_of(cloud, DAY)[0]["events"] == {"after": "", "to": DAY}
    cloud.compact(NEXT_DAY)
    assert digest_of(cloud, NEXT_DAY)[0]["events"] == {"after": DAY, "to": NEXT_DAY}


def test_a_seal_that_died_after_its_digest_is_finished_though_a_missing_root_was_traced_since(cloud):
    cloud.load(*roots(2))
    plan = cloud.plan(DAY)
    cloud.enqueue(plan)
    with pytest.raises(Killed), after(cloud.s3, "PutObject", Killed()):
        cloud.seal(plan)
    cloud.traces()

    assert cloud.seal(plan)["missing"] == 2
    assert digest_of(cloud, DAY)[0]["missing"] == sorted(map(sha256_hex, ["r0", "r1"]))
    cloud.now_s += 24 * HOUR
    assert cloud.compact(NEXT_DAY)["objects"] == 2


def test_days_that_nobody_compacted_are_caught_up_with_in_order(cloud):
    cloud.load(*roots(1))
    cloud.compact(DAY)
    cloud.now_s += 72 * HOUR
    cloud.load(a_message(node_id="late", recordedAt=cloud.now_s))
    cloud.compact("2025-11-23")

    chain = [digest_of(cloud, day)[0] for day in ("2025-11-21", "2025-11-22", "2025-11-23")]
    assert [digest["previous"]["day"] for digest in chain] == ["2025-11-20", "2025-11-21", "2025-11-22"]
    assert [digest["counts"]["objects"] for digest in chain] == [0, 0, 1]


def test_at_the_deadline_the_day_is_sealed_with_the_missing_roots_listed_and_carried_over(cloud):
    cloud.load(*roots(2))
    plan = cloud.plan(DAY)
    cloud.enqueue(plan)
    cloud.bodies("TraceQueue")
    cloud.now_s = plan["deadline"]
    assert cloud.check(plan)["settled"] is True
    sealed = cloud.seal(plan)

    assert (sealed["missing"], sealed["objects"]) == (2, 0)
    assert digest_of(cloud, DAY)[0]["missing"] == sorted(map(sha256_hex, ["r0", "r1"]))
    cloud.now_s += 24 * HOUR
    assert cloud.compact(NEXT_DAY)["objects"] == 2
    assert cloud.dirty() == set()


def test_a_seal_that_runs_out_of_time_goes_on_where_it_stopped(cloud):
    cloud.load(*roots(20))
    cloud.now_s += 72 * HOUR
    plan = cloud.plan("2025-11-23")
    state = {name: plan[name] for name in ("day", "execution", "started_at")}
    calls, sealed = [], plan["sealed"]
    while sealed["cursor"] is not None or not calls:
        sealed = cloud.step("seal", **state, cursor=sealed["cursor"], remaining_s=1)
        calls.append(sealed)

    # A piece each: no orphans, the days of the chain, then a shard of missed roots.
    shards = {sha256_hex(f"r{number}")[0] for number in range(20)}
    assert len(calls) == 2 + len(shards)
    assert {call["missing"] for call in calls[:-1]} == {None}
    assert sealed["missing"] == 20
    assert {mark.day for root in range(20) for mark in marks_of(cloud, f"r{root}") if mark.is_dirty} == {"2025-11-24"}
    cloud.plan("2025-11-23", "another")


def marks_of(cloud, root_id):
    return wiring.dirty_roots().find_on(root_id, days_between(DAY, "2025-11-24"))


WRITES = {"PutItem", "UpdateItem", "DeleteItem", "PutObject"}


@pytest.mark.parametrize(("remaining_s", "effective"), [(1, False), (600, True)])
@pytest.mark.slow
def test_a_seal_killed_at_any_write_leaves_no_missed_root_behind(cloud, remaining_s, effective):
    """Two roots were missed on a day that nobody compacted, one of them left to Spark."""
    for number in range(1, 100):
        cloud.forget("Graph")
        cloud.empty_archive()
        cloud.now_s = NOON
        cloud.load(*roots(2))
        wiring.dirty_roots().defer(marks_of(cloud, "r1")[0])
        cloud.now_s += 72 * HOUR
        plan = cloud.plan("2025-11-23")
        with killed_at((cloud.dynamodb, cloud.s3), number, effective=effective, operations=WRITES) as counted:
            try:
                cloud.seal(plan, remaining_s=remaining_s)
            except Killed:
                cloud.now_s += 8 * HOUR  # the lease is over: another execution begins anew
                cloud.seal(cloud.plan("2025-11-23", "another"), remaining_s=remaining_s)
        carried = {
            (mark.root_id, mark.is_pending)
            for root_id in ("r0", "r1")
            for mark in marks_of(cloud, root_id)
            if mark.is_dirty and mark.day == "2025-11-24"
        }
        assert carried == {("r0", True), ("r1", False)}, f"killed at write {number}"
        assert digest_of(cloud, "2025-11-23")[0]["missing"] == sorted(map(sha256_hex, ["r0", "r1"]))
        if counted[0] < number:
            assert number > 8
            return
    raise AssertionError("the seal does not end")


def test_records_between_trace_and_seal_are_archived_with_the_next_day(cloud):
    cloud.load(*roots(1))
    plan = cloud.plan(DAY)
    cloud.enqueue(plan)
    cloud.traces()
    cloud.load(a_message(root_id="r0", node_id="late", parent_id="row"))
    sealed = cloud.seal(plan)
    cloud.now_s += 24 * HOUR
    cloud.compact(NEXT_DAY)

    assert sealed["missing"] == 1
    assert cloud.archived_nodes("r0") == {"file", "row", "late"}
    assert cloud.dirty() == set()


def test_what_came_too_late_for_its_day_is_removed_the_next_night_and_nothing_that_the_digest_lists(cloud):
    cloud.load(*roots(2))
    cloud.compact(DAY)
    sealed = cloud.objects()
    late = f"traces/year=2025/month=11/day=20/{'0' * 64}.{'1' * 64}.jsonl.gz"
    cloud.s3.put_object(Bucket=cloud.outputs["ArchiveBucketName"], Key=late, Body=b"late")
    cloud.now_s += 24 * HOUR
    cloud.compact(NEXT_DAY)

    assert cloud.objects() == sealed
