"""Loaders that meet, die and start over leave the right columns; and reports of columns change nothing else."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.queries.service import LineageQueries
from tests.examples import SHARE, examples
from tests.fields_model import FieldModel
from tests.runs_model import results as runs_results
from tests.unit.facts.loaders import Simulation
from tests.unit.facts.strategies import DATASETS, JOBS, RUNS, TIMES
from tests.unit.queries.columns.every_column_query import results_of, right_results
from tests.unit.queries.columns.strategies import streams
from tests.unit.queries.every_query import as_parsed, differences, loaded

pytestmark = pytest.mark.usefixtures("few_exact_rows", "listed_siblings")

_OF_ONE_STREAM = 10
_FACETS = ("columnLineage", "lineage", "headwater_operations")
_LISTS = ("list_datasets", "search")


@pytest.mark.timeout(900 * max(SHARE, 1))
@examples(8)
@given(streams(3), st.integers(0, 2**32))
def test_loaders_that_meet_and_die_leave_the_right_columns(statements, seed):
    right, seen, dice = right_results(statements), set(), random.Random(seed)
    for _ in range(_OF_ONE_STREAM):
        table = Simulation(in_messages(statements, dice), dice).run()
        state = repr([{**item, "v": None} for item in table.dynamo.items()])
        if state not in seen:
            assert differences(results_of(table, statements), right) == {}
            seen.add(state)


def in_messages(statements, dice):
    """Messages of a few statements each, one of them delivered twice."""
    left, messages = dice.sample(list(map(as_parsed, statements)), len(statements)), []
    while left:
        size = dice.choice((1, 1, 2, 3))
        messages.append(left[:size])
        left = left[size:]
    return [*messages, dice.choice(messages)]


@examples(40)
@given(streams())
def test_reports_of_columns_change_no_other_result_about_runs(statements):
    model = FieldModel(statements).runs
    right, results = (results_about_runs(queries) for queries in (model, LineageQueries(loaded(statements))))
    # The known limit of lists: see tests.unit.queries.every_query.
    chained = any(name in model.statements.aliases for name in model.statements.aliases.values())
    requested = [query for query in right if not (chained and query.startswith(_LISTS))]
    assert differences(results, {query: right[query] for query in requested}) == {}


def results_about_runs(queries):
    results = runs_results.every_result(queries, jobs=JOBS, datasets=DATASETS, runs=RUNS, times=TIMES[2::2])
    return {requested: json.dumps(without_columns(json.loads(result))) for requested, result in results.items()}


def without_columns(value):
    """Return a result without the facets of columns."""
    if isinstance(value, dict):
        return {name: without_columns(part) for name, part in value.items() if name not in _FACETS}
    return [without_columns(part) for part in value] if isinstance(value, list) else value
