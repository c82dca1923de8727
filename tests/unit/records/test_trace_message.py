"""Messages of the trace queue: whoever may send them names a root, and at most a day that can be."""

import json
from datetime import date

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.aws.queues import QueuedMessage
from headwater.records.trace_message import TraceRequest, parse_trace_request
from headwater_model.errors import Invalid
from tests.builders import DAY, NOON

TOMORROW = "2025-11-21"


def parse(**fields):
    return parse_trace_request(QueuedMessage("m", json.dumps({"root_id": "r", **fields}), NOON * 1000))


@pytest.mark.parametrize(
    "fields",
    [
        {"day": "2025-11-22"},
        {"day": "9999-12-31"},
        {"day": "2025-02-29"},
        {"day": "2025-13-01"},
        {"day": "2025-W47-4"},
        {"day": "20251120"},
        {"day": "٢٠٢٥-١١-٢٠"},
        {"day": f"{DAY}\n"},
        {"day": "2025-11-20/../x"},
        {"day": ""},
        {"marked": ["2025-11-22"]},
        {"marked": ["2025-11-31"]},
        {"marked": [DAY] * 101},
        {"started_at": NOON + 24 * 3600 + 1},
        {"started_at": 10**30},
        {"execution": "e" * 2049},
    ],
)
def test_a_message_that_names_no_day_of_the_calendar_or_one_to_come_is_refused(fields):
    with pytest.raises(Invalid):
        parse(**fields)


def test_the_day_after_the_message_is_as_late_as_a_clock_that_is_ahead_may_name():
    assert parse(day=TOMORROW, marked=[DAY], started_at=NOON + 60) == TraceRequest(
        "r", TOMORROW, "m", NOON + 60, (DAY,)
    )
    assert parse() == TraceRequest("r", DAY, "m", NOON)


texts = st.one_of(
    st.dates().map(date.isoformat),
    st.from_regex(r"\d{4}-\d{2}-\d{2}", fullmatch=True),
    st.tuples(st.integers(0, 10**4), st.integers(0, 13), st.integers(0, 32)).map(
        lambda numbers: "{:04}-{:02}-{:02}".format(*numbers)
    ),
    st.text(max_size=12),
)


@given(texts)
@example(TOMORROW)
def test_a_trace_is_of_a_day_of_the_calendar_up_to_tomorrow_whatever_its_message_names(text):
    try:
        day = parse(day=text).day
    except Invalid:
        return
    assert date.fromisoformat(day).isoformat() == text <= TOMORROW
