"""A day of a thousand records through the real handlers: received, loaded, compacted, traced, expired.

The queues, tables and buckets come from the synthesized template, on moto in a process of its own.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import boto3
import time_machine

from benchmarks.ledger import SQS_REQUEST_BYTES, Ledger, Listener
from benchmarks.processes import Report
from headwater import settings
from headwater.aws.clients import CONCURRENCY
from headwater.aws.items import chunks
from headwater.records.archive import prefix_of
from headwater_model.ids import SHARDS
from lambdas import compact, expired, load, trace, wiring
from lambdas import input as input_function
from local_stack.aws.endpoint import Endpoint, settings_at
from local_stack.aws.item_sizes import item_bytes
from local_stack.deploy import deploy
from local_stack.template.template import RawTemplate, parse_template
from local_stack.wiring import api_routes
from tests.gateway import lambda_context

RECORDS = 1000
# Parallel pipelines, each with a root of its own: a batch of the load function has as many roots.
_AT_ONCE = 10
_START = datetime(2026, 11, 20, 9, 0, tzinfo=timezone.utc)
_DAY_S = 24 * 3600
_CONTEXT = lambda_context(900)

Request = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A pattern of arrival: `roots` with so many `requests` each, of so many `records` each."""

    name: str
    roots: int
    requests: int
    records: int

    def __post_init__(self) -> None:
        assert self.roots * self.requests * self.records == RECORDS

    def send(self) -> Iterator[Request]:
        """Yield the requests of a thousand records; parallel pipelines take turns."""
        for first in range(0, self.roots, _AT_ONCE):
            for request in range(self.requests):
                for root in range(first, min(first + _AT_ONCE, self.roots)):
                    yield self._request(f"s3://carbonlake-landing/2026/11/20/{self.name}/{root:04}.csv", request)

    def _request(self, root_id: str, number: int) -> Request:
        """Build a request of so many records; a single record needs no list."""
        step = f"s3://carbonlake-enriched/emissions/2026/11/20/{number:04}"
        request: dict[str, object] = {
            "root_id": root_id,
            "parent_id": root_id,
            "action_taken": "CALCULATE_EMISSIONS",
            "request_id": f"{root_id}#{number}",
        }
        if self.records == 1:
            return {**request, "storage_location": f"{step}/part-00000.snappy.parquet"}
        parts = [{"storage_location": f"{step}/part-{part:05}.snappy.parquet"} for part in range(self.records)]
        return {**request, "records": parts}


ARRIVALS = (
    Arrival("one record a request", roots=50, requests=20, records=1),
    Arrival("20 records a request", roots=50, requests=1, records=20),
    Arrival("1,000 records a request", roots=1, requests=1, records=1000),
)


@dataclass(frozen=True, slots=True)
class Day:
    """The ledgers of a thousand records by pattern of arrival, and the stack's resources with a cost of their own."""

    ledgers: Mapping[str, Ledger]
    memory_mb: Mapping[str, int]
    polled_queues: int
    alarm_metrics: int


