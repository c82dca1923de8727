"""Everything downstream of a column: columns, the jobs that make them, and their datasets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.queries.columns import column_impact as column_impact_walk
from headwater_model.errors import Invalid
from tests.examples import examples
from tests.fields_model import FieldModel
from tests.fields_model.impact import column_impact
from tests.unit.facts.statements import an_event
from tests.unit.queries.columns.column_statements import (
    CHECK,
    CHECKED,
    LANDING,
    RAW,
)
from tests.unit.queries.columns.counting import Counter, a_chain, dataset, field_node
from tests.unit.queries.columns.every_column_query import field_ids, queries_of
from tests.unit.queries.columns.short_results import CHAIN, dotted, field, version_of
from tests.unit.queries.columns.strategies import streams


def shown(impact):
    """Return an impact as the model does."""
    if impact is None:
        return None
    assert not impact.truncated
    columns = {
        impacted.column: (impacted.hops, set(impacted.through), impacted.direct, impacted.masked, set(impacted.jobs))
        for impacted in impact.columns
    }
    nodes = {
        impacted.node.id: (impacted.hops, set(impacted.through), impacted.direct, impacted.masked, impacted.certain)
        for impacted in impact.nodes
    }
    assert (len(columns), len(nodes)) == (len(impact.columns), len(impact.nodes))
    return columns, nodes


@examples(100)
@given(streams(), st.sampled_from((0, 1, 9)))
def test_the_impact_of_every_column_is_the_models(statements, depth):
    queries, model = queries_of(statements), FieldModel(statements)
    for node in field_ids():
        assert shown(queries.report_column_impact(node, depth=depth)) == column_impact(model.world, node, depth)


def in_short(impact):
    """Return (column, hops, direct, masked) of the columns, and (name, hops, certain) of jobs and datasets."""
    columns = [
        (dotted(impacted.column.dataset, impacted.column.field), impacted.hops, impacted.direct, impacted.masked)
        for impacted in impact.columns
    ]
    return columns, [(impacted.node.id.name, impacted.hops, impacted.certain) for impacted in impact.nodes]


def test_what_is_possible_from_a_column_that_was_cut_is_cut_too(monkeypatch):
    monkeypatch.setattr(column_impact_walk, "STEPS_MAX", 0)
    events = [*CHAIN[:1], an_event(2, "b1", CHECK, inputs=[RAW], outputs=[CHECKED])]
    impact = queries_of(events).report_column_impact(field(LANDING, "line"), depth=9)
    assert (in_short(impact), impact.truncated) == (([], []), True)


def test_what_is_downstream_of_a_version_is_not_known():
    queries = queries_of(CHAIN)
    version = version_of(queries, RAW, "carrier", "2025-11-21T00:00:00.000000Z")
    with pytest.raises(Invalid, match="nodeId: must name no version"):
        queries.report_column_impact(f"{field(RAW, 'carrier')}#{version}", depth=1)


@pytest.mark.parametrize("depth", [0, 1, 4])
def test_each_hop_costs_a_round_and_four_requests(depth):
    impact, cost = Counter(a_chain(10, runs=5)).measure(
        lambda queries: queries.report_column_impact(field_node(0), depth=depth)
    )

    assert [impacted.column.dataset for impacted in impact.columns] == [
        dataset(number) for number in range(1, depth + 2)
    ]
    assert cost.rounds <= depth + 6
    assert cost.requests <= 4 * depth + 11


@examples(40)
@given(streams(), st.integers(0, 6))
def test_an_impact_with_a_step_too_many_is_a_part_of_the_whole_and_says_so(statements, steps):
    queries = queries_of(statements)
    for node in field_ids():
        whole = queries.report_column_impact(node, depth=9)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(column_impact_walk, "STEPS_MAX", steps)
            part = queries.report_column_impact(node, depth=9)
        if whole is not None:
            assert part.truncated or part == whole
            assert {reached.column for reached in part.columns} <= {reached.column for reached in whole.columns}
            assert {reached.node.id for reached in part.nodes} <= {reached.node.id for reached in whole.nodes}
