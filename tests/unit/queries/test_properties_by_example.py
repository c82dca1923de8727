"""The rules about runs, one example each: the model and the loaders' table must agree."""

from dataclasses import replace

import pytest

from headwater.events.event import DatasetUse, ParentRun
from headwater_model.ids import DatasetId, JobId, name_uuid
from tests.unit.facts.statements import (
    STREAM,
    A,
    B,
    C,
    X,
    Y,
    Z,
    a_dataset_event,
    a_deletion,
    a_job_event,
    an_event,
    at,
    code,
    letters,
    nodes,
    run_id,
    version_by,
)
from tests.unit.facts.strategies import a_symlink, stamped

ALL = 9


# The current graph

CHAIN = [
    an_event(1, "a1", A, inputs=[X], outputs=[Y]),
    an_event(2, "b1", B, inputs=[Y], outputs=[Z]),
    an_event(3, "c1", C, inputs=[Z]),
]
MOVED = [an_event(1, "a1", A, outputs=[X]), an_event(2, "b1", B, inputs=[X]), an_event(3, "a2", A, outputs=[Y])]


@pytest.mark.parametrize(("start", "graph"), [(A, "AY"), (Y, "AY"), (X, "BX"), (B, "BX")])
def test_a_job_that_writes_elsewhere_leaves_its_old_output_to_the_reader(queries_over, start, graph):
    graph_of_start = queries_over(MOVED).find_graph(start.node_id, depth=ALL)
    assert nodes(graph_of_start) == graph
    stale = {dataset.id: dataset.last_written_by for dataset in graph_of_start.datasets if dataset.stale}
    assert {dataset: (by.job, letters(by.run), by.ended) for dataset, by in stale.items()} == (
        {X: (A, "a1", at(1))} if start in (X, B) else {}
    )


def test_the_graph_of_yesterday_still_has_the_edge(queries_over):
    graph = queries_over(MOVED).find_graph(X.node_id, depth=ALL, at=at(3))
    assert nodes(graph) == "ABX"
    assert set(graph.edges) == {(X.node_id, B.node_id), (A.node_id, X.node_id)}


@pytest.mark.parametrize(("depth", "graph"), [(0, "AXY"), (1, "ABXYZ"), (2, "ABCXYZ")])
def test_depth_counts_jobs(queries_over, depth, graph):
    assert nodes(queries_over(CHAIN).find_graph(A.node_id, depth=depth)) == graph


@pytest.mark.parametrize(("start", "order"), [(A, "AXYBZC"), (Y, "YABXZC"), (C, "CZBYAX")])
def test_the_nodes_of_a_graph_are_in_the_order_of_hops_and_begin_with_the_start(queries_over, start, order):
    graph = queries_over(CHAIN).find_graph(start.node_id, depth=ALL)
    assert "".join(node.id.name[-1] for node in graph.nodes) == order


def test_a_run_named_only_as_a_root_is_no_trouble_to_the_graph_of_a_time(queries_over):
    root = [ParentRun(run_id("b1"), job) for job in (B, A)]
    events = [an_event(1, "a1", A, root=root[0]), an_event(2, "a1", A, root=root[1])]
    assert nodes(queries_over(events).find_graph(A.node_id, depth=ALL, at=at(2))) == "A"


@pytest.mark.parametrize("hidden", [B, Y])
def test_what_is_hidden_does_not_bridge(queries_over, hidden):
    chain = [
        an_event(1, "a1", A, outputs=[Y]),
        an_event(2, "b1", B, inputs=[Y], outputs=[Z]),
        an_event(3, "c1", C, inputs=[Z]),
        a_deletion(9, hidden),
    ]
    queries = queries_over(chain)
    assert nodes(queries.find_graph(A.node_id, depth=ALL)) == ("AY" if hidden == B else "A")
    assert queries.find_graph(hidden.node_id, depth=ALL) is None


def test_a_deleted_job_comes_back_with_its_next_event(queries_over):
    events = [an_event(1, "a1", A, outputs=[X]), a_deletion(2, A)]
    assert queries_over(events).find_job(A).hidden
    assert not queries_over([*events, an_event(2, "a2", A, "START")]).find_job(A).hidden


def test_deleting_a_namespace_hides_all_in_it_without_events_since(queries_over):
    events = [an_event(1, "a1", A), an_event(3, "b1", B), a_deletion(2, namespace="emissions")]
    assert [job.id for job in queries_over(events).list_jobs("emissions", limit=9, offset=0).items] == [B]
    assert not queries_over(events).find_namespace("emissions").hidden
    assert queries_over([events[0], events[2]]).find_namespace("emissions").hidden


