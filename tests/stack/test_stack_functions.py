"""Every function: what it runs on, what it is given, and what it may do. Nothing else is allowed."""

import json

import pytest

from tests.stack.assemblies import LARGEST
from tests.templates import readable

FUNCTIONS = {
    # name: module, seconds, MB, ephemeral MB
    "InputFunction": ("input", 30, 512, 512),
    "LoadFunction": ("load", 120, 1024, 512),
    "TraceFunction": ("trace", 900, 3008, 4096),
    "EventsFunction": ("events", 120, 1024, 512),
    "ExpiredFunction": ("expired", 120, 512, 512),
    "CompactFunction": ("compact", 900, 1024, 512),
    "ApiFunction": ("api", 29, 1024, 512),
}
DOOR = {
    "RECORDS_QUEUE_URL": "RecordsQueue",
    "PACKED_QUEUE_URL": "PackedQueue",
    "INTAKE_BUCKET": "IntakeBucket",
    "RECORDS_TTL_S": "86400",
}
EVENTS_DOOR = {"EVENTS_QUEUE_URL": "EventsQueue"}
CHANGES_DOOR = {"CHANGES_QUEUE_URL": "ChangesQueue"}
ENVIRONMENT = {
    "InputFunction": {**DOOR, **EVENTS_DOOR},
    "LoadFunction": {
        **DOOR,
        "RECORDS_TABLE": "RecordsTable",
        "GRAPH_TABLE": "GraphTable",
        "RECORDS_DLQ_URL": "RecordsDeadLetters",
    },
    "TraceFunction": {
        "RECORDS_TABLE": "RecordsTable",
        "GRAPH_TABLE": "GraphTable",
        "ARCHIVE_BUCKET": "ArchiveBucket",
        "RECORDS_DLQ_URL": "RecordsDeadLetters",
        "TRACE_QUEUE_URL": "TraceQueue",
        "TRACE_RECORDS_MAX": "2000000",
    },
    "EventsFunction": {
        **EVENTS_DOOR,
        **CHANGES_DOOR,
        "GRAPH_TABLE": "GraphTable",
        "ARCHIVE_BUCKET": "ArchiveBucket",
        "INTAKE_BUCKET": "IntakeBucket",
        "PARTITION_TRIMMING": "true",
    },
    "ExpiredFunction": {"GRAPH_TABLE": "GraphTable"},
    "CompactFunction": {
        "GRAPH_TABLE": "GraphTable",
        "TRACE_QUEUE_URL": "TraceQueue",
        "ARCHIVE_BUCKET": "ArchiveBucket",
        "SEARCH_DATABASE": "Database",
    },
    "ApiFunction": {
        **DOOR,
        **EVENTS_DOOR,
        **CHANGES_DOOR,
        "RECORDS_TABLE": "RecordsTable",
        "GRAPH_TABLE": "GraphTable",
        "ARCHIVE_BUCKET": "ArchiveBucket",
        "TRACE_QUEUE_URL": "TraceQueue",
        "SEARCH_DATABASE": "Database",
        "SEARCH_WORKGROUP": "Workgroup",
        "STRICT_NAMESPACES": "false",
        "PARTITION_TRIMMING": "true",
    },
}
SEND = {"sqs:SendMessage"}
CONSUME = {"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"}
READ = {"dynamodb:GetItem", "dynamodb:BatchGetItem", "dynamodb:Query"}
GLUE = "arn:AWS::Partition:glue:AWS::Region:AWS::AccountId"
CATALOG = [
    f"{GLUE}:{resource}"
    for resource in ("catalog", "database/Database", "table/Database/records", "table/Database/traces")
]
WORKGROUP = "arn:AWS::Partition:athena:AWS::Region:AWS::AccountId:workgroup/Workgroup"
DOOR_GRANTS = {
    "RecordsQueue.Arn": SEND,
    "PackedQueue.Arn": SEND,
    "EventsQueue.Arn": SEND,
    "IntakeBucket.Arn/requests/*": {"s3:PutObject"},
}
GRANTS = {
    "InputFunction": DOOR_GRANTS,
    "LoadFunction": {
        "RecordsQueue.Arn": CONSUME,
        "PackedQueue.Arn": CONSUME,
        "RecordsDeadLetters.Arn": SEND,
        "RecordsTable.Arn": {"dynamodb:PutItem"},
        "GraphTable.Arn": {"dynamodb:UpdateItem"},
        "IntakeBucket.Arn": {"s3:ListBucket"},
        "IntakeBucket.Arn/requests/*": {"s3:GetObject"},
    },
    "TraceFunction": {
        "TraceQueue.Arn": CONSUME,
        "RecordsDeadLetters.Arn": SEND,
        "RecordsTable.Arn": {"dynamodb:Query"},
        "GraphTable.Arn": READ
        | {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:BatchWriteItem", "dynamodb:ConditionCheckItem"},
        "ArchiveBucket.Arn": {"s3:ListBucket"},
        "ArchiveBucket.Arn/traces/*": {"s3:GetObject", "s3:PutObject"},
    },
    "EventsFunction": {
        "EventsQueue.Arn": CONSUME,
        "ChangesQueue.Arn": CONSUME,
        "GraphTable.Arn": {
            "dynamodb:BatchGetItem",
            "dynamodb:Query",
            "dynamodb:BatchWriteItem",
            "dynamodb:PutItem",
            "dynamodb:UpdateItem",
            "dynamodb:DeleteItem",
            "dynamodb:PartiQLInsert",
            "dynamodb:PartiQLUpdate",
        },
        "ArchiveBucket.Arn": {"s3:ListBucket"},
        "ArchiveBucket.Arn/facts/*": {"s3:GetObject", "s3:PutObject"},
        "ArchiveBucket.Arn/events/*": {"s3:GetObject", "s3:PutObject"},
        "IntakeBucket.Arn": {"s3:ListBucket"},
        "IntakeBucket.Arn/requests/*": {"s3:GetObject"},
    },
    "ExpiredFunction": {
        "RecordsTable.StreamArn": {
            "dynamodb:DescribeStream",
            "dynamodb:GetRecords",
            "dynamodb:GetShardIterator",
            "dynamodb:ListStreams",
        },
        "GraphTable.Arn": {"dynamodb:BatchGetItem", "dynamodb:BatchWriteItem", "dynamodb:UpdateItem"},
        "IntakeBucket.Arn": {"s3:ListBucket"},
        "IntakeBucket.Arn/aws/lambda/*": {"s3:PutObject"},
    },
    "CompactFunction": {
        "GraphTable.Arn": READ | {"dynamodb:PutItem", "dynamodb:UpdateItem", "dynamodb:DeleteItem"},
        "TraceQueue.Arn": SEND,
        "ArchiveBucket.Arn": {"s3:ListBucket"},
        "ArchiveBucket.Arn/digests/*": {"s3:GetObject", "s3:PutObject"},
        "ArchiveBucket.Arn/traces/*": {"s3:DeleteObject"},
        "ArchiveBucket.Arn/tables/manifests/*": {"s3:GetObject"},
        "ArchiveBucket.Arn/tables/published/*": {"s3:PutObject"},
        "ArchiveBucket.Arn/tables/records/*": {"s3:DeleteObject"},
        "ArchiveBucket.Arn/tables/traces/*": {"s3:DeleteObject"},
        **{arn: {"glue:GetTable", "glue:CreatePartition", "glue:UpdatePartition"} for arn in CATALOG},
    },
    "ApiFunction": {
        **DOOR_GRANTS,
        "ChangesQueue.Arn": SEND,
        "RecordsTable.Arn": {"dynamodb:GetItem", "dynamodb:Query"},
        "RecordsTable.Arn/index/node-index": {"dynamodb:Query"},
        "RecordsTable.Arn/index/action-index": {"dynamodb:Query"},
        "GraphTable.Arn": READ,
        "TraceQueue.Arn": SEND,
        "ArchiveBucket.Arn": {"s3:ListBucket", "s3:GetBucketLocation"},
        "ArchiveBucket.Arn/traces/*": {"s3:GetObject"},
        "ArchiveBucket.Arn/digests/*": {"s3:GetObject"},
        "ArchiveBucket.Arn/facts/*": {"s3:GetObject"},
        "ArchiveBucket.Arn/events/*": {"s3:GetObject"},
        "ArchiveBucket.Arn/tables/*": {"s3:GetObject"},
        "IntakeBucket.Arn": {"s3:ListBucket", "s3:GetBucketLocation"},
        "IntakeBucket.Arn/answers/*": {"s3:GetObject", "s3:PutObject"},
        "IntakeBucket.Arn/search/*": {
            "s3:GetObject",
            "s3:PutObject",
            "s3:AbortMultipartUpload",
            "s3:ListMultipartUploadParts",
        },
        WORKGROUP: {
            "athena:StartQueryExecution",
            "athena:GetQueryExecution",
            "athena:GetQueryResults",
            "athena:GetWorkGroup",
        },
        **{arn: {"glue:GetDatabase", "glue:GetTable", "glue:GetPartitions"} for arn in CATALOG},
        f"{GLUE}:database/default": {"glue:GetDatabase"},
    },
}


def test_there_are_no_functions_but_these(template):
    assert set(template.of_type("AWS::Lambda::Function")) == set(FUNCTIONS)


def test_no_function_has_more_memory_than_a_new_account_may_give_it(template, turned):
    """New accounts are held to 3,008 MB a function until AWS raises it: a larger one fails the first deployment."""
    for stack in (template, turned):
        functions = stack.of_type("AWS::Lambda::Function")
        assert {name: each["MemorySize"] for name, each in functions.items() if each["MemorySize"] > 3008} == {}


def test_no_function_reserves_concurrency_that_a_new_account_does_not_have(template):
    """A reserve must leave 100 executions unreserved; a new account may have 10 altogether."""
    functions = template.of_type("AWS::Lambda::Function")
    assert [name for name, each in functions.items() if "ReservedConcurrentExecutions" in each] == []


def test_the_api_alone_reserves_the_concurrency_of_the_context(turned):
    functions = turned.of_type("AWS::Lambda::Function")
    reserved = {name: each.get("ReservedConcurrentExecutions") for name, each in functions.items()}
    assert {name: number for name, number in reserved.items() if number is not None} == {"ApiFunction": 50}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_runs_its_module_on_arm_and_python_313(template, name):
    module, timeout_s, memory_mb, storage_mb = FUNCTIONS[name]
    function = template.of_type("AWS::Lambda::Function")[name]
    assert {key: function[key] for key in function if key not in ("Code", "Description", "Environment", "Role")} == {
        "Handler": f"lambdas.{module}.handler",
        "Runtime": "python3.13",
        "Architectures": ["arm64"],
        "Timeout": timeout_s,
        "MemorySize": memory_mb,
        "EphemeralStorage": {"Size": storage_mb},
        "LoggingConfig": {"LogGroup": f"{name}Logs"},
    }


def test_all_functions_share_one_asset(template):
    functions = template.of_type("AWS::Lambda::Function").values()
    assert len({function["Code"]["S3Key"] for function in functions}) == 1


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_gets_the_variables_it_needs_and_no_more(template, name):
    assert template.of_type("AWS::Lambda::Function")[name]["Environment"]["Variables"] == {
        **ENVIRONMENT[name],
        "POWERTOOLS_SERVICE_NAME": FUNCTIONS[name][0],
        "POWERTOOLS_METRICS_NAMESPACE": "Headwater/prod",
        "LOG_LEVEL": "INFO",
        "PYDANTIC_DISABLE_PLUGINS": "true",
    }


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_may_do_what_it_needs_and_no_more(template, name):
    assert template.allowed(name) == {
        **GRANTS[name],
        f"{name}Logs.Arn": {"logs:CreateLogStream", "logs:PutLogEvents"},
    }


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_functions_role_carries_no_policy_but_its_own(template, name):
    assert template.of_type("AWS::IAM::Role")[f"{name}Role"] == {
        "AssumeRolePolicyDocument": {
            "Version": "2012-10-17",
            "Statement": [
                {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": {"Service": "lambda.amazonaws.com"}}
            ],
        }
    }


def test_the_api_function_alone_may_send_changes_and_the_events_function_alone_takes_them(template, turned):
    for stack in (template, turned):
        may = {name: stack.allowed(name).get("ChangesQueue.Arn") for name in FUNCTIONS}
        assert {name: actions for name, actions in may.items() if actions} == {
            "ApiFunction": SEND,
            "EventsFunction": CONSUME,
        }
        policies = [*stack.of_type("AWS::IAM::Policy").values(), *stack.of_type("AWS::IAM::ManagedPolicy").values()]
        others = [
            policy
            for policy in policies
            if not {"ApiFunctionRole", "EventsFunctionRole"} & set(policy.get("Roles", []))
        ]
        statements = [statement for policy in others for statement in policy["PolicyDocument"]["Statement"]]
        assert [statement for statement in statements if "sqs:" in str(statement) and "Changes" in str(statement)] == []
        assert [
            statement for statement in statements if "sqs:" in str(statement) and statement["Resource"] == "*"
        ] == []


def test_logs_are_kept_for_three_months(template):
    assert {group["RetentionInDays"] for group in template.of_type("AWS::Logs::LogGroup").values()} == {90}


def test_a_stack_keeps_its_metrics_and_its_time_to_live_apart_from_those_of_another_stage(turned):
    variables = turned.of_type("AWS::Lambda::Function")["LoadFunction"]["Environment"]["Variables"]
    assert variables["POWERTOOLS_METRICS_NAMESPACE"] == "Headwater/dev"
    assert variables["RECORDS_TTL_S"] == "172800"


def test_names_in_events_are_read_by_the_rules_that_the_context_values_give(turned):
    functions = turned.of_type("AWS::Lambda::Function")
    variables = functions["EventsFunction"]["Environment"]["Variables"]
    assert (variables["PARTITION_TRIMMING"], variables["TEMPORARY_PATTERNS"]) == ("false", '["/scratch/"]')
    # The names in requests, too.
    assert functions["ApiFunction"]["Environment"]["Variables"]["PARTITION_TRIMMING"] == "false"


def test_both_ways_in_for_events_drop_what_the_context_value_says(turned, template):
    functions = turned.of_type("AWS::Lambda::Function")
    for name in ("InputFunction", "ApiFunction"):
        assert functions[name]["Environment"]["Variables"]["DROP_RUNNING_EVENTS"] == '["flink*"]'
    for function in template.of_type("AWS::Lambda::Function").values():
        assert "DROP_RUNNING_EVENTS" not in function.get("Environment", {}).get("Variables", {})


def test_the_api_function_is_strict_about_namespaces_where_the_context_value_says_so(turned):
    variables = turned.of_type("AWS::Lambda::Function")["ApiFunction"]["Environment"]["Variables"]
    assert variables["STRICT_NAMESPACES"] == "true"


def test_every_function_calls_dynamodb_by_boto3s_client_where_the_context_value_says_so(turned):
    functions = turned.of_type("AWS::Lambda::Function")
    assert {functions[name]["Environment"]["Variables"]["DYNAMODB_CLIENT"] for name in FUNCTIONS} == {"boto3"}


def test_every_function_uses_the_one_layer_made_for_its_platform(turned):
    [(name, layer)] = turned.of_type("AWS::Lambda::LayerVersion").items()
    assert layer["CompatibleArchitectures"] == ["arm64"]
    assert layer["CompatibleRuntimes"] == ["python3.13"]
    assert {tuple(each["Layers"]) for each in turned.of_type("AWS::Lambda::Function").values()} == {(name,)}


def test_digests_are_signed_by_one_function_with_one_key_where_the_context_value_says_so(template, turned):
    assert [key for key in template.of_type("AWS::KMS::Key") if key == "SigningKey"] == []
    key = turned.of_type("AWS::KMS::Key")["SigningKey"]
    assert (key["KeySpec"], key["KeyUsage"]) == ("ECC_NIST_P256", "SIGN_VERIFY")
    signers = {name for name in FUNCTIONS if "SigningKey.Arn" in turned.allowed(name)}
    assert signers == {"CompactFunction"}
    assert turned.allowed("CompactFunction")["SigningKey.Arn"] == {"kms:Sign"}
    variables = turned.of_type("AWS::Lambda::Function")["CompactFunction"]["Environment"]["Variables"]
    assert variables["SIGNING_KEY"] == "SigningKey.Arn"
    assert readable(turned.content["Outputs"]["SigningKeyArn"]["Value"]) == "SigningKey.Arn"


# The longest value of a resource in a variable: the URL of a queue, with the 80 characters of SQS's names.
_REFERENCE = "x" * 140


@pytest.mark.large
def test_no_function_has_more_than_4_kb_of_variables_by_the_largest_context_values(named):
    """Lambda measures them as JSON."""
    resources = named[LARGEST].content["Resources"].items()
    taken = {
        name: len(json.dumps({each: _longest(value) for each, value in _variables(resource).items()}))
        for name, resource in resources
        if resource["Type"] == "AWS::Lambda::Function"
    }
    assert {name: size for name, size in taken.items() if size > 4096} == {}


def _variables(function):
    return function["Properties"]["Environment"]["Variables"]


def _longest(value):
    """Return a variable's longest value in a deployment: literal text, and references."""
    if isinstance(value, str):
        return value
    parts = value["Fn::Join"][1] if "Fn::Join" in value else [value]
    return "".join(part if isinstance(part, str) else _REFERENCE for part in parts)
