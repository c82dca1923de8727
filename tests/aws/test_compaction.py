"""The compaction's steps: dirty roots found without a scan, waited for, sealed into a chain of digests."""

from __future__ import annotations

import gzip
import hashlib
import json

import pytest
from botocore.awsrequest import AWSResponse

from lineage.aws.items import batch_write
from lineage_model.errors import Conflict, Invalid
from lineage_model.ids import sha256_hex
from tests.aws.faults import Killed, after, before
from tests.builders import DAY, HOUR, NOON, a_message, messages
from tests.builders_events import a_run_event

NEXT_DAY = "2025-11-21"


def digest_of(cloud, day):
    body = cloud.objects(f"digests/year={day[:4]}/month={day[5:7]}/day={day[8:]}/")
    ((_, compressed),) = body.items()
    head, *entries, counts = map(json.loads, gzip.decompress(compressed).splitlines())
    objects = [entry for entry in entries if "key" in entry]
    missing = [entry["missing"] for entry in entries if "missing" in entry]
    event_objects = [entry["event_object"] for entry in entries if "event_object" in entry]
    digest = {**head, **counts, "objects": objects, "missing": missing, "event_objects": event_objects}
    return digest, hashlib.sha256(compressed).hexdigest()


def roots(number):
    return [message for root in range(number) for message in messages({"file": f"r{root}", "row": "file"}, f"r{root}")]


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
    assert {one["key"]: one["sha256"] for one in digest["objects"]} == {
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


def test_each_digest_names_the_one_before(cloud):
    cloud.load(*roots(1))
    cloud.compact(DAY)
    cloud.now_s += 24 * HOUR
    cloud.compact(NEXT_DAY)

    _, sha256 = digest_of(cloud, DAY)
    digest, _ = digest_of(cloud, NEXT_DAY)
    key = "digests/year=2025/month=11/day=20/digest.jsonl.gz"
    assert digest["previous"] == {"day": DAY, "key": key, "sha256": sha256}


def test_sealing_again_changes_nothing(cloud):
    cloud.load(*roots(2))
    first = cloud.compact(DAY)
    before = cloud.objects("")
    cloud.now_s += HOUR

    assert cloud.compact(DAY) == first
    assert cloud.objects("") == before


def test_sealing_a_later_day_again_changes_nothing(cloud):
    cloud.compact(DAY)
    cloud.now_s += 24 * HOUR
    cloud.load_events(a_run_event())
    cloud.load(a_message(recordedAt=cloud.now_s))
    first = cloud.compact(NEXT_DAY)
    before = cloud.objects("")
    cloud.now_s += 24 * HOUR

    assert cloud.compact(NEXT_DAY) == first
    cloud.compact("2025-11-22")
    assert cloud.compact(NEXT_DAY) == first
    assert {key: body for key, body in cloud.objects("").items() if "day=22" not in key} == before


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
    assert {one["key"] for one in second["event_objects"]} == set(cloud.objects("events/"))


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


def put_digest(cloud, day, *lines):
    key = f"digests/year={day[:4]}/month={day[5:7]}/day={day[8:]}/digest.jsonl.gz"
    body = gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines))
    cloud.s3.put_object(Bucket=cloud.outputs["ArchiveBucketName"], Key=key, Body=body)


def test_a_digest_that_somebody_else_put_in_its_place_is_not_taken_for_the_days(cloud):
    head = {"version": 1, "day": DAY, "execution": "nightly", "sealed_at": cloud.now_s, "previous": None}
    counts = dict.fromkeys(("objects", "roots", "records", "lines", "size_bytes", "missing"), 0)
    cloud.load(*roots(1))
    plan = cloud.plan(DAY)
    with pytest.raises(Killed), before(cloud.s3, "PutObject", Killed()):
        cloud.seal(plan)
    put_digest(cloud, DAY, head, {"counts": counts})
    with pytest.raises(Conflict, match=r"digest.jsonl.gz is not what sealing 2025-11-20 writes"):
        cloud.seal(plan)
    assert cloud.dirty() == {"r0"}


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


def test_the_day_before_is_the_default(cloud):
    assert cloud.plan(None) == {
        "day": "2025-11-19",
        "execution": "nightly",
        "started_at": NOON,
        "deadline": NOON + 6 * HOUR,
        "poll_s": 30,
        "publish_again": False,
        "shards": list(range(16)),
    }


