"""Events that name nothing but jobs and datasets of namespaces of their own change no result about other namespaces.

The run ids, the times, and the names but for the namespaces are the same on both sides.
"""

from dataclasses import fields, is_dataclass, replace

from hypothesis import given
from hypothesis import strategies as st

from headwater.events.event import Deletion, Description, Tagging
from headwater.facts.visibility import Visibility
from headwater.queries.service import LineageQueries
from headwater_model.ids import DatasetId, JobId
from tests.examples import examples
from tests.fields_model import FieldModel
from tests.runs_model.results import every_result
from tests.unit.facts.strategies import DATASETS, JOBS, RUNS, TIMES, arrivals, stamped, streams
from tests.unit.queries.columns import every_column_query as of_columns
from tests.unit.queries.columns import strategies as with_columns
from tests.unit.queries.columns.test_properties_of_reports import every_report
from tests.unit.queries.every_query import differences, loaded, right_results

NAMESPACES = tuple({"quiet", *(node.namespace for node in (*JOBS, *DATASETS))})
VIEW = Visibility(NAMESPACES.__contains__, NAMESPACES)


def elsewhere(statements):
    """Return the statements in other namespaces, with the same run ids; tags and sources are described in none."""
    return [stamped(_moved(statement)) for statement in statements if not _is_of_no_namespace(statement)]


def _is_of_no_namespace(statement):
    if isinstance(statement, Description):
        return statement.source is not None
    return isinstance(statement, Tagging) and statement.job is None and statement.dataset is None


def _moved(value):
    if isinstance(value, (JobId, DatasetId)):
        return type(value)(_other(value.namespace), value.name)
    if isinstance(value, dict):
        return {name: _other(part) if name == "namespace" else _moved(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(_moved, value))
    if is_dataclass(value):
        parts = {field.name: _moved(getattr(value, field.name)) for field in fields(value)}
        if isinstance(value, Deletion | Description) and value.namespace:
            parts["namespace"] = _other(value.namespace)
        return replace(value, **parts)
    return value


def _other(namespace):
    return f"elsewhere {namespace}"


@examples(60)
@given(st.data())
def test_events_of_other_namespaces_change_no_result_about_runs(data):
    statements = data.draw(streams())
    others = elsewhere(data.draw(streams()))
    table = loaded(*data.draw(arrivals([*statements, *others])))
    results = every_result(
        LineageQueries(table).seen_by(VIEW), jobs=JOBS, datasets=DATASETS, runs=RUNS, times=TIMES[2::2]
    )
    assert differences(results, right_results(statements)) == {}


@examples(30)
@given(st.data())
def test_events_of_other_namespaces_change_no_result_about_columns(data):
    statements = data.draw(with_columns.streams())
    others = elsewhere(data.draw(with_columns.streams()))
    table = loaded(*data.draw(arrivals([*statements, *others])))
    right = of_columns.right_results(statements)
    assert differences(of_columns.results_of(table, statements), right) == {}
    queries = LineageQueries(table).seen_by(VIEW)
    assert differences(every_report(queries), every_report(FieldModel(statements))) == {}
