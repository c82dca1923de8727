"""Time that skips: functions, schedules, expiry and the stream that expired items go to."""

import json
import time
from itertools import chain

import boto3

DAY_S = 86_400


def images(probe):
    return [[image["node"]["S"] for image in batch["images"]] for batch in probe.seen]


def test_functions_live_in_the_time_of_the_stack(probe):
    probe.stack.invoke("Answer", {})
    probe.stack.advance(10 * DAY_S)
    before_s = probe.stack.now
    response = probe.stack.invoke("Answer", {}).payload
    assert before_s <= response["now"] <= probe.stack.now
    assert response["today"] == time.strftime("%Y-%m-%d", time.gmtime(response["now"]))
    assert 0 < response["remaining_ms"] <= 60_000


def test_a_schedule_starts_its_machine_when_its_minute_is_skipped(start):
    probe = start(schedules=True)
    states = boto3.client("stepfunctions", **probe.stack.client_settings)
    assert executions(states, probe) == []
    probe.stack.advance(3 * DAY_S)
    probe.until(lambda: ended(states, probe))
    [execution] = executions(states, probe)
    assert execution["status"] == "SUCCEEDED"
    result = states.describe_execution(executionArn=execution["executionArn"])
    assert json.loads(result["input"]) == {"do": "fail"}


def executions(states, probe):
    return states.list_executions(stateMachineArn=probe.stack.outputs["MachineArn"])["executions"]


def ended(states, probe):
    return [execution for execution in executions(states, probe) if execution["status"] != "RUNNING"]


def test_expired_items_leave_the_table_and_reach_the_stream_s_function(probe):
    soon = int(probe.stack.now) + 3600
    probe.put(root="r", node="a", until=soon)
    probe.put(root="r", node="b", until=soon + 2 * DAY_S)
    probe.put(root="r", node="c")
    assert probe.stack.sweep_ttl() == 0
    probe.stack.advance(DAY_S)
    assert probe.stack.sweep_ttl() == 1
    probe.stack.drain()
    left = probe.dynamodb.scan(TableName=probe.stack.outputs["TableName"])["Items"]
    assert sorted(item["node"]["S"] for item in left) == ["b", "c"]
    [batch] = probe.seen
    assert batch["images"] == [{"root": {"S": "r"}, "node": {"S": "a"}, "until": {"N": str(soon)}}]
    first = batch["first"]
    assert first["eventName"] == "REMOVE"
    assert first["userIdentity"] == {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
    assert first["dynamodb"]["Keys"] == {"root": {"S": "r"}, "node": {"S": "a"}}


def keys(probe):
    listed = probe.s3.list_objects_v2(Bucket=probe.stack.outputs["BucketName"])
    return {stored["Key"] for stored in listed.get("Contents", [])}


def expire(probe, *nodes):
    for node, task in nodes:
        probe.put(root="r", node=node, until=int(probe.stack.now) - 10, do=task)
    probe.stack.sweep_ttl()


def test_a_stream_is_delivered_again_from_the_record_that_failed_and_then_given_up(probe):
    expire(probe, ("a", "ok"), ("b", "fail"), ("c", "ok"))
    probe.until(lambda: probe.stack.running == 0)
    assert images(probe) == [["a", "b", "c"], ["b", "c"], ["b", "c"]]
    assert [failure.error_type for failure in probe.stack.errors] == ["GivenUp"]


def test_a_batch_that_raises_is_halved_until_the_bad_record_is_alone_and_lies_in_the_bucket(probe):
    before = keys(probe)
    expire(probe, ("a", "ok"), ("b", "raise"), ("c", "ok"), ("d", "ok"))
    probe.until(lambda: probe.stack.running == 0)
    assert sorted({*chain(*images(probe))}) == ["a", "b", "c", "d"]
    [lost] = keys(probe) - before
    invocation = json.load(probe.s3.get_object(Bucket=probe.stack.outputs["BucketName"], Key=lost)["Body"])
    given_up = json.loads(invocation["payload"])["Records"]
    assert [record["dynamodb"]["OldImage"]["node"]["S"] for record in given_up] == ["b"]
    assert images(probe)[-1] == ["c", "d"]
