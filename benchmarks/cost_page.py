"""docs/cost.md: the calls of a thousand records, and the monthly price of a million a day."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from benchmarks import cost
from benchmarks.cost import Line, PriceTable, bill
from benchmarks.day import RECORDS, Day
from benchmarks.ledger import Ledger

_STAGES = {
    "input": "in: input function",
    "load": "in: load function",
    "compact": "out: compact function, once a day",
    "trace": "out: trace function",
    "expired": "out: expired function",
}


def render_cost_page(day: Day, table: PriceTable) -> str:
    """The whole page."""
    return "\n".join((*_head(table), *_bills(day, table), *_calls(day), *_assumed(day), *_prices(table), ""))


def _head(table: PriceTable) -> Iterator[str]:
    yield "# Cost"
    yield ""
    yield (
        f"What {cost.RECORDS_A_DAY:,} records a day cost in a month of {cost.DAYS} days, at the list prices of "
        f"{table.region} of {table.looked_up}, without free tiers. Written by `make bench`: the calls are counted on "
        f"the real handlers for {RECORDS:,} records and multiplied; the prices are in `benchmarks/prices.json`, "
        "the model in `benchmarks/cost.py`."
    )
    yield ""


def _bills(day: Day, table: PriceTable) -> Iterator[str]:
    bills = {way: bill(ledger, day) for way, ledger in day.ledgers.items()}
    yield "## A month, in US dollars"
    yield ""
    yield from _table(("", *bills), (("---", *("--:" for _ in bills))))
    names = list(dict.fromkeys((line.service, line.what) for lines in bills.values() for line in lines))
    for service, what in names:
        found = [_usd(lines, service, what, table) for lines in bills.values()]
        if max(found) >= 0.005:
            yield _row((f"{service}: {what}", *(f"{usd:,.2f}" for usd in found)))
    totals = [sum(line.usd(table) for line in lines) for lines in bills.values()]
    yield _row(("**total**", *(f"**{usd:,.2f}**" for usd in totals)))
    yield ""
    yield (
        "The archive and the graph table grow by the same amount every month. Requests over HTTP add API Gateway's "
        "price for each; a Step Functions task that calls the input function adds its transition ($25 a million), "
        "and one request for a batch costs as much there as one request for a record."
    )
    yield ""


def _usd(lines: Sequence[Line], service: str, what: str, table: PriceTable) -> float:
    return sum(line.usd(table) for line in lines if (line.service, line.what) == (service, what))


def _calls(day: Day) -> Iterator[str]:
    yield f"## AWS calls for {RECORDS:,} records"
    yield ""
    yield (
        "Calls of the handlers, with KB sent and received in their bodies, and what DynamoDB bills. Lambda's own polls "
        "of the queues are not among them, but are in the price."
    )
    for way, ledger in day.ledgers.items():
        yield ""
        yield f"### {way}"
        yield ""
        yield from _table(
            ("stage", "invocations", "call", "calls", "KB sent", "KB received", "write units", "read units"),
            ("---", "--:", "---", *("--:",) * 5),
        )
        yield from _stages(ledger)
    yield ""


def _stages(ledger: Ledger) -> Iterator[str]:
    for stage, tallies in ledger.tallies.items():
        first = (_STAGES[stage], f"{ledger.invocations[stage]:,}")
        for (service, operation), tally in tallies.items():
            sizes = (f"{tally.sent_bytes / 1000:,.0f}", f"{tally.received_bytes / 1000:,.0f}")
            units = (f"{tally.write_units:,.0f}" if tally.write_units else "", _plain(tally.read_units))
            yield _row((*first, f"{service} {operation}", f"{tally.calls:,}", *sizes, *units))
            first = ("", "")


def _plain(units: float) -> str:
    return f"{units:,.0f}" if units else ""


def _assumed(day: Day) -> Iterator[str]:
    yield "## Assumed"
    yield ""
    yield "Not counted, but assumed; each is a constant of `benchmarks/cost.py`:"
    yield ""
    yield f"- An AWS call takes {cost.CALL_S * 1000:.0f} ms, an invocation {cost.INVOCATION_S * 1000:.0f} ms."
    yield f"- The load function makes {cost.AT_ONCE['load']} calls at once; ten pipelines run at the same time."
    yield f"- A record is stored for {cost.KEPT_DAYS} days: its 24 hours, and as long again until TTL has removed it."
    yield f"- Lambda logs {cost.LOG_BYTES} bytes of its own for an invocation; nobody reads or keeps logs longer."
    yield "- Lambda deletes each message by a request of its own; it says nowhere that it deletes batches."
    yield f"- A compaction takes {cost.TRANSITIONS_A_DAY} state transitions."
    yield f"- Its Spark job takes {cost.GLUE_MIN} minutes of {cost.GLUE_DPUS} DPUs a night."
    yield f"- {day.alarms} alarms and {cost.METRICS} metrics of our own."
    if day.traced:
        yield "- X-Ray's default rule records the first request of each second of a function, and 5 % of the others."
    yield "- Nothing is tried again, expires before it is archived, or is asked over HTTP."
    yield ""


def _prices(table: PriceTable) -> Iterator[str]:
    yield f"## Prices of {table.looked_up}"
    yield ""
    yield from _table(("USD", "for", "page"), ("--:", "---", "---"))
    for price in table.prices.values():
        number = f"{price.per:,.0f} " if price.per != 1 else "1 of: "
        yield _row((f"{price.usd:g}", f"{number}{price.unit}", price.page))


def _table(*rows: Iterable[str]) -> Iterator[str]:
    return map(_row, rows)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"
