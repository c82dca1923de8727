"""Operations declared beside a job, in the shape of CDAP's `fieldMutations`."""

import json
from pathlib import Path

import pytest

from headwater_model.errors import Invalid
from headwater_model.ordered_json import DeclaredStage, parse_mutations, read_mutations
from headwater_model.ordered_operations import OrderedOperation

HEADERS = {"type": "map", "keys": "string", "values": "string"}
# CDAP's example, with its quotes and commas put right.
PROJECTION = {
    "name": "Projection",
    "plugin": {"name": "Projection", "type": "transform", "properties": {"rename": "ts:seqId,body:f1"}},
    "fieldMutations": [
        {
            "inputFields": [{"name": "ts", "type": "long"}],
            "mutation": "rename",
            "description": "renaming timestamp to the sequence id",
            "outputField": {"name": "seqId", "type": "long"},
        },
        {
            "inputFields": [{"name": "body", "type": "string"}],
            "mutation": "rename",
            "description": "renaming body to the f1",
            "outputField": {"name": "f1", "type": "string"},
        },
        {
            "inputFields": [{"name": "headers", "type": HEADERS}],
            "mutation": "delete",
            "description": "deleting headers",
        },
    ],
    "inputSchema": [{"name": "Stream", "schema": "{}"}],
    "type": "transform",
}
DECLARED = DeclaredStage(
    "Projection",
    (
        OrderedOperation(
            "rename",
            "renaming timestamp to the sequence id",
            inputs=("ts",),
            outputs=("seqId",),
            types=(("seqId", "long"),),
            stage="Projection",
        ),
        OrderedOperation(
            "rename",
            "renaming body to the f1",
            inputs=("body",),
            outputs=("f1",),
            types=(("f1", "string"),),
            stage="Projection",
        ),
        OrderedOperation("delete", "deleting headers", inputs=("headers",), stage="Projection"),
    ),
)


def test_a_stages_mutations_are_its_operations_in_their_order():
    assert parse_mutations(PROJECTION) == (DECLARED,)


@pytest.mark.parametrize("form", [[PROJECTION], {"stages": [PROJECTION], "connections": []}], ids=["list", "pipeline"])
def test_several_stages_are_a_list_or_a_pipeline(form, tmp_path):
    path = tmp_path / "pipeline.json"
    path.write_text(json.dumps(form))

    assert parse_mutations(form) == read_mutations(path) == (DECLARED,)


def test_a_mutation_may_make_several_fields():
    split = {
        "mutation": "split",
        "inputFields": ["name"],
        "outputFields": ["first", {"name": "last", "type": "string"}],
    }

    ((operation,),) = [stage.operations for stage in parse_mutations({"name": "Split", "fieldMutations": [split]})]
    assert (operation.outputs, operation.types) == (("first", "last"), (("last", "string"),))


def test_every_fault_is_named_from_its_path():
    mutations = [{"inputFields": ["a"], "outputField": {"type": "int"}}, {"mutation": "m", "inputFields": {}}, 7]
    with pytest.raises(Invalid) as caught:
        parse_mutations({"stages": [{"fieldMutations": mutations}, "Table"]})

    assert str(caught.value).split("; ") == [
        "stages[0].name: is required",
        "stages[0].fieldMutations[0].outputField.name: is required",
        "stages[0].fieldMutations[0].mutation: is required",
        "stages[0].fieldMutations[1].inputFields: must be a list, got {}",
        "stages[0].fieldMutations[2]: must be a JSON object, got 7",
        "stages[1]: must be a JSON object, got 'Table'",
    ]
    with pytest.raises(Invalid, match=r"^stages: must be a list, got 'Projection'$"):
        parse_mutations("Projection")


def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Invalid, match=r"file: must be readable \(No such file or directory\), got 'none\.json'"):
        read_mutations(Path("none.json"))
    (tmp_path / "odd.json").write_text('{"name": "Projection",}')
    with pytest.raises(Invalid, match=r"file: must be JSON \(.*line 1 column 23.*\), got 'odd\.json'"):
        read_mutations(Path("odd.json"))
