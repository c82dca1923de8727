"""Graphs for a map: one direction, nodes in short, and folds that say how much they hide."""

import orjson
import pytest

from headwater.api.http.responses import size_of
from headwater.api.marquez.graph_views import render_graph, render_short_graph
from headwater.queries.results.graphs import Degree, Graph
from headwater_model.ids import JobId
from tests.builders_events import AT_NOON, CHECK, NAMESPACE, a_run_event
from tests.builders_found import RAW as RAW_ID
from tests.builders_found import a_found_dataset, a_found_job
from tests.unit.api.graph_api import GraphApi, skeleton
from tests.unit.api.test_marquez_routes import (
    CALCULATE_JOB,
    CHECK_JOB,
    CHECKED,
    ESTIMATED,
    LANDING,
    PIPELINE,
    RAW,
    READ_JOB,
    RUNS,
    UNKNOWN_RUN,
)

COUNT, COUNT_JOB = "emissions.count", f"job:{NAMESPACE}:emissions.count"


@pytest.fixture(scope="module")
def api():
    """The pipeline has run once, and another job has read the raw flights since."""
    served = GraphApi(*PIPELINE)
    served.load(a_run_event(run=UNKNOWN_RUN, job=COUNT, inputs=["raw"], outputs=[], eventTime="2025-11-20T12:00:00Z"))
    return served


def more_of(form):
    return {node["id"]: (node["more"]["up"], node["more"]["down"]) for node in form["graph"]}


def test_a_map_shows_what_lies_on_ways_through_the_focus_and_counts_the_rest(api):
    form = api.graph(CHECKED, depth=1, direction="through", fold=5, form="summary")

    assert list(skeleton(form)) == [CHECKED, ESTIMATED, LANDING, RAW, CALCULATE_JOB, CHECK_JOB, READ_JOB]
    assert more_of(form) == {
        CHECKED: (0, 0),
        ESTIMATED: (0, 0),
        LANDING: (0, 0),
        RAW: (0, 1),
        CALCULATE_JOB: (0, 0),
        CHECK_JOB: (0, 1),
        READ_JOB: (0, 0),
    }


@pytest.mark.parametrize(("form", "field"), [("summary", "writtenAt"), ("full", "lastModifiedAt")])
def test_a_dataset_was_written_as_its_writers_completed_last_drawn_or_not(form, field):
    served, run = GraphApi(), {"run": RUNS[CHECK], "eventTime": "2025-11-20T13:00:00Z"}
    served.load(a_run_event(inputs=[]), a_run_event(**run, job=CHECK, inputs=["raw", "late", "new"], outputs=[]))
    served.load(a_run_event(run=UNKNOWN_RUN, job=COUNT, inputs=[], outputs=["raw", "late"], eventType="FAIL"))
    graphs = (served.graph(CHECK_JOB, depth=0, form=form, direction=direction)["graph"] for direction in ("up", "both"))
    up, both = ({node["id"][-4:]: node["data"].get(field) for node in graph[:3]} for graph in graphs)
    assert up == {":raw": AT_NOON, "late": None, ":new": None}
    assert both == dict.fromkeys(up)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"direction": "left"}, "direction: must be one of both, up, down, through, got 'left'"),
        ({"form": "long"}, "form: must be one of full, summary, got 'long'"),
        ({"fold": "101"}, "fold: must be a whole number from 0 to 100, got '101'"),
    ],
)
def test_what_breaks_a_rule_is_400_and_says_which(api, query, message):
    assert api.get("/lineage", nodeId=RAW, **query) == (400, {"code": 400, "message": message})


@pytest.mark.parametrize("render", [render_graph, render_short_graph])
def test_nodes_that_do_not_fit_are_counted_too(render):
    jobs = tuple(a_found_job(id=JobId("j", f"{number:05}"), latest_run=None) for number in range(30))
    edges = tuple((RAW_ID.node_id, job.id.node_id) for job in jobs)
    degrees = {RAW_ID.node_id: Degree(0, 40), **{job.id.node_id: Degree(1, 0, exact=False) for job in jobs}}
    graph = Graph((a_found_dataset(id=RAW_ID), *jobs), edges, degrees=degrees)

    form = render(graph, budget=8_000)

    assert size_of(orjson.dumps(form)) <= 8_000
    assert form["truncated"]
    hub, *others = form["graph"]
    assert hub["more"] == {"up": 0, "down": 40 - len(others), "exact": True}
    assert all(node["more"] == {"up": 0, "down": 0, "exact": False} for node in others)