# Runs


@pytest.mark.parametrize(
    ("events", "state", "ended"),
    [
        ([("START", 1)], "RUNNING", None),
        ([(None, 1)], "NEW", None),
        ([("COMPLETE", 2), ("START", 3)], "COMPLETED", 2),
        ([("COMPLETE", 2), ("FAIL", 4)], "FAILED", 4),
        ([("ABORT", 2), ("RUNNING", 5)], "ABORTED", 2),
        ([("COMPLETE", 2), ("COMPLETE", 4)], "COMPLETED", 4),
        ([("FAIL", 2), ("COMPLETE", 3)], "FAILED", 2),
        ([("FAIL", 2), ("ABORT", 3), ("COMPLETE", 4)], "FAILED", 2),
        ([("ABORT", 2), ("COMPLETE", 3)], "ABORTED", 2),
        ([("START", 1), ("FAIL", 2), ("COMPLETE", 3)], "FAILED", 2),
        ([("START", 1), ("FAIL", 2), ("START", 3), ("COMPLETE", 4)], "COMPLETED", 4),
        ([("START", 1), ("COMPLETE", 2), ("START", 3), ("FAIL", 4), ("COMPLETE", 5)], "FAILED", 4),
        ([("START", 1), ("FAIL", 2), ("START", 3)], "FAILED", 2),
        ([("START", 1), ("FAIL", 2), ("RUNNING", 3), ("COMPLETE", 4)], "FAILED", 2),
        ([("START", 1), ("START", 2), ("FAIL", 2), ("COMPLETE", 3)], "FAILED", 2),
    ],
)
def test_an_end_stays_the_end_and_the_gravest_one_counts(queries_over, events, state, ended):
    run = queries_over([an_event(second, "a1", A, kind) for kind, second in events]).find_run(run_id("a1"))
    assert (run.state, run.ended) == (state, ended and at(ended))
    assert (run.started, run.updated) == (at(events[0][1]), at(events[-1][1]))


def test_each_job_has_a_run_of_its_own_where_a_producer_gives_all_of_them_one_id(queries_over):
    """Dagster's integration gives all assets of a run its id."""
    queries = queries_over(
        [
            *(an_event(1, "a1", job, "START") for job in (A, B)),
            an_event(2, "a1", B, "FAIL", outputs=[Y]),
            an_event(3, "a1", A, inputs=[Z], outputs=[X]),
        ]
    )
    runs = [queries.list_runs(job, limit=9, offset=0).items for job in (A, B)]
    assert [[(letters(run.id), run.state, run.ended) for run in runs_of_job] for runs_of_job in runs] == [
        [("a1", "COMPLETED", at(3))],
        [("a1", "FAILED", at(2))],
    ]
    assert [(job.inputs, job.outputs) for job in map(queries.find_job, (A, B))] == [((Z,), (X,)), ((), (Y,))]
    versions = [queries.list_dataset_versions(dataset, limit=9, offset=0).items for dataset in (X, Y)]
    assert [
        [(version.failed, version.created_by.job) for version in versions_of_dataset]
        for versions_of_dataset in versions
    ] == [[(False, A)], [(True, B)]]


def test_a_job_named_only_as_a_parent_is_listed_with_its_run_and_without_edges(queries_over):
    queries = queries_over([an_event(1, "a1", A, parent=ParentRun(run_id("c1"), C), outputs=[X])])
    parent = queries.find_job(C)
    assert (parent.inputs, parent.outputs, parent.current_version) == ((), (), None)
    assert [(letters(run.id), run.state, run.started) for run in parent.latest_runs] == [("c1", "NEW", None)]
    assert nodes(queries.find_graph(A.node_id, depth=ALL)) == "AX"


# Versions of jobs


def test_a_job_version_is_named_as_marquez_names_it(queries_over):
    ns = [DatasetId("ns", name) for name in "abc"]
    queries = queries_over([an_event(1, "a1", JobId("ns", "job"), inputs=ns[1::-1], outputs=ns[2:])])
    assert queries.find_run(run_id("a1")).job_version == "27b12297-0463-32be-bc26-b463467b981c"


def test_a_run_that_reports_nothing_keeps_the_lineage_and_its_version(queries_over):
    job = queries_over([an_event(1, "a1", A, outputs=[X]), an_event(2, "a2", A)]).find_job(A)
    assert (job.outputs, job.lineage_unknown) == ((X,), False)
    assert letters(job.latest_run.id) == "a2"


