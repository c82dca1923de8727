"""History that expires: whatever the order of events, what is current stays, and so does history within the days."""

from __future__ import annotations

from itertools import zip_longest

import orjson
from hypothesis import given
from hypothesis import strategies as st

from headwater.facts.apply import apply_statements
from headwater.facts.kept import end_s
from headwater.queries.service import LineageQueries
from tests.examples import examples
from tests.fakes.memory_table import MemoryTable
from tests.runs_model.results import every_result, rendered
from tests.unit.facts.strategies import DATASETS, JOBS, TIMES, arrivals, distant_times, moved, streaming_runs
from tests.unit.queries.columns import strategies
from tests.unit.queries.every_query import as_parsed
from tests.unit.queries.test_properties_of_results import structure_of

DAYS = 30
# Queries of runs and versions are about history; all others are about what is current.
_HISTORY = ("run", "version", "#", "history")
_RUNS_BEFORE = ("latest_runs", "job_version")


@st.composite
def histories(draw):
    """Draw statements with columns, of streams a second or weeks apart too, their times, and the table after TTL."""
    times = draw(st.one_of(st.just(TIMES), distant_times()))
    return moved(draw(st.one_of(strategies.streams(), strategies.streams(statements=streaming_runs()))), times), times


def load(batches):
    table = MemoryTable()
    table.kept.update(runs=DAYS, streams=DAYS)
    for batch in batches:
        apply_statements(list(map(as_parsed, batch)), table, changes_max=1)
    return table


def expire(table, now_s):
    """Remove the rows that have expired, as TTL does."""
    for item in list(table.dynamo.items()):
        if "expires_at" in item and int(item["expires_at"]["N"]) <= now_s:
            table.dynamo._delete({"Key": item})


def current_results(table, oldest=""):
    queries = LineageQueries(table, oldest=lambda: oldest)
    results = every_result(queries, jobs=JOBS, datasets=DATASETS, runs=())
    for node in [*JOBS, *DATASETS]:
        results[f"find_columns {node}"] = rendered(queries.find_columns(node.node_id, depth=9, downstream=True))
    return {
        query: orjson.loads(result)
        for query, result in results.items()
        if not any(name in query.replace("list_datasets", "") for name in _HISTORY)
    }


def is_kept(got, right, name=""):
    """True for equal values, but for runs before, and for versions left out where the result says so."""
    if isinstance(right, dict) and isinstance(got, dict):
        if got.get("truncated") and name == "latest_run":
            got = {**got, "truncated": False, "inputs": [read for read in right["inputs"] if read in got["inputs"]]}
            right = {**right, "inputs": got["inputs"]}
        if got.get("truncated") and name == "find_columns":
            got = {**got, "truncated": False}
        if got.get("read_version", "") is None:
            right = {**right, "read_version": None}
        names = (got.keys() | right.keys()) - set(_RUNS_BEFORE)
        return all(is_kept(got.get(name), right.get(name), name) for name in names)
    if isinstance(right, list) and isinstance(got, list):
        return all(is_kept(*pair) for pair in zip_longest(got, right))
    return got == right


@examples(40)
@given(st.data(), histories())
def test_what_is_current_outlives_all_days(data, history):
    statements, times = history
    table = load(data.draw(arrivals(statements)))
    before = current_results(table)
    expire(table, end_s(times[-1], 100 * DAYS))
    after = current_results(table, "2027-01-01")
    lost = {
        query: (after.get(query), right)
        for query, right in before.items()
        if not is_kept(after.get(query), right, query.partition(" ")[0])
    }
    assert lost == {}


@examples(40)
@given(st.data(), histories(), st.integers(0, len(TIMES) - 1))
def test_the_graphs_within_the_days_are_as_they_were(data, history, oldest):
    statements, times = history
    table = load(data.draw(arrivals(statements)))
    queries = LineageQueries(table)

    def graphs():
        return [
            structure_of(queries.find_graph(node.node_id, depth=9, at=time))
            for node in [*JOBS, *DATASETS]
            for time in times[oldest:]
        ]

    before = graphs()
    # The graph of a time is of the events before.
    expire(table, end_s(times[oldest], DAYS) - 1)
    assert graphs() == before
