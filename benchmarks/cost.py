"""The price of a month of records: the calls of a thousand records, scaled up, times the prices of `prices.json`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.day import RECORDS, Day
from benchmarks.ledger import Ledger

PRICES = Path(__file__).with_name("prices.json")

RECORDS_A_DAY = 1_000_000
DAYS = 30
_SCALE = RECORDS_A_DAY // RECORDS * DAYS
_GB = 1e9

# Assumptions without a count.
CALL_S = 0.010  # an AWS call, seen from a function
INVOCATION_S = 0.005  # an invocation's own work
KEPT_DAYS = 2  # a record's 24 hours, and as long again until DynamoDB has removed it
INDEX_BYTES = 100  # DynamoDB's own for each stored item
LOG_BYTES = 350  # Lambda's own lines about an invocation
TRANSITIONS_A_DAY = 160  # plan, 16 shards, half an hour of polls, seal, publish
GLUE_DPUS = 2  # the least Glue job of Spark: a driver and a worker
GLUE_MIN = 5  # a night's Spark job, from its start to its end; none on a day without records
METRICS = 10  # our metrics, by name and function
POLLERS = 5  # of each queue of a mapping (Lambda's guide, "Using Lambda with Amazon SQS", standard queues)
POLL_S = 20  # seconds that a poller's receive waits for a message


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for so many of a unit, and the page of the price."""

    usd: float
    per: float
    unit: str
    page: str


@dataclass(frozen=True, slots=True)
class PriceTable:
    """The prices by name, their region, and the day of the look-up."""

    looked_up: str
    region: str
    prices: Mapping[str, Price]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a bill: so many of a price's unit in a month."""

    service: str
    what: str
    price: str
    quantity: float

    def usd(self, table: PriceTable) -> float:
        """Compute its dollars."""
        price = table.prices[self.price]
        return self.quantity / price.per * price.usd


def read_prices(path: Path = PRICES) -> PriceTable:
    """Read the price table."""
    table = json.loads(path.read_text(encoding="utf-8"))
    prices = {name: Price(**price) for name, price in table["prices"].items()}
    return PriceTable(table["looked_up"], table["region"], prices)


def bill(ledger: Ledger, day: Day) -> list[Line]:
    """Bill a month of `RECORDS_A_DAY` records, by the ledger's thousand."""
    parts = (_queues(ledger, day), _functions(ledger, day), _tables(ledger), _buckets(ledger), _watching(ledger, day))
    return [line for part in parts for line in part]


def idle_polls(polled_queues: int) -> int:
    """Count the receives of a month by the pollers of so many empty queues.

    >>> idle_polls(1)
    648000
    """
    return polled_queues * POLLERS * 24 * 3600 // POLL_S * DAYS


def _queues(ledger: Ledger, day: Day) -> Iterator[Line]:
    yield Line("SQS", "sent, received, deleted", "sqs_request", _times(ledger.total("sqs").requests))
    yield Line("SQS", "received and deleted by Lambda", "sqs_request", _times(ledger.poll_requests))
    yield Line("SQS", "polled while idle", "sqs_request", idle_polls(day.polled_queues))


def _functions(ledger: Ledger, day: Day) -> Iterator[Line]:
    monthly = {stage: number * _repeats(stage) for stage, number in ledger.invocations.items()}
    yield Line("Lambda", "requests", "lambda_request", sum(monthly.values()))
    for stage, number in monthly.items():
        calls = ledger.of_stage(stage).calls / ledger.invocations[stage]
        seconds = INVOCATION_S + calls * CALL_S / ledger.at_once[stage]
        yield Line("Lambda", stage, "lambda_gb_s", number * seconds * day.memory_mb[stage] / 1024)
    yield Line("Step Functions", "compaction", "step_transition", TRANSITIONS_A_DAY * DAYS)
    yield Line("Glue", "compaction on Spark", "glue_dpu_hour", GLUE_DPUS * GLUE_MIN / 60 * DAYS)


def _tables(ledger: Ledger) -> Iterator[Line]:
    """Yield reads and writes by stage, then storage: three copies of records, a single copy of the graph."""
    for stage in ledger.invocations:
        tally, repeats = ledger.of_stage(stage), _repeats(stage)
        for what, units in (("write", tally.write_units), ("read", tally.read_units)):
            if units:
                yield Line("DynamoDB", f"{what}s of {stage}", f"dynamodb_{what}", units * repeats)
    record = ledger.item_bytes / RECORDS + INDEX_BYTES
    records_gb = record * RECORDS_A_DAY * KEPT_DAYS / _GB
    graph_gb = _times(ledger.graph_bytes) / _GB
    yield Line("DynamoDB", "records, with two indexes", "dynamodb_storage", 3 * records_gb)
    yield Line("DynamoDB", "graph, after a month", "dynamodb_storage", graph_gb)
    yield Line("DynamoDB", "point-in-time recovery", "dynamodb_recovery", 2 * records_gb + graph_gb)


def _buckets(ledger: Ledger) -> Iterator[Line]:
    yield Line("S3", "objects written", "s3_put", _of_buckets(ledger, "PutObject", "ListObjectsV2"))
    yield Line("S3", "objects read", "s3_get", _of_buckets(ledger, "GetObject"))
    # Each object of the day once, and the day's digest: the job checks every object's SHA-256.
    traces = ledger.tallies["trace"]["s3", "PutObject"].calls if "trace" in ledger.tallies else 0
    yield Line("S3", "objects read by the Spark job", "s3_get", _times(traces) + DAYS)
    yield Line("S3", "archive, after a month", "s3_storage", _times(ledger.archive_bytes) / _GB)


def _of_buckets(ledger: Ledger, *operations: str) -> float:
    return sum(
        tally.calls * _repeats(stage)
        for stage, tallies in ledger.tallies.items()
        for (service, operation), tally in tallies.items()
        if service == "s3" and operation in operations
    )


def _watching(ledger: Ledger, day: Day) -> Iterator[Line]:
    """Yield logs, metrics and alarms."""
    logged = sum(
        (ledger.log_bytes[stage] + LOG_BYTES * number) * _repeats(stage) for stage, number in ledger.invocations.items()
    )
    yield Line("CloudWatch", "logs", "log_ingested", logged / _GB)
    yield Line("CloudWatch", "metrics", "metric", METRICS)
    yield Line("CloudWatch", "alarms", "alarm", day.alarm_metrics)


def _repeats(stage: str) -> int:
    """Count the repetitions of a stage in a month for a thousand records; the compaction itself runs once a day."""
    return DAYS if stage == "compact" else _SCALE


def _times(quantity: float) -> float:
    return quantity * _SCALE
