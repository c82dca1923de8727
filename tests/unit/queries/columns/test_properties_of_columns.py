"""Properties of columns for all statements: every result is the model's, and the graph is consistent."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from headwater_model.columns import Column
from tests.examples import examples
from tests.fields_model.related import overlap
from tests.unit.facts.strategies import DATASETS, JOBS, arrivals
from tests.unit.queries.columns.every_column_query import field_ids, queries_of, results_of, right_results
from tests.unit.queries.columns.strategies import streams
from tests.unit.queries.every_query import differences, loaded

_WHOLE = 9
_NODES = [*(node.node_id for node in (*JOBS, *DATASETS)), *field_ids()]


@examples(50)
@given(streams())
def test_every_result_is_the_models(statements):
    assert differences(results_of(loaded(statements), statements), right_results(statements)) == {}


@examples(50)
@given(st.data())
def test_order_batches_and_repetition_change_no_result(data):
    statements = data.draw(streams())
    table = loaded(*data.draw(arrivals(statements)))
    assert differences(results_of(table, statements), right_results(statements)) == {}


@examples(60)
@given(streams())
def test_what_is_made_of_a_column_is_made_of_it_by_its_own_account_too(statements):
    queries = queries_of(statements)
    present, reported = whole_graph(queries), queries.columns_of(DATASETS)
    for column, node in present.items():
        assert all(overlapping(column, made_of(present[other])) for other in columns_in(node.outputs))
    for column in [Column(node.dataset, node.field) for graph in reported.values() for node in graph.columns]:
        sources = (
            [present[source] for source in made_of(present[column]) if source in present] if column in present else []
        )
        assert all(overlapping(column, columns_in(source.outputs)) for source in sources)


@examples(60)
@given(streams())
def test_what_lies_above_a_column_or_struct_has_it_below(statements):
    queries = queries_of(statements)
    present, own = whole_graph(queries), own_columns(queries)
    # The sources of a whole dataset are above each column, but only the dataset's own columns are below them.
    up = {column: made_of(present[column]) for column in present if overlapping(column, own)}
    above = {column: reached(column, lambda node: up.get(node, set())) for column in present}
    below = {column: reached(column, lambda node: columns_in(present[node].outputs)) for column in present}
    for column, sources in above.items():
        assert all(overlapping(column, below[source]) for source in sources if source in present)
    # A job may report a struct beside its fields, with sources of the struct itself. If a second job reports the
    # fields alone, the fields of both lead down to columns made of the struct; so ways end there.
    mixed = columns_with_relatives(queries)
    clear = {
        column: reached(column, lambda node, start=column: outputs_of(node, start, present, mixed))
        for column in present
    }
    reported = {column for columns in above.values() for column in columns}
    for column, derived in clear.items():
        assert all(overlapping(column, above[each]) for each in derived if column in reported)


@examples(60)
@given(streams(), st.sampled_from(_NODES), st.booleans())
def test_a_deeper_graph_holds_the_shallower_one(statements, node, downstream):
    queries = queries_of(statements)
    graphs = [queries.find_columns(node, depth=depth, downstream=downstream) for depth in range(4)]
    for shallow, deep in itertools.pairwise(graphs):
        assert nodes_of(shallow) == nodes_of(deep)[: len(nodes_of(shallow))]


@examples(60)
@given(streams(), st.sampled_from(field_ids()))
def test_siblings_never_appear(statements, node):
    queries = queries_of(statements)
    graph = queries.find_columns(node, depth=_WHOLE, downstream=True)
    if graph is None:
        return
    present = whole_graph(queries)
    start = nodes_of(graph)[0]
    # Nobody can request a column of a dataset without mentions.
    up = reached(start, lambda column: made_of(present[column]) if column in present else set())
    down = reached(start, lambda column: columns_in(present[column].outputs))
    assert set(nodes_of(graph)) == up | down


@examples(60)
@given(streams(), st.sampled_from(_NODES))
def test_every_node_of_a_graph_is_shown_as_when_it_is_requested(statements, node):
    queries = queries_of(statements)
    for shown in columns_of(queries.find_columns(node, depth=_WHOLE)):
        assert queries.find_columns(field_id(shown), depth=0).columns == (shown,)


def whole_graph(queries):
    """Find all current columns, each with its inputs and outputs."""
    graphs = [queries.find_columns(dataset.node_id, depth=0, downstream=True) for dataset in DATASETS]
    fields = [queries.find_columns(field, depth=0, downstream=True) for field in field_ids()]
    return {Column(node.dataset, node.field): node for graph in (*graphs, *fields) for node in columns_of(graph)}


def outputs_of(node, start, present, mixed):
    """List the columns made of a node; for a column with reported relatives, only at the start of a way."""
    return columns_in(present[node].outputs) if node == start or node not in mixed else set()


def columns_with_relatives(queries):
    """List the reported columns with a reported field inside, or a reported struct around."""
    columns = {
        Column(node.dataset, node.field) for now in queries.columns_of(DATASETS).values() for node in now.columns
    }
    return {column for column in columns if overlapping(column, columns - {column})}


def own_columns(queries):
    """List the columns of schemas and reports; all else is known as a source alone."""
    graphs = [queries.find_columns(dataset.node_id, depth=0) for dataset in DATASETS]
    described = [node for graph in graphs for node in columns_of(graph) if node.schema_known]
    reported = [node for graph in queries.columns_of(DATASETS).values() for node in graph.columns]
    return {Column(node.dataset, node.field) for node in (*described, *reported)}


def made_of(node):
    """List the source columns of a node, and of its whole dataset."""
    return columns_in(node.inputs) | columns_in(node.dependencies)


def overlapping(column, others):
    """True if `others` have the column, a field inside it, or a struct around it."""
    return any(other.dataset == column.dataset and overlap(other.field, column.field) for other in others)


def columns_of(graph):
    return graph.columns if graph else ()


def nodes_of(graph):
    return [Column(node.dataset, node.field) for node in columns_of(graph)]


def columns_in(sources):
    return {Column(source.dataset, source.field) for source in sources if source.field is not None}


def field_id(column):
    return f"datasetField:{column.dataset.namespace}:{column.dataset.name}:{'.'.join(column.field)}"


def reached(start, beside):
    distant, left = {start}, [start]
    while left:
        neighbours = beside(left.pop()) - distant
        distant |= neighbours
        left += neighbours
    return distant
