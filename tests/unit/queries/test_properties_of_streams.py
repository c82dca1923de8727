"""Live streams count at their last event, however far apart events are: index rows are coarser than time."""

from __future__ import annotations

from dataclasses import replace
from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from lineage.queries.service import LineageQueries
from lineage.times import from_seconds
from tests.examples import examples
from tests.unit.graph.strategies import DATASETS, JOBS, TIMES, stamped, streams
from tests.unit.queries.every_query import loaded
from tests.unit.queries.test_properties_of_results import structure_of

_WHOLE = 9
_BEGAN_S = 1_763_640_000
_GAPS_S = (1, 50, 3_000, 15 * 3_600, 20 * 86_400)


@examples(10)
@given(st.data())
def test_with_events_minutes_hours_days_and_weeks_apart_the_graph_of_a_time_is_that_of_the_events_before_it(data):
    drawn = data.draw(streams())
    times = data.draw(distant_times())
    statements = [stamped(replace(one, time=times[TIMES.index(one.time)])) for one in drawn if one.time in TIMES]
    table = loaded(statements)
    time = data.draw(st.sampled_from(times))
    then, now = LineageQueries(loaded([one for one in statements if one.time < time])), LineageQueries(table)
    for node in [*JOBS, *DATASETS]:
        past = structure_of(now.find_graph(node.node_id, depth=_WHOLE, at=time))
        assert past == structure_of(then.find_graph(node.node_id, depth=_WHOLE))
    for dataset in DATASETS:
        past, before = now.find_graph(dataset.node_id, depth=1, at=time), then.find_graph(dataset.node_id, depth=1)
        assert facets_of(past) == facets_of(before)


@st.composite
def distant_times(draw):
    """Draw as many times as `TIMES` has, each a second, minutes, hours, days or weeks after the one before."""
    gaps = draw(st.lists(st.sampled_from(_GAPS_S), min_size=len(TIMES) - 1, max_size=len(TIMES) - 1))
    return [from_seconds(_BEGAN_S + offset) for offset in accumulate(gaps, initial=0)]


def facets_of(graph):
    return {one.id: one.facets for one in graph.datasets} if graph else {}
