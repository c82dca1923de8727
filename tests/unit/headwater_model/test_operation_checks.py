"""Checks of operations that belong together."""

import pytest

from headwater_model import operation_checks
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId
from headwater_model.operation_checks import check_operations
from headwater_model.operations import InputField, Read, Write
from tests.builders_operations import a_read, a_transform, a_write

READ, WRITE = a_read("a"), a_write("read.a")


def faults(*operations):
    with pytest.raises(Invalid) as caught:
        check_operations(operations)
    return [str(fault) for fault in caught.value.faults]


def test_an_input_that_its_origin_does_not_emit_is_a_warning_as_in_cdap():
    parse = a_transform("parse", ["read.body"], ["name"])
    assert check_operations([a_read("a"), parse, a_write("parse.body")]) == (
        "operations[1].inputs[0].name: the operation 'read' does not emit 'body'",
        "operations[2].inputs[0].name: the operation 'parse' does not emit 'body'",
    )


FAULTS = [
    ([], [f"operations: must hold at least one operation of type {kind}" for kind in ("READ", "WRITE")]),
    ([READ], ["operations: must hold at least one operation of type WRITE"]),
    (
        [a_transform("t", (), ["a"]), a_write("t.a")],
        ["operations: must hold at least one operation of type READ"],
    ),
    (
        [READ, WRITE, a_read("b"), a_transform("write")],
        [
            "operations[2].name: must be unique among the operations, got 'read'",
            "operations[3].name: must be unique among the operations, got 'write'",
        ],
    ),
    (
        [READ, a_write("reed.a", "burn.b")],
        [
            f"operations[1].inputs[{index}].origin: must be the name of an operation, got '{name}'"
            for index, name in enumerate(("reed", "burn"))
        ],
    ),
    (
        [READ, WRITE, a_transform("t", ["write.a"])],
        ["operations[2].inputs[0].origin: must not be a write, which emits nothing, got 'write'"],
    ),
    (
        [READ, WRITE, a_transform("t", ["read.a", "t.b"], ["b"])],
        ["operations[2].inputs[1].origin: must not be the operation itself, got 't'"],
    ),
    (
        [
            READ,
            WRITE,
            a_transform("a", ["c.x"], ["x"]),
            a_transform("b", ["a.x"], ["x"]),
            a_transform("c", ["b.x", "read.a"], ["x"]),
            a_transform("d", ["e.x", "a.x"], ["x"]),
            a_transform("e", ["d.x"], ["x"]),
        ],
        [
            "operations: must not depend on each other in a cycle, got 'd -> e -> d'",
            "operations: must not depend on each other in a cycle, got 'a -> b -> c -> a'",
        ],
    ),
    (
        [a_read("", "a", name=" "), a_transform("t", [" .a", " ."], ["\t"]), a_write(" .a", name="")],
        [
            "operations[0].name: must not be blank, got ' '",
            "operations[0].outputs[0]: must not be blank, got ''",
            "operations[1].outputs[0]: must not be blank, got '\\t'",
            "operations[2].name: must not be blank, got ''",
            "operations[1].inputs[1].name: must not be blank, got ''",
        ],
    ),
    (
        [a_read("a", source=DatasetId("", " ")), a_write("read.a", destination=DatasetId("a\nb", "x"))],
        [
            "operations[0].source.name: must not be blank, got ' '",
            "operations[0].source.namespace: must not be blank, got ''",
            "operations[1].destination.namespace: must not hold control characters, got 'a\\nb'",
        ],
    ),
]


@pytest.mark.parametrize(("operations", "expected"), FAULTS)
def test_every_broken_rule_is_named(operations, expected):
    assert faults(*operations) == expected


