"""Time ranges as CDAP takes them: seconds, or arithmetic on now; from the start on, before the end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.api.http.parameters import RequestedRange, parse_moment
from headwater.queries.results.columns import TimeRange

NOW_S = 1_763_640_000
HOUR_MS = 3_600_000


@pytest.mark.parametrize(
    ("text", "moment_ms"),
    [
        ("0", 0),
        ("1442863938", 1_442_863_938_000),
        ("253402300799", 253_402_300_799_000),
        ("now", NOW_S * 1_000),
        ("now-1h", NOW_S * 1_000 - HOUR_MS),
        ("now-1d+4h", NOW_S * 1_000 - 20 * HOUR_MS),
        ("now+30s-250ms", NOW_S * 1_000 + 29_750),
        ("now-90m", NOW_S * 1_000 - HOUR_MS - HOUR_MS // 2),
        ("now-0d", NOW_S * 1_000),
    ],
)
def test_a_time_is_seconds_or_steps_from_now(text, moment_ms):
    assert parse_moment(text, NOW_S) == moment_ms


@pytest.mark.parametrize(
    "text",
    [
        *("", "-100", "+100", "1.5", "1e9", "1442863938000", "٣", " 1", "1 "),
        *("NOW", "now-1", "now-h", "now-1H", "now - 1h", "now-1h4d", "now-1w", "now--1h", "now-1.5h", "1-1h", "nownow"),
        *("yesterday", "2025-11-20", "2025-11-20T12:00:00Z", "now-1000000d", "now+9999999d", "253402300800"),
    ],
)
def test_other_texts_are_no_times(text):
    with pytest.raises(ValueError, match="must be"):
        parse_moment(text, NOW_S)


@given(st.lists(st.tuples(st.integers(-10_000, 10_000), st.sampled_from(["ms", "s", "m", "h", "d"])), max_size=5))
def test_steps_add_up_whatever_their_order(steps):
    def moment(offsets):
        return parse_moment("now" + "".join(f"{count:+}{unit}" for count, unit in offsets), NOW_S)

    units = {"ms": 1, "s": 1_000, "m": 60_000, "h": HOUR_MS, "d": 24 * HOUR_MS}
    whole = NOW_S * 1_000 + sum(count * units[unit] for count, unit in steps)
    assert moment(steps) == moment(steps[::-1]) == whole


def test_a_range_is_a_window_of_runs_to_the_millisecond():
    assert RequestedRange(1_442_863_938_000, 1_442_881_938_250).time_range == TimeRange(
        "2015-09-21T19:32:18.000000Z", "2015-09-22T00:32:18.250000Z"
    )