def test_new_code_without_datasets_is_a_version_of_unknown_lineage(queries_over):
    events = [
        an_event(1, "a1", A, outputs=[X], job_facets=code("1")),
        an_event(2, "a2", A, job_facets=code("1")),
        an_event(3, "a3", A, job_facets=code("2")),
    ]
    versions = queries_over(events).list_job_versions(A, limit=9, offset=0).items
    reported = [
        (version.code_version, version.outputs, version.lineage_unknown, letters(version.latest_run.id))
        for version in versions
    ]
    assert reported == [("2", (X,), True, "a3"), ("1", (X,), False, "a2")]


def test_the_version_of_a_job_that_never_reported_datasets_is_named_as_marquez_names_it(queries_over):
    queries = queries_over(
        [an_event(1, "a1", JobId("ns", "job"), job_facets={"sourceCodeLocation": {"url": "https://g/x"}})]
    )
    (version,) = queries.list_job_versions(JobId("ns", "job"), limit=9, offset=0).items
    assert (version.version, version.location) == (name_uuid("ns:job:::https://g/x"), "https://g/x")
    assert (version.inputs, version.outputs, version.lineage_unknown) == ((), (), False)
    assert queries.find_run(run_id("a1")).job_version == queries.find_job(version.job).current_version
    assert queries.find_job(version.job).current_version == version.version


OLD, NEW = "https://git/old", "https://git/new"


@pytest.mark.parametrize(
    ("first", "then", "shown", "unknown"),
    [
        pytest.param(code("1", OLD), [code("2", NEW)], (NEW, "2"), True, id="moved, with a new version"),
        pytest.param(code("1", OLD), [code("1", NEW)], (NEW, "1"), True, id="moved as it is"),
        pytest.param(code("1", OLD), [code(None, NEW)], (NEW, None), True, id="moved, version not given"),
        pytest.param(code("1", OLD), [code("2", None)], (OLD, "2"), True, id="a new version alone"),
        pytest.param(code("1", OLD), [code(None, OLD)], (OLD, "1"), False, id="the same place alone"),
        pytest.param(code("1", OLD), [code("1", OLD)], (OLD, "1"), False, id="the same"),
        pytest.param(code("1", OLD), [{}], (OLD, "1"), False, id="nothing given"),
        pytest.param({}, [code(None, NEW)], (NEW, None), True, id="given for the first time"),
        pytest.param(code("1", OLD), [code("2", NEW), {}], (NEW, "2"), True, id="moved, then nothing given"),
        pytest.param(code("1", OLD), [code("2", NEW), code("3", None)], (NEW, "3"), True, id="moved, then changed"),
    ],
)
def test_a_version_of_unknown_lineage_shows_where_the_code_was_last_reported(queries_over, first, then, shown, unknown):
    events = [
        an_event(second, f"a{second}", A, outputs=[X] if second == 1 else [], job_facets=facets)
        for second, facets in enumerate([first, *then], 1)
    ]
    queries = queries_over(events)
    (version, *_) = queries.list_job_versions(A, limit=9, offset=0).items
    assert ((version.location, version.code_version), version.lineage_unknown) == (shown, unknown)
    assert version.version == name_uuid(":".join(["emissions:A::s3://flights:X", *filter(None, shown)]))
    assert queries.find_job(A).current_version == version.version


def test_one_side_reported_means_that_the_other_is_empty(queries_over):
    job = queries_over([an_event(1, "a1", A, inputs=[X], outputs=[Y]), an_event(2, "a2", A, inputs=[X])]).find_job(A)
    assert (job.inputs, job.outputs) == ((X,), ())


def test_the_last_run_to_end_decides_whenever_its_events_came(queries_over):
    events = [an_event(5, "a1", A, outputs=[X]), an_event(4, "a2", A, outputs=[Y]), an_event(6, "a3", A, "START")]
    assert queries_over(events).find_job(A).outputs == (X,)


def test_a_job_event_counts_as_a_run_that_is_not_listed(queries_over):
    queries = queries_over([an_event(1, "a1", A, outputs=[X]), a_job_event(2, A, outputs=[Y])])
    assert queries.find_job(A).outputs == (Y,)
    assert [letters(run.id) for run in queries.list_runs(A, limit=9, offset=0).items] == ["a1"]
    assert [version.version for version in queries.list_dataset_versions(Y, limit=9, offset=0).items] == [
        name_uuid(f"{Y.namespace}:{Y.name}:")
    ]


