"""Events that are complete snapshots (`emissionPattern`): the last one counts, and they do not add up."""

import pytest

from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId
from tests.unit.facts.statements import A, X, Y, Z, an_event, at
from tests.unit.queries.every_query import loaded
from tests.unit.queries.test_history import history_of

W = DatasetId("s3://flights", "W")
# The second fixture of the spec for this facet (spec/tests/JobTypeJobFacet/2.json).
PERIODIC = {"eventTrigger": "PERIODIC", "eventContentMode": "COMPLETE_SNAPSHOT", "windowDuration": 300}


def service(pattern):
    return {"jobType": {"processingType": "SERVICE", "integration": "TRINO", "emissionPattern": pattern}}


def window(second, source, output, kind="RUNNING"):
    return an_event(second, "a1", A, kind, inputs=[source], outputs=[output], job_facets=service(PERIODIC))


@pytest.mark.parametrize(
    "pattern",
    [{**PERIODIC, "eventContentMode": "ACCUMULATIVE"}, {"eventTrigger": "PERIODIC"}, "PERIODIC", {}, None],
)
def test_events_of_another_pattern_add_up(pattern):
    events = [
        an_event(10, "a1", A, "START", inputs=[X], outputs=[Y], job_facets=service(pattern)),
        an_event(20, "a1", A, "RUNNING", inputs=[Z], outputs=[W], job_facets=service(pattern)),
    ]
    (job,) = LineageQueries(loaded(*([event] for event in events))).find_graph(A.node_id, depth=0).jobs

    assert (set(job.inputs), set(job.outputs)) == ({X, Z}, {W, Y})


def test_each_window_makes_a_version_of_the_job_and_a_step_of_its_history():
    events = [window(10, X, Y, "START"), window(20, Z, W), window(30, X, Y)]
    queries = LineageQueries(loaded(events))
    versions = queries.list_job_versions(A, limit=9, offset=0).items

    assert [(version.outputs, version.created, version.updated) for version in versions] == [
        ((Y,), at(10), at(30)),
        ((W,), at(20), at(20)),
    ]
    history, _, _ = history_of(loaded(events), A.node_id, "2025-11-20", "2025-11-21")
    assert [step.time for step in history.changes] == [at(10), at(20), at(30)]
