"""Operations against the plainest reading of CDAP's model: each field is made of its operation's inputs."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from headwater.queries.columns.operation_graph import detail_of
from headwater.queries.columns.operation_paths import path_of
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
    [found] = [one for one in operations if one.name == name]
    return found


def made_of(operations, field):
    """The fields that this one comes from, itself among them, by following inputs."""
    origin = by_name(operations, field.origin)
    inputs = origin.inputs if isinstance(origin, Transform) else ()
    return {field}.union(*(made_of(operations, one) for one in inputs))


def sources(operations, field):
    """The endpoints' fields that this one comes from."""
    origins = ((by_name(operations, one.origin), one.name) for one in made_of(operations, field))
    return {Column(origin.source, (name,)) for origin, name in origins if isinstance(origin, Read)}


def written(operations):
    """Each written field, and as what it was written."""
    found = {}
    for write in operations:
        for one in write.inputs if isinstance(write, Write) else ():
            found.setdefault(Column(write.destination, (one.name,)), set()).add(one)
    return found


@given(operation_sets())
def test_columns_maps_and_counts_are_those_of_plain_reachability(operations):
    found = OperationSet(operations)
    model = {
        column: set().union(*(sources(operations, one) for one in fields))
        for column, fields in written(operations).items()
    }
    reported = {
        Column(dataset, path): {Column(source.dataset, source.field) for source in reported}
        for dataset, columns in found.columns().items()
        for path, reported in columns.fields.items()
    }
    assert reported == model
    pairs = {(source, column) for column, every in model.items() for source in every}
    assert found.pair_count == len(pairs)
    assert found.generated == {column for column, every in model.items() if not every}


@given(operation_sets())
def test_a_source_is_described_by_the_transforms_between_it_and_the_field(operations):
    fields = written(operations)
    for dataset, columns in OperationSet(operations).columns().items():
        for path, reported in columns.fields.items():
            behind = set().union(*(made_of(operations, one) for one in fields[Column(dataset, path)]))
            transforms = [one for one in behind if isinstance(by_name(operations, one.origin), Transform)]
            for source, transformations in reported.items():
                column = Column(source.dataset, source.field)
                between = {one.origin for one in transforms if column in sources(operations, one)}
                described = [one.description for one in transformations if one.subtype == "TRANSFORMATION"]
                assert [set(one.split(", ")) for one in described] == ([between] if between else [])


@given(operation_sets())
def test_what_is_dropped_is_that_of_plain_reachability(operations):
    found = OperationSet(operations)
    drops = [one for one in operations if isinstance(one, Transform) and not one.outputs]
    assert found.dropped == {column for drop in drops for one in drop.inputs for column in sources(operations, one)}


@given(operation_sets(), st.randoms())
def test_nothing_depends_on_the_order_in_which_operations_are_given(operations, random):
    again = list(operations)
    random.shuffle(again)
    one, other = OperationSet(operations), OperationSet(again)
    assert (one, one.checksum, one.columns()) == (other, other.checksum, other.columns())
    place = {operation.name: n for n, operation in enumerate(one.operations)}
    inputs = ((operation, field) for operation in operations for field in getattr(operation, "inputs", ()))
    assert all(place[field.origin] < place[operation.name] for operation, field in inputs)


@given(operation_sets())
def test_operations_survive_their_json_and_are_sound(operations):
    assert parse_operations(render_operations(operations)) == tuple(operations)
    check_operations(operations)


@given(operation_sets(), st.sampled_from(ENDPOINTS), st.sampled_from(NAMES))
def test_detail_backward_has_the_fields_that_the_field_is_made_of(operations, endpoint, name):
    fields = written(operations).get(Column(endpoint, (name,)), set())
    model = set().union(*(made_of(operations, one) for one in fields))
    detail = detail_of([OperationSet(operations)], endpoint, (name,), "backward")
    assert {one.id for one in detail.nodes} == {f"{one.origin}.{one.name}" for one in model}
    assert {(one.origin, one.destination, one.operation) for one in detail.connections} == {
        (f"{taken.origin}.{taken.name}", f"{one.origin}.{one.name}", one.origin)
        for one in model
        for taken in getattr(by_name(operations, one.origin), "inputs", ())
    }
    ends = {one.id for one in detail.nodes if one.destination}
    assert ends == {f"{one.origin}.{one.name}" for one in fields}