class Account:
    """The deployed account and its clock; its own calls, between the invocations, do not count."""

    def __init__(self, endpoint: Endpoint, clock: time_machine.Traveller, listener: Listener) -> None:
        settings_ = settings_at(endpoint.url)
        # A session of its own: the listener counts only the calls of the handlers.
        session = boto3.Session()
        self.sqs = session.client("sqs", **settings_)
        self.dynamodb = session.client("dynamodb", **settings_)
        self.s3 = session.client("s3", **settings_)
        self._clock, self._listener = clock, listener
        self._numbers = count()

    def run(self, arrival: Arrival) -> Ledger:
        """Run a day of a pattern, and its expiry on the next day."""
        ledger = self._listener.ledger = Ledger()
        graph_bytes = self._graph_bytes()
        for request in arrival.send():
            with ledger.invocation("input"):
                input_function.handler(dict(request), _CONTEXT)
        self._load(ledger)
        self._clock.shift(_DAY_S)
        self._compact(ledger, arrival)
        ledger.graph_bytes = self._graph_bytes() - graph_bytes
        self._expire(ledger)
        self._clock.shift(_DAY_S)
        return ledger

    def _graph_bytes(self) -> int:
        return sum(map(item_bytes, self._items(settings.GRAPH_TABLE)))

    def _items(self, table: str) -> list[dict[str, Any]]:
        pages = self.dynamodb.get_paginator("scan").paginate(TableName=os.environ[table])
        return [item for page in pages for item in page["Items"]]

    def _load(self, ledger: Ledger) -> None:
        for queue, batch in ((settings.RECORDS_QUEUE_URL, 100), (settings.PACKED_QUEUE_URL, 4)):
            messages = self._receive_all(ledger, os.environ[queue])
            for start in range(0, len(messages), batch):
                with ledger.invocation("load", CONCURRENCY):
                    response = load.handler({"Records": messages[start : start + batch]}, _CONTEXT)
                assert response == {"batchItemFailures": []}

    def _compact(self, ledger: Ledger, arrival: Arrival) -> None:
        """Run the steps of the state machine's happy path, once each."""
        now = datetime.now(timezone.utc)
        step = partial(self._step, ledger)
        execution = {"execution": f"nightly-{now.date()}", "started_at": now.isoformat()}
        plan = step("plan", input={}, **execution)
        state = {name: plan[name] for name in ("day", "execution", "started_at")}
        for shard in range(len(SHARDS)):
            step("slice", **state, shard=shard, cursor=None, enqueued=0)
        for batch in chunks(self._receive_all(ledger, os.environ[settings.TRACE_QUEUE_URL]), 10):
            with ledger.invocation("trace", min(CONCURRENCY, len(batch))):
                assert trace.handler({"Records": batch}, _CONTEXT) == {"batchItemFailures": []}
        assert step("check", day=plan["day"], started_ms=plan["started_ms"], deadline=plan["deadline"], shard=0)[
            "settled"
        ]
        assert step("left", day=plan["day"], deadline=plan["deadline"]) == {"roots": []}
        sealed = step("seal", **state, **plan["sealed"])
        assert (sealed["roots"], sealed["missing"]) == (arrival.roots, 0)
        step("unpublished", day=plan["day"], publish_again=False)
        ledger.archive_bytes = self._list_archived(plan["day"])

    def _step(self, ledger: Ledger, step: str, **event: object) -> dict[str, Any]:
        with ledger.invocation("compact"):
            response: dict[str, Any] = compact.handler({"step": step, **event}, _CONTEXT)
            return response

    def _list_archived(self, day: str) -> int:
        listed = self.s3.list_objects_v2(Bucket=os.environ[settings.ARCHIVE_BUCKET], Prefix=prefix_of(day))
        return sum(item["Size"] for item in listed["Contents"])

    def _expire(self, ledger: Ledger) -> None:
        """Remove all records as DynamoDB does after their TTL, and deliver the removals from its stream."""
        table, items = os.environ[settings.RECORDS_TABLE], self._items(settings.RECORDS_TABLE)
        ledger.item_bytes = sum(map(item_bytes, items))
        self._clock.shift(3600)
        records = [_removal(number, item) for number, item in enumerate(items)]
        for start in range(0, len(records), 500):
            with ledger.invocation("expired"):
                expired.handler({"Records": records[start : start + 500]}, _CONTEXT)
        for item in items:
            key = {name: item[name] for name in (settings.ROOT_ID, settings.NODE_ID)}
            self.dynamodb.delete_item(TableName=table, Key=key)

    def _receive_all(self, ledger: Ledger, url: str) -> list[dict[str, Any]]:
        """Receive every message of a queue, as Lambda delivers it."""
        delivered: list[dict[str, Any]] = []
        while received := self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            size = sum(len(message["Body"].encode()) for message in received)
            ledger.poll_requests += max(1, -(-size // SQS_REQUEST_BYTES)) + len(received)  # and a delete for each
            for message in received:
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
                delivered.append(self._deliver(message["Body"], url))
        return delivered

    def _deliver(self, body: str, url: str) -> dict[str, Any]:
        number = next(self._numbers)
        sent_at = int(datetime.now(timezone.utc).timestamp() * 1000)
        return {
            "messageId": f"m-{number}",
            "receiptHandle": f"h-{number}",
            "body": body,
            "attributes": {"ApproximateReceiveCount": "1", "SentTimestamp": str(sent_at)},
            "eventSourceARN": f"arn:aws:sqs:us-east-1:123456789012:{url.rpartition('/')[2]}",
        }


def _removal(number: int, item: Mapping[str, Any]) -> dict[str, Any]:
    removed_at = datetime.now(timezone.utc).timestamp()
    return {
        "dynamodb": {"OldImage": item, "ApproximateCreationDateTime": removed_at, "SequenceNumber": str(number)},
        "eventName": "REMOVE",
    }


def run_day(arrivals: Sequence[Arrival], report: Report, raw: RawTemplate) -> Day:
    """Run a thousand records in each pattern of arrival, through the stack of a template."""
    listener = Listener()
    with ExitStack() as on_exit:
        logs = Path(on_exit.enter_context(tempfile.TemporaryDirectory()))
        endpoint = Endpoint(port=0, functions_url="http://127.0.0.1:9", logs=logs)
        on_exit.callback(endpoint.stop)
        template = parse_template(raw)
        nowhere = {route.api_id: "http://127.0.0.1:9" for route in api_routes(template)}
        deployed = deploy(template, endpoint, api_urls=nowhere)
        variables = {name: value for function in deployed.functions for name, value in function.environment.items()}
        on_exit.enter_context(_environment({**variables, **endpoint.environment}))
        on_exit.enter_context(listener.open())
        clock = on_exit.enter_context(time_machine.travel(_START, tick=True))
        account = Account(endpoint, clock, listener)
        ledgers = {}
        for arrival in arrivals:
            report(arrival.name)
            ledgers[arrival.name] = account.run(arrival)
    return Day(
        ledgers,
        memory_mb={function.handler.split(".")[1]: function.memory_mb for function in deployed.functions},
        polled_queues=polled_queues(raw["Resources"]),
        alarm_metrics=alarm_metrics(raw["Resources"]),
    )


def alarm_metrics(resources: Mapping[str, Any]) -> int:
    """Count the metrics of all alarms: CloudWatch bills each, and not the expressions over them."""
    alarms = [resource["Properties"] for resource in resources.values() if resource["Type"] == "AWS::CloudWatch::Alarm"]
    return sum(sum("MetricStat" in each for each in alarm.get("Metrics", [{"MetricStat": {}}])) for alarm in alarms)


def polled_queues(resources: Mapping[str, Any]) -> int:
    """Count the queues with an event source mapping: Lambda polls them. Polling a stream is free."""
    mappings = [
        resource["Properties"]
        for resource in resources.values()
        if resource["Type"] == "AWS::Lambda::EventSourceMapping"
    ]
    sources = {mapping["EventSourceArn"]["Fn::GetAtt"][0] for mapping in mappings}
    return sum(resources[source]["Type"] == "AWS::SQS::Queue" for source in sources)


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set the handlers' variables; their wiring is made anew, inside and afterwards."""
    before = dict(os.environ)
    os.environ.update(variables)
    _drop_wiring()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        _drop_wiring()


def _drop_wiring() -> None:
    for factory in vars(wiring).values():
        if hasattr(factory, "cache_clear"):
            factory.cache_clear()
