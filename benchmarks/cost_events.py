"""docs/cost.md, the part about runs: what a million events cost, from DynamoDB's units for each."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.cost import CALL_S, INVOCATION_S, Line, PriceTable
from benchmarks.events_work import BATCH, RUNS
from benchmarks.processes import Figures
from lineage.aws.clients import CONCURRENCY

EVENTS = 1_000_000
_MEMORY_GB = 1.0


def bill_events(calls: Figures) -> list[Line]:
    """A million events that come in full batches; `calls` are those of one event."""
    batches = EVENTS / BATCH
    aws_calls = calls["reads"] + calls["writes"] + 1 / BATCH
    seconds = INVOCATION_S + BATCH * aws_calls * CALL_S / CONCURRENCY
    return [
        Line("SQS", "sent, received, deleted", "sqs_request", EVENTS * (1 + 2 / 10)),
        Line("Lambda", "requests", "lambda_request", batches),
        Line("Lambda", "events", "lambda_gb_s", batches * seconds * _MEMORY_GB),
        Line("DynamoDB", "writes", "dynamodb_write", EVENTS * calls["write_units"]),
        Line("DynamoDB", "reads", "dynamodb_read", EVENTS * calls["read_units"]),
        Line("S3", "raw log", "s3_put", batches),
    ]


def render_events_cost(calls: Figures, table: PriceTable) -> str:
    """The section."""
    return "\n".join((*_lines(calls, table), ""))


def _lines(calls: Figures, table: PriceTable) -> Iterator[str]:
    lines = bill_events(calls)
    yield "## A million OpenLineage events, in US dollars"
    yield ""
    yield (
        f"Events of jobs that have run {RUNS} times, with 3 inputs and 2 outputs, START or COMPLETE, in batches of "
        f"{BATCH}: {calls['reads']:.1f} reads ({calls['read_units']:.0f} read units) and {calls['writes']:.1f} writes "
        f"({calls['write_units']:.0f} write units) of DynamoDB for each, counted by `python -m benchmarks events`."
    )
    yield ""
    yield "|  | a million events |"
    yield "| --- | --: |"
    for line in lines:
        yield f"| {line.service}: {line.what} | {line.usd(table):,.2f} |"
    yield f"| **total** | **{sum(line.usd(table) for line in lines):,.2f}** |"