@given(operation_sets(), st.sampled_from(ENDPOINTS), st.sampled_from(NAMES))
def test_detail_forward_reaches_the_destinations_that_hold_the_field(operations, endpoint, name):
    requested = Column(endpoint, (name,))
    detail = detail_of([OperationSet(operations)], endpoint, (name,), "forward")
    assert {Column(one.destination, (one.label,)) for one in detail.nodes if one.destination} == {
        column
        for column, fields in written(operations).items()
        if any(requested in sources(operations, one) for one in fields)
    }
    read = any(
        name in one.outputs or any(InputField(one.name, name) in getattr(other, "inputs", ()) for other in operations)
        for one in operations
        if isinstance(one, Read) and one.source == endpoint
    )
    assert bool(detail.nodes) == read
    ids = {one.id for one in detail.nodes}
    assert all(one.origin in ids and one.destination in ids for one in detail.connections)


@given(operation_sets(), st.sampled_from(ENDPOINTS), st.sampled_from(NAMES))
def test_a_way_has_an_edge_from_each_source_field_and_the_operations_between(operations, endpoint, name):
    fields = written(operations).get(Column(endpoint, (name,)))
    way = path_of(OperationSet(operations), endpoint, (name,))
    assert (way is None) == (fields is None)
    if way is None:
        return
    model = set().union(*(made_of(operations, one) for one in fields))
    assert {one.name for one in way.operations} == {one.origin for one in model}
    between = {Column(edge.source, edge.field): set(edge.operations) for edge in way.edges}
    assert between == {
        source: {
            one.origin
            for one in model
            if isinstance(by_name(operations, one.origin), Transform) and source in sources(operations, one)
        }
        for source in set().union(*(sources(operations, one) for one in fields))
    }


def undescribed(operation):
    """The operation without what it says of its endpoint."""
    if isinstance(operation, Read):
        return replace(operation, source_description=None)
    return replace(operation, destination_description=None) if isinstance(operation, Write) else operation


@given(operation_sets(), st.sampled_from(ENDPOINTS), st.sampled_from(NAMES))
def test_descriptions_of_endpoints_are_returned_and_make_no_other_way(operations, endpoint, name):
    way, plain = (
        path_of(OperationSet(some), endpoint, (name,)) for some in (operations, list(map(undescribed, operations)))
    )
    if way is None:
        return
    assert way.key == plain.key
    assert [(one.name, one.source_description) for one in way.operations if one.source] == [
        (one.name, one.source_description)
        for one in OperationSet(operations).reads
        if one.name in {step.name for step in way.operations}
    ]
    note = {}
    for one in operations:
        for field in one.inputs if isinstance(one, Write) else ():
            ends = note.setdefault((f"{field.origin}.{field.name}", one.destination), set())
            ends.add(one.destination_description)
    written_here = [one for one in way.nodes if one.destination == endpoint and (one.id, endpoint) in note]
    assert all(one.destination_description in note[one.id, endpoint] for one in written_here)
    assert [replace(one, source_description=None, destination_description=None) for one in way.nodes] == list(
        plain.nodes
    )


@given(operation_sets(), operation_sets())
def test_details_of_several_sets_hold_those_of_each(operations, others):
    sets = [OperationSet(operations), OperationSet(others)]
    together = detail_of(sets, ENDPOINTS[0], ("a",), "backward")
    for one in sets:
        alone = detail_of([one], ENDPOINTS[0], ("a",), "backward")
        assert {node.label for node in alone.nodes} <= {node.label for node in together.nodes}
        assert set(alone.operations) <= set(together.operations)
    assert len({node.id for node in together.nodes}) == len(together.nodes)
    assert detail_of([*sets, *sets], ENDPOINTS[0], ("a",), "backward") == together
