"""docs/cost.md, the part about runs: what a million events cost, from DynamoDB's units for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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
        Line("SQS", "sent, received, deleted", "sqs_request", EVENTS * (1 + 1 / 10 + 1)),
        Line("Lambda", "requests", "lambda_request", batches),
        Line("Lambda", "events", "lambda_gb_s", batches * seconds * _MEMORY_GB),
        Line("DynamoDB", "writes", "dynamodb_write", EVENTS * calls["write_units"]),
        Line("DynamoDB", "reads", "dynamodb_read", EVENTS * calls["read_units"]),
        Line("S3", "raw log", "s3_put", batches),
    ]


def render_events_cost(calls: Figures, with_columns: Figures, table: PriceTable) -> str:
    """The section; `with_columns` are the calls of an event that tells what its columns are made of."""
    return "\n".join((*_about(calls, with_columns), *_lines(bill_events(calls), bill_events(with_columns), table), ""))


def _about(calls: Figures, with_columns: Figures) -> Iterator[str]:
    yield "## A million OpenLineage events, in US dollars"
    yield ""
    yield (
        f"Events of jobs that have run {RUNS} times, with 3 inputs and 2 outputs, START or COMPLETE, in batches of "
        f"{BATCH}: {_show(calls)} of DynamoDB for each, counted by `python -m benchmarks events`. With `columnLineage` "
        f"of 20 columns an output: {_show(with_columns)}; what columns are made of is kept once, not with every run."
    )
    yield ""


def _show(calls: Figures) -> str:
    return (
        f"{calls['reads']:.1f} reads ({calls['read_units']:.0f} read units) and {calls['writes']:.1f} writes "
        f"({calls['write_units']:.0f} write units)"
    )


def _lines(plain: Sequence[Line], columns: Sequence[Line], table: PriceTable) -> Iterator[str]:
    yield "|  | a million events | with columns |"
    yield "| --- | --: | --: |"
    for line, other in zip(plain, columns, strict=True):
        yield f"| {line.service}: {line.what} | {line.usd(table):,.2f} | {other.usd(table):,.2f} |"
    totals = [sum(line.usd(table) for line in lines) for lines in (plain, columns)]
    yield f"| **total** | **{totals[0]:,.2f}** | **{totals[1]:,.2f}** |"