def test_a_service_has_its_edges_while_it_runs(queries_over):
    service = {"jobType": {"processingType": "SERVICE", "integration": "custom"}}
    queries = queries_over([an_event(1, "a1", A, "RUNNING", inputs=[X], outputs=[Y], job_facets=service)])
    job = queries.find_job(A)
    assert (job.inputs, job.outputs, job.type) == ((X,), (Y,), "SERVICE")
    assert queries.find_dataset(Y).current_version == version_by(Y, A, "a1")


def test_a_stream_has_a_version_for_all_that_it_had_reported_each_time(queries_over):
    events = [
        an_event(1, "a1", A, "START", inputs=[X], job_facets=STREAM),
        an_event(2, "a1", A, "RUNNING", outputs=[Y]),
        an_event(3, "a1", A, "RUNNING"),
    ]
    versions = queries_over(events).list_job_versions(A, limit=9, offset=0).items
    reported = [(version.inputs, version.outputs, version.created, version.updated) for version in versions]
    assert reported == [((X,), (Y,), at(2), at(3)), ((X,), (), at(1), at(1))]


def test_a_stream_that_ended_keeps_what_later_events_add_to_its_outputs(queries_over):
    events = [an_event(1, "a1", A, job_facets=STREAM), an_event(2, "a1", A, "OTHER", outputs=[Y])]
    assert queries_over(events).find_job(A).outputs == (Y,)


def test_the_graph_of_a_streams_earlier_version_shows_that_version(queries_over):
    events = [an_event(1, "a1", A, "START", inputs=[X], job_facets=STREAM), an_event(2, "a1", A, outputs=[Y])]
    queries = queries_over(events)
    earlier = queries.list_job_versions(A, limit=9, offset=0).items[1].version
    (job,) = queries.find_graph(f"{A.node_id}#{earlier}", depth=ALL).jobs
    assert (job.version, job.runs) == (earlier, (run_id("a1"),))


def test_job_versions_are_listed_by_when_they_last_stood_a_streams_earlier_ones_too(queries_over):
    events = [
        an_event(1, "a1", A, "START", inputs=[X], job_facets=STREAM),
        an_event(2, "a2", A, outputs=[Z]),
        an_event(3, "a1", A, outputs=[Y]),
    ]
    versions = queries_over(events).list_job_versions(A, limit=9, offset=0).items
    assert [version.updated for version in versions] == [at(3), at(2), at(1)]


# Other names


def test_a_name_learned_late_to_be_another_name_joins_the_facts_under_it(queries_over):
    events = [
        an_event(1, "a1", A, outputs=[X]),
        an_event(2, "b1", B, inputs=[Y]),
        a_dataset_event(3, X, **a_symlink(Y)),
    ]
    queries = queries_over(events)
    assert queries.find_dataset(Y).id == X
    assert queries.find_job(B).inputs == (X,)
    assert nodes(queries.find_graph(Y.node_id, depth=ALL)) == "ABX"
    assert queries.find_run(run_id("b1")).inputs[0].version == version_by(X, A, "a1")
    assert nodes(queries.find_graph(Y.node_id, depth=ALL, at=at(3))) == "BY"


def test_a_name_points_where_it_last_pointed(queries_over):
    events = [a_dataset_event(1, X, **a_symlink(Z)), a_dataset_event(2, Y, **a_symlink(Z)), a_dataset_event(1, Z)]
    assert queries_over(events).find_dataset(Z).id == Y


def test_a_name_that_two_locations_claim_in_turns_joins_neither_until_one_is_gone(queries_over):
    claims = [a_dataset_event(at, (X, Y)[at % 2], **a_symlink(Z)) for at in range(1, 4)]
    later = [a_dataset_event(at, X, **a_symlink(Z)) for at in range(4, 15)]
    reader = an_event(1, "a1", A, inputs=[Z])

    assert queries_over([*claims, reader]).find_dataset(Z).id == Z
    assert {queries_over(claims).find_dataset(name).id for name in (X, Y)} == {X, Y}
    assert queries_over([*reversed(later), *claims, reader]).find_dataset(Z).id == X


def test_names_that_point_in_a_circle_are_the_smallest_of_them(queries_over):
    events = [
        a_dataset_event(1, X, **a_symlink(Y)),
        a_dataset_event(2, Y, **a_symlink(Z)),
        a_dataset_event(3, Z, **a_symlink(X)),
    ]
    assert {queries_over(events).find_dataset(name).id for name in (X, Y, Z)} == {X}


