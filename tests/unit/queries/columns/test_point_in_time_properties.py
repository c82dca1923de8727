"""The past: what a column was made of at a time, or in a version, does not change with later events."""

from hypothesis import given
from hypothesis import strategies as st

from tests.examples import examples
from tests.fields_model import FieldModel
from tests.runs_model.results import rendered
from tests.unit.facts.strategies import DATASETS, JOBS, TIMES
from tests.unit.queries.columns.every_column_query import field_ids, is_remembered, queries_of
from tests.unit.queries.columns.strategies import streams
from tests.unit.queries.every_query import differences

_KINDS = ("inputs", "dependencies")
_LATER = "2025-11-21T00:00:00.000000Z"
_NODES = [*(node.node_id for node in (*JOBS, *DATASETS)), *field_ids()]


@examples(60)
@given(streams().filter(is_remembered), st.sampled_from(TIMES))
def test_the_result_as_of_a_time_is_what_the_model_knew_then(statements, time):
    right, queries = FieldModel(statements), queries_of(statements)
    results = {node: rendered(queries.find_columns(node, depth=9, at=time)) for node in _NODES}
    assert differences(results, {node: rendered(right.find_columns(node, depth=9, at=time)) for node in _NODES}) == {}


@examples(60)
@given(streams().filter(is_remembered), st.sampled_from(TIMES), st.sampled_from((1, 9)))
def test_what_was_made_of_a_column_at_a_time_is_what_the_model_knew_then(statements, time, depth):
    right, queries = FieldModel(statements), queries_of(statements)
    how = {"depth": depth, "downstream": True, "at": time}
    results = {node: rendered(queries.find_columns(node, **how)) for node in _NODES}
    assert differences(results, {node: rendered(right.find_columns(node, **how)) for node in _NODES}) == {}


@examples(50)
@given(streams())
def test_with_what_is_made_of_it_a_column_as_of_now_is_the_present(statements):
    queries = queries_of(statements)
    for node in _NODES:
        now, then = (queries.find_columns(node, depth=9, downstream=True, at=time) for time in (None, _LATER))
        assert then == now


@examples(50)
@given(streams())
def test_the_first_hop_as_of_now_is_the_present_if_every_reporter_made_a_version(statements):
    queries, model = queries_of(statements), FieldModel(statements)
    for node in field_ids():
        now, then = (queries.find_columns(node, depth=0, at=time) for time in (None, _LATER))
        if now and then and every_reporter_made_a_version(model.world, now.columns[0].dataset):
            assert made_of(then) == made_of(now)


@examples(60)
@given(streams(), st.sampled_from(_NODES), st.sampled_from(TIMES))
def test_a_graph_of_the_past_is_made_of_versions_alone(statements, node, time):
    graph = queries_of(statements).find_columns(node, depth=9, at=time)
    for shown in graph.columns if graph else ():
        assert shown.version is not None
        assert all(source.version is not None for source in (*shown.inputs, *shown.dependencies))


def made_of(graph):
    """Return the sources of the graph's columns, without versions."""
    inputs, wholes = ([source for node in graph.columns for source in getattr(node, name)] for name in _KINDS)
    return [
        {(source.dataset, source.field, way) for source in sources for way in (*source.transformations, None)}
        for sources in (inputs, wholes)
    ]


def every_reporter_made_a_version(world, dataset):
    """Return True if each report on the dataset is of a run that wrote the dataset under its one name."""
    names = {
        name
        for name in world.statements.names_of(dataset)
        if name in {use.dataset for _, _, use in world.statements.uses}
    }
    runs = {version.run for version in world.versions(dataset) if version.run}
    return len(names) == 1 and all(word.reporter.run in runs for word in world.writers(dataset))
