"""Queues and what they feed: sizes, windows, redrive."""

from lambdas.events import HELD_S


def test_a_function_returns_the_failed_messages_of_a_batch(template):
    for mapping in template.of_type("AWS::Lambda::EventSourceMapping").values():
        assert mapping["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


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
    batch = template.of_type("AWS::Lambda::EventSourceMapping")["LoadFunctionPacked"]["BatchSize"]
    assert batch * template.of_type("AWS::SQS::Queue")["PackedQueue"]["MaximumMessageSize"] < 6_000_000
