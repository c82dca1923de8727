"""The Spark jobs on either engine: what they run, what they are given, what they may do, how they are started."""

from __future__ import annotations

import json

import pytest

from infra.compaction import STATE_MACHINE_FILE
from infra.context import parse_context
from infra.emr_states import with_emr_serverless
from infra.stack import LineageStack
from jobs.launch import JOBS
from tests.templates import Template

ASSETS = "s3://cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}/"
COMPACT = {"--job": "compact_archive", "--archive": "s3://ArchiveBucket"}
TRACE = {
    "--job": "trace_root",
    "--graph-table": "GraphTable",
    "--records-table": "RecordsTable",
    "--archive-bucket": "ArchiveBucket",
    "--records-dlq-url": "RecordsDeadLetters",
}
OF_THE_STATE_MACHINE = {
    "compact_archive": {"day", "attempt"},
    "trace_root": {"root-sha", "marked-on", "day", "execution", "started-at"},
}
WRITE = {"s3:GetObject", "s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "s3:ListMultipartUploadParts"}
RIGHTS = {
    "CompactArchive": {
        "ArchiveBucket.Arn": {"s3:ListBucket"},
        "ArchiveBucket.Arn/digests/*": {"s3:GetObject"},
        "ArchiveBucket.Arn/traces/*": {"s3:GetObject"},
        "ArchiveBucket.Arn/tables/records*": WRITE,
        "ArchiveBucket.Arn/tables/traces*": WRITE,
        "ArchiveBucket.Arn/tables/manifests*": WRITE,
        "ArchiveBucket.Arn/tables": {"s3:GetObject", "s3:PutObject"},
        "ArchiveBucket.Arn/tables/": {"s3:GetObject", "s3:PutObject"},
        "ArchiveBucket.Arn/tables_$folder$": {"s3:GetObject", "s3:PutObject"},
    },
    "TraceRoot": {
        "RecordsTable.Arn": {"dynamodb:Query"},
        "GraphTable.Arn": {
            "dynamodb:GetItem",
            "dynamodb:BatchGetItem",
            "dynamodb:Query",
            "dynamodb:PutItem",
            "dynamodb:UpdateItem",
            "dynamodb:BatchWriteItem",
            "dynamodb:ConditionCheckItem",
        },
        "RecordsDeadLetters.Arn": {"sqs:SendMessage"},
        "ArchiveBucket.Arn": {"s3:ListBucket"},
        "ArchiveBucket.Arn/traces/*": {
            "s3:GetObject",
            "s3:PutObject",
            "s3:AbortMultipartUpload",
        },
    },
}


def without_assets(allowed: dict[str, set[str]]) -> dict[str, set[str]]:
    assert {str(actions) for arn, actions in allowed.items() if "cdk-" in arn} == {"{'s3:GetObject'}"}
    return {arn: actions for arn, actions in allowed.items() if "cdk-" not in arn}


@pytest.mark.parametrize(
    ("name", "expected", "minutes", "runs", "workers", "scales"),
    [("CompactArchive", COMPACT, 120, 3, 10, "true"), ("TraceRoot", TRACE, 45, 10, 4, "false")],
)
def test_a_job_of_glue_runs_the_launcher_with_its_constant_arguments(
    template, name, expected, minutes, runs, workers, scales
):
    job = template.of_type("AWS::Glue::Job")[name]
    arguments = job.pop("DefaultArguments")
    script = job["Command"].pop("ScriptLocation")
    assert (script.startswith(ASSETS), script.endswith(".py")) == (True, True)
    del job["Description"]
    assert job == {
        "Command": {"Name": "glueetl", "PythonVersion": "3"},
        "GlueVersion": "5.1",
        "WorkerType": "G.1X",
        "NumberOfWorkers": workers,
        "ExecutionProperty": {"MaxConcurrentRuns": runs},
        "MaxRetries": 0,
        "Timeout": minutes,
        "Role": f"{name}Role.Arn",
    }
    package, logs = arguments.pop("--extra-py-files"), arguments.pop("--custom-logGroup-prefix")
    assert (package.startswith(ASSETS), package.endswith(".zip")) == (True, True)
    groups = {group.get("LogGroupName") for group in template.of_type("AWS::Logs::LogGroup").values()}
    assert {f"{logs}/error", f"{logs}/output"} <= groups
    assert arguments == {**expected, "--enable-auto-scaling": scales, "--enable-metrics": "true"}


@pytest.mark.parametrize("expected", [COMPACT, TRACE], ids=lambda expected: expected["--job"])
def test_the_stack_and_the_state_machine_give_a_job_all_its_arguments(expected):
    job = expected["--job"]
    always = {name.removeprefix("--") for name in expected} - {"job"}
    assert set(JOBS[job]) == always | OF_THE_STATE_MACHINE[job]


@pytest.mark.parametrize("name", RIGHTS)
def test_a_job_may_do_its_work_and_no_more_on_either_engine(template, turned, name):
    glue, emr = without_assets(template.allowed(name)), without_assets(turned.allowed(name))
    logs = {"logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"}
    assert glue == {
        **RIGHTS[name],
        "ErrorLogs.Arn": logs,
        "OutputLogs.Arn": logs,
        "*": {"cloudwatch:PutMetricData"},
    }
    assert emr == {
        **RIGHTS[name],
        "Logs.Arn": {"logs:CreateLogStream", "logs:DescribeLogStreams", "logs:PutLogEvents"},
        "*": {"logs:DescribeLogGroups"},
    }


def test_metrics_may_be_put_among_those_of_glue_alone(template):
    for name in RIGHTS:
        statements = template.of_type("AWS::IAM::Policy")[f"{name}RoleDefaultPolicy"]["PolicyDocument"]["Statement"]
        [anywhere] = [each for each in statements if each["Resource"] == "*"]
        assert anywhere["Condition"] == {"StringEquals": {"cloudwatch:namespace": "Glue"}}


def test_who_makes_tables_cannot_publish_them_and_who_publishes_cannot_write_them(template):
    assert not any("published" in arn or ":glue:" in arn for arn in template.allowed("CompactArchive"))
    writes = {arn for arn, actions in template.allowed("CompactFunction").items() if "s3:PutObject" in actions}
    assert writes == {"ArchiveBucket.Arn/digests/*", "ArchiveBucket.Arn/tables/published/*"}


def test_the_libraries_of_a_job_of_glue_are_wheels_that_keep_their_names(app, tmp_path):
    wheel = tmp_path / "libraries" / "orjson-3.11.4-cp311-cp311-manylinux2014_x86_64.whl"
    wheel.parent.mkdir()
    wheel.touch()
    stack = LineageStack(app, "Headwater", context=parse_context({}), layer=None, libraries=wheel.parent)
    app.synth()
    template = Template(json.loads((tmp_path / stack.template_file).read_text(encoding="utf-8")))
    for name in RIGHTS:
        returned = template.of_type("AWS::Glue::Job")[name]["DefaultArguments"]
        assert returned["--additional-python-modules"] == f"{ASSETS}{wheel.name}"
        assert returned["--python-modules-installer-option"] == "--no-index"
        assert any(arn.endswith(wheel.name) for arn in template.allowed(name))


def test_an_application_of_emr_keeps_no_worker_and_stops_when_it_is_idle(turned):
    assert turned.of_type("AWS::Glue::Job") == {}
    assert turned.of_type("AWS::EMRServerless::Application")["Application"] == {
        "Type": "SPARK",
        "ReleaseLabel": "emr-7.12.0",
        "Architecture": "ARM64",
        "AutoStartConfiguration": {"Enabled": True},
        "AutoStopConfiguration": {"Enabled": True, "IdleTimeoutMinutes": 5},
        "MonitoringConfiguration": {"CloudWatchLoggingConfiguration": {"Enabled": True, "LogGroupName": "Logs"}},
    }


def test_in_the_words_of_emr_the_two_tasks_of_spark_differ_and_nothing_else():
    glue = json.loads(STATE_MACHINE_FILE.read_text(encoding="utf-8"))
    emr = json.loads(with_emr_serverless(STATE_MACHINE_FILE.read_text(encoding="utf-8")))
    transient = {
        "ErrorEquals": ["EMRServerless.ThrottlingException", "EMRServerless.InternalServerException"],
        "IntervalSeconds": 60,
        "MaxAttempts": 5,
        "BackoffRate": 2,
        "MaxDelaySeconds": 600,
        "JitterStrategy": "FULL",
    }
    traced = glue["States"]["TraceLeft"]["ItemProcessor"]["States"]["TraceOnSpark"]
    traced["Resource"] = "arn:aws:states:::emr-serverless:startJobRun.sync"
    traced["Parameters"] = {
        "ApplicationId": "${SparkApplicationId}",
        "ExecutionRoleArn": "${TraceRootRoleArn}",
        "Name": "TraceRoot",
        "ExecutionTimeoutMinutes": 45,
        "JobDriver": {
            "SparkSubmit": {
                "EntryPoint": "${SparkEntryPoint}",
                "EntryPointArguments.$": "States.Array(${TraceRootArguments}, '--root-sha', $.root.root_sha, "
                "'--marked-on', $.root.marked_on, '--day', $.day, '--execution', $.execution, "
                "'--started-at', States.Format('{}', $.started_at))",
                "SparkSubmitParameters": "${SparkSubmitParameters}",
            }
        },
    }
    traced["Retry"] = [transient]
    compacted = glue["States"]["PublishDays"]["ItemProcessor"]["States"]["CompactOnSpark"]
    compacted["Resource"] = "arn:aws:states:::emr-serverless:startJobRun.sync"
    compacted["Parameters"] = {
        "ApplicationId": "${SparkApplicationId}",
        "ExecutionRoleArn": "${CompactArchiveRoleArn}",
        "Name": "CompactArchive",
        "ExecutionTimeoutMinutes": 120,
        "JobDriver": {
            "SparkSubmit": {
                "EntryPoint": "${SparkEntryPoint}",
                "EntryPointArguments.$": "States.Array(${CompactArchiveArguments}, '--day', $.day, "
                "'--attempt', $.attempt)",
                "SparkSubmitParameters": "${SparkSubmitParameters}",
            }
        },
    }
    compacted["Retry"][0] = transient
    assert emr == glue


def test_a_task_of_glue_whose_job_is_not_the_stacks_is_refused():
    task = {
        "Type": "Task",
        "Resource": "arn:aws:states:::glue:startJobRun.sync",
        "Parameters": {"JobName": "another", "Arguments": {}},
    }
    with pytest.raises(ValueError, match=r"JobName: must be \$\{<Job>JobName\}, got 'another'"):
        with_emr_serverless(json.dumps({"States": {"Run": task}}))


def test_the_state_machine_starts_the_jobs_in_the_application_with_their_roles(turned):
    machine = turned.of_type("AWS::StepFunctions::StateMachine")["StateMachine"]
    given = machine["DefinitionSubstitutions"]
    parameters = given.pop("SparkSubmitParameters")
    entry = given.pop("SparkEntryPoint")
    assert (entry.startswith(ASSETS), entry.endswith(".py")) == (True, True)
    assert given == {
        "CompactFunctionArn": "CompactFunction.Arn",
        "SparkApplicationId": "Application.ApplicationId",
        "CompactArchiveRoleArn": "CompactArchiveRole.Arn",
        "TraceRootRoleArn": "TraceRootRole.Arn",
        "CompactArchiveArguments": "'--job', 'compact_archive', '--archive', 's3://ArchiveBucket'",
        "TraceRootArguments": "'--job', 'trace_root', '--graph-table', 'GraphTable', "
        "'--records-table', 'RecordsTable', '--archive-bucket', 'ArchiveBucket', "
        "'--records-dlq-url', 'RecordsDeadLetters'",
    }
    python, path = "/usr/bin/python3.11", "./libraries"
    files, package, *settings = parameters.split(" ")
    assert (files, package.startswith(ASSETS), package.endswith(".zip")) == ("--py-files", True, True)
    assert set(settings[::2]) == {"--conf"}
    assert [setting for setting in settings[1::2] if not setting.startswith("spark.archives=")] == [
        "spark.dynamicAllocation.maxExecutors=10",
        f"spark.emr-serverless.driverEnv.PYSPARK_DRIVER_PYTHON={python}",
        f"spark.emr-serverless.driverEnv.PYSPARK_PYTHON={python}",
        f"spark.executorEnv.PYSPARK_PYTHON={python}",
        f"spark.emr-serverless.driverEnv.PYTHONPATH={path}",
        f"spark.executorEnv.PYTHONPATH={path}",
    ]
    [archives] = [setting for setting in settings if setting.startswith("spark.archives=")]
    assert (archives.startswith(f"spark.archives={ASSETS}"), archives.endswith(".zip#libraries")) == (True, True)


def test_the_state_machine_may_run_the_jobs_of_the_application_and_no_others(turned):
    allowed = turned.allowed("StateMachine")
    del allowed["*"]
    assert allowed == {
        "CompactFunction.Arn": {"lambda:InvokeFunction"},
        "Application.Arn": {"emr-serverless:StartJobRun"},
        "Application.Arn/jobruns/*": {"emr-serverless:GetJobRun", "emr-serverless:CancelJobRun"},
        "CompactArchiveRole.Arn": {"iam:PassRole"},
        "TraceRootRole.Arn": {"iam:PassRole"},
        "arn:AWS::Partition:events:AWS::Region:AWS::AccountId:rule/StepFunctionsGetEventsForEMRServerlessJobRule": {
            "events:PutTargets",
            "events:PutRule",
            "events:DescribeRule",
        },
    }


@pytest.mark.parametrize(
    ("stack", "service"), [("template", "glue.amazonaws.com"), ("turned", "emr-serverless.amazonaws.com")]
)
@pytest.mark.parametrize("name", RIGHTS)
def test_a_role_of_a_job_is_the_engines_to_take(request, stack, service, name):
    role = request.getfixturevalue(stack).of_type("AWS::IAM::Role")[f"{name}Role"]
    [statement] = role["AssumeRolePolicyDocument"]["Statement"]
    assert statement == {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": service}}
