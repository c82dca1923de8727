"""The cost of a graph query: rounds of parallel reads, by depth and by nothing else."""

from dataclasses import replace
from itertools import pairwise

import pytest

from headwater.events.event import DatasetUse, Event, ParentRun
from headwater.facts.apply import apply_statements
from headwater.queries.graphs import edges
from headwater.queries.graphs import job_graph as graphs
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable


def a_run(number, job, inputs=(), outputs=(), at="12:00"):
    def uses(names):
        return tuple(DatasetUse(DatasetId("s3://lake", name)) for name in names)

    return Event(
        kind="RUN",
        type="COMPLETE",
        time=f"2025-11-20T{at}:00.{number:06}Z",
        hash=f"{number:064}",
        run=f"00000000-0000-0000-0000-{number:012}",
        job=JobId("pipelines", job),
        inputs=uses(inputs),
        outputs=uses(outputs),
    )


def a_chain(length, runs=1, prefix="", first=0):
    """Yield runs of a chain of jobs: `d-0000` -> `d-0001` -> `d-0002` and so on."""
    for run in range(runs):
        for place in range(length):
            number = first + run * length + place
            yield a_run(number, f"{prefix}job-{place:04}", [f"{prefix}d-{place:04}"], [f"{prefix}d-{place + 1:04}"])


def a_table(events):
    table, events = MemoryTable(), list(events)
    for start in range(0, len(events), 200):
        apply_statements(events[start : start + 200], table)
    table.calls.clear()
    return table


def rounds(table, node_id, depth):
    table.calls.clear()
    table.dynamo.calls = Calls()
    graph = LineageQueries(table).find_graph(node_id, depth=depth)
    return sum(table.calls.values()), graph


@pytest.mark.parametrize("depth", [0, 1, 2, 5, 20])
def test_each_hop_costs_a_round_and_the_whole_query_three_more(depth):
    table = a_table(a_chain(40))

    spent, graph = rounds(table, "job:pipelines:job-0020", depth)

    assert len(graph.jobs) == 2 * min(depth, 20) + 1 - (depth == 20)
    assert spent <= depth + 3


def test_rounds_depend_neither_on_other_jobs_nor_on_how_often_a_job_ran():
    alone = a_table(a_chain(10))
    others = [event for other in range(30) for event in a_chain(10, prefix=f"{other}-", first=1000 + 10 * other)]
    among = a_table([*a_chain(10), *others])
    often = a_table(a_chain(10, runs=50))

    spent = {rounds(table, "job:pipelines:job-0005", 20)[0] for table in (alone, among, often)}

    assert len(spent) == 1


@pytest.mark.slow
@pytest.mark.large
def test_a_hub_of_ten_thousand_readers_is_cut_at_the_caps_and_says_so():
    readers = [a_run(number, f"reader-{number:05}", ["hub"]) for number in range(10_000)]
    table = a_table([*readers, a_run(10_000, "writer", [], ["hub"])])

    spent, graph = rounds(table, "dataset:s3://lake:hub", 20)

    assert graph.truncated
    assert 1_000 < len(graph.jobs) <= graphs.NODES_MAX
    # The shown readers are the first by name; the writer is shown, too.
    names = [job.id.name for job in graph.jobs]
    assert names[:2] == ["reader-00000", "reader-00001"]
    assert "writer" in names
    assert spent <= 5
    assert table.dynamo.calls.reads < 100


@pytest.mark.parametrize("direction", ["both", "through"])
def test_a_job_that_is_reached_up_and_down_takes_one_place_of_the_limit(monkeypatch, direction):
    monkeypatch.setattr(graphs, "NODES_MAX", 5)
    table = a_table([a_run(0, "there", ["one"], ["other"]), a_run(1, "back", ["other"], ["one"])])

    graph = LineageQueries(table).find_graph("dataset:s3://lake:one", depth=20, direction=direction)

    assert (len(graph.nodes), graph.truncated) == (4, False)


def test_the_border_of_a_graph_does_not_read_who_else_reads_its_datasets():
    readers = [a_run(number, f"reader-{number:05}", ["hub"]) for number in range(300)]
    table = a_table(readers)
    table.dynamo.calls = calls = Calls()

    LineageQueries(table).find_graph("job:pipelines:reader-00000", depth=0)

    assert calls.items < 8


@pytest.mark.parametrize("size", [1, 7])
def test_the_border_costs_as_few_requests_for_many_datasets_as_for_one(size):
    inputs, outputs = ([f"{side}-{number:02}" for number in range(size)] for side in ("in", "out"))
    table = a_table([a_run(0, "join", inputs, outputs), a_run(1, "feed", [], inputs)])

    _, graph = rounds(table, "job:pipelines:join", 0)

    assert len(graph.datasets) == 2 * size
    assert table.dynamo.calls.reads <= 5


def test_a_dataset_of_many_users_among_many_shows_them_all():
    """The facts of a dataset name few users: all further users come from its edges."""
    spread = [a_run(number, f"reader-{number:05}", ["hub"], [f"made-{number:05}"]) for number in range(50)]
    taken = [a_run(100 + number, f"taker-{number:02}", ["made-00007"]) for number in range(20)]
    given = [a_run(200 + number, f"giver-{number:02}", [], ["made-00008"]) for number in range(20)]
    table = a_table([*spread, *taken, *given])

    _, graph = rounds(table, "dataset:s3://lake:hub", 20)

    assert len(graph.jobs) == 90
    assert {edge for edge in graph.edges if edge[0].endswith("made-00007")} == {
        ("dataset:s3://lake:made-00007", f"job:pipelines:taker-{number:02}") for number in range(20)
    }
    assert sum(edge[1].endswith("made-00008") for edge in graph.edges) == 21


def test_the_graph_of_a_parent_costs_two_rounds_more_than_that_of_a_job_alone():
    parent = ParentRun("00000000-0000-0000-0000-0000000000aa", JobId("pipelines", "dag"))
    table = a_table(replace(run, parent=parent) for run in a_chain(150))

    spent, graph = rounds(table, "job:pipelines:dag", 0)

    assert [job.id.name for job in graph.jobs] == ["dag", *(f"job-{place:04}" for place in range(150))]
    assert (len(graph.datasets), len(graph.edges), graph.truncated) == (151, 300, False)
    assert spent <= 0 + 3 + 2
    # The job, two queries for its children, two for the children's facts, two for their datasets, and the namespaces.
    assert table.dynamo.calls.reads <= 10


def test_no_more_jobs_are_read_for_a_parent_than_the_limits_and_the_graph_says_so(monkeypatch):
    parent = ParentRun("00000000-0000-0000-0000-0000000000aa", JobId("pipelines", "dag"))
    table = a_table(replace(run, parent=parent) for run in a_chain(40))
    monkeypatch.setattr(edges, "CHILD_JOBS_MAX", 10)
    assert rounds(table, "job:pipelines:dag", 0)[1].truncated
    assert table.dynamo.calls.items < 60

    # Each job started the next: ten of them are tasks of the first.
    runs = [replace(run, inputs=(), outputs=()) for run in a_chain(15)]
    table = a_table(replace(run, parent=ParentRun(above.run, above.job)) for above, run in pairwise(runs))
    spent, graph = rounds(table, "job:pipelines:job-0000", 0)
    assert ([job.id.name for job in graph.jobs][-1], graph.truncated) == ("job-0010", True)
    assert spent <= 25
    assert not rounds(table, "job:pipelines:job-0005", 0)[1].truncated
