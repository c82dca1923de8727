"""The catalogue of names: a reader misses no name while loaders add names and compact the catalogue."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import Deletion, Event
from headwater.facts.apply import apply_statements
from headwater.facts.catalogue import NAMES, PARTITIONS, SNAPSHOT, SOURCES, added_names_row, compact, read_catalogue
from headwater.queries.lists.name_lists import DOUBTFUL_MAX
from headwater.queries.service import LineageQueries
from headwater_model.errors import Unavailable
from headwater_model.ids import JobId
from tests.examples import examples
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.loaders import SteppedTable
from tests.unit.facts.strategies import TIMES, stamped

# The catalogue of names has several partitions. Sources have a single partition, so each write can be named.
PARTITIONS_OF = {NAMES: sorted(pk for pk in PARTITIONS if pk.startswith(f"{NAMES}#")), SOURCES: [SOURCES]}
JOBS = [f"job-{number:03}" for number in range(250)]


def a_mention(name, time=TIMES[0]):
    return stamped(Event(kind="JOB", time=time, hash="", job=JobId("emissions", name)))


def a_deletion(name, time=TIMES[1]):
    return stamped(Deletion(time=time, hash="", namespace="emissions", job=JobId("emissions", name)))


def listed(table, limit=1000, offset=0):
    page = LineageQueries(table).list_jobs(None, limit=limit, offset=offset)
    return [job.id.name for job in page.items], page.total


def items_of(table, catalogue):
    return [item for item in table.dynamo.items() if item["pk"]["S"] in PARTITIONS_OF[catalogue]]


def parts_of(table):
    return [item["sk"]["S"] for item in items_of(table, SOURCES) if item["sk"]["S"].startswith("PART#")]


def snapshot_of(table):
    return table.get([(SOURCES, SNAPSHOT)])[SOURCES, SNAPSHOT].data


def add(table, names, catalogue=SOURCES):
    table.put(added_names_row(catalogue, "jobs", [f"emissions\0{name}"]) for name in names)


@examples(100)
@given(st.integers(0, 2**32))
def test_a_reader_misses_no_name_while_loaders_compact_the_catalogue(seed):
    dice = random.Random(seed)
    catalogue = dice.choice(sorted(PARTITIONS_OF))
    table = MemoryTable()
    expected = set()

    def compact_some(changes_max):
        partitions = PARTITIONS_OF[catalogue]
        sample = dice.sample(partitions, dice.randint(1, len(partitions)))
        compact(dict.fromkeys(sample, ()), table, changes_max=changes_max)

    for _ in range(4):
        names = dice.sample(JOBS[:30], 5)
        add(table, names, catalogue)
        expected.update(f"emissions\0{name}" for name in names)
        compact_some(dice.choice((0, 3)))
        if dice.random() < 0.3:
            read_catalogue(catalogue, table)

    def meanwhile(_late=None):
        if dice.random() < 0.5:
            compact_some(dice.choice((0, 3)))

    catalogue_read = read_catalogue(catalogue, SteppedTable(table.dynamo, meanwhile, dice))

    assert catalogue_read["jobs"] == sorted(expected) == list(catalogue_read.under("jobs", "emissions\0"))
    assert all(catalogue_read.has("jobs", name) for name in expected)


@examples(100)
@given(st.lists(st.lists(st.sampled_from(JOBS[:60]), min_size=1, max_size=12), min_size=1, max_size=12), st.booleans())
def test_a_value_is_written_few_times_and_parts_that_were_replaced_are_removed_later(batches, reads):
    table, now, rewritten = MemoryTable(), 0, Counter()
    for batch in batches:
        before = set(parts_of(table))
        add(table, batch)
        compact({SOURCES: ()}, table, changes_max=0, now=lambda: now)  # noqa: B023 - called at once
        for part in set(parts_of(table)) - before:
            rewritten.update(table.get([(SOURCES, part)])[SOURCES, part].data["sets"]["jobs"])
        now += 501
        if reads:
            read_catalogue(SOURCES, table)

    snapshot = snapshot_of(table)
    assert set(parts_of(table)) == {*snapshot.get("parts", {}), *snapshot.get("replaced", {})}
    # Parts of the last three compactions.
    assert all(now - 3 * 501 <= time < now for time in snapshot.get("replaced", {}).values())
    assert read_catalogue(SOURCES, table)["jobs"] == sorted(
        {f"emissions\0{name}" for names in batches for name in names}
    )
    # A part is merged with smaller parts, so a value moves into parts of twice the size: at most 20 moves.
    times_added = Counter(f"emissions\0{name}" for names in batches for name in set(names))
    assert all(times <= times_added[name] * 6 for name, times in rewritten.items())


def test_a_part_that_many_values_fill_is_read_once_and_replaced_no_more():
    table = MemoryTable()
    for start in range(0, 240, 30):
        add(table, JOBS[start : start + 30])
        compact({SOURCES: ()}, table, changes_max=0)
    full = {sk: size for sk, size in snapshot_of(table)["parts"].items() if size >= 20}
    known = read_catalogue(SOURCES, table)
    add(table, JOBS[240:])
    compact({SOURCES: ()}, table, changes_max=0)
    table.dynamo.calls = Calls()

    now = read_catalogue(SOURCES, table)

    # The snapshot and the new part.
    assert table.dynamo.calls.items == 2
    assert full == {sk: size for sk, size in snapshot_of(table)["parts"].items() if size >= 20}
    assert len(full) == 8
    assert (len(known["jobs"]), len(now["jobs"])) == (240, 250)


def test_a_reader_that_sleeps_until_its_parts_are_removed_gets_unavailable():
    table = MemoryTable()
    for turn, start in enumerate(range(0, 12, 3)):
        add(table, JOBS[start : start + 3])
        compact({SOURCES: ()}, table, changes_max=0, now=lambda: turn * 1_001)  # noqa: B023 - called at once
        if start == 0:
            asleep = table.get([(SOURCES, SNAPSHOT)])
    late = MemoryTable(table.dynamo)
    late.get = lambda keys: asleep if list(keys) == [(SOURCES, SNAPSHOT)] else table.get(keys)

    with pytest.raises(Unavailable, match="parts of the catalogue SOURCES were replaced while it was read: try again"):
        read_catalogue(SOURCES, late)


def test_more_names_than_a_transaction_moves_are_compacted_in_several():
    table, removed = MemoryTable(), []
    table.remove = removed.extend
    for names in (JOBS[:2], JOBS):
        apply_statements([a_mention(name) for name in names], table, changes_max=7)
        assert listed(table) == (names, len(names))

    changes = Counter(item["pk"]["S"] for item in items_of(table, NAMES) if item["sk"]["S"].startswith("+"))

    assert max(changes.values(), default=0) <= 7
    assert len({item["pk"]["S"] for item in items_of(table, NAMES)}) == len(PARTITIONS_OF[NAMES])
    assert len(removed) == 3  # Two jobs and a namespace.
    assert listed(table, limit=3, offset=100) == (JOBS[100:103], len(JOBS))


@pytest.mark.large
def test_what_is_hidden_is_on_no_page_even_where_more_is_doubtful_than_a_list_looks_at():
    names = [f"job-{number:04}" for number in range(DOUBTFUL_MAX + 10)]
    back, never = names[-5], "never deleted"
    table = MemoryTable()
    apply_statements([a_mention(name) for name in [*names, never]], table)
    apply_statements([a_deletion(name) for name in names], table)
    apply_statements([a_mention(back, TIMES[2])], table)

    page = LineageQueries(table).list_jobs(None, limit=100, offset=0)

    assert [job.id.name for job in page.items] == [back, never]
    # The count leaves ten out.
    assert (page.total, page.truncated) == (11, True)
