"""A dataset with more names than one response reads: what was read is shown, and that some was not."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.facts.apply import apply_statements
from headwater.queries.service import LineageQueries
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId
from tests.fakes.memory_table import MemoryTable
from tests.unit.facts.statements import a_dataset_event
from tests.unit.facts.strategies import a_symlink

NAMES = [DatasetId("s3://lake", f"name-{number}") for number in range(6)]


def a_table():
    """A table in which each name is an alias of the one after."""
    table = MemoryTable()
    pairs = pairwise(NAMES)
    apply_statements(
        [a_dataset_event(number, name, **a_symlink(alias)) for number, (alias, name) in enumerate(pairs, 1)], table
    )
    return table


TABLE = a_table()


@pytest.mark.parametrize(("aliases", "primary"), [(5, 5), (6, 5), (4, 4), (2, 2), (0, 0)])
@pytest.mark.parametrize("users", [None, "down"])
def test_names_are_followed_as_far_as_they_may_be_read(aliases, primary, users):
    view = GraphView(TABLE, aliases_max=aliases)
    view.load([NAMES[0]], users=users)

    group = view.group(NAMES[0])
    assert (group.primary, group.names) == (NAMES[primary], NAMES[: primary + 1])
    assert view.truncated == (aliases < len(NAMES) - 1)


def test_a_dataset_that_is_looked_up_again_and_again_reads_no_more_names():
    view = GraphView(TABLE, aliases_max=2)
    for _ in range(3):
        view.load_names([NAMES[0]])
    assert view.group(NAMES[0]).names == NAMES[:3]


@given(st.lists(st.sets(st.sampled_from(NAMES)), max_size=3), st.integers(0, 6))
def test_requested_names_are_read_however_many_aliases_there_are(loads, aliases):
    view = GraphView(TABLE, aliases_max=aliases)
    for names in loads:
        view.load_names(names)

    requested = set().union(*loads)
    members = {name: view.group(name).names for name in requested}
    assert all(name in others for name, others in members.items())
    assert len(requested.union(*members.values()) - requested) <= aliases
    assert view.truncated or not requested or all(others == NAMES for others in members.values())


@pytest.mark.large
def test_a_response_that_leaves_names_out_says_so():
    """A dataset of a hundred other names, of which each has a hundred more; and one with a single other name."""
    table, tree, alone = MemoryTable(), DatasetId("s3://lake", "tree"), DatasetId("s3://lake", "alone")
    names = {first: [DatasetId(f"s3://{first}", str(second)) for second in range(100)] for first in range(100)}
    below = [DatasetId("s3://lake", str(first)) for first in names]
    events = [a_dataset_event(2, dataset, **a_symlink(*names[first])) for first, dataset in enumerate(below)]
    apply_statements(
        [a_dataset_event(1, tree, **a_symlink(*below)), a_dataset_event(1, alone, **a_symlink(NAMES[0]))], table
    )
    apply_statements(events, table)

    graphs = [LineageQueries(table).find_graph(dataset.node_id, depth=1) for dataset in (tree, alone)]
    assert [graph.truncated for graph in graphs] == [True, False]
    assert [[dataset.id for dataset in graph.datasets] for graph in graphs] == [[tree], [alone]]
