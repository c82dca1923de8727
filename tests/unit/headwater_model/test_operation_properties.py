"""Operations against the plainest reading of CDAP's model: each field is made of its operation's inputs."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from headwater.queries.ranges.operation_graph import detail_of
from headwater.queries.ranges.operation_paths import path_of
from headwater_model.columns import Column
from headwater_model.ids import DatasetId
from headwater_model.operation_checks import check_operations
from headwater_model.operation_set import OperationSet
from headwater_model.operations import InputField, Read, Transform, Write, parse_operations, render_operations

ENDPOINTS = [DatasetId("s3://flights", name) for name in ("raw", "checked", "estimated")]
NAMES = ["a", "b", "c"]


_ENDPOINT, _OUTPUTS = st.sampled_from(ENDPOINTS), st.lists(st.sampled_from(NAMES), max_size=3).map(tuple)
_INPUTS = st.lists(st.tuples(st.integers(0, 8), st.sampled_from(NAMES)), max_size=3)
_DESCRIPTION = st.sampled_from([None, "", "flights of 2013", "a table of flights"])
_READS = st.lists(st.tuples(_ENDPOINT, _OUTPUTS, _DESCRIPTION), min_size=1, max_size=3)
_TRANSFORMS = st.lists(st.tuples(_INPUTS, _OUTPUTS), max_size=6)
_WRITES = st.lists(st.tuples(_INPUTS, _ENDPOINT, _DESCRIPTION), min_size=1, max_size=3)


def _built(reads, transforms, writes):
    operations = [
        Read(f"r{n}", source, outputs, source_description=note) for n, (source, outputs, note) in enumerate(reads)
    ]

    def taken(inputs):
        return tuple(InputField(operations[place % len(operations)].name, name) for place, name in inputs)

    for n, (inputs, outputs) in enumerate(transforms):
        operations.append(Transform(f"t{n}", taken(inputs), outputs))
    return operations + [
        Write(f"w{n}", taken(inputs), endpoint, destination_description=note)
        for n, (inputs, endpoint, note) in enumerate(writes)
    ]


def operation_sets():
    """Sound operations: each takes fields of those before it, some of which their origins do not mention."""
    return st.builds(_built, _READS, _TRANSFORMS, _WRITES)


def by_name(operations, name):
    [operation] = [operation for operation in operations if operation.name == name]
    return operation


def made_of(operations, field):
    """The fields that this one comes from, itself among them, by following inputs."""
    origin = by_name(operations, field.origin)
    inputs = origin.inputs if isinstance(origin, Transform) else ()
    return {field}.union(*(made_of(operations, source) for source in inputs))


def sources(operations, field):
    """The endpoints' fields that this one comes from."""
    origins = ((by_name(operations, source.origin), source.name) for source in made_of(operations, field))
    return {Column(origin.source, (name,)) for origin, name in origins if isinstance(origin, Read)}


def written(operations):
    """Each written field, and as what it was written."""
    fields_by_column = {}
    for write in operations:
        for field in write.inputs if isinstance(write, Write) else ():
            fields_by_column.setdefault(Column(write.destination, (field.name,)), set()).add(field)
    return fields_by_column


@given(operation_sets())
def test_columns_maps_and_counts_are_those_of_plain_reachability(operations):
    operation_set = OperationSet(operations)
    model = {
        column: set().union(*(sources(operations, field) for field in fields))
        for column, fields in written(operations).items()
    }
    reported = {
        Column(dataset, path): {Column(source.dataset, source.field) for source in reported}
        for dataset, columns in operation_set.columns().items()
        for path, reported in columns.fields.items()
    }
    assert reported == model
    pairs = {(source, column) for column, column_sources in model.items() for source in column_sources}
    assert operation_set.pair_count == len(pairs)
    assert operation_set.generated == {column for column, column_sources in model.items() if not column_sources}


@given(operation_sets())
def test_a_source_is_described_by_the_transforms_between_it_and_the_field(operations):
    fields = written(operations)
    for dataset, columns in OperationSet(operations).columns().items():
        for path, reported in columns.fields.items():
            behind = set().union(*(made_of(operations, field) for field in fields[Column(dataset, path)]))
            transforms = [field for field in behind if isinstance(by_name(operations, field.origin), Transform)]
            for source, transformations in reported.items():
                column = Column(source.dataset, source.field)
                between = {field.origin for field in transforms if column in sources(operations, field)}
                described = [
                    transformation.description
                    for transformation in transformations
                    if transformation.subtype == "TRANSFORMATION"
                ]
                assert [set(description.split(", ")) for description in described] == ([between] if between else [])


@given(operation_sets())
def test_what_is_dropped_is_that_of_plain_reachability(operations):
    operation_set = OperationSet(operations)
    drops = [operation for operation in operations if isinstance(operation, Transform) and not operation.outputs]
    assert operation_set.dropped == {
        column for drop in drops for field in drop.inputs for column in sources(operations, field)
    }


