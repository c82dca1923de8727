"""The cost of loading queued events, by variant (see `WORKS`), for so many rounds.

A round is a run of each of fifty jobs (five chains): batches of their STARTs, then batches of their COMPLETEs, since
minutes lie between the two in production. AWS is the endpoint in the environment, in a process of its own.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import boto3
import orjson
from boto3.dynamodb.types import TypeDeserializer

from benchmarks.pipelines import Sends, chain, run_events, sends_column_lineage, sends_schemas
from benchmarks.processes import Figures, Stopwatch
from headwater import settings
from headwater.aws.bodies import parse_body
from headwater.aws.clients import CONCURRENCY
from headwater.aws.items import chunks
from headwater.aws.queues import QueuedMessage
from headwater.events.api_changes import parse_change
from headwater.events.ingest import render_event_message
from headwater.events.naming import NamingRules
from headwater.facts.table import GraphTable
from headwater.loading.event_log import EventLog
from headwater.loading.load import EventStores, load_events
from lambdas.events import handler
from tests.fakes.capacity import writes
from tests.fakes.memory_dynamodb import MemoryDynamo
from tests.gateway import lambda_context

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.service_resource import Table
    from mypy_boto3_s3 import S3Client

# The batch size of the events queue's mapping (infra/events.py).
BATCH = 100
_CHAINS = 5
_NOW_S = 1_763_640_000

Batch: TypeAlias = Sequence[str]
Load: TypeAlias = Callable[[Batch], None]


STEPS = tuple(step for number in range(_CHAINS) for step in chain(number))


def batches(rounds: int, size: int, sends: Sends = run_events) -> Iterator[list[Batch]]:
    """Yield the messages of each round in batches; `sends` makes a run's events."""
    for number in range(rounds):
        starts, completes = zip(*(map(render_event_message, sends(step, number)) for step in STEPS), strict=True)
        yield [batch for events in (starts, completes) for batch in chunks(events, size)]


def our_load() -> Load:
    """Build the loader of a batch by the handler of the events function."""
    context = lambda_context()

    def load(batch: Batch) -> None:
        delivered = {
            "receiptHandle": "r",
            "eventSourceARN": "arn:aws:sqs:us-east-1:123456789012:events",
            "attributes": {"ApproximateReceiveCount": "1"},
        }
        records = [{**delivered, "messageId": str(number), "body": body} for number, body in enumerate(batch)]
        event = {"Records": records}
        assert handler(event, context) == {"batchItemFailures": []}

    return load


Items: TypeAlias = Sequence[dict[str, Any]]
Put: TypeAlias = "Callable[[Table, Items], None]"


def plain_load(written: Iterator[Items], put: Put) -> Load:
    """Build the plain loader: it parses a batch, logs it, and writes our items with `boto3.resource`, by `put`.

    The items are made and compressed before the measurement.
    """
    table = boto3.resource("dynamodb").Table(os.environ[settings.GRAPH_TABLE])
    s3, bucket = boto3.client("s3"), os.environ[settings.ARCHIVE_BUCKET]

    def load(batch: Batch) -> None:
        events = [parse_body(body) for body in batch]
        for event in events:
            parse_change(event, NamingRules())
        lines = b"".join(orjson.dumps(event) + b"\n" for event in events)
        s3.put_object(Bucket=bucket, Key="events/batch.jsonl.gz", Body=gzip.compress(lines))
        put(table, next(written))

    return load


def put_guarded(table: Table, items: Items) -> None:
    """Put items without losing an update, as ours: items with a version are read, and written if still current."""
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        list(pool.map(lambda item: _put_guarded(table, item), items))


def _put_guarded(table: Table, item: dict[str, Any]) -> None:
    key = {"pk": item["pk"], "sk": item["sk"]}
    current = table.get_item(Key=key, ConsistentRead=True).get("Item") if "version" in item else {}
    if current is None:
        table.put_item(Item=item, ConditionExpression="attribute_not_exists(pk)")
    elif "version" not in current:
        table.put_item(Item=item)
    else:
        table.put_item(
            Item=item,
            ConditionExpression="version = :version",
            ExpressionAttributeValues={":version": current["version"]},
        )


def put_in_batches(table: Table, items: Items) -> None:
    """Put items with weaker guarantees: `batch_writer` overwrites concurrent updates."""
    with table.batch_writer() as batch:
        for item in items:
            batch.put_item(Item=item)


class Recorder(MemoryDynamo):
    """A table that collects the keys written since the last call of `written`."""

    def __init__(self) -> None:
        super().__init__()
        self._written: dict[tuple[str, str], None] = {}

    def respond(self, operation: str, request: Mapping[str, Any]) -> Mapping[str, Any]:
        """Respond to a call and collect its written keys."""
        response = super().respond(operation, request)
        keys = ((item["pk"]["S"], item["sk"]["S"]) for item, _ in writes(operation, request))
        self._written.update(dict.fromkeys(keys))
        return response

    def written(self) -> list[dict[str, Any]]:
        """List the items of the collected keys, for `boto3.resource`."""
        plain = TypeDeserializer()
        items = [self.item(*key) for key in self._written]
        self._written.clear()
        return [{name: plain.deserialize(value) for name, value in item.items()} for item in items if item]


def memory_load(dynamo: MemoryDynamo) -> Load:
    """Build the loader of a batch into a table in this process."""
    s3 = cast("S3Client", SimpleNamespace(put_object=lambda **_: {}))
    table = GraphTable(dynamo.client(), "graph", s3, "archive")
    stores = EventStores(EventLog(table, s3, "archive"), table, s3, "ingest", NamingRules())

    def load(batch: Batch) -> None:
        messages = [QueuedMessage(str(number), body) for number, body in enumerate(batch)]
        assert not load_events(messages, stores, now_s=_NOW_S).failed

    return load


def measure(load: Load, rounds: int, sends: Sends = run_events) -> Figures:
    """Measure the CPU of this process for so many rounds, after a first round for the jobs and datasets."""
    first, *rest = batches(rounds + 1, BATCH, sends=sends)
    number = 0
    # The handler prints its metrics: the work counts, but its text is no part of the figures.
    with contextlib.redirect_stdout(io.StringIO()):
        for batch in first:
            load(batch)
        watch = Stopwatch()
        for batch in (batch for messages in rest for batch in messages):
            load(batch)
            number += len(batch)
        spent = watch.read()
    return {**spent, "events": number, "per_cpu_s": number / spent["cpu_s"]}


def measure_plain(rounds: int, put: Put) -> Figures:
    """Measure a plain variant in full batches."""
    recorder = Recorder()
    record = memory_load(recorder)
    items = []
    for batch in (batch for messages in batches(rounds + 1, BATCH) for batch in messages):
        record(batch)
        items.append(recorder.written())
    return measure(plain_load(iter(items), put), rounds)


# `schemas` and `lineage` are of events with twenty columns a dataset.
WORKS: dict[str, Callable[[str], Figures]] = {
    "ours": lambda rounds: measure(our_load(), int(rounds)),
    "plain": lambda rounds: measure_plain(int(rounds), put_guarded),
    "weaker": lambda rounds: measure_plain(int(rounds), put_in_batches),
    "schemas": lambda rounds: measure(our_load(), int(rounds), sends_schemas),
    "lineage": lambda rounds: measure(our_load(), int(rounds), sends_column_lineage),
}
