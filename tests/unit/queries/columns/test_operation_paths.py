"""The distinct operation paths that derive a field."""

import pytest

from headwater.queries.ranges import operation_paths
from headwater.queries.ranges.operation_paths import path_of
from headwater.queries.results.columns import FieldOperationPath, PathOperation, SimpleEdge
from headwater_model.ids import DatasetId
from headwater_model.operation_set import OperationSet
from tests.builders_operations import (
    ESTIMATED,
    FLIGHTS,
    a_calculation,
    a_read,
    a_transform,
    a_write,
)


def a_way(operations, field="co2", destination=ESTIMATED):
    return path_of(OperationSet(operations), destination, (field,))


def edges(way):
    return [("/".join(edge.field), edge.operations) for edge in way.edges]


def test_a_way_is_returned_with_the_runs_that_took_it():
    way = a_way(a_calculation())
    runs = ("newer", "older")
    expected = FieldOperationPath(way.operations, way.edges, runs, way.nodes, way.connections, ESTIMATED)
    assert way.taken_by(("newer", "older")) == expected


def test_an_edge_names_the_operations_between_its_field_and_the_requested_field():
    operations = [
        a_read("a", "b"),
        a_transform("lower", ["read.a"], ["a"]),
        a_transform("join", ["lower.a", "read.b"], ["c"]),
        a_write("join.c"),
    ]
    assert edges(a_way(operations, "c")) == [("a", ("lower", "join")), ("b", ("join",))]


def test_a_field_that_was_only_read_and_written_has_an_edge_without_operations():
    way = a_way(a_calculation(), "flight")
    assert [operation.name for operation in way.operations] == ["read"]
    assert edges(way) == [("flight", ())]


def test_a_generated_field_has_no_edges():
    way = a_way([a_read("a"), a_transform("number", (), ["row"]), a_write("number.row")], "row")
    assert way.operations == (PathOperation("number", None, (), ("row",)),)
    assert way.edges == ()


def test_a_field_that_was_written_twice_has_one_way_that_shows_both():
    twice = [
        a_read("a", "b"),
        a_transform("upper", ["read.b"], ["a"]),
        a_write("read.a", name="one"),
        a_write("upper.a", name="two"),
    ]
    way = a_way(twice, "a")
    assert [operation.name for operation in way.operations] == ["read", "upper"]
    assert edges(way) == [("a", ()), ("b", ("upper",))]


def test_two_sources_are_shown_each_on_its_read():
    person = DatasetId("ns", "Person")
    operations = [
        a_read("id", name="flights"),
        a_read("id", name="people", source=person),
        a_transform("join", ["flights.id", "people.id"], ["id"]),
        a_write("join.id"),
    ]
    way = a_way(operations, "id")
    assert [(operation.name, operation.inputs, operation.source) for operation in way.operations] == [
        ("flights", ("source",), FLIGHTS),
        ("people", ("source",), person),
        ("join", ("id",), None),
    ]
    assert way.edges == (SimpleEdge(person, ("id",), ("join",)), SimpleEdge(FLIGHTS, ("id",), ("join",)))


@pytest.mark.parametrize(
    ("field", "destination"), [("fuel", ESTIMATED), ("co2", FLIGHTS), ("distance", ESTIMATED), ("distance", FLIGHTS)]
)
def test_what_the_operations_do_not_write_has_no_way(field, destination):
    assert a_way(a_calculation(), field, destination) is None


READ, BURN, MULTIPLY, WRITE = a_calculation()
ELSEWHERE = [
    (READ, BURN, MULTIPLY, a_write("multiply.co2")),
    (READ, BURN, MULTIPLY, a_write("burn.fuel", "multiply.co2", name="keep", description="for later")),
    (*a_calculation(), a_transform("drop", ["read.carrier"])),
    (*a_calculation(), a_read("x", name="weather"), a_write("weather.x", name="also")),
    (a_read("distance"), a_transform("burn", ["read.distance"], ["fuel", "cost"]), MULTIPLY, a_write("multiply.co2")),
    (a_read("distance", types=(("distance", "int"),)), BURN, MULTIPLY, a_write("multiply.co2")),
]
OTHERWISE = [
    (READ, a_transform("burn", ["read.distance", "read.carrier"], ["fuel"]), MULTIPLY, WRITE),
    (READ, BURN, a_transform("multiply", ["burn.fuel"], ["co2"], description="3.15 kg"), WRITE),
    (READ, BURN, a_transform("multiply", ["read.distance"], ["co2"]), WRITE),
    (a_read("flight", "distance", source=ESTIMATED), BURN, MULTIPLY, WRITE),
    (*a_calculation(), a_write("read.co2", name="also")),
]


@pytest.mark.parametrize("operations", ELSEWHERE)
def test_operations_that_differ_elsewhere_know_the_same_way(operations):
    assert a_way(operations).key == a_way(a_calculation()).key


@pytest.mark.parametrize("operations", OTHERWISE)
def test_operations_that_differ_on_the_way_know_another(operations):
    assert a_way(operations).key != a_way(a_calculation()).key


def test_a_way_with_too_much_on_its_edges_is_cut_and_says_so():
    sources = [f"f{n}" for n in range(60)]
    first = a_transform("t0", [f"read.{name}" for name in sources], ["a"])
    steps = [a_transform(f"t{n}", [f"t{n - 1}.a"], ["a"]) for n in range(1, 2_000)]
    way = a_way([a_read(*sources), first, *steps, a_write("t1999.a")], "a")
    assert way.truncated
    assert len(way.edges) == operation_paths.NAMES_MAX // 2_000
    assert {len(edge.operations) for edge in way.edges} == {2_000}
