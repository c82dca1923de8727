"""Runs whose producer says that it could not read all of their lineage: by `extractionError`, or our own capture."""

import pytest

from headwater_model.errors import Invalid
from tests.builders_events import CALCULATE, NAMESPACE, a_run_event
from tests.unit.api.graph_api import GraphApi, at

# The specification's own example: spec/tests/ExtractionErrorRunFacet/1.json at 8f02abf.
LOST = {
    "totalTasks": 1,
    "failedTasks": 1,
    "errors": [
        {
            "errorMessage": "Expected TABLE, VIEW, INDEX after DROP, found: POLICY at Line: 1, Column 6",
            "task": "DROP POLICY IF EXISTS name ON table_name",
            "taskNumber": 0,
        }
    ],
}
READ_WHOLE = {"totalTasks": 1, "failedTasks": 0, "errors": []}


def marks(*facets, name="extractionError"):
    """Return what a run of one event for each facet says in its node, its job's runs and its own route."""
    api = GraphApi()
    reported = [{} if facet is None else {name: facet} for facet in facets]
    times = [f"2025-11-20T1{hour}:00:00Z" for hour in range(len(facets))]
    events = [
        a_run_event(job=CALCULATE, run_facets=run_facets, eventTime=time)
        for run_facets, time in zip(reported, times, strict=True)
    ]
    api.load(*events)
    (node,) = (node for node in api.graph(f"job:{NAMESPACE}:{CALCULATE}")["graph"] if node["type"] == "JOB")
    (run,) = api.found(f"/namespaces/{NAMESPACE}/jobs/{CALCULATE}/runs")["runs"]
    own = api.found(f"/jobs/runs{at(run['id'])}")
    assert node["data"]["latestRun"].get("lineageIncomplete") == run.get("lineageIncomplete")
    return [view.get("lineageIncomplete") for view in (node["data"], run, own)]


@pytest.mark.parametrize("facets", [[LOST], [None, LOST], [LOST, READ_WHOLE], [{**LOST, "failedTasks": 0}]])
def test_a_run_with_an_event_that_lost_lineage_is_incomplete_and_so_is_its_job(facets):
    assert marks(*facets) == [True, True, True]


@pytest.mark.parametrize("facets", [[None], [READ_WHOLE], [{"_deleted": True}]])
def test_a_run_that_lost_nothing_says_nothing(facets):
    assert marks(*facets) == [None, None, None]


def test_a_facet_of_another_shape_is_refused():
    for wrong in ({"errors": "many"}, {"failedTasks": "1"}):
        with pytest.raises(Invalid, match=r"extractionError\.(errors|failedTasks)"):
            GraphApi().load(a_run_event(job=CALCULATE, run_facets={"extractionError": wrong}))


UNKNOWN = [{"field": "co2_kg", "reason": "a function of Python"}]


@pytest.mark.parametrize(
    ("facet", "incomplete"),
    [
        ({"tier": "full", "command": "SaveIntoDataSourceCommand", "counts": {"writes": 3, "lost": 0}}, None),
        ({"tier": "sources", "cut": ["descriptions", "inputSchemas", "outputSchema", "masking", "sql", "error"]}, None),
        ({"tier": "tables"}, None),
        ({"tier": "doubtful", "misread": ["Window"]}, True),
        ({"tier": "full", "unknown": UNKNOWN}, True),
        ({"tier": "full", "unknownInputs": ["an RDD without a name"]}, True),
        ({"unknownOutput": "a sink of the program"}, True),
        *(
            ({"tier": "full", "cut": ["sql", part]}, True)
            for part in ("columnLineage", "indirect", "inputs", "unknown")
        ),
        ({"counts": {"writes": 3, "lost": 1}}, True),
        ({"_deleted": True}, None),
        # Whoever sends another shape says nothing by it.
        ({"cut": "inputs", "counts": [1], "tier": ["doubtful"]}, None),
        ({"counts": {"lost": "many"}}, None),
    ],
)
def test_what_a_capture_did_not_know_or_lost_makes_its_run_and_job_incomplete(facet, incomplete):
    assert marks(facet, name="headwater_capture") == [incomplete] * 3
    assert marks(facet, {"tier": "full"}, name="headwater_capture") == [incomplete] * 3


def test_an_application_without_datasets_of_its_own_is_incomplete_if_it_lost_events():
    api = GraphApi()
    lost = {"headwater_capture": {"counts": {"lost": 2}}}
    api.load(a_run_event(job=CALCULATE, run_facets=lost, inputs=[], outputs=[]))
    (node,) = api.graph(f"job:{NAMESPACE}:{CALCULATE}")["graph"]
    assert node["data"]["lineageIncomplete"]
