"""Pages of a node's neighbours, and the runs downstream of a run, against the model."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.queries.graphs import neighbours
from headwater.queries.service import LineageQueries
from headwater_model.ids import JobId
from tests.examples import examples
from tests.fakes.memory_dynamodb import Calls
from tests.runs_model import Model
from tests.runs_model.graph import directed, runs_downstream
from tests.unit.facts.statements import A, X, an_event
from tests.unit.facts.strategies import DATASETS, JOBS, streams
from tests.unit.queries.every_query import loaded

SIDES = ("up", "down")


def every_neighbour(queries, node, side, *, text="", limit=1):
    """Page through all neighbours; None if the node is unknown."""
    neighbours, after = [], ""
    while True:
        page = queries.list_neighbours(node.node_id, side, text=text, limit=limit, after=after)
        if page is None:
            return None
        assert len(page.items) <= limit
        neighbours += [neighbour.id for neighbour in page.items]
        after = page.after
        if not after:
            return neighbours


@examples(120)
@given(streams(), st.sampled_from(SIDES), st.integers(1, 3), st.sampled_from(("", "C", "landing")))
def test_the_pages_of_a_side_have_each_neighbour_once_by_name(statements, side, limit, text):
    queries, model = LineageQueries(loaded(statements)), Model(statements)
    for node in [*JOBS, *DATASETS]:
        right = directed(model, node.node_id, 0, "both")
        listed = every_neighbour(queries, node, side, text=text, limit=limit)
        if right is None:
            assert listed is None
            continue
        _, edges, _ = right
        start = queries.find_dataset(node).id if node in DATASETS else node
        neighbours = {edge[side == "down"] for edge in edges if edge[side == "up"] == start.node_id}
        assert len(listed) == len(set(listed))
        # A dataset has a name for each written name that holds the text, and shows its primary one.
        assert {neighbour.node_id for neighbour in listed} <= neighbours
        if not text:
            assert {neighbour.node_id for neighbour in listed} == neighbours


@examples(120)
@given(streams(), st.sampled_from((0, 1, 9)))
def test_the_runs_downstream_are_those_that_read_what_is_upstream_of_them(statements, depth):
    queries, model = LineageQueries(loaded(statements)), Model(statements)
    for run_id in {run.id for run in model.statements.runs.values()}:
        start = model.runs_of_id(run_id)
        downstream = queries.find_downstream_runs(run_id, depth=depth)
        right = runs_downstream(model, start[0].key, depth) if start else None
        assert (downstream and [reader.run.key for reader in downstream.items]) == right
        for reader in downstream.items if downstream else ():
            (upstream, *_) = queries.find_upstream_runs(reader.run.id, depth=0).items
            if upstream.run.key == reader.run.key:
                assert reader.inputs == upstream.inputs


def test_a_page_reads_so_many_rows_and_goes_on_after_them(monkeypatch):
    monkeypatch.setattr(neighbours, "ROWS_MAX", 10)
    readers = [
        an_event(1, f"r{number:02}", JobId("emissions", f"reader {number:02}"), inputs=[X]) for number in range(25)
    ]
    table = loaded([an_event(1, "w1", A, outputs=[X]), *readers])
    queries = LineageQueries(table)

    table.dynamo.calls = calls = Calls()
    page = queries.list_neighbours(X.node_id, "down", text="24", limit=100)

    assert (page.items, bool(page.after), sum(calls.requests.values())) == ([], True, 2)
    assert [neighbour.name for neighbour in every_neighbour(queries, X, "down", text="24", limit=100)] == ["reader 24"]
    assert len(every_neighbour(queries, X, "down", limit=7)) == 25
