"""The index of events against a plain sorted list, and two writers at once."""

import hashlib
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headwater.loading.event_index import COUNTED, EventIndex, IndexedEvent, read_hours
from headwater.times import from_seconds
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable

NOON = 1_763_640_000
EVER = {"low": "", "high": "~"}


def an_indexed_event(second, name="", **data):
    return IndexedEvent(from_seconds(NOON + second), hashlib.sha256(f"{second}{name}".encode()).hexdigest(), data)


def an_index(*events):
    index = EventIndex(MemoryTable())
    index.put(events)
    return index


# Minutes, hours, days, months and years apart, so that pages begin and end in every kind of place.
moments = st.sampled_from(
    [0, 1, 2, 59, 60, 61, 3600, 3601, 43_199, 43_200, 86_400, 86_460, 200_000, 5_000_000]
    + [40_000_000 + 2_700_000 * month for month in range(12)]
)
bounds = st.none() | st.builds(lambda second, more: from_seconds(NOON + second) + more, moments, st.sampled_from([""]))


@given(
    events=st.lists(st.tuples(moments, st.integers(0, 9)), max_size=40),
    low=bounds,
    high=bounds,
    newest_first=st.booleans(),
    limit=st.integers(0, 5),
    offset=st.integers(0, 40),
)
def test_a_page_is_that_part_of_all_events_in_order(events, low, high, newest_first, limit, offset):
    indexed = [an_indexed_event(second, number) for second, number in events]
    expected = sorted({(entry.time, entry.hash) for entry in indexed}, reverse=newest_first)
    expected = [entry for entry in expected if (low or "") <= entry[0] < (high or "~")]
    page = an_index(*indexed).page(
        low=low or "", high=high or "~", newest_first=newest_first, limit=limit, offset=offset
    )
    assert [(entry.time, entry.hash) for entry in page.items] == expected[offset : offset + limit]
    assert page.total == len(expected)


class Died(Exception):
    """The death of a loader."""


typed = st.tuples(moments, st.sampled_from(("START", "COMPLETE", "FAIL", "ABORT", "RUNNING", None)), st.integers(0, 3))


@given(
    st.lists(st.lists(typed, min_size=1, max_size=24), min_size=1, max_size=5), st.lists(st.integers(0, 9), max_size=5)
)
@example([[(0, "START", number) for number in range(24)]], [4])
def test_the_counts_by_hour_are_those_of_the_set_of_events_whoever_dies_and_whatever_comes_again(batches, deaths):
    table = MemoryTable()
    for number, batch in enumerate(batches):
        events = [replace(an_indexed_event(second, f"{kind}{name}"), type=kind) for second, kind, name in batch]
        left = deaths[number] if number < len(deaths) else None
        for calls, part in ((left, events), (None, events[::2]), (None, events[1::2])):
            dying = MemoryTable(table.dynamo, before=_dies_after(calls))
            with suppress(Died):
                EventIndex(dying).put(part)
    right = Counter(
        (from_seconds(NOON + second)[:13], kind) for second, kind, _ in set(chain(*batches)) if kind in COUNTED
    )
    counts = read_hours({hour[:10] for hour, _ in right}, table)
    assert {(hour, kind): number for hour, of in counts.items() for kind, number in of.items()} == right
    page = EventIndex(table).page(**EVER, newest_first=False, limit=1_000, offset=0)
    assert len(page.items) == page.total == len(set(chain(*batches)))
    assert not [item for item in table.dynamo.items() if item["sk"]["S"].startswith("COUNTED#")]


def _dies_after(calls):
    left = iter(range(calls if calls is not None else 10**6))

    def before(_name):
        if next(left, None) is None:
            raise Died

    return before


@pytest.mark.parametrize("offset", [0, 3_000, 5_999])
def test_a_page_far_into_a_long_list_costs_what_one_at_its_start_costs(offset):
    index = an_index(*(an_indexed_event(60 * number) for number in range(6_000)))
    table = index.table
    table.calls.clear()
    assert len(index.page(**EVER, newest_first=True, limit=1, offset=offset).items) == 1
    assert table.calls["query"] <= 3


@pytest.fixture(scope="module")
def days_20_000():
    return an_index(*(an_indexed_event(86_400 * (number - 10_000)) for number in range(20_000)))


@pytest.mark.parametrize("limit", [1, 10])
@pytest.mark.parametrize("where", [{"offset": 0}, {"offset": 9_999}, {"offset": 19_980}, {"high": from_seconds(NOON)}])
def test_a_page_of_events_on_20_000_days_costs_few_read_units(days_20_000, where, limit):
    days_20_000.table.dynamo.calls = calls = Calls()
    page = days_20_000.page(**{**EVER, "newest_first": True, "limit": limit, "offset": 0, **where})
    assert (len(page.items), page.total) == (limit, 10_000 if "high" in where else 20_000)
    # Two rows of a day and shard are a read unit, and a query that finds nothing is half of one.
    assert calls.read_units <= 20 + 4 * limit