@given(operation_sets(), st.randoms())
def test_nothing_depends_on_the_order_in_which_operations_are_given(operations, random):
    again = list(operations)
    random.shuffle(again)
    first, second = OperationSet(operations), OperationSet(again)
    assert (first, first.checksum, first.columns()) == (second, second.checksum, second.columns())
    place = {operation.name: n for n, operation in enumerate(first.operations)}
    inputs = ((operation, field) for operation in operations for field in getattr(operation, "inputs", ()))
    assert all(place[field.origin] < place[operation.name] for operation, field in inputs)


@given(operation_sets())
def test_operations_survive_their_json_and_are_sound(operations):
    assert parse_operations(render_operations(operations)) == tuple(operations)
    check_operations(operations)


@given(operation_sets(), st.sampled_from(ENDPOINTS), st.sampled_from(NAMES))
def test_detail_backward_has_the_fields_that_the_field_is_made_of(operations, endpoint, name):
    fields = written(operations).get(Column(endpoint, (name,)), set())
    model = set().union(*(made_of(operations, field) for field in fields))
    detail = detail_of([OperationSet(operations)], endpoint, (name,), "up")
    assert {node.id for node in detail.nodes} == {f"{field.origin}.{field.name}" for field in model}
    assert {(connection.origin, connection.destination, connection.operation) for connection in detail.connections} == {
        (f"{taken.origin}.{taken.name}", f"{field.origin}.{field.name}", field.origin)
        for field in model
        for taken in getattr(by_name(operations, field.origin), "inputs", ())
    }
    ends = {node.id for node in detail.nodes if node.destination}
    assert ends == {f"{field.origin}.{field.name}" for field in fields}


@given(operation_sets(), st.sampled_from(ENDPOINTS), st.sampled_from(NAMES))
def test_detail_forward_reaches_the_destinations_that_hold_the_field(operations, endpoint, name):
    requested = Column(endpoint, (name,))
    detail = detail_of([OperationSet(operations)], endpoint, (name,), "down")
    assert {Column(node.destination, (node.label,)) for node in detail.nodes if node.destination} == {
        column
        for column, fields in written(operations).items()
        if any(requested in sources(operations, field) for field in fields)
    }
    read = any(
        name in read.outputs or any(InputField(read.name, name) in getattr(other, "inputs", ()) for other in operations)
        for read in operations
        if isinstance(read, Read) and read.source == endpoint
    )
    assert bool(detail.nodes) == read
    ids = {node.id for node in detail.nodes}
    assert all(connection.origin in ids and connection.destination in ids for connection in detail.connections)


@given(operation_sets(), st.sampled_from(ENDPOINTS), st.sampled_from(NAMES))
def test_a_way_has_an_edge_from_each_source_field_and_the_operations_between(operations, endpoint, name):
    fields = written(operations).get(Column(endpoint, (name,)))
    way = path_of(OperationSet(operations), endpoint, (name,))
    assert (way is None) == (fields is None)
    if way is None:
        return
    model = set().union(*(made_of(operations, field) for field in fields))
    assert {operation.name for operation in way.operations} == {field.origin for field in model}
    between = {Column(edge.source, edge.field): set(edge.operations) for edge in way.edges}
    assert between == {
        source: {
            field.origin
            for field in model
            if isinstance(by_name(operations, field.origin), Transform) and source in sources(operations, field)
        }
        for source in set().union(*(sources(operations, field) for field in fields))
    }


def undescribed(operation):
    """The operation without what it says of its endpoint."""
    if isinstance(operation, Read):
        return replace(operation, source_description=None)
    return replace(operation, destination_description=None) if isinstance(operation, Write) else operation


@given(operation_sets(), st.sampled_from(ENDPOINTS), st.sampled_from(NAMES))
def test_descriptions_of_endpoints_are_returned_and_make_no_other_way(operations, endpoint, name):
    way, plain = (
        path_of(OperationSet(given), endpoint, (name,)) for given in (operations, list(map(undescribed, operations)))
    )
    if way is None:
        return
    assert way.key == plain.key
    assert [(operation.name, operation.source_description) for operation in way.operations if operation.source] == [
        (read.name, read.source_description)
        for read in OperationSet(operations).reads
        if read.name in {step.name for step in way.operations}
    ]
    note = {}
    for operation in operations:
        for field in operation.inputs if isinstance(operation, Write) else ():
            ends = note.setdefault((f"{field.origin}.{field.name}", operation.destination), set())
            ends.add(operation.destination_description)
    written_here = [node for node in way.nodes if node.destination == endpoint and (node.id, endpoint) in note]
    assert all(node.destination_description in note[node.id, endpoint] for node in written_here)
    assert [replace(node, source_description=None, destination_description=None) for node in way.nodes] == list(
        plain.nodes
    )


@given(operation_sets(), operation_sets())
def test_details_of_several_sets_hold_those_of_each(operations, others):
    sets = [OperationSet(operations), OperationSet(others)]
    together = detail_of(sets, ENDPOINTS[0], ("a",), "up")
    for operation_set in sets:
        alone = detail_of([operation_set], ENDPOINTS[0], ("a",), "up")
        assert {node.label for node in alone.nodes} <= {node.label for node in together.nodes}
        assert set(alone.operations) <= set(together.operations)
    assert len({node.id for node in together.nodes}) == len(together.nodes)
    assert detail_of([*sets, *sets], ENDPOINTS[0], ("a",), "up") == together
