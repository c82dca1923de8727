"""Edges to jobs that read another part of a dataset than was written, in graphs and in the impact."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import DatasetUse
from headwater.events.subsets import ENTRIES_MAX, are_disjoint, part_of
from headwater.queries.service import LineageQueries
from tests.examples import examples
from tests.runs_model import Model
from tests.runs_model.graph import other_part_reads
from tests.unit.facts.statements import A, B, C, X, Y, a_dataset_event, an_event
from tests.unit.facts.strategies import DATASETS, JOBS, a_symlink, arrivals, streams_of_parts
from tests.unit.queries.every_query import loaded


def part(dataset, side, *days):
    """Return the use of these partitions of a dataset."""
    partitions = [{"identifier": f"day={day}", "dimensions": {"day": day}} for day in days]
    condition = {"type": "partition", "partitions": partitions}
    return DatasetUse(dataset, use_facets={"subset": {f"{side}Condition": condition}})


@examples(100)
@given(st.data())
def test_the_edges_of_each_graph_that_are_apart_are_the_models(data):
    statements = data.draw(streams_of_parts())
    queries, model = LineageQueries(loaded(*data.draw(arrivals(statements)))), Model(statements)
    for node in [*JOBS, *DATASETS]:
        for direction in ("both", "up", "down"):
            graph = queries.find_graph(node.node_id, depth=9, direction=direction)
            if graph is not None:
                assert graph.other_part_reads == other_part_reads(model, [job.id for job in graph.jobs])


@pytest.mark.parametrize(
    ("written", "read", "is_apart"),
    [(["1"], ["2"], True), (["1", "2"], ["2"], False), (["1"], [], False), ([], ["1"], False)],
)
def test_an_edge_is_apart_if_no_partition_is_on_both_sides(written, read, is_apart):
    events = [
        an_event(0, "a1", A, outputs=[part(X, "output", *written) if written else X]),
        an_event(1, "b1", B, inputs=[part(X, "input", *read) if read else X], outputs=[Y]),
    ]
    queries = LineageQueries(loaded(events))

    assert bool(queries.find_graph(X.node_id, depth=1).other_part_reads) == is_apart
    impacted = queries.report_impact(A.node_id, depth=9).impacted
    assert [(reached.node.id, reached.reads_other_part) for reached in impacted] == [
        (X, False),
        (B, is_apart),
        (Y, False),
    ]


@pytest.mark.parametrize(("other_write", "is_apart"), [(part(X, "output", "2"), True), (DatasetUse(X), False)])
def test_an_edge_is_not_apart_while_another_job_may_have_written_the_part(other_write, is_apart):
    events = [
        an_event(0, "a1", A, outputs=[part(X, "output", "1")]),
        an_event(1, "c1", C, outputs=[other_write]),
        an_event(2, "b1", B, inputs=[part(X, "input", "3")]),
    ]
    assert bool(LineageQueries(loaded(events)).find_graph(B.node_id, depth=1).other_part_reads) == is_apart


def test_a_dataset_that_a_run_read_under_two_names_may_be_all_of_it():
    events = [
        a_dataset_event(0, Y, **a_symlink(X)),
        an_event(1, "a1", A, outputs=[part(X, "output", "1")]),
        an_event(2, "b1", B, inputs=[part(Y, "input", "2"), part(X, "input", "1")]),
        an_event(3, "c1", C, inputs=[part(Y, "input", "2")]),
    ]
    graph = LineageQueries(loaded(events)).find_graph(A.node_id, depth=1)
    assert [job for _, job in graph.other_part_reads] == [C.node_id]


@pytest.mark.parametrize(
    "condition",
    [
        {"type": "compare", "left": {"type": "field", "field": "day"}, "comparison": "EQUAL"},
        {"type": "location", "locations": []},
        {"type": "location", "locations": [7]},
        {"type": "partition", "partitions": [{"dimensions": {}}]},
        {"type": "partition", "partitions": ["day=1"] * (ENTRIES_MAX + 1)},
    ],
)
def test_a_part_that_is_no_list_of_partitions_or_locations_is_not_known(condition):
    assert part_of({"inputCondition": condition}) is None


@pytest.mark.parametrize(
    ("location", "other", "is_apart"),
    [
        ("s3://lake/day=1", "s3://lake/day=2/", True),
        ("s3://lake/day=1/", "s3://lake/day=1", False),
        ("s3://lake", "s3://lake/day=1", False),
        ("s3://lake/day=1", "s3://lake/day=11", True),
    ],
)
def test_locations_are_apart_unless_one_lies_in_the_other(location, other, is_apart):
    parts = [part_of({"inputCondition": {"type": "location", "locations": [text]}}) for text in (location, other)]
    assert are_disjoint(*parts) == are_disjoint(*parts[::-1]) == is_apart


_NAMES = ("type", "left", "right", "operator", "locations", "partitions", "dimensions", "identifier")
_WORDS = ("location", "partition", "binary", "OR", "", "/", "s3://lake/day=1")
_ANY_CONDITION = st.recursive(
    st.none() | st.integers() | st.sampled_from(_WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=5),
    max_leaves=20,
)


@examples(300)
@given(_ANY_CONDITION, _ANY_CONDITION)
def test_any_facet_has_a_part_or_none_and_no_part_is_apart_from_itself(condition, other):
    parts = [part_of({"inputCondition": each}) for each in (condition, other, [condition], {"type": "binary"})]
    known = [part for part in parts if part]
    assert not any(are_disjoint(part, part) for part in known)
    for left, right in itertools.combinations(known, 2):
        assert are_disjoint(left, right) == are_disjoint(right, left)