# Temporary storage


@pytest.mark.parametrize(("parents", "temporary"), [(("dd", "dd"), True), (("dd", "ee"), False), (("dd", None), False)])
def test_what_is_dropped_within_one_parent_run_is_temporary(queries_over, parents, temporary):
    of = [ParentRun(run_id(parent), C) if parent else None for parent in parents]
    events = [
        an_event(1, "a1", A, outputs=[X], parent=of[0]),
        an_event(2, "b1", B, inputs=[(X, DROP)], parent=of[1]),
    ]
    queries = queries_over(events)
    assert queries.find_dataset(X).temporary is temporary
    assert queries.list_datasets(X.namespace, limit=9, offset=0).total == (0 if temporary else 1)
    assert nodes(queries.find_graph(A.node_id, depth=ALL)) == "ABX"


DROP, CREATE = ({"lifecycleStateChange": {"lifecycleStateChange": change}} for change in ("DROP", "CREATE"))
IN_ONE_APPLICATION = {"parent": ParentRun(run_id("dd"), C)}


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([("outputs", (X, DROP)), ("outputs", (X, CREATE))], id="dropped and created"),
        pytest.param([("outputs", (X, DROP)), ("outputs", X)], id="dropped and written"),
        pytest.param([("outputs", X), ("outputs", (X, DROP)), ("inputs", X)], id="read after it was dropped"),
        pytest.param([("outputs", (X, DROP)), ("outputs", X), ("outputs", (X, DROP)), ("outputs", X)], id="twice"),
    ],
)
def test_what_is_used_again_after_it_was_dropped_is_neither_temporary_nor_deleted(queries_over, events):
    """`DROP TABLE IF EXISTS x; CREATE TABLE x AS ...`, in one application."""
    steps = [
        an_event(second, f"a{second}", A, **{side: [use]}, **IN_ONE_APPLICATION)
        for second, (side, use) in enumerate(events, 1)
    ]
    queries = queries_over(steps)
    dataset = queries.find_dataset(X)
    assert (dataset.temporary, dataset.deleted) == (False, False)
    assert queries.list_datasets(X.namespace, limit=9, offset=0).total == 1
    assert queries.search("X", kind="dataset", sort="name", limit=9).total == 1
    assert (
        queries_over([*steps, an_event(9, "b1", B, outputs=[(X, DROP)], **IN_ONE_APPLICATION)])
        .find_dataset(X)
        .temporary
    )


def test_a_drop_of_the_same_instant_is_taken_to_have_come_first(queries_over):
    """Events of whole seconds do not show the order: a table too many is better than one too few."""
    drop = an_event(1, "a1", A, outputs=[(X, DROP)], **IN_ONE_APPLICATION)
    dataset = queries_over([drop, an_event(1, "a2", A, outputs=[X], **IN_ONE_APPLICATION)]).find_dataset(X)
    assert (dataset.temporary, dataset.deleted) == (False, False)


def test_an_event_that_drops_what_it_reads_has_dropped_it(queries_over):
    drop = an_event(1, "a1", A, inputs=[X], outputs=[(X, DROP)], **IN_ONE_APPLICATION)
    assert queries_over([drop]).find_dataset(X).temporary


@pytest.mark.parametrize(("second", "temporary"), [(2, False), (3, True), (9, False)])
def test_a_graph_of_a_time_shows_what_was_temporary_then(queries_over, second, temporary):
    uses = [X, (X, DROP), X]
    events = [
        an_event(second, f"a{second}", A, outputs=[use], **IN_ONE_APPLICATION) for second, use in enumerate(uses, 1)
    ]
    (dataset,) = queries_over(events).find_graph(X.node_id, depth=ALL, at=at(second)).datasets
    assert (dataset.temporary, dataset.deleted) == (temporary, temporary)


@pytest.mark.parametrize("name", [X, Y])
def test_a_dataset_learned_late_to_be_temporary_leaves_the_lists(queries_over, name):
    temporary = an_event(1, "a1", A)
    temporary = stamped(replace(temporary, outputs=(DatasetUse(name, temporary=True),)))
    queries = queries_over([temporary, a_dataset_event(2, X, **a_symlink(Y)), an_event(3, "b1", B, inputs=[X])])
    assert queries.find_dataset(X).temporary
    assert queries.list_datasets(X.namespace, limit=9, offset=0).total == 0
    assert queries.search("X", kind="dataset", sort="name", limit=9).total == 0
