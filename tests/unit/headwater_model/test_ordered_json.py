"""Operations in their order as JSON: the form in which CDAP's first design stores them."""

import pytest

from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId
from headwater_model.ordered_json import parse_ordered
from headwater_model.ordered_operations import OrderedOperation

FILE = {"namespace": "myns", "name": "user_data", "description": "files contains user information"}
SOURCE = DatasetId("myns", "user_data")
CONCAT = {
    "inputs": ["firstName", "lastName"],
    "outputs": ["name"],
    "name": "concat",
    "description": "concatenating the first name and last name",
}

READ = {
    "name": "read",
    "sources": (SOURCE,),
    "outputs": ("offset", "body"),
    "source_descriptions": ((SOURCE, FILE["description"]),),
}
FORMS = {
    "fields by name": (
        CONCAT,
        {"description": CONCAT["description"], "inputs": ("firstName", "lastName"), "outputs": ("name",)},
    ),
    "the word for its source": (
        {"name": "read", "inputs": ["source"], "outputs": ["offset", "body"], "source": FILE},
        READ,
    ),
    "a source among the inputs": ({"name": "read", "inputs": [FILE], "outputs": ["offset", "body"]}, READ),
    "the same source in both places": (
        {"name": "read", "inputs": ["source", FILE], "outputs": ["offset", "body"], "source": FILE},
        READ,
    ),
    "a field that is called source": ({"name": "up", "inputs": ["source"]}, {"name": "up", "inputs": ("source",)}),
    "fields with types": (
        {
            "name": "parse",
            "inputs": [{"name": "body", "type": "string"}],
            "outputs": [{"name": "age", "type": "int"}, {"name": "tags", "type": {"type": "array", "items": "int"}}],
        },
        {
            "name": "parse",
            "inputs": ("body",),
            "outputs": ("age", "tags"),
            "types": (("age", "int"), ("tags", '{"items":"int","type":"array"}')),
        },
    ),
    "a drop": ({"name": "drop", "inputs": ["a"], "outputs": None}, {"name": "drop", "inputs": ("a",)}),
    "generated": ({"name": "now", "inputs": [], "outputs": ["t"]}, {"name": "now", "outputs": ("t",)}),
}


@pytest.mark.parametrize(("form", "expected"), FORMS.values(), ids=FORMS)
def test_an_operation_is_read_from_every_form_of_it(form, expected):
    assert parse_ordered(form, "operations[0]") == OrderedOperation(**{"name": "concat", **expected})


def test_an_operation_of_a_stage_carries_its_name():
    assert parse_ordered(CONCAT, "operations[0]", stage="Concatenator").stage == "Concatenator"


def test_every_fault_of_an_operation_is_raised():
    form = {
        "name": " ",
        "description": 7,
        "source": "file",
        "inputs": [7, {"namespace": "n"}, {"type": "int"}],
        "outputs": "name",
    }
    with pytest.raises(Invalid) as caught:
        parse_ordered(form, "operations[3]")

    assert str(caught.value).split("; ") == [
        "operations[3].source: must be a JSON object with a namespace and a name, got 'file'",
        "operations[3].inputs[0]: must be a string, got 7",
        "operations[3].inputs[1].name: is required",
        "operations[3].inputs[2].name: is required",
        "operations[3].outputs: must be a list, got 'name'",
        "operations[3].name: must not be blank, got ' '",
        "operations[3].description: must be a string, got 7",
    ]
    with pytest.raises(Invalid, match=r"operations\[0\]: must be a JSON object, got 'read'"):
        parse_ordered("read", "operations[0]")
