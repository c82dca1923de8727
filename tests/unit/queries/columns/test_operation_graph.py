"""A field's way through operations, as CDAP's nodes, operations and connections."""

from headwater.queries.ranges import operation_graph
from headwater.queries.ranges.operation_graph import detail_of
from headwater.queries.results.columns import Connection, Detail, DetailNode, DetailOperation
from headwater_model.operation_set import OperationSet
from tests.builders_operations import (
    ESTIMATED,
    FLIGHTS,
    MY_TABLE,
    USER_DATA,
    a_calculation,
    a_name_concatenation,
    a_read,
    a_transform,
    a_write,
)


def drawn(operations, endpoint, field, direction):
    """The detail in short: nodes with the endpoints beside them, names of operations, connections."""
    sets = operations if isinstance(operations[0], tuple) else [operations]
    detail = detail_of([OperationSet(operations) for operations in sets], endpoint, (field,), direction)
    ends = [(node.id, *(end.name for end in (node.source, node.destination) if end)) for node in detail.nodes]
    links = [(connection.origin, connection.operation, connection.destination) for connection in detail.connections]
    return ends, [operation.name for operation in detail.operations], links


def test_a_field_of_cdaps_sample_is_drawn_back_to_its_source():
    assert detail_of([OperationSet(a_name_concatenation())], MY_TABLE, ("name",), "up") == Detail(
        nodes=(
            DetailNode("read.body", "body", source=USER_DATA),
            DetailNode("parse.firstName", "firstName"),
            DetailNode("parse.lastName", "lastName"),
            DetailNode("concat.name", "name", destination=MY_TABLE),
        ),
        operations=(
            DetailOperation("read", "Reading the data from the file"),
            DetailOperation("parse", "parsing the input body field"),
            DetailOperation("concat", "concatenating the first name and last name"),
            DetailOperation("write"),
        ),
        connections=(
            Connection("read.body", "parse.firstName", "parse"),
            Connection("read.body", "parse.lastName", "parse"),
            Connection("parse.firstName", "concat.name", "concat"),
            Connection("parse.lastName", "concat.name", "concat"),
        ),
    )


def test_nodes_of_operations_that_differ_are_qualified():
    read, _, multiply, write = a_calculation()
    changed = (read, a_transform("burn", ["read.carrier"], ["fuel"]), multiply, write)
    first, second = (OperationSet(each).checksum[:8] for each in (a_calculation(), changed))
    assert drawn([a_calculation(), changed], ESTIMATED, "co2", "up") == (
        [
            ("read.distance", "checked"),
            (f"{first}:burn.fuel",),
            ("multiply.co2", "estimated"),
            ("read.carrier", "checked"),
            (f"{second}:burn.fuel",),
        ],
        ["read", "burn", "multiply", "write"],
        [
            ("read.distance", "burn", f"{first}:burn.fuel"),
            (f"{first}:burn.fuel", "multiply", "multiply.co2"),
            ("read.carrier", "burn", f"{second}:burn.fuel"),
            (f"{second}:burn.fuel", "multiply", "multiply.co2"),
        ],
    )


def test_three_sets_of_which_two_agree_have_two_nodes():
    read, _, multiply, write = a_calculation()
    changed = (read, a_transform("burn", ["read.carrier"], ["fuel"]), multiply, write)
    more = (*a_calculation(), a_transform("drop", ["read.carrier"]))
    ids = [node[0] for node in drawn([a_calculation(), changed, more], ESTIMATED, "co2", "up")[0]]
    first = min(OperationSet(operations).checksum for operations in (a_calculation(), more))[:8]
    assert ids == [
        "read.distance",
        f"{first}:burn.fuel",
        "multiply.co2",
        "read.carrier",
        f"{OperationSet(changed).checksum[:8]}:burn.fuel",
    ]


def test_a_detail_that_is_too_large_is_cut_and_says_so():
    names = [f"f{n}" for n in range(200)]
    mix = a_transform("mix", [f"read.{name}" for name in names], names)
    again = a_transform("again", [f"mix.{name}" for name in names], ["x"])
    operations = OperationSet([a_read(*names), mix, again, a_write("again.x")])
    detail = detail_of([operations], ESTIMATED, ("x",), "up")
    assert detail.truncated
    assert len(detail.connections) == operation_graph.CONNECTIONS_MAX
    assert {node.id for node in detail.nodes} >= {f"mix.{name}" for name in names}
    assert not detail_of([operations], FLIGHTS, ("f0",), "down").truncated


def test_a_field_among_thirty_thousand_is_found_without_comparing_them_all():
    names = [f"f{n}" for n in range(30_000)]
    wide = (a_read(*names), a_write(*(f"read.{name}" for name in names)))
    assert drawn(wide, FLIGHTS, "f7", "both") == ([("read.f7", "checked", "estimated")], ["read", "write"], [])
