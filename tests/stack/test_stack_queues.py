"""Queues and what they feed: sizes, windows, redrive."""

import pytest

from lambdas.events import HELD_S

QUEUES = [
    "ChangesDeadLetters",
    "ChangesQueue",
    "EventsDeadLetters",
    "EventsQueue",
    "PackedQueue",
    "RecordsDeadLetters",
    "RecordsQueue",
    "TraceDeadLetters",
    "TraceQueue",
]
ENCRYPTED = {"SqsManagedSseEnabled": True, "MaximumMessageSize": 1_048_576, "MessageRetentionPeriod": 1_209_600}
# A queue's senders: roles of the stack, and values of the tag `headwater` of other principals.
SENDERS = {
    "RecordsQueue": (["InputFunctionRole.Arn", "ApiFunctionRole.Arn"], ["operator"]),
    "PackedQueue": (["InputFunctionRole.Arn", "ApiFunctionRole.Arn"], ["producer", "operator"]),
    "TraceQueue": (["CompactFunctionRole.Arn", "ApiFunctionRole.Arn"], ["operator"]),
    "ChangesQueue": (["ApiFunctionRole.Arn"], ["operator"]),
}
# Queues whose messages name a sender: their function alone gets receipts.
RECEIVERS = {"EventsQueue": "EventsFunctionRole.Arn", "ChangesQueue": "EventsFunctionRole.Arn"}


def denied(queue, sid, action, condition):
    """A deny outweighs what any other role of the account may do, a wildcard on every queue too."""
    everybody = {"Effect": "Deny", "Principal": {"AWS": "*"}, "Resource": f"{queue}.Arn"}
    return {**everybody, "Sid": sid, "Action": action, "Condition": condition}


def known(queue):
    """The statements that name who may send to a queue and receive from it."""
    if queue in RECEIVERS:
        condition = {"ArnNotEquals": {"aws:PrincipalArn": RECEIVERS[queue]}}
        yield denied(queue, "ReceiverIsKnown", "sqs:ReceiveMessage", condition)
    if queue in SENDERS:
        roles, tags = SENDERS[queue]
        condition = {
            "ArnNotEquals": {"aws:PrincipalArn": roles},
            "StringNotEquals": {"aws:PrincipalTag/headwater": tags},
        }
        yield denied(queue, "SendersAreKnown", "sqs:SendMessage", condition)


def redrive(dead_letters, receives):
    return {"RedrivePolicy": {"deadLetterTargetArn": f"{dead_letters}.Arn", "maxReceiveCount": receives}}


@pytest.mark.parametrize(
    ("queue", "expected"),
    [
        ("RecordsQueue", {**ENCRYPTED, **redrive("RecordsDeadLetters", 100), "VisibilityTimeout": 780}),
        ("PackedQueue", {**ENCRYPTED, **redrive("RecordsDeadLetters", 100), "VisibilityTimeout": 720}),
        ("TraceQueue", {**ENCRYPTED, **redrive("TraceDeadLetters", 100), "VisibilityTimeout": 5400}),
        ("EventsQueue", {**ENCRYPTED, **redrive("EventsDeadLetters", 100), "VisibilityTimeout": 721}),
        ("ChangesQueue", {**ENCRYPTED, **redrive("ChangesDeadLetters", 100), "VisibilityTimeout": 720}),
        ("EventsDeadLetters", ENCRYPTED),
        ("ChangesDeadLetters", ENCRYPTED),
        ("RecordsDeadLetters", ENCRYPTED),
        ("TraceDeadLetters", ENCRYPTED),
    ],
)
def test_a_queue_takes_the_largest_messages_keeps_them_longest_and_gives_up_after_a_few_tries(
    template, queue, expected
):
    assert template.of_type("AWS::SQS::Queue")[queue] == expected


def test_there_are_no_queues_but_these(template):
    assert sorted(template.of_type("AWS::SQS::Queue")) == QUEUES


