"""Operations in their order, and the origins that they come to: the demo's people, before any service knows of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId
from headwater_model.operation_checks import check_operations
from headwater_model.operations import InputField, Read, Transform, Write
from headwater_model.ordered_operations import OrderedOperation, Translated, WriteStep, translate

FILE = DatasetId("myns", "user_data")
TABLE = DatasetId("myns", "mytableds")
PARSED = ("first_name", "last_name", "age", "city", "state")
# The name-concatenation example of CDAP's design, to the letter.
NAMES = (
    OrderedOperation("read", "Reading the data from the file", sources=(FILE,), outputs=("offset", "body")),
    OrderedOperation("parse", "parsing the input body field", inputs=("body",), outputs=PARSED),
    OrderedOperation(
        "concat", "concatenating the first name and last name", inputs=("first_name", "last_name"), outputs=("name",)
    ),
    OrderedOperation("drop", "deleting the first name field", inputs=("first_name",)),
    OrderedOperation("drop", "deleting the last name field", inputs=("last_name",)),
    OrderedOperation("create", "creating unique id from the name field", inputs=("name",), outputs=("id",)),
)


def field(text):
    return InputField(*text.split("."))


def fields(text):
    return tuple(map(field, text.split()))


def faults(*steps):
    with pytest.raises(Invalid) as caught:
        translate(steps)
    return str(caught.value).split("; ")


def of(name, inputs="", outputs="", **more):
    """An operation in its order: fields are words."""
    return OrderedOperation(name, inputs=tuple(inputs.split()), outputs=tuple(outputs.split()), **more)


def a_read(outputs="a b", source=FILE):
    return of("read", outputs=outputs, sources=(source,))


def written(text=None, **more):
    return WriteStep(TABLE, None if text is None else tuple(text.split()), **more)


def write_of(*steps):
    """Return the fields that the last operation writes."""
    return [f"{field.origin}.{field.name}" for field in translate(steps).operations[-1].inputs]


def test_the_concatenation_of_names_gets_its_origins():
    translated = translate([*NAMES, written("id name age city state")])

    assert translated == Translated(
        (
            Read("read", FILE, ("offset", "body"), "Reading the data from the file"),
            Transform("parse", fields("read.body"), PARSED, "parsing the input body field"),
            Transform(
                "concat",
                fields("parse.first_name parse.last_name"),
                ("name",),
                "concatenating the first name and last name",
            ),
            Transform("drop", fields("parse.first_name"), (), "deleting the first name field"),
            Transform("drop#2", fields("parse.last_name"), (), "deleting the last name field"),
            Transform("create", fields("concat.name"), ("id",), "creating unique id from the name field"),
            Write("write", fields("create.id concat.name parse.age parse.city parse.state"), TABLE),
        )
    )
    assert check_operations(translated.operations) == ()


def test_without_a_schema_what_is_left_is_guessed_to_be_written():
    # `offset` was read and never used, `name` was used: neither can be known.
    assert write_of(*NAMES, written()) == ["read.offset", "parse.age", "parse.city", "parse.state", "create.id"]


def test_each_name_is_given_once_whatever_names_there_are():
    steps = [a_read(), of("drop", "a"), of("drop#2", "a"), of("drop", "b"), of("drop", "b"), written("a")]

    names = [operation.name for operation in translate(steps, taken=["read", "write"]).operations]
    assert names == ["read#2", "drop", "drop#2", "drop#3", "drop#4", "write#2"]


def test_a_stage_stands_before_the_names_of_its_operations():
    steps = [a_read(), of("drop", "a", stage="Clean"), of("drop", "b", stage="Clean"), written("a", stage="Store")]

    names = [operation.name for operation in translate(steps).operations]
    assert names == ["read", "Clean.drop", "Clean.drop#2", "Store.write"]


def test_an_operation_that_takes_fields_and_reads_a_source_is_a_read_and_a_transform():
    planes = DatasetId("myns", "planes")
    join = of("join", "a", "model seats", sources=(planes,), types=(("seats", "int"),))

    assert translate([a_read(), join, written("seats")]).operations[1:] == (
        Read("join.read", planes, ("model", "seats"), None, (("seats", "int"),)),
        Transform(
            "join",
            (InputField("join.read", "model"), InputField("join.read", "seats"), InputField("read", "a")),
            ("model", "seats"),
            None,
            (("seats", "int"),),
        ),
        Write("write", fields("join.seats"), TABLE),
    )


NESTED = {
    "a struct is what is in it": (["p/x p/y"], "p", ["read.p/x", "read.p/y"]),
    "a field of a struct is the struct": (["p"], "p/x/y", ["read.p"]),
    "the nearest struct": (["p p/x"], "p/x/y", ["read.p/x"]),
    "the field itself": (["p p/x"], "p/x", ["read.p/x"]),
    "a struct, and what was changed in it": (["p", "p/x"], "p", ["read.p", "read#2.p/x"]),
    "a struct that was made anew": (["p/x", "p"], "p", ["read#2.p"]),
    "a name that holds a slash": ([r"p\/x p"], "p", ["read.p"]),
}


@pytest.mark.parametrize(("read", "names", "inputs"), NESTED.values(), ids=NESTED)
def test_nested_fields_are_found_by_their_paths(read, names, inputs):
    assert write_of(*map(a_read, read), written(names)) == inputs


def test_a_field_of_a_struct_that_was_read_is_read():
    steps = [a_read("p"), of("up", "p/x p/y", "u"), of("own", "u p/x", "p"), of("more", "p/x", "v"), written("p u v")]

    assert translate(steps).operations == (
        Read("read", FILE, ("p", "p/x", "p/y")),
        Transform("up", fields("read.p/x read.p/y"), ("u",)),
        Transform("own", fields("up.u read.p/x"), ("p",)),
        Transform("more", fields("own.p"), ("v",)),
        Write("write", fields("own.p up.u more.v"), TABLE),
    )
    assert write_of(a_read("p"), of("up", "p/x", "u"), written("p u")) == ["read.p", "read.p/x", "up.u"]


def test_operations_that_name_their_origins_may_stand_among_the_others():
    steps = [
        Write("out", fields("up.u"), TABLE),
        Transform("up", fields("read.a"), ("u",)),
        Read("read", FILE, ("a",)),
        of("twice", "u", "v"),
        written("v"),
    ]

    assert translate(steps, taken=["read"]).operations == (
        Write("out", fields("up.u"), TABLE),
        Transform("up", fields("read#2.a"), ("u",)),
        Read("read#2", FILE, ("a",)),
        Transform("twice", fields("up.u"), ("v",)),
        Write("write", fields("twice.v"), TABLE),
    )


def test_the_written_schema_gives_the_types_that_operations_did_not():
    read = of("read", outputs="a b c", sources=(FILE,), types=(("a", "text"),))
    types = (("a", "string"), ("b", "int"), ("z", "int"))

    (operation, _) = translate([read, written("a b c", types=types)]).operations
    assert operation.types == (("a", "text"), ("b", "int"))


def test_unknown_written_fields_are_left_out_with_a_warning():
    translated = translate([a_read(), written("a c d")])

    assert translated.operations[-1].inputs == fields("read.a")
    assert translated.warnings == ("no operation emits these fields written to mytableds: c, d",)


def test_every_field_that_no_earlier_operation_emitted_is_named():
    assert faults(a_read("a"), of("up", "x a y", "u"), of("drop", "z"), written("u")) == [
        "operations[1].inputs[0]: must be emitted by an earlier operation, got 'x'",
        "operations[1].inputs[2]: must be emitted by an earlier operation, got 'y'",
        "operations[2].inputs[0]: must be emitted by an earlier operation, got 'z'",
    ]
    # Later is too late.
    assert faults(of("up", "a", "u"), a_read("a"), written("u")) == [
        "operations[0].inputs[0]: must be emitted by an earlier operation, got 'a'"
    ]


FAULTS = {
    "nothing at all": ([of("odd")], "operations[0]: must take or emit something, got 'odd'"),
    "nothing is written": ([a_read(), written("x")], "fields: must hold a field that an operation emits, got ['x']"),
    "nothing is left": (
        [a_read("a"), of("drop", "a"), written()],
        "fields: must hold a field that an operation emits, got None",
    ),
    "one name for two": (
        [Read("r", FILE, ()), Read("r", FILE, ())],
        "operations[1].name: must be unique among the operations that name their origins, got 'r'",
    ),
}


@pytest.mark.parametrize(("steps", "fault"), FAULTS.values(), ids=FAULTS)
def test_what_makes_no_sense_is_refused(steps, fault):
    assert faults(*steps) == [fault]


WORDS = st.lists(st.sampled_from("abcde"), max_size=3, unique=True).map(" ".join)
STEPS = st.lists(st.tuples(st.sampled_from(["x", "y"]), WORDS, WORDS.filter(bool)), max_size=8)


@given(STEPS, WORDS.filter(bool))
def test_in_any_order_each_field_comes_from_its_latest_maker(steps, schema):
    ordered = [of(name, inputs, outputs) for name, inputs, outputs in steps]
    translated = translate([a_read("a b c d e"), *ordered, written(schema)]).operations
    latest = dict.fromkeys("abcde", "read")

    assert check_operations(translated) == ()
    for step, operation in zip([*ordered, written(schema)], translated[1:], strict=True):
        names = schema.split() if isinstance(step, WriteStep) else step.inputs
        assert operation.inputs == tuple(InputField(latest[name], name) for name in names)
        if not isinstance(step, WriteStep):
            latest.update(dict.fromkeys(step.outputs, operation.name))
