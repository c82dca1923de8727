"""The graph's tables: nothing of them unless they are wanted, and then a job that reads the graph and writes them."""

import json

import pytest

from headwater.features.graph_tables.job import ARGUMENTS
from headwater.features.graph_tables.tables import PARTITIONS, TABLES
from headwater.settings import GRAPH_PARTITIONS
from tests.policies import decide

NAMES = [table.name for table in TABLES]
WRITE = {"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"}
READS = {"dynamodb:Query", "dynamodb:BatchGetItem"}


def test_the_job_may_do_its_work_and_no_more(turned):
    allowed = {arn: actions for arn, actions in turned.allowed("GraphTables").items() if "cdk-" not in arn}
    catalog = {arn: allowed.pop(arn) for arn in list(allowed) if ":glue:" in arn}
    logs = {"logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"}
    assert allowed == {
        "GraphTable.Arn": READS,
        "ArchiveBucket.Arn": {"s3:ListBucket"},
        "ArchiveBucket.Arn/facts/*": {"s3:GetObject"},
        **{f"ArchiveBucket.Arn/tables/{name}*": WRITE for name in NAMES},
        **{f"ArchiveBucket.Arn/tables{mark}": {"s3:GetObject", "s3:PutObject"} for mark in ("", "/", "_$folder$")},
        "ErrorLogs.Arn": logs,
        "OutputLogs.Arn": logs,
        "*": {"cloudwatch:PutMetricData"},
        "arn:AWS::Partition:kms:AWS::Region:AWS::AccountId:key/*": {"kms:Decrypt"},
    }
    resources = {arn.rpartition(":")[2] for arn in catalog}
    assert resources == {"catalog", "database/Database", *(f"table/Database/{name}" for name in NAMES)}
    assert {action for actions in catalog.values() for action in actions} == {
        f"glue:{action}Partition{s}" for action, s in (("Create", ""), ("Update", ""), ("Delete", ""), ("Get", "s"))
    } | {"glue:GetTable"}


@pytest.mark.parametrize("partition", [*GRAPH_PARTITIONS, "TOKENS", "DAY#", "DIRTY#"])
def test_the_job_reads_partitions_of_its_own_work_alone(turned, partition):
    key = f"{partition}x" if partition.endswith("#") else partition
    decisions = {
        decide(turned.statements("GraphTables"), action, "GraphTable.Arn", dynamodb_LeadingKeys=[key])
        for action in READS
    }
    assert ("allowed" in decisions) == (partition in PARTITIONS)


def test_the_stack_and_the_state_machine_give_the_job_all_its_arguments(turned):
    given = turned.of_type("AWS::Glue::Job")["GraphTables"]["DefaultArguments"]
    machine = turned.of_type("AWS::StepFunctions::StateMachine")["TablesMachine"]
    [task] = [state for state in json.loads(machine["DefinitionString"])["States"].values() if state["Type"] == "Task"]
    of_the_machine = {name.removeprefix("--").removesuffix(".$") for name in task["Parameters"]["Arguments"]}
    ours = {name.removeprefix("--") for name in given if name.removeprefix("--") in ARGUMENTS}
    assert ours | of_the_machine == set(ARGUMENTS)
    assert given["--job"] == "graph_tables"


def test_a_night_begins_at_half_past_the_hour_and_makes_the_days_that_are_missing(turned):
    rule = turned.of_type("AWS::Events::Rule")["Nightly"]
    assert rule["ScheduleExpression"] == "cron(30 3 * * ? *)"
    states = json.loads(turned.of_type("AWS::StepFunctions::StateMachine")["TablesMachine"]["DefinitionString"])[
        "States"
    ]
    assert states["SinceLastMade"]["Result"] == {"since": "none"}


def test_the_compaction_may_not_start_the_job(turned):
    assert "GraphTables" not in json.dumps(turned.statements("StateMachine"))
