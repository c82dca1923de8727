"""What a question about columns costs: by datasets on the way and nothing else, not by how often a job ran.

Of a dataset with other names (symlinks) each name costs a query of its own.
"""

from __future__ import annotations

import pytest

from tests.unit.fields.counting import Counter, a_chain, a_run, dataset, field_node, minute, version_of

CHAIN = 10
RUNS = 50


@pytest.fixture(scope="module")
def once():
    """A chain of jobs that ran once."""
    return Counter(a_chain(CHAIN))


@pytest.fixture(scope="module")
def often():
    """The same chain after many runs."""
    return Counter(a_chain(CHAIN, RUNS))


def up(depth, **selectors):
    return lambda fields: fields.find_columns(field_node(CHAIN), depth=depth, **selectors)


def down(depth):
    return lambda fields: fields.find_columns(field_node(0), depth=depth, downstream=True)


def up_from_version(depth, run):
    version = version_of(CHAIN, run * CHAIN + CHAIN - 1)
    return lambda fields: fields.find_columns(field_node(CHAIN, version=f"#{version}"), depth=depth)


@pytest.mark.parametrize("hops", [0, 1, 2, 5, CHAIN])
def test_each_hop_up_costs_three_rounds_of_one_request_each(once, hops):
    graph, cost = once.ask(up(hops))

    assert len(graph.columns) == 1 + hops
    assert cost.rounds <= 3 * hops + 7
    assert cost.requests == cost.rounds


@pytest.mark.parametrize("hops", [0, 1, 2, 5, CHAIN])
def test_each_hop_down_costs_four_rounds_of_one_request_each(once, hops):
    graph, cost = once.ask(down(hops))

    assert len(graph.columns) == 1 + hops
    assert cost.rounds <= 4 * hops + 10
    assert cost.requests <= cost.rounds + 1


@pytest.mark.parametrize("hops", [0, 1, 2, 5, CHAIN])
def test_each_hop_from_version_to_version_costs_six_rounds(often, hops):
    graph, cost = often.ask(up_from_version(hops, RUNS - 1))

    assert len(graph.columns) == 1 + hops
    assert cost.rounds <= 6 * hops + 13
    assert cost.requests <= 9 * hops + 14


def test_datasets_of_one_hop_are_read_together():
    """Thirty jobs make columns of one: their datasets cost queries, but no round."""
    readers = [a_run(number, f"reader-{number}", dataset(0), dataset(1 + number)) for number in range(30)]
    one, thirty = (Counter(readers[:number]).ask(down(1)) for number in (1, 30))

    assert [len(graph.columns) for graph, _ in (one, thirty)] == [2, 31]
    assert thirty[1].rounds == one[1].rounds
    assert thirty[1].gets == one[1].gets
    assert thirty[1].queries <= 30 * one[1].queries


@pytest.mark.parametrize(
    "question",
    [
        up(2),
        up(20),
        down(20),
        lambda fields: fields.find_columns(dataset(5).node_id, depth=20, downstream=True),
        lambda fields: fields.columns_of([dataset(5)]),
    ],
    ids=["up, depth 2", "up, depth 20", "down, depth 20", "a dataset both ways", "a dataset's resource"],
)
def test_the_present_costs_as_much_after_fifty_runs_as_after_one(once, often, question):
    (_, first), (_, later) = once.ask(question), often.ask(question)

    assert (later.rounds, later.gets, later.queries, later.items) == (
        first.rounds,
        first.gets,
        first.queries,
        first.items,
    )
    assert later.bytes <= 1.2 * first.bytes


@pytest.mark.parametrize(
    "question", [up(20, at=minute(CHAIN)), up_from_version(20, 0)], ids=["as of a time", "of a version"]
)
def test_the_past_costs_as_much_whatever_happened_since(once, often, question):
    (_, then), (_, now) = once.ask(question), often.ask(question)

    assert (now.rounds, now.gets, now.queries, now.items) == (then.rounds, then.gets, then.queries, then.items)
    assert now.bytes <= 1.2 * then.bytes
