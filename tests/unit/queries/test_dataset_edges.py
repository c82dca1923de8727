"""Edges between datasets that DatasetEvents declare (views): each graph leads through them as through jobs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.facts.lattice import USERS_MAX
from headwater.facts.visibility import Visibility
from headwater.queries.graphs import edges
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId
from tests.examples import examples
from tests.fields_model.model import FieldModel
from tests.runs_model.graph import directed, ways_down
from tests.unit.facts.statements import A, X, Y, Z, a_dataset_event, an_event, at
from tests.unit.facts.strategies import DATASETS, JOBS, TIMES, arrivals, declared_streams
from tests.unit.queries.every_query import loaded


@examples(200)
@given(st.data(), st.sampled_from(("both", "up", "down", "through")), st.sampled_from((None, *TIMES[1:])))
def test_every_graph_is_the_models_whatever_datasets_are_made_of(data, direction, time):
    statements = data.draw(declared_streams())
    queries = LineageQueries(loaded(*data.draw(arrivals(statements))))
    model = FieldModel(statements).runs
    model = model if time is None else model.before(time)
    depth, fold = data.draw(st.sampled_from((0, 1, 9))), data.draw(st.sampled_from((None, 9)))
    for node in [*JOBS, *DATASETS]:
        graph = queries.find_graph(node.node_id, depth=depth, direction=direction, fold=fold, at=time)
        right = directed(model, node.node_id, depth, direction, fold)
        assert (graph is None) == (right is None)
        if graph is not None:
            shown = {node.id.node_id for node in (*graph.jobs, *graph.datasets)}
            assert (shown, set(graph.edges)) == right[:2]
            if fold is not None:
                assert {node: (degree.up, degree.down) for node, degree in graph.degrees.items()} == right[2]


@examples(100)
@given(declared_streams(), st.sampled_from((*JOBS, *DATASETS)))
def test_the_impact_follows_declared_edges(statements, node):
    report = LineageQueries(loaded(statements)).report_impact(node.node_id, depth=9)
    model = FieldModel(statements).runs
    right = directed(model, node.node_id, 9, "down")
    if right is not None:
        ways = ways_down(model, node.node_id, right[0])
        assert {
            impacted.node.id.node_id: (impacted.hops, set(impacted.through)) for impacted in report.impacted
        } == ways


def made_of(second, dataset, *sources):
    """Return a DatasetEvent that says of which datasets this one is made."""
    inputs = [{"type": "DATASET", "namespace": source.namespace, "name": source.name} for source in sources]
    return a_dataset_event(second, dataset, lineage={"inputs": inputs})


MANY = [DatasetId("s3://flights", f"view-{number:02}") for number in range(USERS_MAX + 4)]


@pytest.mark.parametrize("time", [None, at(30)])
def test_a_dataset_with_many_views_shows_all_up_to_a_limit_and_says_so(monkeypatch, time):
    table = loaded([an_event(0, "a1", A, outputs=[X]), *(made_of(1, view, X) for view in MANY)])
    for limit, shown in ((len(MANY), len(MANY)), (3, 3)):
        monkeypatch.setattr(edges, "DERIVED_MAX", limit)
        graph = LineageQueries(table).find_graph(A.node_id, depth=9, at=time)
        assert {dataset.id for dataset in graph.datasets} == {X, *MANY[:shown]}
        assert graph.truncated == (shown < len(MANY))


@pytest.mark.parametrize("fold", [None, 9])
def test_a_caller_who_may_not_see_a_view_sees_its_id_and_nothing_behind_it(fold):
    hidden = DatasetId("elsewhere", "view")
    events = [an_event(0, "a1", A, outputs=[X, Y]), made_of(1, hidden, X, Z), made_of(2, Y, hidden)]
    queries = LineageQueries(loaded(events)).seen_by(
        Visibility(("emissions", "s3://flights").__contains__, ("emissions", "s3://flights"), strict=True)
    )
    for direction, shown in (("both", "AXYview"), ("down", "AXYview"), ("up", "A")):
        graph = queries.find_graph(A.node_id, depth=9, direction=direction, fold=fold)
        assert "".join(sorted(node.id.name for node in (*graph.jobs, *graph.datasets))) == shown
        assert {dataset.id for dataset in graph.datasets if dataset.outline} == (
            {hidden} if direction != "up" else set()
        )
    assert (X.node_id, hidden.node_id) in queries.find_graph(X.node_id, depth=9, fold=fold).edges
    # From behind it, the same: Z feeds the view, and no more is shown.
    graph = queries.find_graph(Z.node_id, depth=9, fold=fold)
    assert ({dataset.id for dataset in graph.datasets}, graph.edges) == ({Z, hidden}, ((Z.node_id, hidden.node_id),))
