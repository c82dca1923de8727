"""The cost of loading queued records: `python -m benchmarks.load_work VARIANT BATCH BATCHES`.

The AWS endpoint of the environment responds at once: only the function's own work is measured.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any, cast

import boto3
from aws_lambda_powertools.utilities.typing import LambdaContext
from boto3.dynamodb.conditions import Attr

from benchmarks.processes import Stopwatch, print_figures
from benchmarks.shape import Shape
from headwater import settings
from headwater.aws.clients import CONCURRENCY
from headwater.records.messages import Packed, parse_message
from headwater.records.queues import render_message, render_packed
from headwater.records.record import LineageRecord
from headwater.times import day_of
from headwater_model.ids import sha256_hex
from lambdas.load import handler

_WARM_UP_BATCHES = 3
_NOW_S = 1_763_640_000

Event = dict[str, Any]


def our_load() -> Callable[[Event], None]:
    """Build the loader of a batch by the handler of the load function."""
    context = cast(
        LambdaContext,
        SimpleNamespace(function_name="load", memory_limit_in_mb=1024, invoked_function_arn="arn", aws_request_id="r"),
    )

    def load(event: Event) -> None:
        assert handler(event, context) == {"batchItemFailures": []}

    return load


def plain_load() -> Callable[[Event], None]:
    """Build the loader by `boto3.resource`: the same parsing, validation and conditional writes, in as many threads."""
    dynamodb = boto3.resource("dynamodb")
    table = dynamodb.Table(os.environ[settings.RECORDS_TABLE])
    graph = dynamodb.Table(os.environ[settings.GRAPH_TABLE])
    ttl_s, day = int(os.environ[settings.RECORDS_TTL_S]), day_of(_NOW_S)

    def put(record: LineageRecord) -> None:
        table.put_item(Item=_item(record, ttl_s), ConditionExpression=Attr("node_id").not_exists())

    def mark_dirty(root_id: str) -> None:
        sha = sha256_hex(root_id)
        graph.update_item(
            Key={"pk": f"DIRTY#{day}#{sha[0]}", "sk": sha},
            UpdateExpression="ADD gen :one SET root_id = :root REMOVE expires_at",
            ExpressionAttributeValues={":one": 1, ":root": root_id},
        )

    def load(event: Event) -> None:
        records = list(_records(event))
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            list(pool.map(put, records))
            list(pool.map(mark_dirty, {record.root_id for record in records}))

    return load


def _records(event: Event) -> Iterator[LineageRecord]:
    for message in event["Records"]:
        content = parse_message(message["body"])
        assert isinstance(content, LineageRecord | Packed)
        yield from [content] if isinstance(content, LineageRecord) else content.records


def _item(record: LineageRecord, ttl_s: int) -> dict[str, str | int]:
    return {
        "root_id": record.root_id,
        "node_id": record.node_id,
        "parent_id": record.parent_id,
        "action_taken": record.action_taken,
        "storage_location": record.storage_location,
        "recordedAt": record.recorded_at,
        "ttl_expiry": record.recorded_at + ttl_s,
        "loaded_at": _NOW_S,
    }


def single_messages(records: Sequence[LineageRecord]) -> list[str]:
    """Build a hundred messages of a single record each: a full batch of the records queue."""
    return [render_message(record) for record in records[:100]]


def packed_messages(records: Sequence[LineageRecord]) -> list[str]:
    """Build a single message of a thousand records."""
    return [render_packed(records[:1000])]


VARIANTS: dict[str, Callable[[], Callable[[Event], None]]] = {"ours": our_load, "plain": plain_load}
BATCHES: dict[str, Callable[[Sequence[LineageRecord]], list[str]]] = {
    "singles": single_messages,
    "packed": packed_messages,
}


def _event(bodies: Sequence[str]) -> Event:
    return {
        "Records": [
            {
                "messageId": f"m-{number}",
                "receiptHandle": f"h-{number}",
                "body": body,
                "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": "1763640000000"},
                "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:records",
            }
            for number, body in enumerate(bodies)
        ]
    }


def measure(variant: str, batch: str, batches: int) -> dict[str, float]:
    """Measure the CPU of this process for so many batches, after a few batches to warm up."""
    event = _event(BATCHES[batch](list(Shape(splits=10, results=100).records())))
    number = sum(1 for _ in _records(event))
    load = VARIANTS[variant]()
    # The handler prints its metrics: the work counts, but its text is no part of the figures.
    with contextlib.redirect_stdout(io.StringIO()):
        for _ in range(min(_WARM_UP_BATCHES, batches)):
            load(event)
        watch = Stopwatch()
        for _ in range(batches):
            load(event)
        spent = watch.read()
    return {**spent, "records": number * batches, "per_cpu_s": number * batches / spent["cpu_s"]}


def main(arguments: Sequence[str]) -> None:
    """Print the figures of a variant with a kind of batch, so many times."""
    variant, batch, batches = arguments
    print_figures(**measure(variant, batch, int(batches)))


if __name__ == "__main__":
    main(sys.argv[1:])
