"""Handlers that do what their event says and write down what they saw, one JSON line each, in the file $SEEN."""

import json
import os
import time
from datetime import datetime, timezone
from pathlib import Path

import boto3


class Refused(Exception):
    pass


def _write(seen):
    with open(os.environ["SEEN"], "a", encoding="utf-8") as file:
        file.write(json.dumps(seen) + "\n")


def _do(task):
    """Returns whether the task succeeded."""
    if task == "raise":
        raise Refused("told to")
    if task == "sleep":
        time.sleep(3_600)
    if task == "exit":
        os._exit(3)
    return task != "fail"


def respond(event, context):
    _do(event.get("do"))
    if event.get("do") == "big":
        return "x" * (7 * 1024 * 1024)
    if event.get("do") == "unprintable":
        return object()
    return {
        "event": event,
        "now": time.time(),
        "today": f"{datetime.now(timezone.utc):%Y-%m-%d}",
        "remaining_ms": context.get_remaining_time_in_millis(),
        "memory": context.memory_limit_in_mb,
        "name": context.function_name,
        "pid": os.getpid(),
        "bucket": os.environ.get("BUCKET"),
    }


def meet(event, context):
    """Waits until two processes are here."""
    folder = Path(event["folder"])
    (folder / str(os.getpid())).touch()
    while len(list(folder.iterdir())) < 2:
        time.sleep(0.01)


def take(event, context):
    records = event["Records"]
    bodies = [json.loads(record["body"]) for record in records]
    _write(
        {
            "bodies": bodies,
            "receives": [int(record["attributes"]["ApproximateReceiveCount"]) for record in records],
            "source": records[0]["eventSourceARN"],
            "at": time.time(),
        }
    )
    failed = [record["messageId"] for record, body in zip(records, bodies, strict=True) if not _do(body.get("do"))]
    if any(body.get("do") == "unknown id" for body in bodies):
        failed.append("no such message")
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def expired(event, context):
    images = [record["dynamodb"]["OldImage"] for record in event["Records"]]
    _write({"images": images, "first": event["Records"][0]})
    failed = [
        record["dynamodb"]["SequenceNumber"]
        for record in event["Records"]
        if not _do(record["dynamodb"]["OldImage"].get("do", {}).get("S"))
    ]
    return {"batchItemFailures": [{"itemIdentifier": number} for number in failed[:1]]}


def api(event, context):
    if event["path"] == "/raise":
        raise Refused("told to")
    if event["path"] == "/binary":
        return {
            "statusCode": 200,
            "headers": {"Content-Type": "application/x"},
            "body": "AAH/",
            "isBase64Encoded": True,
        }
    return {
        "statusCode": 201,
        "headers": {"X-One": "1"},
        "multiValueHeaders": {"X-Many": ["a", "b"]},
        "body": json.dumps(event),
    }


def s3_names(event, context):
    """boto3 without any argument reaches the stack."""
    return sorted(bucket["Name"] for bucket in boto3.client("s3").list_buckets()["Buckets"])
