"""The page docs/cost.md: the monthly price of a million records a day."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks import cost
from benchmarks.cost import Line, PriceTable, bill
from benchmarks.day import ARRIVALS, RECORDS, Day
from benchmarks.rows import Row
from benchmarks.tables import render_table
from headwater.aws.clients import CONCURRENCY

# The lines of a stack without a record.
_IDLE = (("SQS", "polled while idle"), ("CloudWatch", "alarms"))


def render_cost_page(day: Day, table: PriceTable) -> str:
    """Render the page."""
    return "\n".join((*_head(table), *_bills(day, table), *_render_assumptions(day)))


def prices_of_records(day: Day, table: PriceTable) -> Iterator[Row]:
    """Yield the price of a million records, a row for each pattern of arrival."""
    for arrival, ledger in day.ledgers.items():
        usd = sum(line.usd(table) for line in bill(ledger, day)) / (cost.RECORDS_A_DAY * cost.DAYS / 1e6)
        met = usd <= 3 if arrival == ARRIVALS[1].name else None
        yield Row(f"cost: a million records, {arrival}", f"${usd:.2f}", "", "", "" if met is None else "≤ $3.00", met)


def _head(table: PriceTable) -> Iterator[str]:
    yield "# Cost"
    yield ""
    yield (
        f"The price of {cost.RECORDS_A_DAY:,} records a day in a month of {cost.DAYS} days, at the list prices of "
        f"{table.region} of {table.looked_up}, without free tiers. `make bench` counts the calls of the real handlers "
        f"for {RECORDS:,} records and multiplies. `benchmarks/prices.json` has the prices, `benchmarks/cost.py` the "
        "model."
    )
    yield ""


def _bills(day: Day, table: PriceTable) -> Iterator[str]:
    """Yield the section of the monthly price, a column for each pattern of arrival."""
    bills = {arrival: bill(ledger, day) for arrival, ledger in day.ledgers.items()}
    yield "## A month, in US dollars"
    yield ""
    yield from render_table(("", *bills), "l" + "r" * len(bills), _lines(list(bills.values()), table))
    yield ""
    idle = sum(_usd(next(iter(bills.values())), *line, table) for line in _IDLE)
    dashboard = table.prices["dashboard"].usd
    yield (
        f"An idle stack pays ${idle:.2f} of these: polls and alarms. "
        f"A dashboard (`dashboard=true`) adds ${dashboard:.2f}."
    )
    yield (
        "Archive and graph table grow by this amount every month. A request over HTTP adds API Gateway's price, a task "
        "of Step Functions its transition ($25 a million). The graph in SQL, off by default, has [its own "
        "bill](../headwater/features/graph_tables/README.md#what-it-costs)."
    )
    yield ""


def _lines(bills: Sequence[Sequence[Line]], table: PriceTable) -> Iterator[Sequence[str]]:
    """Yield a row for each line of a cent or more in a bill, and the totals."""
    for service, what in dict.fromkeys((line.service, line.what) for lines in bills for line in lines):
        prices = [_usd(lines, service, what, table) for lines in bills]
        if max(prices) >= 0.005:
            yield f"{service}: {what}", *(f"{usd:,.2f}" for usd in prices)
    yield "**total**", *(f"**{sum(line.usd(table) for line in lines):,.2f}**" for lines in bills)


def _usd(lines: Sequence[Line], service: str, what: str, table: PriceTable) -> float:
    return sum(line.usd(table) for line in lines if (line.service, line.what) == (service, what))


def _render_assumptions(day: Day) -> Iterator[str]:
    yield "## Assumed, not counted"
    yield ""
    yield "Each is a constant of `benchmarks/cost.py`:"
    yield ""
    yield f"- An AWS call takes {cost.CALL_S * 1000:.0f} ms, an invocation {cost.INVOCATION_S * 1000:.0f} ms."
    yield f"- Load and trace functions make {CONCURRENCY} calls at once; ten pipelines run at the same time."
    yield f"- A record is stored for {cost.KEPT_DAYS} days: its 24 hours, and as long again until TTL removes it."
    yield f"- Lambda logs {cost.LOG_BYTES} bytes of its own for an invocation; queries and storage of logs are extra."
    yield "- Lambda deletes each message by a request of its own."
    yield (
        f"- Lambda reads each of the {day.polled_queues} queues with an event source mapping by {cost.POLLERS} "
        f"pollers, whose receives wait {cost.POLL_S} s for a message; they never pause."
    )
    yield f"- A compaction takes {cost.TRANSITIONS_A_DAY} state transitions."
    yield f"- Its Spark job takes {cost.GLUE_MIN} minutes of {cost.GLUE_DPUS} DPUs a night."
    yield f"- {day.alarm_metrics} metrics of alarms and {cost.METRICS} metrics of our own."
    yield "- API Gateway's detailed metrics are off."
    yield "- No call is retried, no record expires before it is archived, no query comes over HTTP."
    yield ""