@pytest.mark.parametrize("day", ["2025-11-21", "20-11-2025", "", 20251120, "2025-11-31"])
def test_a_day_that_is_none_or_not_yet_is_refused(cloud, day):
    with pytest.raises(Invalid, match="day: must be a day as YYYY-MM-DD, at the latest 2025-11-20, got"):
        cloud.plan(day)


@pytest.mark.parametrize("step", ["slice", "check", "left", "seal", "release", "unpublished", "publish"])
@pytest.mark.parametrize("day", ["2025-11-21", "9999-12-31", "2025-11-31", "20251120", "../2025", None])
def test_no_step_takes_a_day_that_is_none_or_not_yet(cloud, step, day):
    with pytest.raises(Invalid, match="day: must be a day as YYYY-MM-DD, at the latest 2025-11-20, got"):
        cloud.step(step, day=day, execution="nightly")
    assert cloud.objects("") == {}


@pytest.mark.parametrize("poll_s", [0, 901, 1.5, "30", True, None])
def test_a_pause_that_the_state_machine_could_not_wait_is_refused(cloud, poll_s):
    with pytest.raises(Invalid, match="poll_s: must be a whole number of seconds, 1 to 900, got"):
        cloud.step("plan", input={"poll_s": poll_s}, execution="nightly", started_at="2025-11-20T12:00:00Z")


def test_a_day_before_the_end_of_the_chain_is_refused(cloud):
    cloud.compact(DAY)

    with pytest.raises(Invalid, match="must not precede 2025-11-20"):
        cloud.plan("2025-11-19")


def test_only_one_execution_holds_the_archive_until_it_seals_releases_or_its_lease_is_over(cloud):
    plan = cloud.plan(DAY, "one")
    with pytest.raises(Conflict):
        cloud.plan(DAY, "two")
    assert cloud.plan(DAY, "one") == plan
    cloud.seal(plan)
    cloud.step("release", day=DAY, execution="other")
    cloud.plan(DAY, "two")
    cloud.step("release", day=DAY, execution="two")
    cloud.plan(DAY, "three")
    cloud.now_s += 8 * HOUR
    cloud.plan(DAY, "four")


def test_the_day_has_no_pending_root_when_its_last_root_is_traced(cloud):
    cloud.load(*roots(3))
    plan = cloud.plan(DAY)
    cloud.enqueue(plan)
    state = {"day": DAY, "deadline": plan["deadline"]}
    waiting = cloud.step("check", **state, shard=0)
    cloud.traces()

    assert waiting["settled"] is False
    assert cloud.step("check", **state, shard=waiting["shard"]) == {"settled": True, "shard": 16}


def test_at_the_deadline_the_day_is_sealed_with_the_missing_roots_listed_and_carried_over(cloud):
    cloud.load(*roots(2))
    plan = cloud.plan(DAY)
    cloud.enqueue(plan)
    cloud.bodies("TraceQueue")
    cloud.now_s = plan["deadline"]
    assert cloud.step("check", day=DAY, deadline=plan["deadline"], shard=0)["settled"] is True
    sealed = cloud.seal(plan)

    assert (sealed["missing"], sealed["objects"]) == (2, 0)
    assert digest_of(cloud, DAY)[0]["missing"] == sorted(map(sha256_hex, ["r0", "r1"]))
    cloud.now_s += 24 * HOUR
    assert cloud.compact(NEXT_DAY)["objects"] == 2
    assert cloud.dirty() == set()


def test_a_root_deferred_to_the_spark_tracer_is_listed_but_not_waited_for(cloud, monkeypatch):
    monkeypatch.setenv("TRACE_RECORDS_MAX", "1")
    cloud.load(*roots(1))
    plan = cloud.plan(DAY)
    cloud.enqueue(plan)
    cloud.traces()

    assert cloud.step("check", day=DAY, deadline=plan["deadline"], shard=0)["settled"] is True
    assert cloud.seal(plan)["missing"] == 1
    cloud.now_s += 24 * HOUR
    assert cloud.enqueue(cloud.plan(NEXT_DAY)) == 0
    assert cloud.dirty() == {"r0"}


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


