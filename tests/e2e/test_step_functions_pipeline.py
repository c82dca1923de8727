"""The pipeline of examples/step_functions/ on the local stack: what its tasks leave in the records table."""

from __future__ import annotations

import json
from pathlib import Path

import boto3
import pytest

from headwater_model.ids import derive_node_id
from local_stack.errors import MachineFailed

DEFINITION = Path(__file__).parents[2] / "examples" / "step_functions" / "emissions.asl.json"
LANDED = "s3://landing/flights.csv"


@pytest.fixture(scope="module")
def pipeline(local_stack):
    """The ARN of the example's state machine."""
    states = boto3.client("stepfunctions", **local_stack.client_settings)
    definition = DEFINITION.read_text().replace("${InputFunctionArn}", local_stack.outputs["InputFunctionName"])
    role = "arn:aws:iam::123456789012:role/pipeline"
    arn = states.create_state_machine(name="emissions", definition=definition, roleArn=role)["stateMachineArn"]
    yield arn
    states.delete_state_machine(stateMachineArn=arn)


def an_input(root_id, *, complete=True, location=LANDED):
    return {
        "file": {"id": root_id, "location": location, "complete": complete},
        "parts": [
            {"node_id": "morning", "storage_location": "s3://parts/morning"},
            {"storage_location": "s3://parts/2"},
        ],
        "output": "s3://emissions",
    }


def steps_of(stack, root_id):
    """Parent, action, node and place of every record of the root."""
    stack.drain()
    items = boto3.client("dynamodb", **stack.client_settings).query(
        TableName=stack.outputs["RecordsTableName"],
        KeyConditionExpression="root_id = :root",
        ExpressionAttributeValues={":root": {"S": root_id}},
        ConsistentRead=True,
    )["Items"]
    names = ("parent_id", "action_taken", "node_id", "storage_location")
    return {(item[names[0]]["S"], item[names[1]]["S"], item[names[2]]["S"], item[names[3]]["S"]) for item in items}


def test_a_file_that_passes_its_check_leaves_the_tree_of_its_steps(local_stack, pipeline):
    root = "step-functions-passed"

    output = local_stack.run_state_machine(an_input(root), machine=pipeline, name="passed")

    read = derive_node_id(root, root, "READ", "passed/RecordRead", 0)
    passed = derive_node_id(root, read, "CHECK_PASSED", "passed/RecordPassed", 0)
    second = derive_node_id(root, passed, "SPLIT", "passed/RecordParts", 1)
    results = [
        derive_node_id(root, part, "CALCULATED", f"passed/RecordCalculated/{index}", 0)
        for index, part in enumerate(["morning", second])
    ]
    assert steps_of(local_stack, root) == {
        (root, "READ", read, LANDED),
        (read, "CHECK_PASSED", passed, LANDED),
        (passed, "SPLIT", "morning", "s3://parts/morning"),
        (passed, "SPLIT", second, "s3://parts/2"),
        ("morning", "CALCULATED", results[0], "s3://emissions/morning"),
        (second, "CALCULATED", results[1], f"s3://emissions/{second}"),
    }
    assert output["results"] == [
        {"node_id": results[0], "storage_location": "s3://emissions/morning"},
        {"node_id": results[1], "storage_location": f"s3://emissions/{second}"},
    ]


def test_a_file_that_fails_its_check_ends_there(local_stack, pipeline):
    root = "step-functions-failed"

    local_stack.run_state_machine(an_input(root, complete=False), machine=pipeline, name="failed")

    read = derive_node_id(root, root, "READ", "failed/RecordRead", 0)
    failed = derive_node_id(root, read, "CHECK_FAILED", "failed/RecordFailed", 0)
    assert steps_of(local_stack, root) == {
        (root, "READ", read, LANDED),
        (read, "CHECK_FAILED", failed, LANDED),
    }


def test_a_refused_request_is_caught_by_its_name_and_records_nothing(local_stack, pipeline):
    root = "step-functions-refused"

    with pytest.raises(MachineFailed) as raised:
        local_stack.run_state_machine(an_input(root, location=""), machine=pipeline, name="refused")

    assert raised.value.error == "Invalid"
    assert json.loads(raised.value.cause)["errorMessage"] == "storage_location: must not be empty, got ''"
    assert steps_of(local_stack, root) == set()
