"""The distinct operation paths that derive a field."""

import pytest

from headwater.queries.ranges import operation_paths
from headwater.queries.ranges.operation_paths import path_of
from headwater.queries.results.columns import FieldOperationPath
from headwater_model.operation_set import OperationSet
from tests.builders_operations import (
    ESTIMATED,
    a_calculation,
    a_read,
    a_transform,
    a_write,
)


def a_way(operations, field="co2", destination=ESTIMATED):
    return path_of(OperationSet(operations), destination, (field,))


def test_a_way_is_returned_with_the_runs_that_took_it():
    way = a_way(a_calculation())
    runs = ("newer", "older")
    expected = FieldOperationPath(way.operations, way.edges, runs, way.nodes, way.connections, ESTIMATED)
    assert way.taken_by(("newer", "older")) == expected


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
