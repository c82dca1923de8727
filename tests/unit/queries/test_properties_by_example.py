"""Rules about runs and temporary storage that random histories seldom meet: the model and the loaders' table agree."""

from dataclasses import replace

import pytest

from headwater.events.event import DatasetUse, ParentRun
from headwater_model.ids import DatasetId, JobId, name_uuid
from tests.unit.facts.statements import (
    A,
    B,
    C,
    X,
    Y,
    Z,
    a_dataset_event,
    an_event,
    at,
    nodes,
    run_id,
)
from tests.unit.facts.strategies import a_symlink, stamped

ALL = 9


# The current graph

CHAIN = [
    an_event(1, "a1", A, inputs=[X], outputs=[Y]),
    an_event(2, "b1", B, inputs=[Y], outputs=[Z]),
    an_event(3, "c1", C, inputs=[Z]),
]


@pytest.mark.parametrize(("start", "order"), [(A, "AXYBZC"), (Y, "YABXZC"), (C, "CZBYAX")])
def test_the_nodes_of_a_graph_are_in_the_order_of_hops_and_begin_with_the_start(queries_over, start, order):
    graph = queries_over(CHAIN).find_graph(start.node_id, depth=ALL)
    assert "".join(node.id.name[-1] for node in graph.nodes) == order


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


# Versions of jobs


def test_a_job_version_is_named_as_marquez_names_it(queries_over):
    ns = [DatasetId("ns", name) for name in "abc"]
    queries = queries_over([an_event(1, "a1", JobId("ns", "job"), inputs=ns[1::-1], outputs=ns[2:])])
    assert queries.find_run(run_id("a1")).job_version == "27b12297-0463-32be-bc26-b463467b981c"


def test_the_version_of_a_job_that_never_reported_datasets_is_named_as_marquez_names_it(queries_over):
    queries = queries_over(
        [an_event(1, "a1", JobId("ns", "job"), job_facets={"sourceCodeLocation": {"url": "https://g/x"}})]
    )
    (version,) = queries.list_job_versions(JobId("ns", "job"), limit=9, offset=0).items
    assert (version.version, version.location) == (name_uuid("ns:job:::https://g/x"), "https://g/x")
    assert (version.inputs, version.outputs, version.lineage_unknown) == ((), (), False)
    assert queries.find_run(run_id("a1")).job_version == queries.find_job(version.job).current_version
    assert queries.find_job(version.job).current_version == version.version


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
