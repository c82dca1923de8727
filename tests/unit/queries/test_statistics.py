"""Counts of events and things by the hour and the day: a function of the set of events, and cheap."""

import random
from dataclasses import replace
from datetime import timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse, Description, Event
from headwater.facts.apply import apply_statements
from headwater.loading.event_index import EventIndex, IndexedEvent
from headwater.queries.service import LineageQueries
from headwater.times import from_seconds
from headwater_model.ids import DatasetId, JobId
from tests.examples import examples
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.runs_model import Model
from tests.unit.facts.loaders import Simulation
from tests.unit.facts.strategies import RUNS, arrivals, stamped
from tests.unit.facts.test_simulation import in_messages
from tests.unit.queries.every_query import loaded

NOON = 1_763_640_000  # 2025-11-20T12:00:00Z
HOUR, DAY = 3_600, 86_400
KINDS = ("jobs", "datasets", "sources")
# The present hour, some of the last day and of the last week, and one before both.
TIMES = tuple(from_seconds(NOON - ago) for ago in (-HOUR, 0, HOUR, 3 * HOUR, 30 * HOUR, 9 * DAY))
NAMES = ("raw", "checked", "totals")

_uses = st.lists(
    st.builds(
        lambda name, source, temporary: DatasetUse(
            DatasetId("s3://flights", name), {"dataSource": {"name": source}} if source else {}, {}, temporary
        ),
        st.sampled_from(NAMES),
        st.sampled_from((None, "lake", "warehouse")),
        st.sampled_from((False, False, True)),
    ),
    max_size=2,
    unique_by=lambda use: use.dataset,
).map(tuple)
_events = st.builds(
    lambda time, job, run, uses: stamped(
        Event(kind="RUN", time=time, hash="", type="START", run=run, job=JobId("emissions", job), outputs=uses)
    ),
    st.sampled_from(TIMES),
    st.sampled_from(("check", "calculate", "copy")),
    st.sampled_from(RUNS),
    _uses,
)
_described = st.builds(
    lambda time, name: stamped(Description(time=time, hash="", source=name, values={"type": "LAKE"})),
    st.sampled_from(TIMES),
    st.sampled_from(("lake", "new")),
)
histories = st.lists(
    st.one_of(_events, _events, _described), min_size=1, max_size=7, unique_by=lambda statement: statement.hash
)


def counts(queries):
    how = {"now_s": NOON + 60, "zone": ZoneInfo("Asia/Kolkata")}
    return {(kind, period): queries.count_things(kind, period, **how) for kind in KINDS for period in ("DAY", "WEEK")}


@examples(100)
@given(st.data())
def test_things_are_counted_by_their_first_mention_in_whatever_order_events_come(data):
    statements = data.draw(histories)
    table = loaded(*data.draw(arrivals(statements)))
    assert counts(LineageQueries(table)) == counts(Model(statements))


@examples(30)
@given(histories, st.integers(0, 2**32))
def test_things_are_counted_once_by_loaders_that_meet_and_die(statements, seed):
    dice, right = random.Random(seed), counts(Model(statements))
    for _ in range(5):
        assert counts(LineageQueries(Simulation(in_messages(statements, dice), dice).run())) == right


@pytest.mark.parametrize(
    ("zone", "started"),
    [
        ("UTC", [0, 0, 0, 0, 1, 0, 2]),
        # There the 20th begins at 11:00 of the 19th, and the event of 11:00 on the 20th is of the 21st.
        ("Pacific/Auckland", [0, 0, 0, 1, 0, 1, 1]),
        ("Asia/Kolkata", [0, 0, 0, 0, 1, 0, 2]),
    ],
)
def test_a_week_has_the_days_of_the_time_zone(zone, started):
    table = MemoryTable()
    times = [NOON, NOON - 3 * HOUR, NOON - 2 * DAY - 3 * HOUR]
    EventIndex(table).put(IndexedEvent(from_seconds(time_s), f"{time_s:064x}", type="START") for time_s in times)

    week = LineageQueries(table).count_events("WEEK", now_s=NOON + 60, zone=ZoneInfo(zone))

    assert [interval.numbers["START"] for interval in week] == started
    assert all(earlier.end == later.start for earlier, later in pairwise(week))


def test_a_day_of_hours_and_a_week_of_days_cost_a_few_requests_however_much_happened():
    table = MemoryTable()
    events = [
        Event(
            kind="RUN",
            time=from_seconds(NOON - number * 1_500),
            hash="",
            run=RUNS[0],
            job=JobId("emissions", f"job-{number}"),
        )
        for number in range(400)
    ]
    apply_statements([stamped(event) for event in events], table)
    for period in ("DAY", "WEEK"):
        for kind in KINDS:
            table.dynamo.calls = calls = Calls()
            LineageQueries(table).count_things(kind, period, now_s=NOON, zone=timezone.utc)
            # The counts of four partitions, and the catalogue: the changes of eight, their snapshots and, for a process
            # that is new, their parts.
            assert sum(calls.requests.values()) <= 4 + 8 + 1 + 1
        table.dynamo.calls = calls = Calls()
        LineageQueries(table).count_events(period, now_s=NOON, zone=timezone.utc)
        assert sum(calls.requests.values()) == 1


def test_a_further_event_of_known_things_writes_no_count_and_no_source():
    table, use = MemoryTable(), DatasetUse(DatasetId("s3://flights", "raw"), {"dataSource": {"name": "lake"}})
    kept = []
    for time in (NOON, NOON + HOUR):
        event = Event(kind="RUN", time=from_seconds(time), hash="", run=RUNS[0], job=JobId("emissions", "check"))
        apply_statements([stamped(replace(event, outputs=(use,)))], table)
        kept.append([item for item in table.dynamo.items() if item["pk"]["S"].startswith(("CREATED", "SOURCE"))])

    assert kept[0] == kept[1] != []
