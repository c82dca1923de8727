"""Wednesday: the records of a Step Functions pipeline, from its requests to the sealed day."""

import json
from datetime import datetime, timezone
from urllib.request import Request

import pytest

from headwater.cli.main import main
from tests.e2e.aws_week.conftest import DIRECT
from tests.e2e.test_step_functions_pipeline import DEFINITION, an_input


# Takes long: the night makes the day's tables on Spark.
@pytest.mark.slow
def test_a_pipelines_records_are_traced_sealed_and_verified(week, capsys):
    """Ours: the local stack in place of Step Functions, Glue and KMS. Spark itself makes the tables."""
    states, stack = week.client("stepfunctions"), week.stack
    definition = DEFINITION.read_text(encoding="utf-8").replace(
        "${InputFunctionArn}", stack.outputs["InputFunctionName"]
    )
    role = "arn:aws:iam::123456789012:role/pipeline"
    arn = states.create_state_machine(name="week", definition=definition, roleArn=role)["stateMachineArn"]
    stack.run_state_machine(an_input("week-flights"), machine=arn, name="week-passed")
    stack.drain()

    day = datetime.fromtimestamp(stack.now, timezone.utc).date().isoformat()
    sealed = stack.run_state_machine({"day": day})

    assert (sealed["roots"], sealed["missing"]) == (1, 0)
    assert sorted(drawn(trace(stack, "week-flights"))) == [
        "READ landing/flights.csv -> CHECK_PASSED landing/flights.csv -> SPLIT parts/2 -> CALCULATED",
        "READ landing/flights.csv -> CHECK_PASSED landing/flights.csv -> SPLIT parts/morning -> CALCULATED",
    ]
    capsys.readouterr()
    assert main(["verify", "--local", stack.endpoint_url]) == 0
    assert "all of it is as it was sealed" in capsys.readouterr().out


def trace(stack, root):
    with DIRECT.open(Request(f"{stack.api_url}/api/v1/records/roots/{root}/trace")) as response:
        return [json.loads(line) for line in response.read().splitlines()]


def drawn(lines):
    """Draw each line of a trace: its actions, with their places up to the split."""
    for line in lines:
        steps = [
            (step["action_taken"], step.get("storage_location", "").removeprefix("s3://")) for step in line["lineage"]
        ]
        yield " -> ".join(action if action == "CALCULATED" else f"{action} {place}" for action, place in steps)
