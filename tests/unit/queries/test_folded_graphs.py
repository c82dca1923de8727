"""Graphs of a single direction, and folded graphs: their nodes, degrees and costs."""

from dataclasses import replace

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import ParentRun
from headwater.facts.apply import apply_statements
from headwater.facts.keys import dataset_pk
from headwater.facts.table import Row, RowQuery
from headwater.queries.graphs.folded_graph import SIDE_READ_MAX
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.examples import examples
from tests.fakes.memory_dynamodb import Calls
from tests.fakes.memory_table import MemoryTable
from tests.runs_model import Model
from tests.runs_model.graph import directed
from tests.unit.facts.statements import an_event, run_id
from tests.unit.facts.strategies import DATASETS, JOBS, TIMES, streams
from tests.unit.queries.every_query import loaded
from tests.unit.queries.test_graph_cost import a_run

DIRECTIONS = ("both", "up", "down", "through")


def shown(graph):
    """Convert a graph to the model's form: node ids, edges, and degrees."""
    if graph is None:
        return None
    ids = {node.id.node_id for node in (*graph.jobs, *graph.datasets)}
    return ids, set(graph.edges), {node: (degree.up, degree.down) for node, degree in graph.degrees.items()}


@examples(120)
@given(streams(), st.sampled_from(DIRECTIONS), st.sampled_from((None, 0, 1, 2)), st.sampled_from((0, 1, 9)))
def test_every_graph_is_the_models_whatever_its_direction_and_fold(statements, direction, fold, depth):
    queries, model = LineageQueries(loaded(statements)), Model(statements)
    for node in [*JOBS, *DATASETS]:
        folded = shown(queries.find_graph(node.node_id, depth=depth, direction=direction, fold=fold))
        right = directed(model, node.node_id, depth, direction, fold)
        assert folded == (right and (*right[:2], right[2] if fold is not None else {}))


@examples(60)
@given(streams(), st.sampled_from(DIRECTIONS), st.sampled_from((0, 1, 2)), st.sampled_from(TIMES))
def test_a_folded_graph_of_a_time_is_that_of_the_events_before_it(statements, direction, fold, time):
    then, now = Model(statements).before(time), LineageQueries(loaded(statements))
    for node in [*JOBS, *DATASETS]:
        graph = now.find_graph(node.node_id, depth=9, direction=direction, fold=fold, at=time)
        assert shown(graph) == directed(then, node.node_id, 9, direction, fold)


@examples(60)
@given(streams(), st.sampled_from((*JOBS, *DATASETS)))
def test_a_fold_of_more_than_there_is_changes_no_graph(statements, node):
    queries = LineageQueries(loaded(statements))
    whole, folded = (queries.find_graph(node.node_id, depth=9, fold=fold) for fold in (None, 9))
    assert (whole and (whole.jobs, whole.datasets, whole.edges)) == (
        folded and (folded.jobs, folded.datasets, folded.edges)
    )


HUB = DatasetId("s3://lake", "hub")
READERS, LOADED = 10_000, 200


@pytest.fixture(scope="module")
def hub():
    """A dataset with a writer and ten thousand readers; every third reader has an output.

    The last two hundred readers are loaded; of the readers before, nobody reads more than their rows at the hub.
    """
    table = MemoryTable()
    own = [[f"of-{number:05}"] if number % 3 == 0 else [] for number in range(READERS)]
    runs = [a_run(number, f"reader-{number:05}", [HUB.name], outputs) for number, outputs in enumerate(own)]
    apply_statements([a_run(READERS, "writer", [], [HUB.name])], table)
    apply_statements(runs[-LOADED:], table)
    (page,) = table.query([RowQuery(dataset_pk(HUB))])
    of_one = [row for row in page.rows if runs[-1].run in row.sk or runs[-1].job.name in row.sk]
    assert {row.sk.partition("#")[0] for row in of_one} == {"NOW", "FORWARD"}
    table.put(a_copy(row, runs[-1], run) for run in runs[:-LOADED] for row in of_one)
    return table


def a_copy(row, old_run, new_run):
    """Rewrite the row of a run as the row of a new run."""
    changes = ((old_run.run, new_run.run), (old_run.time, new_run.time), (old_run.job.name, new_run.job.name))
    changes = (*changes, (old_run.job.digest[:16], new_run.job.digest[:16]))
    texts = [row.sk, orjson.dumps(row.data).decode()]
    for old, new in changes:
        texts = [text.replace(old, new) for text in texts]
    return Row(row.pk, texts[0], orjson.loads(texts[1]))


@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("start", [HUB, JobId("pipelines", "writer"), JobId("pipelines", "reader-09999")])
def test_a_hub_of_ten_thousand_readers_is_folded_in_twenty_requests(hub, start, direction):
    hub.dynamo.calls = calls = Calls()
    graph = LineageQueries(hub).find_graph(start.node_id, depth=1, direction=direction, fold=5)

    assert sum(calls.requests.values()) <= 20
    assert not graph.truncated
    degree = graph.degrees.get(HUB.node_id)
    assert degree is None or (degree.up, degree.exact, SIDE_READ_MAX < degree.down <= READERS) == (1, False, True)


def test_a_folded_hub_shows_a_reader_that_runs_again_and_has_not_ended():
    table = MemoryTable()
    apply_statements([a_run(number, f"reader-{number:02}", [HUB.name]) for number in range(20)], table)
    again = replace(a_run(99, "reader-07", [HUB.name]), type="START")
    apply_statements([again], table)

    graph = LineageQueries(table).find_graph(HUB.node_id, depth=0, fold=2)
    assert {job.id.name for job in graph.jobs} == {"reader-07", "reader-19"}


def test_a_folded_hub_shows_the_readers_that_ran_last(hub):
    graph = LineageQueries(hub).find_graph(HUB.node_id, depth=0, fold=5)
    readers = {f"reader-{number:05}" for number in range(READERS - 5, READERS)}
    assert {job.id.name for job in graph.jobs} == {"writer", *readers}


def test_a_folded_graph_of_a_dag_has_its_most_urgent_tasks_and_the_number_of_all_by_state():
    dag = JobId("emissions", "nightly")
    parent = ParentRun(run_id("d1"), dag)
    kinds = {3: "FAIL", 7: "FAIL", 5: "ABORT", 2: "START"}
    tasks = [
        an_event(
            number,
            f"{number:02}",
            JobId("emissions", f"task {number:02}"),
            type=kinds.get(number, "COMPLETE"),
            outputs=[DatasetId("s3://flights", f"out {number:02}")],
            parent=parent,
        )
        for number in range(30)
    ]
    queries = LineageQueries(loaded([*tasks, an_event(40, "d1", dag)]))
    graph = queries.find_graph(dag.node_id, depth=1, fold=5)
    names = [job.id.name for job in graph.jobs]
    assert names == ["nightly", "task 07", "task 03", "task 05", "task 02", "task 29"]
    assert graph.tasks == {"COMPLETED": 26, "FAILED": 2, "ABORTED": 1, "RUNNING": 1}
    # A run that goes on has written nothing yet.
    assert [dataset.id.name for dataset in graph.datasets] == ["out 03", "out 05", "out 07", "out 29"]
    # Without a fold, all are in the graph.
    assert len(queries.find_graph(dag.node_id, depth=1).jobs) == 31
