"""A thousand records through the real handlers, as a day brings them: in, loaded, compacted, traced, expired.

The queues, tables and buckets are those of the synthesized template, on moto in a process of its own.
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
from types import SimpleNamespace
from typing import Any, cast

import boto3
import time_machine
from aws_lambda_powertools.utilities.typing import LambdaContext

from benchmarks.capacity import item_bytes
from benchmarks.ledger import SQS_REQUEST_BYTES, Ledger, Listener
from benchmarks.processes import Say
from lambdas import compact, expired, load, trace, wiring
from lambdas import input as input_function
from lineage import settings
from lineage.records.archive import prefix_of
from lineage_model.ids import SHARDS
from local.deploy import client_settings, deploy
from local.endpoint import Endpoint
from local.synthesis import synthesize
from local.template import parse_template
from local.wiring import api_routes

RECORDS = 1000
# Pipelines under way at once, each with a root of its own: as many roots meet in a batch of the load function.
_AT_ONCE = 10
_START = datetime(2026, 11, 20, 9, 0, tzinfo=timezone.utc)
_DAY_S = 24 * 3600

Request = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Way:
    """How the records of a day arrive: `roots` of them have that many requests, each of that many records."""

    name: str
    roots: int
    requests: int
    records: int

    def __post_init__(self) -> None:
        assert self.roots * self.requests * self.records == RECORDS

    def send(self) -> Iterator[Request]:
        """The requests of a thousand records; those of pipelines under way at the same time take turns."""
        for first in range(0, self.roots, _AT_ONCE):
            for request in range(self.requests):
                for root in range(first, min(first + _AT_ONCE, self.roots)):
                    yield self._request(f"s3://carbonlake-landing/2026/11/20/{self.name}/{root:04}.csv", request)

    def _request(self, root_id: str, number: int) -> Request:
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


WAYS = (
    Way("one record a request", roots=50, requests=20, records=1),
    Way("20 records a request", roots=50, requests=1, records=20),
    Way("1,000 records a request", roots=1, requests=1, records=1000),
)


@dataclass(frozen=True, slots=True)
class Day:
    """A thousand records' ledger by way of arrival, and what of the stack is paid for without a call."""

    ledgers: Mapping[str, Ledger]
    memory_mb: Mapping[str, int]
    alarms: int
    traced: bool


