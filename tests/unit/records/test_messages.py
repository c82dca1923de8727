"""The messages of the records queues: what others put there by hand is read as a request is."""

from __future__ import annotations

import json
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.records.messages import parse_message
from headwater.records.queues import render_message
from headwater.records.request import parse_request
from headwater_model.errors import Invalid
from tests.builders import NOON, a_message, a_request

OFFSETS = st.integers(-23 * 60, 23 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
NAIVE = st.datetimes(datetime(1970, 1, 2), datetime(2025, 12, 31))  # noqa: DTZ001 - the strategy adds the zone
INSTANTS = st.builds(lambda naive, offset: naive.replace(tzinfo=offset), NAIVE, OFFSETS)
TIMESPECS = st.sampled_from(["seconds", "milliseconds", "microseconds"])


def loaded_at(recorded_at: object) -> int:
    [record] = parse_message(json.dumps(a_message(recordedAt=recorded_at))).records
    return record.recorded_at


@pytest.mark.parametrize("spelling", [NOON, "2025-11-20T12:00:00Z", "2025-11-20T13:00:00.900+01:00"])
def test_a_queued_time_may_be_written_as_a_request_writes_it(spelling):
    assert loaded_at(spelling) == NOON


@given(instant=INSTANTS, timespec=TIMESPECS)
def test_any_instant_is_loaded_as_the_second_that_a_request_makes_of_it(instant, timespec):
    spelling = instant.isoformat(timespec=timespec)
    request = a_request(requested_at=spelling)
    [requested] = parse_request(request, now_s=NOON + 10**9, new_id=lambda: "n-1").records

    assert loaded_at(spelling) == requested.recorded_at
    assert loaded_at(spelling) == int(instant.replace(microsecond=0).timestamp())


def test_a_time_that_was_loaded_travels_on_as_seconds():
    [record] = parse_message(json.dumps(a_message(recordedAt="2025-11-20T12:00:00Z"))).records

    assert json.loads(render_message(record)) == a_message()


@pytest.mark.parametrize(
    ("spelling", "rule"),
    [
        ("2025-11-20T12:00:00", "must carry a time zone, as in 2026-11-20T08:00:00Z"),
        ("noon", "must be whole seconds since 1970, or ISO 8601 with a time zone"),
        ("NOON", "must be whole seconds since 1970, or ISO 8601 with a time zone"),
        ("1969-12-31T23:59:59.500Z", "must be whole seconds since 1970, or ISO 8601 with a time zone"),
        (-1, "must be whole seconds since 1970, or ISO 8601 with a time zone"),
        (1.5, "must be whole seconds since 1970, or ISO 8601 with a time zone"),
        (2**63, "must be whole seconds since 1970, or ISO 8601 with a time zone"),
        (True, "must be whole seconds since 1970, or ISO 8601 with a time zone"),
    ],
)
def test_a_time_that_no_request_could_have_is_refused_by_name_value_and_rule(spelling, rule):
    with pytest.raises(Invalid) as refused:
        loaded_at(spelling)
    [fault] = refused.value.faults
    assert (fault.field, fault.rule) == ("recordedAt", rule)
