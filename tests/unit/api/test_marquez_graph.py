"""A graph as a response: as much as its room holds, and a field as text or null."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.api.http.responses import size_of
from headwater.api.marquez.graph_views import render_graph
from headwater.queries.results.graphs import Graph
from headwater_model.ids import JobId
from tests.builders_found import CHECK, CHECKED, RAW, a_found_dataset, a_found_job

JOB, RAW_NODE, CHECKED_NODE = CHECK.node_id, RAW.node_id, CHECKED.node_id


def the_pipeline(**changes):
    """raw -> check -> checked."""
    parts = {
        "nodes": (a_found_job(), a_found_dataset(id=RAW), a_found_dataset()),
        "edges": ((RAW_NODE, JOB), (JOB, CHECKED_NODE)),
    }
    return Graph(**{**parts, **changes})


def a_hub(readers):
    """One dataset, and jobs that read it."""
    jobs = tuple(a_found_job(id=JobId("j", f"{number:05}"), latest_run=None) for number in range(readers))
    return Graph((a_found_dataset(id=RAW), *jobs), tuple((RAW_NODE, job.id.node_id) for job in jobs))


def skeleton(form):
    """Ids and edges alone."""
    return [
        (
            node["id"],
            node["type"],
            [(edge["origin"], edge["destination"]) for edge in node["inEdges"]],
            [(edge["origin"], edge["destination"]) for edge in node["outEdges"]],
        )
        for node in form["graph"]
    ]


def test_a_field_is_text_or_null_whatever_its_producer_sent():
    fields = ({"name": "flight", "type": {"struct": []}, "description": 7, "fields": [{"name": "x"}]},)
    graph = render_graph(Graph((a_found_dataset(fields=fields),), ()))

    (node,) = graph["graph"]
    assert node["data"]["fields"] == [{"name": "flight", "type": None, "tags": [], "description": None}]


@given(st.integers(2_000, 40_000))
def test_a_response_keeps_to_its_room_and_says_that_it_was_cut(room):
    whole = a_hub(30)
    form = render_graph(whole, budget=room)

    assert size_of(orjson.dumps(form)) <= room
    assert form["truncated"] == (len(form["graph"]) < 31)
    kept = [node["id"] for node in form["graph"]]
    # The hub, and the first of its readers by name; no edge leads out of the answer.
    assert kept == [RAW_NODE, *(job.id.node_id for job in whole.jobs)][: len(kept)]
    returned = {end for node in form["graph"] for edge in node["inEdges"] + node["outEdges"] for end in edge.values()}
    assert returned <= set(kept)


@pytest.mark.parametrize("room", [0, 100])
def test_what_was_requested_is_there_even_if_it_does_not_fit(room):
    form = render_graph(the_pipeline(), budget=room)

    assert (skeleton(form), form["truncated"]) == ([(JOB, "JOB", [], [])], True)
