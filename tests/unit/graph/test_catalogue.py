"""The catalogue of names: a reader misses no name while others add to it and compact it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.memory_table import MemoryTable
from lineage.graph.apply import apply_changes
from lineage.graph.catalogue import NAMES, compact, named, read_catalogue
from lineage.openlineage.event import Deletion, Event
from lineage.queries.name_lists import DOUBTFUL_MAX
from lineage.queries.service import LineageQueries
from lineage_model.ids import JobId
from tests.examples import examples
from tests.unit.graph.loaders import SteppedTable
from tests.unit.graph.strategies import TIMES, stamped

JOBS = [f"job-{number:03}" for number in range(250)]


def a_mention(name, time=TIMES[0]):
    return stamped(Event(kind="JOB", time=time, hash="", job=JobId("emissions", name)))


def a_deletion(name, time=TIMES[1]):
    return stamped(Deletion(time=time, hash="", namespace="emissions", job=JobId("emissions", name)))


def listed(table, limit=1000, offset=0):
    found = LineageQueries(table).list_jobs(None, limit=limit, offset=offset)
    return [job.id.name for job in found.items], found.total


def items_of_names(table):
    return [item for item in table.dynamo.items() if item["pk"]["S"] == NAMES]


@examples(100)
@given(st.integers(0, 2**32))
def test_a_reader_misses_no_name_while_loaders_compact_the_catalogue(seed):
    dice = random.Random(seed)
    table = MemoryTable()
    table.put(named("jobs", JobId("emissions", name)) for name in JOBS[:5])
    compact(NAMES, table, changes_max=dice.choice((0, 3)))
    table.put(named("jobs", JobId("emissions", name)) for name in JOBS[5:10])

    def meanwhile(_late=None):
        if dice.random() < 0.5:
            compact(NAMES, table, changes_max=dice.choice((0, 3)))

    found = read_catalogue(NAMES, SteppedTable(table.dynamo, meanwhile, dice))["jobs"]

    assert found == sorted(f"emissions\0{name}" for name in JOBS[:10])


def test_more_names_than_a_transaction_moves_are_compacted_in_several():
    table = MemoryTable()
    apply_changes([a_mention(name) for name in JOBS], table, changes_max=7)

    changes = [item for item in items_of_names(table) if item["sk"]["S"].startswith("+")]

    assert len(changes) <= 7
    assert listed(table) == (JOBS, len(JOBS))
    assert listed(table, limit=3, offset=100) == (JOBS[100:103], len(JOBS))


def test_a_catalogue_that_grows_no_more_is_left_alone():
    table = MemoryTable()
    apply_changes([a_mention(name) for name in JOBS[:5]], table, changes_max=0)
    before = items_of_names(table)

    apply_changes([a_mention(name, TIMES[1]) for name in JOBS[:5]], table, changes_max=0)

    assert items_of_names(table) == before != []


@pytest.mark.large
def test_what_is_hidden_is_on_no_page_even_where_more_is_doubtful_than_a_list_looks_at():
    names = [f"job-{number:04}" for number in range(DOUBTFUL_MAX + 10)]
    back, never = names[-5], "never deleted"
    table = MemoryTable()
    apply_changes([a_mention(name) for name in [*names, never]], table)
    apply_changes([a_deletion(name) for name in names], table)
    apply_changes([a_mention(back, TIMES[2])], table)

    page = LineageQueries(table).list_jobs(None, limit=100, offset=0)

    assert [job.id.name for job in page.items] == [back, never]
    # Ten were not looked at for the count, which is what is known.
    assert (page.total, page.truncated) == (11, True)