@pytest.mark.parametrize("place", ["operations[0].source.name", "operations[0].outputs[0]", "operations[1].name"])
def test_names_have_at_most_2048_bytes(place):
    long, ok = "é" * 1_024 + "x", "é" * 1_024

    def named(name):
        at = {
            location: name if location == place else "a"
            for location in (place, "operations[0].source.name", "operations[1].name")
        }
        source = DatasetId("n" * 1_024, at["operations[0].source.name"])
        field = name if "outputs" in place else "a"
        return [a_read(field, source=source), a_write(name=at["operations[1].name"])]

    assert check_operations(named(ok)) == ()
    [reported] = faults(*named(long))
    assert reported.startswith(f"{place}: must have at most 2,048 bytes, got ")


def test_a_name_that_is_no_unicode_is_measured_too():
    assert check_operations([a_read("\ud800"), a_write("read.\ud800")]) == ()


def test_namespaces_have_at_most_1024_characters():
    [reported] = faults(a_read("a", source=DatasetId("n" * 1_025, "x")), WRITE)
    assert reported.startswith("operations[0].source.namespace: must have at most 1,024 characters, got ")


def test_a_set_has_at_most_10000_operations_and_100000_fields():
    drops = [a_transform(f"drop{index}", ["read.a"]) for index in range(operation_checks.OPERATIONS_MAX - 2)]
    assert check_operations([READ, WRITE, *drops]) == ()
    assert faults(READ, WRITE, *drops, a_transform("more")) == [
        "operations: must be at most 10,000 operations, got 10001"
    ]
    assert check_operations([a_read(*map(str, range(operation_checks.FIELDS_MAX))), a_write()]) == ()
    assert faults(a_read(*map(str, range(operation_checks.FIELDS_MAX))), WRITE) == [
        "operations: must have at most 100,000 inputs and outputs in all, got 100001"
    ]


def test_a_set_relates_at_most_ten_million_pairs_of_fields():
    def all_to_all(sources, columns):
        read = a_read(*[f"s{index}" for index in range(sources)])
        mix = a_transform("mix", [f"read.{name}" for name in read.outputs], [f"c{index}" for index in range(columns)])
        return [read, mix, a_write(*[f"mix.{name}" for name in mix.outputs])]

    assert check_operations(all_to_all(2_500, 4_000)) == ()
    assert faults(*all_to_all(2_500, 4_001)) == [
        "operations: must relate at most 10,000,000 pairs of fields, got 10002500"
    ]


def test_fields_are_made_of_at_most_250000_others_where_these_are_not_the_same():
    def staircase(steps):
        """Each operation takes what the one before made, and a field more."""
        names = [f"f{n}" for n in range(steps)]
        read = a_read(*names)
        inputs = [[f"read.f{n}", *([f"t{n - 1}.x"] if n else [])] for n in range(steps)]
        transforms = [a_transform(f"t{n}", inputs[n], ["x", f"x{n}"]) for n in range(steps)]
        return [read, *transforms, a_write(*(f"t{n}.x{n}" for n in range(steps)))]

    assert check_operations(staircase(706)) == ()
    assert faults(*staircase(707)) == [
        "operations: must make fields of at most 250,000 others in all, where they are not made of the same ones,"
        " got 250278"
    ]


def test_datasets_are_made_of_others_whose_names_have_at_most_4_mib_each_pair_counted():
    def all_to_all(name):
        """One transform of a field of 512 datasets, written to 512 others; each source's name has so many bytes."""
        reads = [Read(f"r{n}", DatasetId("s3://lake", f"{n:03}".ljust(name - 9, "x")), ("a",)) for n in range(512)]
        mix = a_transform("mix", [f"r{n}.a" for n in range(512)], ["x"])
        writes = [Write(f"w{n}", (InputField("mix", "x"),), DatasetId("s3://lake", f"out{n}")) for n in range(512)]
        return [*reads, mix, *writes]

    assert check_operations(all_to_all(16)) == ()
    assert faults(*all_to_all(17)) == [
        "operations: must make datasets of others whose names have at most 4,194,304 bytes, each pair counted,"
        " got 4456448"
    ]
