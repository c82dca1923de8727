"""The compaction's steps until the seal: the day is leased, dirty roots are found without a scan and waited for."""

import itertools
import random

import pytest

from headwater_model.errors import Conflict, Invalid
from tests.aws.days import NEXT_DAY, roots
from tests.aws.faults import meanwhile
from tests.builders import DAY, HOUR, a_message

NO_DAYS = ["2025-11-21", "9999-12-31", "2025-11-31", "20-11-2025", "20251120", 20251120, "../2025", ""]


def test_no_step_takes_a_day_that_is_none_or_not_yet(cloud):
    for step in ("slice", "check", "left", "seal", "release", "unpublished", "publish"):
        for day in [*NO_DAYS, None]:
            with pytest.raises(Invalid, match="day: must be a day as YYYY-MM-DD, at the latest 2025-11-20, got"):
                cloud.step(step, day=day, execution="nightly")
    assert cloud.objects("") == {}


def plan_of(cloud, given):
    return cloud.step("plan", input=given, execution="nightly", started_at="2025-11-20T12:00:00.250Z")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], r"^input: must be an object, got \[\]"),
        (None, "^input: must be an object, got None"),
        ({"dya": DAY}, "^dya: must be one of day, poll_s, publish_again, got '2025-11-20'"),
        ({"publish_again": 1}, "^publish_again: must be true or false, got 1"),
        ({"poll_s": 1, "again": True}, r"(?s)^again: must be one of .*poll_s: must be a whole number of seconds"),
        ({"day": "2024-11-18"}, "^day: must not precede 2024-11-19: every day since gets a digest, got '2024-11-18'"),
        ({"day": "0001-01-01"}, "^day: must not precede 2024-11-19"),
    ],
)
def test_an_input_that_cannot_work_is_refused_with_its_field_value_and_rule(cloud, given, message):
    with pytest.raises(Invalid, match=message):
        plan_of(cloud, given)
    assert cloud.items("Graph") == []


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


class Untraced:
    """The model: each root's untraced records by their times; a trace reads those that were there when it began."""

    def __init__(self, cloud, dice):
        self.cloud, self.dice = cloud, dice
        self.times = {"a": [], "b": [], "c": []}
        self._numbers = itertools.count()

    def act(self):
        """Load a record, trace a root, or load one while it is traced."""
        self.cloud.now_s += 1
        root = self.dice.choice(sorted(self.times))
        load = lambda: self.cloud.load(a_message(root_id=root, node_id=f"n-{next(self._numbers)}"))  # noqa: E731
        kind = self.dice.choice(["load", "trace", "both"]) if self.times[root] else "load"
        if kind == "load":
            load()
            self.times[root].append(self.cloud.now_s)
        else:
            with meanwhile(self.cloud.s3, "PutObject", load if kind == "both" else lambda: None):
                self.cloud.trace(root, marked=[DAY])
            self.times[root] = [self.cloud.now_s] if kind == "both" else []


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_a_compaction_waits_for_exactly_the_roots_with_untraced_records_from_before_it(cloud, seed):
    dice = random.Random(seed)
    seen = set()
    for _ in range(12):
        cloud.forget("Graph")
        untraced = Untraced(cloud, dice)
        for _ in range(dice.randint(0, 5)):
            untraced.act()
        cloud.now_s += 1
        started_s = cloud.now_s
        for _ in range(dice.randint(0, 5)):
            untraced.act()
        state = {"day": DAY, "started_ms": started_s * 1000, "deadline": cloud.now_s + HOUR, "shard": 0}
        waits = any(time_s <= started_s for times in untraced.times.values() for time_s in times)
        seen.add(waits)
        assert cloud.step("check", **state)["settled"] is not waits
    assert seen == {True, False}


def test_a_root_deferred_to_the_spark_tracer_is_listed_but_not_waited_for(cloud, monkeypatch):
    monkeypatch.setenv("TRACE_RECORDS_MAX", "1")
    cloud.load(*roots(1))
    plan = cloud.plan(DAY)
    cloud.enqueue(plan)
    cloud.traces()

    assert cloud.check(plan)["settled"] is True
    assert cloud.seal(plan)["missing"] == 1
    cloud.now_s += 24 * HOUR
    assert cloud.enqueue(cloud.plan(NEXT_DAY)) == 0
    assert cloud.dirty() == {"r0"}


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
    cloud.check(plan)
    cloud.seal(plan)

    assert requested
    assert {name for name, _ in requested} & {"Scan"} == set()
    assert cloud.outputs["RecordsTableName"] not in {table for _, table in requested}
