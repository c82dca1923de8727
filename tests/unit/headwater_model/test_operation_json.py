"""Operations in CDAP's JSON."""

import pytest

from headwater_model.errors import Invalid
from headwater_model.operations import Read, Transform, parse_operations
from tests.builders_operations import FLIGHTS, taken


def test_what_is_empty_may_be_left_out_or_null_and_other_members_are_not_read():
    read = {"type": "READ", "name": "r", "source": {"namespace": "s3://flights", "name": "checked", "properties": {}}}
    drop = {"type": "TRANSFORM", "name": "d", "inputs": [{"origin": "r", "name": "a"}], "outputs": None}
    null = {"description": None, "inputs": None, "outputs": [{"name": "a", "type": None}]}
    generate = {"type": "TRANSFORM", "name": "g", **null}
    assert parse_operations([read, drop, generate]) == (
        Read("r", FLIGHTS, ()),
        Transform("d", taken("r.a"), ()),
        Transform("g", (), ("a",)),
    )


FAULTS = [
    ("text", ["operations: must be a list, got 'text'"]),
    (["text"], ["operations[0]: must be a JSON object, got 'text'"]),
    ([{}], ["operations[0].type: is required"]),
    ([{"type": 1}], ["operations[0].type: must be a string, got 1"]),
    ([{"type": "JOIN"}], ["operations[0].type: must be READ, TRANSFORM or WRITE, got 'JOIN'"]),
    ([{"type": "READ"}], ["operations[0].name: is required", "operations[0].source: is required"]),
    ([{"type": "WRITE"}], ["operations[0].name: is required", "operations[0].destination: is required"]),
    ([{"type": "TRANSFORM", "name": ["t"]}], ["operations[0].name: must be a string, got ['t']"]),
    ([{"type": "TRANSFORM", "name": "t", "description": 7}], ["operations[0].description: must be a string, got 7"]),
    (
        [{"type": "READ", "name": "r", "source": "checked"}],
        ["operations[0].source: must be a JSON object, got 'checked'"],
    ),
    (
        [{"type": "READ", "name": "r", "source": {"namespace": 1}}],
        ["operations[0].source.namespace: must be a string, got 1", "operations[0].source.name: is required"],
    ),
    (
        [{"type": "TRANSFORM", "name": "t", "inputs": {}, "outputs": "c"}],
        ["operations[0].inputs: must be a list, got {}", "operations[0].outputs: must be a list, got 'c'"],
    ),
    (
        [{"type": "TRANSFORM", "name": "t", "inputs": ["a", {"origin": 1}]}],
        [
            "operations[0].inputs[0]: must be a JSON object, got 'a'",
            "operations[0].inputs[1].origin: must be a string, got 1",
            "operations[0].inputs[1].name: is required",
        ],
    ),
    (
        [{"type": "TRANSFORM", "name": "t", "outputs": [None, {"name": "a", "type": {"type": "map"}}]}],
        [
            "operations[0].outputs[0]: must be a name, or a JSON object with a name and a type, got None",
            "operations[0].outputs[1].type: must be a string, got {'type': 'map'}",
        ],
    ),
]


@pytest.mark.parametrize(("forms", "expected"), FAULTS)
def test_every_wrong_value_is_named_with_its_place(forms, expected):
    with pytest.raises(Invalid) as caught:
        parse_operations(forms)
    assert [str(fault) for fault in caught.value.faults] == expected
