"""The Spark jobs: what they run, what they are given, what they may do, how they are started."""

from __future__ import annotations

from importlib import import_module

import pytest

from jobs.launch import JOBS
from tests.stack.assemblies import WHEEL

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
        "ArchiveBucket.Arn/removed/*": {"s3:GetObject"},
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


ANY_KEY = "arn:AWS::Partition:kms:AWS::Region:AWS::AccountId:key/*"


@pytest.mark.parametrize("name", RIGHTS)
def test_a_job_may_decrypt_the_assets_and_nothing_else_whatever_key_a_company_gave_their_bucket(template, name):
    [statement] = [each for each in template.statements(name) if "kms:Decrypt" in each["Action"]]
    assert (statement["Action"], statement["Resource"]) == ("kms:Decrypt", ANY_KEY)
    by_s3, of_bucket = statement["Condition"]["StringEquals"], statement["Condition"]["StringLike"]
    assert by_s3 == {"kms:ViaService": "s3.AWS::Region.AWS::URLSuffix"}
    [(context, arns)] = of_bucket.items()
    assert context == "kms:EncryptionContext:aws:s3:arn"
    assert all(arn.startswith("arn:AWS::Partition:s3:::cdk-") for arn in arns)


def without_assets(allowed):
    assert {str(actions) for arn, actions in allowed.items() if "cdk-" in arn} == {"{'s3:GetObject'}"}
    return {arn: actions for arn, actions in allowed.items() if "cdk-" not in arn and arn != ANY_KEY}


@pytest.mark.parametrize("expected", [COMPACT, TRACE], ids=lambda expected: expected["--job"])
def test_the_stack_and_the_state_machine_give_a_job_all_its_arguments(expected):
    job = expected["--job"]
    always = {name.removeprefix("--") for name in expected} - {"job"}
    assert set(import_module(JOBS[job]).ARGUMENTS) == always | OF_THE_STATE_MACHINE[job]


@pytest.mark.parametrize("name", RIGHTS)
def test_a_job_may_do_its_work_and_no_more(template, name):
    logs = {"logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"}
    assert without_assets(template.allowed(name)) == {
        **RIGHTS[name],
        "ErrorLogs.Arn": logs,
        "OutputLogs.Arn": logs,
        "*": {"cloudwatch:PutMetricData"},
    }


def test_who_makes_tables_cannot_publish_them_and_who_publishes_cannot_write_them(template):
    assert not any("published" in arn or ":glue:" in arn for arn in template.allowed("CompactArchive"))
    writes = {arn for arn, actions in template.allowed("CompactFunction").items() if "s3:PutObject" in actions}
    assert writes == {"ArchiveBucket.Arn/digests/*", "ArchiveBucket.Arn/tables/published/*"}


def test_the_libraries_of_a_job_of_glue_are_wheels_that_keep_their_names(turned):
    for name in RIGHTS:
        returned = turned.of_type("AWS::Glue::Job")[name]["DefaultArguments"]
        assert returned["--additional-python-modules"] == f"{ASSETS}{WHEEL}"
        assert returned["--python-modules-installer-option"] == "--no-index"
        assert any(arn.endswith(WHEEL) for arn in turned.allowed(name))