def test_what_died_before_its_commit_is_removed_when_the_day_is_sealed(cloud):
    cloud.load(*roots(1))
    orphan = f"traces/year=2025/month=11/day=20/{'0' * 64}.{'1' * 64}.jsonl.gz"
    cloud.s3.put_object(Bucket=cloud.outputs["ArchiveBucketName"], Key=orphan, Body=b"half")
    cloud.compact(DAY)

    assert orphan not in cloud.objects()
    assert len(cloud.objects()) == 1


def test_what_came_too_late_for_its_day_is_removed_the_next_night_and_nothing_that_the_digest_lists(cloud):
    cloud.load(*roots(2))
    cloud.compact(DAY)
    sealed = cloud.objects()
    late = f"traces/year=2025/month=11/day=20/{'0' * 64}.{'1' * 64}.jsonl.gz"
    cloud.s3.put_object(Bucket=cloud.outputs["ArchiveBucketName"], Key=late, Body=b"late")
    cloud.now_s += 24 * HOUR
    cloud.compact(NEXT_DAY)

    assert cloud.objects() == sealed


def test_a_slice_that_runs_out_of_time_goes_on_where_it_stopped(cloud):
    cloud.load(*roots(40))
    plan = cloud.plan(DAY)
    state = {name: plan[name] for name in ("day", "execution", "started_at")}
    rounds = 0
    enqueued = 0
    for shard in range(16):
        event = {**state, "shard": shard, "cursor": None, "enqueued": 0}
        while True:
            response = cloud.step("slice", **event, remaining_s=1)
            rounds += 1
            if response["cursor"] is None:
                break
            event = {**event, **response}
        enqueued += response["enqueued"]

    assert enqueued == 40
    assert rounds > 16
    assert sorted(body["root_id"] for body in cloud.bodies("TraceQueue")) == sorted(f"r{n}" for n in range(40))


def test_compaction_never_reads_the_records_table(cloud):
    cloud.load(*roots(3))
    requested = []
    cloud.dynamodb.meta.events.register(
        "before-parameter-build.dynamodb",
        lambda params, model, **_: requested.append((model.name, params.get("TableName"))),
    )
    plan = cloud.plan(DAY)
    cloud.enqueue(plan)
    cloud.step("check", day=DAY, deadline=plan["deadline"], shard=0)
    cloud.seal(plan)

    assert requested
    assert {name for name, _ in requested} & {"Scan"} == set()
    assert cloud.outputs["RecordsTableName"] not in {table for _, table in requested}


def test_an_unknown_step_is_named(cloud):
    with pytest.raises(
        Invalid, match="step: must be one of plan, slice, check, left, seal, release, unpublished, publish, got 'plam'"
    ):
        cloud.step("plam")


# Takes long: moto takes 2 ms for each of ten thousand roots.
def test_ten_thousand_roots_of_a_day_are_enqueued_once_each(cloud):
    mark_all(cloud, 10_000, gen=1, traced_gen=0)
    sent = []

    def take(params, **_):
        entries = json.loads(params["body"])["Entries"]
        sent.extend(json.loads(entry["MessageBody"])["root_id"] for entry in entries)
        return AWSResponse("http://queue", 200, {}, None), {"Successful": [], "Failed": []}

    cloud.sqs.meta.events.register_first("before-call.sqs.SendMessageBatch", take)
    plan = cloud.plan(DAY)
    state = {"day": DAY, "deadline": plan["deadline"]}
    assert cloud.enqueue(plan) == 10_000
    assert sorted(sent) == sorted(f"root-{number}" for number in range(10_000))
    assert cloud.step("check", **state, shard=0) == {"settled": False, "shard": 0}
    mark_all(cloud, 10_000, gen=1, traced_gen=1)

    assert cloud.step("check", **state, shard=0) == {"settled": True, "shard": 16}
    assert cloud.seal(plan)["missing"] == 0


def mark_all(cloud, number, **generations):
    """The marks that loading (and tracing) so many roots leaves behind."""
    numbers = {name: {"N": str(value)} for name, value in generations.items()}
    puts = []
    for root_id in (f"root-{place}" for place in range(number)):
        sha = sha256_hex(root_id)
        key = {"pk": {"S": f"DIRTY#{DAY}#{sha[0]}"}, "sk": {"S": sha}}
        puts.append({"PutRequest": {"Item": {**key, "root_id": {"S": root_id}, **numbers}}})
    batch_write(cloud.dynamodb, cloud.outputs["GraphTableName"], puts)
