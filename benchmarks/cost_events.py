"""The section of docs/cost.md about runs: the price of a million events, from DynamoDB's units for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from benchmarks.cost import CALL_S, INVOCATION_S, Line, PriceTable
from benchmarks.event_units import EVENTS as COUNTED
from benchmarks.event_units import READ, REQUESTS, Units, render_units
from benchmarks.events_work import BATCH
from benchmarks.rows import Row
from benchmarks.tables import render_table
from headwater.aws.clients import CONCURRENCY
from headwater.aws.queues import BATCH_ENTRIES_MAX
from headwater.events.ingest import PACK_EVENTS_MAX

EVENTS = 1_000_000
# A pack is below the 64 KB of a request of SQS. It is sent, received and deleted; Lambda's receives are held by tens.
_REQUESTS_A_PACK = 3 + 1 / BATCH_ENTRIES_MAX
_MEMORY_GB = 1.0


def bill_events(units: Mapping[str, float]) -> list[Line]:
    """Bill a million events in full batches; `units` are of a single event, by kind of row."""
    batches = EVENTS / BATCH
    seconds = INVOCATION_S + (BATCH * units[REQUESTS] + 1) * CALL_S / CONCURRENCY
    written = sum(units.values()) - units[READ] - units[REQUESTS]
    return [
        Line("SQS", "sent, received, deleted", "sqs_request", EVENTS / PACK_EVENTS_MAX * _REQUESTS_A_PACK),
        Line("Lambda", "requests", "lambda_request", batches),
        Line("Lambda", "events", "lambda_gb_s", batches * seconds * _MEMORY_GB),
        Line("DynamoDB", "writes", "dynamodb_write", EVENTS * written),
        Line("DynamoDB", "reads", "dynamodb_read", EVENTS * units[READ]),
        Line("S3", "raw log", "s3_put", batches),
    ]


def prices_of_events(units: Units, table: PriceTable) -> Iterator[Row]:
    """Yield the price of a million events, a row for each situation."""
    for situation, of_event in units.items():
        usd = sum(line.usd(table) for line in bill_events(of_event))
        yield Row(f"cost: a million events, in batches of {BATCH}; {situation}", f"${usd:.2f}", "", "", "")


def render_events_cost(units: Units, table: PriceTable) -> str:
    """Render the section, a column for each situation."""
    bills = [bill_events(of_event) for of_event in units.values()]
    lines = [
        (f"{line.service}: {line.what}", *(f"{other.usd(table):,.2f}" for other in same))
        for line, *_ in zip(*bills, strict=True)
        for same in [[bill[bills[0].index(line)] for bill in bills]]
    ]
    lines += [("**total**", *(f"**{sum(line.usd(table) for line in bill):,.2f}**" for bill in bills))]
    return "\n".join((*_about(), *render_table(("", *units), "l" + "r" * len(units), lines), "", *_units(units)))


def _about() -> Iterator[str]:
    yield "## A million OpenLineage events, in US dollars"
    yield ""
    yield (
        f"Runs with 3 inputs and 2 outputs, schemas and `columnLineage` send START and COMPLETE in batches of {BATCH}. "
        "A first run is of a new job with new datasets. Both events of a further run are in one batch, or in two."
    )
    yield ""


def _units(units: Units) -> Iterator[str]:
    yield f"DynamoDB's units of an event by kind of row; `python -m benchmarks.event_units` counts {COUNTED:,} events:"
    yield ""
    yield render_units(units)
    yield ""
