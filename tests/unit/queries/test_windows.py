"""Events that are complete snapshots (`emissionPattern`): the last one counts, and they do not add up."""

import pytest

from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId
from tests.unit.facts.statements import A, B, X, Y, Z, an_event, at, run_id
from tests.unit.queries.every_query import loaded
from tests.unit.queries.test_history import history_of

W = DatasetId("s3://flights", "W")
# The second fixture of the spec for this facet (spec/tests/JobTypeJobFacet/2.json).
PERIODIC = {"eventTrigger": "PERIODIC", "eventContentMode": "COMPLETE_SNAPSHOT", "windowDuration": 300}


def service(pattern=PERIODIC, kind="SERVICE"):
    return {"jobType": {"processingType": kind, "integration": "TRINO", "emissionPattern": pattern}}


def window(second, inputs=(), outputs=(), type="RUNNING", **facets):  # noqa: A002 - the event's word
    return an_event(second, "a1", A, type, inputs=inputs, outputs=outputs, job_facets={**service(), **facets})


def lineage(*pairs):
    def named(dataset):
        return {"type": "DATASET", "namespace": dataset.namespace, "name": dataset.name}

    return {"lineage": {"entries": [{**named(output), "inputs": [named(source)]} for source, output in pairs]}}


def job_of(*events, time=None):
    """Return the job by its graph, now or as of a time."""
    return LineageQueries(loaded(*([event] for event in events))).find_graph(A.node_id, depth=0, at=time).jobs[0]


TWO = (window(10, [X], [Y], "START"), window(20, [Z], [W]))


def test_a_job_uses_what_its_last_window_names():
    job = job_of(*TWO)

    assert (job.inputs, job.outputs) == ((Z,), (W,))
    assert job_of(*TWO[::-1]) == job


def test_as_of_a_time_the_last_window_before_counts():
    job = job_of(*TWO, window(30, [X], [Y]), time=at(25))

    assert (job.inputs, job.outputs) == ((Z,), (W,))
    assert job_of(*TWO, time=at(15)).outputs == (Y,)


def test_a_window_without_datasets_leaves_the_lineage_as_it_was():
    assert job_of(*TWO, window(30)).outputs == (W,)
    assert job_of(*TWO, window(30, type="COMPLETE")).outputs == (W,)


@pytest.mark.parametrize(
    "pattern",
    [{**PERIODIC, "eventContentMode": "ACCUMULATIVE"}, {"eventTrigger": "PERIODIC"}, "PERIODIC", {}, None],
)
def test_events_of_another_pattern_add_up(pattern):
    events = [
        an_event(10, "a1", A, "START", inputs=[X], outputs=[Y], job_facets=service(pattern)),
        an_event(20, "a1", A, "RUNNING", inputs=[Z], outputs=[W], job_facets=service(pattern)),
    ]
    job = job_of(*events)

    assert (set(job.inputs), set(job.outputs)) == ({X, Z}, {W, Y})


def test_events_that_have_a_window_duration_alone_are_windows():
    events = [
        an_event(second, "a1", A, "RUNNING", inputs=[source], outputs=[Y], job_facets=service({"windowDuration": 60}))
        for second, source in ((10, X), (20, Z))
    ]
    assert job_of(*events).inputs == (Z,)


def test_a_batch_run_whose_events_are_complete_uses_what_the_last_names():
    pattern = service({"eventTrigger": "EVENT_BASED", "eventContentMode": "COMPLETE_SNAPSHOT"}, "BATCH")
    planned = an_event(10, "b1", A, "START", inputs=[X, Z], outputs=[Y], job_facets=pattern)
    done = an_event(20, "b1", A, inputs=[X], outputs=[Y], job_facets=pattern)

    assert job_of(planned, done).inputs == (X,)


def test_its_run_shows_all_that_it_used():
    run = LineageQueries(loaded(TWO)).find_run(run_id("a1"))

    assert [used.dataset for used in run.inputs] == [X, Z]
    assert [used.dataset for used in run.outputs] == [W, Y]


def test_each_window_makes_a_version_of_the_job_and_a_step_of_its_history():
    events = [*TWO, window(30, [X], [Y])]
    queries = LineageQueries(loaded(events))
    versions = queries.list_job_versions(A, limit=9, offset=0).items

    assert [(version.outputs, version.created, version.updated) for version in versions] == [
        ((Y,), at(10), at(30)),
        ((W,), at(20), at(20)),
    ]
    history, _, _ = history_of(loaded(events), A.node_id, "2025-11-20", "2025-11-21")
    assert [step.time for step in history.changes] == [at(10), at(20), at(30)]


def test_run_lineage_leads_from_an_output_to_the_inputs_of_its_windows_alone():
    writes = [an_event(1, "b1", B, outputs=[X]), an_event(2, "b2", B, outputs=[Z])]
    reader = an_event(40, "b3", B, inputs=[Y])
    queries = LineageQueries(loaded([*writes, *TWO, reader]))
    upstream = queries.find_upstream_runs(run_id("b3"), depth=3)

    assert {run.run.id for run in upstream.items} == {run_id("b3"), run_id("a1"), run_id("b1")}


def test_the_lineage_facet_of_an_earlier_window_counts_no_more():
    first = window(10, [X, Z], [Y, W], **lineage((X, Y), (Z, W)))
    second = window(20, [X, Z], [Y, W], **lineage((Z, Y), (X, W)))

    assert set(job_of(first, second).flows) == {(Z, Y), (X, W)}
    assert job_of(first, window(20, [X, Z], [Y, W])).flows is None


def test_columns_that_no_window_reports_may_come_from_the_inputs_of_the_window():
    schema = {"schema": {"fields": [{"name": "co2", "type": "int"}]}}
    queries = LineageQueries(loaded([window(10, [X], [(Y, schema)]), window(20, [Z], [(Y, schema)])]))
    graph = queries.find_columns(f"datasetField:{Y.namespace}:{Y.name}:co2", depth=1)

    assert {source.dataset for node in graph.columns for source in (*node.inputs, *node.dependencies)} == {Z}
