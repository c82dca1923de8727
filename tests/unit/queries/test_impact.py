"""Everything downstream of a node: the graph that is walked down, with the shortest way to each node."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.queries.service import LineageQueries
from tests.examples import examples
from tests.runs_model import Model
from tests.runs_model.graph import directed, start_of, ways_down
from tests.unit.facts.strategies import DATASETS, JOBS, streams
from tests.unit.queries.every_query import loaded


@examples(80)
@given(streams(), st.sampled_from((0, 1, 9)))
def test_the_impact_is_what_the_graph_walked_down_shows(statements, depth):
    queries, model = LineageQueries(loaded(statements)), Model(statements)
    for node in [*JOBS, *DATASETS]:
        right = directed(model, node.node_id, depth, "down")
        report = queries.report_impact(node.node_id, depth=depth)
        assert (report is None) == (right is None)
        if right is not None:
            assert (report.node_id, report.truncated) == (start_of(model, node.node_id).node_id, False)
            assert {
                impacted.node.id.node_id: (impacted.hops, set(impacted.through)) for impacted in report.impacted
            } == ways_down(model, node.node_id, right[0])
            assert [impacted.hops for impacted in report.impacted] == sorted(
                impacted.hops for impacted in report.impacted
            )
