"""The section of docs/cost.md about runs: the price of a million events, from DynamoDB's units for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.cost import CALL_S, INVOCATION_S, Line, PriceTable
from benchmarks.events_work import BATCH, RUNS
from benchmarks.processes import Figures
from benchmarks.rows import Row
from benchmarks.tables import render_table
from headwater.aws.clients import CONCURRENCY

EVENTS = 1_000_000
_MEMORY_GB = 1.0


def bill_events(calls: Figures) -> list[Line]:
    """Bill a million events in full batches; `calls` are for a single event."""
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


def price_of_events(calls: Figures, table: PriceTable) -> Row:
    """Build the row of a million events' price."""
    usd = sum(line.usd(table) for line in bill_events(calls))
    return Row(f"cost: a million events, in batches of {BATCH}", f"${usd:.2f}", "", "", "")


def render_events_cost(calls: Figures, with_columns: Figures, table: PriceTable) -> str:
    """Render the section; `with_columns` are the calls of an event with column lineage."""
    lines = _lines(bill_events(calls), bill_events(with_columns), table)
    bill = render_table(("", "a million events", "with columns"), "lrr", lines)
    return "\n".join((*_about(calls, with_columns), *bill, ""))


def _about(calls: Figures, with_columns: Figures) -> Iterator[str]:
    yield "## A million OpenLineage events, in US dollars"
    yield ""
    yield (
        f"Events of jobs with {RUNS} runs, with 3 inputs and 2 outputs, START or COMPLETE, in batches of "
        f"{BATCH}: {_show(calls)} of DynamoDB for each, counted by `python -m benchmarks events`. With "
        f"`columnLineage` of 20 columns an output: {_show(with_columns)}; equal column lineage is stored once, not "
        "with every run."
    )
    yield ""


def _show(calls: Figures) -> str:
    return (
        f"{calls['reads']:.1f} reads ({calls['read_units']:.0f} read units) and {calls['writes']:.1f} writes "
        f"({calls['write_units']:.0f} write units)"
    )


def _lines(plain: Sequence[Line], columns: Sequence[Line], table: PriceTable) -> Iterator[Sequence[str]]:
    for line, with_columns in zip(plain, columns, strict=True):
        yield f"{line.service}: {line.what}", f"{line.usd(table):,.2f}", f"{with_columns.usd(table):,.2f}"
    yield "**total**", *(f"**{sum(line.usd(table) for line in lines):,.2f}**" for lines in (plain, columns))
