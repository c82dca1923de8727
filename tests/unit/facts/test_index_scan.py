"""Scans of index rows, against reading all rows at once."""

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from headwater.facts.index_scan import IndexScan, advance, end_of, first_of_groups, time_of
from headwater.facts.keys import facts_key
from headwater.facts.table import Row
from headwater_model.ids import RunKey
from tests.fakes.memory_table import MemoryTable

PK, OTHER = "DS#one", "DS#other"
RUNS = [RunKey(f"run-{number}", "ns") for number in range(4)]
TIMES = [f"2025-11-20T12:0{number}" for number in range(6)]
KNOWN = RUNS[:3]
POSITIONS = st.tuples(st.sampled_from(TIMES), st.sampled_from(list(map(str, RUNS))))
# By the position of a row, that of its result (before it, or there); None if it is not confirmed.
ROWS = st.dictionaries(POSITIONS, st.none() | POSITIONS, max_size=12).map(
    lambda rows: {position: result and min(result, position) for position, result in rows.items()}
)
LATER_PAGES = st.integers(2, 5)
PAGES = st.builds(lambda first, later: [first, *later], st.integers(1, 5), st.lists(LATER_PAGES, min_size=1))


def position_of(row):
    return time_of(row), end_of(row)


def a_table(rows, other=()):
    """Return a table of the rows of two partitions, of neighbours of their prefix, and of facts of the first runs."""
    table = MemoryTable()
    table.put(
        [Row(pk, f"G#{'#'.join(position)}") for pk, positions in ((PK, rows), (OTHER, other)) for position in positions]
    )
    table.put([Row(PK, f"{prefix}#{TIMES[3]}#{RUNS[0]}") for prefix in ("F", "GA", "H")])
    table.put([Row(*facts_key(run), {"id": str(run), "facts": {}}) for run in KNOWN])
    table.calls.clear()
    return table


def a_scan(rows, pk=PK, **options):
    return IndexScan(pk, "G", lambda row, _: rows[position_of(row)], **options)


def confirmed(rows):
    """Return the results of rows of runs with facts, the newest row first."""
    known = set(map(str, KNOWN))
    return [rows[position] for position in sorted(rows, reverse=True) if rows[position] and position[1] in known]


@given(ROWS, PAGES)
def test_a_scan_has_read_as_many_rows_as_its_pages_hold_each_beginning_with_the_last_row_before(rows, pages):
    scan, table = a_scan(rows), a_table(rows)
    newest_first = sorted(rows, reverse=True)
    for size, read in zip(pages, accumulate(pages, lambda before, size: before + size - 1), strict=True):
        advance([scan], table, rows=size)
        assert list(scan.results.values()) == confirmed({position: rows[position] for position in newest_first[:read]})
        assert scan.watermark == (newest_first[read - 1] if read < len(rows) else ())
        if not scan.watermark:
            break


@given(ROWS, ROWS, PAGES)
def test_the_first_found_of_each_scan_is_its_newest_row_that_is_confirmed(rows, other, pages):
    scans = [a_scan(rows), a_scan(other, OTHER)]
    results = first_of_groups([[scan] for scan in scans], a_table(rows, other), pages=pages)
    assert results == [next(iter(confirmed(rows_of_scan)), None) for rows_of_scan in (rows, other)]


@given(ROWS, ROWS, PAGES)
def test_scans_for_one_thing_share_the_newest_although_it_may_be_older_than_its_row(rows, other, pages):
    results = {}
    scans = [
        a_scan(rows_of_scan, pk, results=results, order=lambda result: result)
        for rows_of_scan, pk in ((rows, PK), (other, OTHER))
    ]
    best = max([*confirmed(rows), *confirmed(other)], default=None)
    assert first_of_groups([scans], a_table(rows, other), pages=pages) == [best]


@given(ROWS, st.sampled_from(TIMES))
def test_a_scan_begins_at_its_upper_bound(rows, time):
    below = {position: result for position, result in rows.items() if position[0] < time}
    assert first_of_groups([[a_scan(rows, high=time)]], a_table(rows)) == [next(iter(confirmed(below)), None)]


@given(ROWS, PAGES, st.integers(1, 3))
def test_no_more_rounds_are_made_than_rounds_max(rows, pages, rounds):
    scan, table = a_scan(dict.fromkeys(rows)), a_table(rows)
    assert first_of_groups([[scan]], table, pages=pages, rounds_max=rounds) == [None]
    assert table.calls["query"] <= rounds
    assert table.calls["get"] <= table.calls["query"]


@given(ROWS)
def test_rows_that_need_no_facts_are_confirmed_without_and_cost_no_read_of_any(rows):
    scan, table = a_scan(rows, needs_facts=lambda _: False), a_table(rows)
    advance([scan], table, rows=100)
    assert list(scan.results.values()) == [rows[position] for position in sorted(rows, reverse=True) if rows[position]]
    assert table.calls == {"query": 1}
