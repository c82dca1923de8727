"""Requests refused by the stack's own policies: to destroy the archive, write a token, sign a digest."""

import pytest

from tests.policies import decide

OF_VERSIONS = (
    "s3:DeleteObjectVersion",
    "s3:PutObjectRetention",
    "s3:PutObjectLegalHold",
    "s3:BypassGovernanceRetention",
)
OF_THE_BUCKET = (
    "s3:PutBucketVersioning",
    "s3:PutLifecycleConfiguration",
    "s3:PutBucketObjectLockConfiguration",
    "s3:PutBucketPolicy",
    "s3:DeleteBucketPolicy",
    "s3:DeleteBucket",
)

PREFIXES = ("traces/", "digests/", "events/")
WRITES = ("PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "PartiQLInsert", "PartiQLUpdate", "PartiQLDelete")
READS = ("GetItem", "BatchGetItem", "Query")
ADMIN = "arn:aws:iam::123456789012:role/Admin"
OVER_TLS = {"aws_SecureTransport": "true", "s3_TlsVersion": "1.3"}
MARKS = ("DIRTY#2025-11-20#0", "ROOT_IDS#0")
ARCHIVE = ("ROOT#0a", "OBJECT#2025-11-20#0", "DAY#2025-11-20", "COMPACTION", MARKS[0], "STAGED#0a")
GRAPH = (
    "RUN#r",
    "JOB#j",
    "DATASET#d",
    "FACET#c",
    "NAMESPACE#n",
    "NAMES#0",
    "WORD#NAME#o#1",
    "TAGS",
    "TAG#t",
    "OWNER#o",
    "TESTS",
    "FEED#2025-11-20#0",
    "EVENTS",
    "EVENTS#2025-11-20#0",
)
# The graph table's partitions open to each function, and to the Spark tracer, for any use.
PARTITIONS = {
    "InputFunction": (),
    "LoadFunction": MARKS,
    "TraceFunction": ARCHIVE,
    "TraceRoot": ARCHIVE,
    "CompactFunction": ("OBJECT#2025-11-20#0", "DAY#2025-11-20", "COMPACTION", *MARKS),
    "ExpiredFunction": ("ROOT#0a", *MARKS, "STAGED#0a"),
    "EventsFunction": GRAPH,
    "ApiFunction": (*ARCHIVE, *MARKS, *GRAPH, "TOKENS"),
}


@pytest.fixture(params=["template", "turned"])
def stack(request):
    """The stack as production deploys it, and with every context value given."""
    return request.getfixturevalue(request.param)


def forwards(stack):
    """True if the stack forwards events."""
    return "ForwardQueue" in stack.of_type("AWS::SQS::Queue")


def of_the_bucket(stack, action, key="", *, by=ADMIN, **context):
    statements = stack.of_type("AWS::S3::BucketPolicy")["ArchiveBucketPolicy"]["PolicyDocument"]["Statement"]
    resource = f"ArchiveBucket.Arn/{key}" if key else "ArchiveBucket.Arn"
    return decide(statements, action, resource, aws_PrincipalArn=by, **OVER_TLS, **context)


@pytest.mark.parametrize("prefix", PREFIXES)
@pytest.mark.parametrize("by", [ADMIN, "TraceFunctionRole.Arn"])
def test_an_object_of_the_archive_is_never_replaced(stack, prefix, by):
    whole = {"s3_ObjectCreationOperation": "true"}
    assert of_the_bucket(stack, "s3:PutObject", f"{prefix}x", by=by, **whole) == "denied"
    assert of_the_bucket(stack, "s3:PutObject", f"{prefix}x", by=by, **whole, s3_if_none_match="*") == "neither"


def test_parts_of_an_upload_are_taken_and_its_completion_must_need_a_new_key(stack):
    part, completion = ({"s3_ObjectCreationOperation": value} for value in ("false", "true"))
    assert of_the_bucket(stack, "s3:PutObject", "traces/x", **part) == "neither"
    assert of_the_bucket(stack, "s3:PutObject", "traces/x", **completion) == "denied"


@pytest.mark.parametrize("prefix", PREFIXES)
def test_of_the_stacks_roles_the_compaction_alone_may_hide_an_object_and_traces_alone(stack, prefix):
    """A marker over an object hides it: no later grant may let a role put a marker."""
    names = [name.removesuffix("Role") for name in stack.of_type("AWS::IAM::Role")]
    decisions = {name: of_the_bucket(stack, "s3:DeleteObject", f"{prefix}x", by=f"{name}Role.Arn") for name in names}
    neither = [name for name, decision in decisions.items() if decision != "denied"]
    assert neither == (["CompactFunction"] if prefix == "traces/" else [])
    assert of_the_bucket(stack, "s3:DeleteObject", f"{prefix}x") == "neither", "people who restore"


# Queue -> its senders by its own policy: roles, and tags of further principals.
DOORS = ("InputFunction", "ApiFunction")
SENDERS = {
    "RecordsQueue": {*DOORS, "operator"},
    "PackedQueue": {*DOORS, "producer", "operator"},
    "TraceQueue": {"CompactFunction", "ApiFunction", "operator"},
    "ChangesQueue": {"ApiFunction", "operator"},
    "EventsQueue": {*PARTITIONS, "Admin", "producer", "operator"},
}
RECEIVERS = {"EventsQueue": {"EventsFunction"}, "ChangesQueue": {"EventsFunction"}}
EVERYTHING = {"Effect": "Allow", "Action": "*", "Resource": "*"}


def allowed_on(stack, queue, action):
    """List a queue's principals for an action, where their own policies allow everything."""
    statements = stack.of_type("AWS::SQS::QueuePolicy")[f"{queue}Policy"]["PolicyDocument"]["Statement"]
    principals = {name: {"aws_PrincipalArn": f"{name}Role.Arn"} for name in PARTITIONS}
    principals["Admin"] = {"aws_PrincipalArn": ADMIN}
    principals |= {
        tag: {"aws_PrincipalArn": ADMIN, "aws:PrincipalTag/headwater": tag} for tag in ("producer", "operator")
    }
    return {
        name
        for name, keys in principals.items()
        if decide([EVERYTHING, *statements], action, f"{queue}.Arn", aws_SecureTransport="true", **keys) == "allowed"
    }


@pytest.mark.parametrize("queue", SENDERS)
def test_a_right_to_send_to_everything_is_worth_nothing_on_a_queue_whose_senders_are_known(stack, queue):
    assert allowed_on(stack, queue, "sqs:SendMessage") == SENDERS[queue]


@pytest.mark.parametrize("queue", SENDERS)
def test_the_events_function_alone_gets_receipts_of_messages_that_name_a_sender(stack, queue):
    everybody = {*PARTITIONS, "Admin", "producer", "operator"}
    assert allowed_on(stack, queue, "sqs:ReceiveMessage") == RECEIVERS.get(queue, everybody)


def test_a_role_may_send_to_the_queues_of_its_own_work_alone(stack):
    queues = [f"{queue}.Arn" for queue in stack.of_type("AWS::SQS::Queue")]
    may = {
        name: {queue for queue in queues if decide(stack.statements(name), "sqs:SendMessage", queue) == "allowed"}
        for name in PARTITIONS
    }
    records = {"RecordsQueue.Arn", "PackedQueue.Arn"}
    assert may == {
        "InputFunction": {*records, "EventsQueue.Arn"},
        "ApiFunction": {*records, "EventsQueue.Arn", "ChangesQueue.Arn", "TraceQueue.Arn"},
        "LoadFunction": {"RecordsDeadLetters.Arn"},
        "TraceFunction": {"RecordsDeadLetters.Arn"},
        "TraceRoot": {"RecordsDeadLetters.Arn"},
        "CompactFunction": {"TraceQueue.Arn"},
        "EventsFunction": {"ForwardQueue.Arn"} if forwards(stack) else set(),
        "ExpiredFunction": set(),
    }


def test_nobody_may_invoke_a_function_but_its_own_invoker(stack):
    """By resource policies: API Gateway, for its own APIs. By the stack's identity policies: a step, and jobs."""
    by_resource = {
        (
            permission["FunctionName"],
            permission["Action"],
            permission["Principal"],
            "execute-api" in str(permission.get("SourceArn")),
        )
        for permission in stack.of_type("AWS::Lambda::Permission").values()
    }
    # With `snap_start` by its alias alone.
    api = "ApiFunctionLive" if "ApiFunctionLive" in stack.of_type("AWS::Lambda::Alias") else "ApiFunction.Arn"
    assert by_resource == {(api, "lambda:InvokeFunction", "apigateway.amazonaws.com", True)}
    policies = {**stack.of_type("AWS::IAM::Policy"), **stack.of_type("AWS::IAM::ManagedPolicy")}
    by_identity = {
        (name, function)
        for name, policy in policies.items()
        for function in stack.of_type("AWS::Lambda::Function")
        if decide(policy["PolicyDocument"]["Statement"], "lambda:InvokeFunction", f"{function}.Arn") == "allowed"
    }
    assert by_identity == {("StateMachineRoleDefaultPolicy", "CompactFunction"), ("Policy", "InputFunction")}
    assert stack.of_type("AWS::Lambda::Url") == {}


@pytest.mark.parametrize("key", ["tables/records/x.parquet", "facts/0a", "tracesx", "other"])
def test_what_can_be_made_again_may_be_replaced(stack, key):
    assert of_the_bucket(stack, "s3:PutObject", key, s3_ObjectCreationOperation="true") == "neither"


@pytest.mark.parametrize("action", [*OF_VERSIONS, *OF_THE_BUCKET])
def test_no_role_of_the_stack_may_remove_versions_or_change_what_keeps_them(stack, action):
    key = "traces/x" if action in OF_VERSIONS else ""
    decisions = {name: of_the_bucket(stack, action, key, by=f"{name}.Arn") for name in stack.of_type("AWS::IAM::Role")}
    assert set(decisions.values()) == {"denied"}
    assert {"TraceFunctionRole", "CompactFunctionRole", "EventsFunctionRole", "TraceRootRole"} <= set(decisions)
    assert of_the_bucket(stack, action, key) == "neither", "people who look after the bucket"


def test_the_archive_is_locked_only_where_a_context_value_says_so(template, turned):
    archive, locked = (stack.of_type("AWS::S3::Bucket")["ArchiveBucket"] for stack in (template, turned))
    assert {name for name in archive if name.startswith("ObjectLock")} == set()
    assert locked["ObjectLockEnabled"] is True
    retention = {"DefaultRetention": {"Mode": "COMPLIANCE", "Days": 2555}}
    assert locked["ObjectLockConfiguration"] == {"ObjectLockEnabled": "Enabled", "Rule": retention}
    others = [name for name, bucket in turned.of_type("AWS::S3::Bucket").items() if "ObjectLockEnabled" in bucket]
    assert others == ["ArchiveBucket"]


@pytest.mark.parametrize("name", PARTITIONS)
def test_no_role_that_code_runs_under_may_write_a_token(stack, name):
    statements = stack.statements(name)
    for action in WRITES:
        for keys in (["TOKENS"], ["RUN#r", "TOKENS"], ["TOKENS", "DIRTY#2025-11-20#0"]):
            decision = decide(statements, f"dynamodb:{action}", "GraphTable.Arn", dynamodb_LeadingKeys=keys)
            assert decision == "denied", (action, keys)


def test_a_token_stays_out_of_reach_when_a_role_is_allowed_everything(stack):
    everything = {"Effect": "Allow", "Action": "*", "Resource": "*"}
    statements = [*stack.statements("EventsFunction"), everything]
    write = "dynamodb:BatchWriteItem", "GraphTable.Arn"
    assert decide(statements, *write, dynamodb_LeadingKeys=["RUN#r", "TOKENS"]) == "denied"
    assert decide(statements, *write, dynamodb_LeadingKeys=["RUN#r"]) == "allowed"


def test_every_role_with_a_right_on_the_graph_table_is_among_these(stack):
    having = {
        name.removesuffix("RoleDefaultPolicy")
        for name, policy in stack.of_type("AWS::IAM::Policy").items()
        if "GraphTable.Arn"
        in str([each for each in policy["PolicyDocument"]["Statement"] if each["Effect"] == "Allow"])
    }
    # The partitions of the graph's tables: test_stack_graph_tables.py.
    having -= {"GraphTables"}
    assert having == {name for name, partitions in PARTITIONS.items() if partitions}


@pytest.mark.parametrize("name", PARTITIONS)
def test_a_role_uses_partitions_of_its_own_work_alone(stack, name):
    used = {
        key
        for key in {*ARCHIVE, *MARKS, *GRAPH, "TOKENS", "SOMETHING#NEW"}
        for action in (*READS, *WRITES, "ConditionCheckItem")
        if decide(stack.statements(name), f"dynamodb:{action}", "GraphTable.Arn", dynamodb_LeadingKeys=[key])
        == "allowed"
    }
    assert used - {"SOMETHING#NEW"} == set(PARTITIONS[name])
    assert ("SOMETHING#NEW" in used) == (name == "ApiFunction"), "which writes nothing"


def test_the_compaction_alone_signs_digests_and_everybody_may_check_them(turned):
    statements = turned.of_type("AWS::KMS::Key")["SigningKey"]["KeyPolicy"]["Statement"]
    for action, by, decision in (
        ("kms:Sign", "CompactFunctionRole.Arn", "allowed"),
        ("kms:Sign", ADMIN, "denied"),
        ("kms:Sign", "TraceFunctionRole.Arn", "denied"),
        ("kms:CreateGrant", ADMIN, "denied"),
        ("kms:GetPublicKey", ADMIN, "allowed"),
    ):
        assert decide(statements, action, "*", aws_PrincipalArn=by) == decision, (action, by)