class Account:
    """The deployed account and its clock; what it does itself, between the invocations, counts for nobody."""

    def __init__(self, endpoint: Endpoint, clock: time_machine.Traveller, listener: Listener) -> None:
        settings_ = client_settings(endpoint)
        # A session of its own: the listener hears those of the handlers alone.
        session = boto3.Session()
        self.sqs = session.client("sqs", **settings_)
        self.dynamodb = session.client("dynamodb", **settings_)
        self.s3 = session.client("s3", **settings_)
        self._clock, self._listener = clock, listener
        self._numbers = count()

    def run(self, way: Way) -> Ledger:
        """A day of the way, and its expiry the day after."""
        ledger = self._listener.ledger = Ledger()
        graph_bytes = self._graph_bytes()
        for request in way.send():
            with ledger.invocation("input"):
                input_function.handler(dict(request), _context())
        self._load(ledger)
        self._clock.shift(_DAY_S)
        self._compact(ledger, way)
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
            messages = self._take(ledger, os.environ[queue])
            for start in range(0, len(messages), batch):
                with ledger.invocation("load"):
                    answer = load.handler({"Records": messages[start : start + batch]}, _context())
                assert answer == {"batchItemFailures": []}

    def _compact(self, ledger: Ledger, way: Way) -> None:
        now = datetime.now(timezone.utc)
        step = partial(self._step, ledger)
        asked = {"execution": f"nightly-{now.date()}", "started_at": now.isoformat()}
        plan = step("plan", input={}, **asked)
        state = {name: plan[name] for name in ("day", "execution", "started_at")}
        for shard in range(len(SHARDS)):
            step("slice", **state, shard=shard, cursor=None, enqueued=0)
        for message in self._take(ledger, os.environ[settings.TRACE_QUEUE_URL]):
            with ledger.invocation("trace"):
                assert trace.handler({"Records": [message]}, _context()) == {"batchItemFailures": []}
        assert step("check", day=plan["day"], deadline=plan["deadline"], shard=0)["settled"]
        assert step("left", day=plan["day"], deadline=plan["deadline"]) == {"roots": []}
        sealed = step("seal", **state)
        assert (sealed["roots"], sealed["missing"]) == (way.roots, 0)
        step("unpublished", day=plan["day"], publish_again=False)
        ledger.archive_bytes = self._archived(plan["day"])

    def _step(self, ledger: Ledger, step: str, **event: object) -> dict[str, Any]:
        with ledger.invocation("compact"):
            answer: dict[str, Any] = compact.handler({"step": step, **event}, _context())
            return answer

    def _archived(self, day: str) -> int:
        listed = self.s3.list_objects_v2(Bucket=os.environ[settings.ARCHIVE_BUCKET], Prefix=prefix_of(day))
        return sum(one["Size"] for one in listed["Contents"])

    def _expire(self, ledger: Ledger) -> None:
        table, items = os.environ[settings.RECORDS_TABLE], self._items(settings.RECORDS_TABLE)
        ledger.item_bytes = sum(map(item_bytes, items))
        self._clock.shift(3600)
        records = [_removal(number, item) for number, item in enumerate(items)]
        for start in range(0, len(records), 500):
            with ledger.invocation("expired"):
                expired.handler({"Records": records[start : start + 500]}, _context())
        for item in items:
            key = {name: item[name] for name in (settings.ROOT_ID, settings.NODE_ID)}
            self.dynamodb.delete_item(TableName=table, Key=key)

    def _take(self, ledger: Ledger, url: str) -> list[dict[str, Any]]:
        """Every message of a queue, in the form in which Lambda delivers it."""
        taken: list[dict[str, Any]] = []
        while found := self.sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            size = sum(len(message["Body"].encode()) for message in found)
            ledger.poll_requests += max(1, -(-size // SQS_REQUEST_BYTES)) + len(found)  # and a delete for each
            for message in found:
                self.sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
                taken.append(self._delivered(message["Body"], url))
        return taken

    def _delivered(self, body: str, url: str) -> dict[str, Any]:
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


def _context() -> LambdaContext:
    context = SimpleNamespace(
        function_name="f",
        memory_limit_in_mb=1024,
        invoked_function_arn="arn:f",
        aws_request_id="r",
        get_remaining_time_in_millis=lambda: 900_000,
    )
    return cast(LambdaContext, context)


def run_day(ways: Sequence[Way], say: Say) -> Day:
    """A thousand records in each way."""
    listener = Listener()
    with ExitStack() as on_exit:
        say("synthesizing the stack")
        raw = synthesize()
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
        for way in ways:
            say(way.name)
            ledgers[way.name] = account.run(way)
    functions = [one["Properties"] for one in raw["Resources"].values() if one["Type"] == "AWS::Lambda::Function"]
    return Day(
        ledgers,
        memory_mb={function.handler.split(".")[1]: function.memory_mb for function in deployed.functions},
        alarms=sum(one["Type"] == "AWS::CloudWatch::Alarm" for one in raw["Resources"].values()),
        traced=any(one.get("TracingConfig") == {"Mode": "Active"} for one in functions),
    )


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """The handlers' variables; their wiring is made anew, inside and afterwards."""
    before = dict(os.environ)
    os.environ.update(variables)
    _forget_wiring()
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
        _forget_wiring()


def _forget_wiring() -> None:
    for made in vars(wiring).values():
        if hasattr(made, "cache_clear"):
            made.cache_clear()
