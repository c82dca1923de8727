"""Fields in a run's operations: CDAP's examples, and the traps that its own code fell into."""

from itertools import permutations

import pytest

from headwater_model.columns import ColumnSource, Transformation
from headwater_model.ids import DatasetId
from headwater_model.operation_set import SOURCES_MAX, OperationSet
from tests.builders_operations import (
    ESTIMATED,
    FLIGHTS,
    a_calculation,
    a_read,
    a_transform,
    a_write,
)

PERSON, HR, SKILLS, EMPLOYEE = (DatasetId("ns", name) for name in ("Person", "HR", "Skills", "Employee"))
# Of the calculation with a drop; to change it is to store every set anew.
CHECKSUM = "d236ff8c5b863203cef622f6f2fbdf1f25062ca004ae8dc71cc9d626eae02772"
IDENTITY = frozenset({Transformation("DIRECT", "IDENTITY")})


def made_by(*names):
    return frozenset({Transformation("DIRECT", "TRANSFORMATION", ", ".join(names))})


def columns(*operations):
    """Return the sources of the destination's fields, by field: fields of FLIGHTS."""
    [reported] = OperationSet(operations).columns().values()
    return {
        field: {source.field[0]: transformations for source, transformations in sources.items()}
        for (field,), sources in reported.fields.items()
    }


def pairs(operations, source=FLIGHTS, destination=ESTIMATED):
    field_pairs = field_maps(operations).get((source, destination), set())
    return {("/".join(source_field), "/".join(field)) for source_field, field in field_pairs}


def field_maps(operations):
    """By source and destination, which fields went into which."""
    maps = {}
    for destination, reported in OperationSet(operations).columns().items():
        for field, sources in reported.fields.items():
            for source in sources:
                maps.setdefault((source.dataset, destination), set()).add((source.field, field))
    return maps


def test_a_field_that_is_read_and_written_is_itself_alone():
    assert columns(a_read("a", "b"), a_write("read.a", "read.b")) == {"a": {"a": IDENTITY}, "b": {"b": IDENTITY}}


def test_written_fields_have_the_types_that_their_origins_give():
    operations = [
        a_read("a", "b", types=(("a", "string"),)),
        a_transform("cast", ["read.a"], ["c"], types=(("c", "int"),)),
        a_write("read.a", "read.b", "cast.c"),
    ]
    assert OperationSet(operations).columns()[ESTIMATED].types == {("a",): "string", ("c",): "int"}


def test_a_description_names_twenty_operations_and_counts_the_others():
    steps = [a_transform(f"step{n:02}", [f"step{n - 1:02}.a" if n else "read.a"], ["a"]) for n in range(21)]
    reported = columns(a_read("a"), *steps, a_write("step20.a"))["a"]["a"]
    assert reported == made_by(*(f"step{n:02}" for n in range(20)), "… and 1 more")
    assert columns(a_read("a"), *steps[:20], a_write("step19.a"))["a"]["a"] == made_by(
        *(step.name for step in steps[:20])
    )


def test_operations_stand_in_the_order_of_execution_however_they_are_given():
    steps = (*a_calculation(), a_transform("drop", ["read.carrier"]))
    for order in permutations(steps):
        operations = OperationSet(order)
        assert [operation.name for operation in operations.operations] == ["read", "burn", "drop", "multiply", "write"]
        assert operations == OperationSet(steps)
        assert operations.checksum == CHECKSUM


CHANGED = [
    a_read("flight", "distance"),
    a_read("distance", "flight", "carrier"),
    a_read("flight", "distance", "carrier", name="load"),
    a_read("flight", "distance", "carrier", source=ESTIMATED),
    a_read("flight", "distance", "carrier", description=""),
    a_read("flight", "distance", "carrier", types=(("flight", "string"),)),
]


@pytest.mark.parametrize("changed", CHANGED)
def test_whatever_operations_say_is_in_their_checksum(changed):
    read = a_read("flight", "distance", "carrier")
    assert OperationSet([read]).checksum == OperationSet([a_read("flight", "distance", "carrier")]).checksum
    assert OperationSet([read]).checksum != OperationSet([changed]).checksum


def test_endpoints_may_be_given_other_names():
    renamed = OperationSet(a_calculation()).rename({FLIGHTS: PERSON, HR: SKILLS})
    assert field_maps(renamed.operations) == {
        (PERSON, ESTIMATED): {(("flight",), ("flight",)), (("distance",), ("co2",))},
    }
    assert OperationSet(a_calculation()).rename({ESTIMATED: EMPLOYEE}).destinations == {EMPLOYEE}


def test_a_chain_of_ten_thousand_operations_does_not_recurse():
    steps = [a_transform(f"t{n}", [f"t{n - 1}.a" if n else "read.a"], ["a"]) for n in range(9_998)]
    assert pairs([a_read("a"), *steps, a_write("t9997.a")]) == {("a", "a")}


def made_of_each(count):
    """Fields each made by an operation of its own of all that one operation mixed."""
    names = [f"f{n}" for n in range(count)]
    mix = a_transform("mix", [f"read.{name}" for name in names], names)
    each = [a_transform(f"each-{name}", [f"mix.{name}"], [name]) for name in names]
    return OperationSet([a_read(*names), mix, *each, a_write(*(f"each-{name}.{name}" for name in names))])


def test_fields_that_one_operation_made_share_what_they_are_made_of():
    names = [f"f{n}" for n in range(1_500)]
    mix = a_transform("mix", [f"read.{name}" for name in names], names)
    operations = OperationSet([a_read(*names), mix, a_write(*(f"mix.{name}" for name in names))])
    column_sources = operations.columns()[ESTIMATED].fields.values()
    assert operations.pair_count == 1_500 * 1_500
    assert operations.source_count == 1_500
    assert len({id(sources) for sources in column_sources}) == 1
    assert {len(sources) for sources in column_sources} == {1_500}


def test_descriptions_are_left_out_where_they_would_hold_too_many_sources_apart():
    few, many = made_of_each(500), made_of_each(501)
    assert few.source_count == SOURCES_MAX == 250_000
    assert few.columns()[ESTIMATED].fields[("f7",)][ColumnSource(FLIGHTS, ("f3",))] == made_by("mix", "each-f7")
    assert many.source_count == 501
    assert set(many.columns()[ESTIMATED].fields[("f7",)].values()) == {
        frozenset({Transformation("DIRECT", "TRANSFORMATION")})
    }
    assert len({id(sources) for sources in many.columns()[ESTIMATED].fields.values()}) == 1
