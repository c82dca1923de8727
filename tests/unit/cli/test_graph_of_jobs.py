"""The graph of jobs and datasets as text: all of it, once."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from headwater.api.marquez.graph_views import render_graph
from headwater.cli.job_graph import Dataset, Job, JobGraph, layers_of, parse_graph
from headwater.cli.text.trees import tree_of
from headwater.queries.results.entities import LastWriter, redacted_dataset, redacted_job
from headwater.queries.results.graphs import Graph
from headwater_model.ids import DatasetId, JobId
from tests.builders_found import CHECK, CHECKED, NOON, RAW, a_found_dataset, a_found_job
from tests.examples import examples

NAMES = [f"n{number}" for number in range(9)]
RAW_ID, CHECKED_ID, CHECK_ID = RAW.node_id, CHECKED.node_id, CHECK.node_id


def a_dataset(name, **changes):
    return Dataset(f"dataset:file:/demo/{name}", "file", f"/demo/{name}", **changes)


def a_job(name, state="COMPLETED", duration_ms=2300):
    return Job(f"job:emissions:{name}", "emissions", name, state, duration_ms)


def a_graph(*edges, truncated=False):
    nodes = {node.id: node for edge in edges for node in edge}
    ids = {(origin.id, destination.id) for origin, destination in edges}
    return JobGraph({node_id: nodes[node_id] for node_id in sorted(nodes)}, tuple(sorted(ids)), truncated)


LANDING, CHECKED_SET, REJECTED = a_dataset("landing"), a_dataset("checked"), a_dataset("rejected")
PLANES, ESTIMATED, OLD = (
    a_dataset("planes.csv"),
    a_dataset("estimated"),
    a_dataset("old", stale=True, last_writer="copy"),
)
CHECK_JOB, ESTIMATE = a_job("emissions.check"), a_job("emissions.estimate", "FAILED", 71_000)
SUM_UP = a_job("emissions.sum_up", "RUNNING", None)
PIPELINE = a_graph(
    (LANDING, CHECK_JOB),
    (CHECK_JOB, CHECKED_SET),
    (CHECK_JOB, REJECTED),
    (CHECKED_SET, ESTIMATE),
    (PLANES, ESTIMATE),
    (ESTIMATE, ESTIMATED),
    (ESTIMATED, SUM_UP),
    (REJECTED, SUM_UP),
    (OLD, SUM_UP),
)


def printed(graph):
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(tree_of(graph), highlight=False)
    return [line.rstrip() for line in capture.get().splitlines()]


# -- the answer of the API


def test_the_response_of_the_api_is_read_as_a_graph():
    stale = a_found_dataset(id=RAW, stale=True, last_written_by=LastWriter(CHECK, "r", NOON))
    graph = Graph((a_found_job(), stale, a_found_dataset()), ((RAW_ID, CHECK_ID), (CHECK_ID, CHECKED_ID)), True)

    assert parse_graph(render_graph(graph)) == JobGraph(
        {
            CHECKED_ID: Dataset(CHECKED_ID, "s3://flights", "checked"),
            RAW_ID: Dataset(RAW_ID, "s3://flights", "raw", stale=True, last_writer="emissions.check"),
            CHECK_ID: Job(CHECK_ID, "emissions", "emissions.check", "COMPLETED", 3_600_500),
        },
        ((RAW_ID, CHECK_ID), (CHECK_ID, CHECKED_ID)),
        truncated=True,
    )


def test_a_neighbour_of_which_the_id_alone_is_shown_is_a_node_by_its_id():
    graph = Graph((redacted_dataset(RAW), redacted_job(CHECK), a_found_dataset()), ((RAW_ID, CHECK_ID),))
    parsed = parse_graph(render_graph(graph))

    assert (parsed.nodes[CHECK_ID], parsed.nodes[RAW_ID]) == (
        Job(CHECK_ID, "", "emissions:emissions.check", state=""),
        Dataset(RAW_ID, "", "s3://flights:raw"),
    )
    assert not any("never ran" in line for line in printed(parsed))


def test_names_that_would_move_the_cursor_are_made_harmless():
    job = a_found_job(id=JobId("j", "up\x1b[2J"), latest_run=None)
    graph = parse_graph(render_graph(Graph((job, a_found_dataset(id=DatasetId("d", "\x00"))), ())))

    assert printed(graph) == ["�", "dataset:d:�", "up�[2J  never ran", "job:j:up�[2J"]


# -- text


def test_a_graph_prints_as_a_tree_in_the_direction_of_the_data_each_node_shown_once():
    assert printed(PIPELINE) == [
        "landing",
        "dataset:file:/demo/landing",
        "└── emissions.check  COMPLETED in 2.3 s",
        "    job:emissions:emissions.check",
        "    ├── checked",
        "    │   dataset:file:/demo/checked",
        "    │   └── emissions.estimate  FAILED in 1 min 11 s",
        "    │       job:emissions:emissions.estimate",
        "    │       └── estimated",
        "    │           dataset:file:/demo/estimated",
        "    │           └── emissions.sum_up  RUNNING",
        "    │               job:emissions:emissions.sum_up",
        "    └── rejected",
        "        dataset:file:/demo/rejected",
        "        └── emissions.sum_up  shown above",
        "planes.csv",
        "dataset:file:/demo/planes.csv",
        "└── emissions.estimate  shown above",
        "old  stale, last written by copy",
        "dataset:file:/demo/old",
        "└── emissions.sum_up  shown above",
    ]


def test_a_job_that_writes_what_it_reads_is_a_tree_with_an_end():
    job, table = a_job("upsert", None, None), a_dataset("table")

    assert printed(a_graph((table, job), (job, table), truncated=True)) == [
        "table",
        "dataset:file:/demo/table",
        "└── upsert  never ran",
        "    job:emissions:upsert",
        "    └── table  shown above",
        "more is connected than the response holds",
    ]


def test_a_chain_of_hundreds_stays_on_the_screen_and_is_shown_to_its_end():
    nodes = [kind(f"n{number:03}") for number in range(150) for kind in (a_dataset, a_job)]

    lines = printed(a_graph(*pairwise(nodes)))

    assert max(map(len, lines)) < 100
    assert [line.split()[-1] for line in lines if "emissions:n" in line or "/demo/n" in line] == [
        node.id for node in nodes
    ]
    assert [line.strip() for line in lines if "shown" in line][:2] == ["└── n006  shown below", "└── n012  shown below"]


# -- layers


@given(st.sets(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)).filter(lambda edge: edge[0] != edge[1])))
@examples(300)
def test_every_edge_that_closes_no_cycle_leads_to_a_later_layer(edges):
    layers = layers_of(NAMES, edges)

    assert layers.keys() == set(NAMES)
    for origin, destination in edges:
        if origin not in reached_from(destination, edges):
            assert layers[origin] < layers[destination]


def reached_from(start, edges):
    reached, left = {start}, [start]
    while left:
        node = left.pop()
        left += (following := {to for origin, to in edges if origin == node} - reached)
        reached |= following
    return reached