@pytest.mark.parametrize("queue", QUEUES)
def test_a_queue_takes_requests_over_tls_alone(template, queue):
    policy = template.of_type("AWS::SQS::QueuePolicy")[f"{queue}Policy"]
    assert (policy["Queues"], policy["PolicyDocument"]["Version"]) == ([queue], "2012-10-17")
    assert policy["PolicyDocument"]["Statement"] == [
        {
            "Effect": "Deny",
            "Principal": {"AWS": "*"},
            "Action": "sqs:*",
            "Resource": f"{queue}.Arn",
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        },
        *known(queue),
    ]


@pytest.mark.parametrize(
    ("mapping", "expected"),
    [
        (
            "LoadFunctionRecords",
            {"EventSourceArn": "RecordsQueue.Arn", "BatchSize": 100, "MaximumBatchingWindowInSeconds": 60},
        ),
        ("LoadFunctionPacked", {"EventSourceArn": "PackedQueue.Arn", "BatchSize": 4}),
        (
            "EventsFunctionEvents",
            {"EventSourceArn": "EventsQueue.Arn", "BatchSize": 100, "MaximumBatchingWindowInSeconds": 1},
        ),
        ("EventsFunctionChanges", {"EventSourceArn": "ChangesQueue.Arn", "BatchSize": 10}),
        ("TraceFunctionRoots", {"EventSourceArn": "TraceQueue.Arn", "BatchSize": 1}),
    ],
)
def test_a_function_takes_batches_and_returns_the_failed_messages(template, mapping, expected):
    function = mapping.partition("Function")[0] + "Function"
    assert template.of_type("AWS::Lambda::EventSourceMapping")[mapping] == {
        **expected,
        "FunctionName": function,
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "ScalingConfig": {"MaximumConcurrency": 10},
    }


def test_expired_rows_and_no_others_reach_the_expired_function_and_what_it_cannot_stage_goes_to_s3(template):
    assert template.of_type("AWS::Lambda::EventSourceMapping")["ExpiredFunctionExpiry"] == {
        "FunctionName": "ExpiredFunction",
        "EventSourceArn": "RecordsTable.StreamArn",
        "StartingPosition": "TRIM_HORIZON",
        "BatchSize": 500,
        "MaximumBatchingWindowInSeconds": 5,
        "FilterCriteria": {
            "Filters": [
                {
                    "Pattern": '{"eventName":["REMOVE"],"userIdentity":'
                    '{"type":["Service"],"principalId":["dynamodb.amazonaws.com"]}}'
                }
            ]
        },
        "BisectBatchOnFunctionError": True,
        "FunctionResponseTypes": ["ReportBatchItemFailures"],
        "MaximumRecordAgeInSeconds": 72_000,
        "DestinationConfig": {"OnFailure": {"Destination": "IntakeBucket.Arn"}},
    }


def test_a_message_is_not_delivered_again_while_a_function_may_still_work_on_it(template):
    """AWS recommends six times the function's time-out, plus the window."""
    assert template.of_type("AWS::Lambda::Function")["EventsFunction"]["Timeout"] + 30 == HELD_S
    functions, queues = template.of_type("AWS::Lambda::Function"), template.of_type("AWS::SQS::Queue")
    for mapping in template.of_type("AWS::Lambda::EventSourceMapping").values():
        queue = mapping["EventSourceArn"].removesuffix(".Arn")
        if queue not in queues:
            continue
        needed_s = 6 * functions[mapping["FunctionName"]]["Timeout"] + mapping.get("MaximumBatchingWindowInSeconds", 0)
        assert queues[queue]["VisibilityTimeout"] >= needed_s, queue


def test_a_batch_of_the_largest_packed_messages_fits_a_functions_event(template):
    mappings = template.of_type("AWS::Lambda::EventSourceMapping")
    assert mappings["LoadFunctionPacked"]["BatchSize"] * ENCRYPTED["MaximumMessageSize"] < 6_000_000
