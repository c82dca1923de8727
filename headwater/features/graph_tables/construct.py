"""The graph's tables: the Spark job, a machine for each night, and tables in Glue.

The compaction is apart: a failed night is an alarm, and the next night makes its day.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from constructs import Construct

from headwater import settings
from headwater.features.graph_tables.queries import GRAPH_QUERIES
from headwater.features.graph_tables.tables import PARTITIONS, TABLES
from infra.addition import Addition, WatchedMachine
from infra.nightly import machine_rights, make_machine, start_nightly
from infra.spark_job import SparkJob, open_folders

if TYPE_CHECKING:
    from infra.stack import LineageStack

JOB = "GraphTables"
_TIMEOUT_MIN = 120
_PASSING = (
    "Glue.ConcurrentRunsExceededException",
    "Glue.ResourceNumberLimitExceededException",
    "Glue.OperationTimeoutException",
    "Glue.InternalServiceException",
    "Glue.ThrottlingException",
)


def add(stack: LineageStack, _: bool) -> Addition:
    """Add the job, the machine and the tables to the stack."""
    stack.spark_jobs.engine.add(_job(stack))
    machine = GraphTables(stack, "GraphTables", stack).state_machine
    meaning = "The graph's tables of a day were not made."
    return Addition(
        machines=[WatchedMachine("GraphTablesFailed", machine, "nights without the graph's tables", meaning)],
        outputs={"GraphTablesStateMachineArn": machine.state_machine_arn},
    )


def _job(stack: LineageStack) -> SparkJob:
    """Make the job (`job`): it reads the graph table, and writes and publishes the graph's tables alone."""
    bucket, graph_table = stack.storage.archive_bucket, stack.storage.graph_table
    job = SparkJob(
        stack.spark_jobs,
        JOB,
        module="graph_tables",
        about="Makes the graph's tables of the day before.",
        arguments={
            "--archive": f"s3://{bucket.bucket_name}",
            "--archive-bucket": bucket.bucket_name,
            "--graph-table": graph_table.table_name,
            "--search-database": stack.search.database.ref,
        },
        timeout_min=_TIMEOUT_MIN,
        runs_max=1,
    )
    job.rights.allow_partitions(["dynamodb:Query", "dynamodb:BatchGetItem"], graph_table, PARTITIONS)
    job.rights.deny_token_writes(graph_table)
    job.rights.allow_objects(["s3:GetObject"], bucket, settings.FACTS_PREFIX)
    open_folders(job.rights, bucket, (table.name for table in TABLES))
    job.rights.allow(
        ["glue:GetTable", "glue:GetPartitions", "glue:CreatePartition", "glue:UpdatePartition", "glue:DeletePartition"],
        stack.search.catalog_arns(TABLES),
    )
    return job


class GraphTables(Construct):
    """The tables in Glue with their saved queries, the job's machine, and its schedule."""

    def __init__(self, scope: Construct, construct_id: str, stack: LineageStack) -> None:
        super().__init__(scope, construct_id)
        engine, hour_utc = stack.spark_jobs.engine, stack.context.compaction_hour_utc
        stack.search.register(self, TABLES, GRAPH_QUERIES)
        rights = machine_rights(self, "TablesMachine")
        engine.open_to(rights, JOB)
        self.state_machine = make_machine(
            self,
            "TablesMachine",
            rights,
            definition=json.dumps(_definition(), indent=2),
            substitutions=engine.substitutions_of(JOB),
            of="/graph-tables",
        )
        about = "Starts the graph's tables of the day before."
        start_nightly(self, "Nightly", self.state_machine, hour_utc=hour_utc, about=about)


def _definition() -> Mapping[str, object]:
    """Define the machine: a run of the job; with `{"since": "2026-11-01"}`, of each day from then on."""
    return {
        "Comment": "Makes the graph's tables. With an input of since (YYYY-MM-DD): every day from then on again.",
        "StartAt": "HasSince",
        "TimeoutSeconds": 3 * _TIMEOUT_MIN * 60,
        "States": {
            "HasSince": {
                "Type": "Choice",
                "Choices": [{"Variable": "$.since", "IsString": True, "Next": "MakeTables"}],
                "Default": "SinceLastMade",
            },
            "SinceLastMade": {"Type": "Pass", "Result": {"since": "none"}, "Next": "MakeTables"},
            "MakeTables": {
                "Type": "Task",
                "Resource": "${RunJob}",
                "Parameters": {
                    "JobName": f"${{{JOB}JobName}}",
                    "Arguments": {"--since.$": "$.since", "--attempt.$": "$$.Execution.Name"},
                },
                "TimeoutSeconds": _TIMEOUT_MIN * 60,
                "ResultPath": None,
                "Retry": _retries(),
                "End": True,
            },
        },
    }


def _retries() -> Sequence[Mapping[str, object]]:
    """Define the tries: many while Glue has no room, a single further try after a failed run."""
    return [
        {
            "ErrorEquals": list(_PASSING),
            "IntervalSeconds": 60,
            "MaxAttempts": 5,
            "BackoffRate": 2,
            "MaxDelaySeconds": 600,
            "JitterStrategy": "FULL",
        },
        {"ErrorEquals": ["States.TaskFailed"], "IntervalSeconds": 60, "MaxAttempts": 1, "BackoffRate": 2},
    ]
