"""`headwater cost`: events, bytes and dollars by namespace and token, from the raw log."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from datetime import datetime, timezone
from typing import TYPE_CHECKING

from headwater.cli.deployment import add_options, find_deployment
from headwater.cli.options import add_command, add_days, parse_amount

if TYPE_CHECKING:
    from headwater.features.cost.usage import Payer, Use
    from headwater.loading.event_log import EventLog

_EVERY = "(all)"
_ABOUT = """\
Count the events of a range of days of arrival (UTC) by the namespace of their job and by the token that sent them, with
their bytes and what they cost. Whoever sends without a token is shown by the ARN that signed, or by SQS's id of the
sender. RUNNING counts the events of that type, which the context value drop_running_events can leave out.

Dollars are an estimate at the list prices of us-east-1 for events that come one by one: batches cost less. It leaves
out records, what is stored for months, and what an idle stack costs. --bill divides the amount of your own bill by the
same shares instead: the bill of a stack is that of its tags `service` and `stage`.
Exit code: 0, or 1 when the log could not be read.
"""
_EXAMPLES = """\
examples:
  %(prog)s                                             this month until now
  %(prog)s --from 2026-10-01 --to 2026-10-31 --by namespace
  %(prog)s --from 2026-10-01 --to 2026-10-31 --bill 412.50 --json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "count events, bytes and dollars by namespace and token"
    parser = add_command(subparsers, "cost", summary, _ABOUT, _EXAMPLES, run=run_cost)
    add_options(parser)
    add_days(parser, "day", defaults=("this month's first", "today"))
    parser.add_argument(
        "--by", choices=("both", "namespace", "token"), default="both", help="what makes a row (default: both)"
    )
    parser.add_argument(
        "--bill", type=parse_amount, metavar="USD", help="an amount to divide by the shares of the rows"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run_cost(given: argparse.Namespace) -> int:
    """Print the use of each namespace and token; return the exit code."""
    from headwater.features.cost.usage import Use, sum_up
    from headwater.loading.event_log import EventLog

    today = datetime.now(timezone.utc).date()
    first, last = given.first or today.replace(day=1).isoformat(), given.last or today.isoformat()
    together = {"namespace": {"caller": _EVERY}, "token": {"namespace": _EVERY}, "both": {}}[given.by]
    table = find_deployment(given).graph_table()
    log = EventLog(table, table.s3, table.bucket)
    sums = sum_up((payer._replace(**together), use) for payer, use in _uses(log, first, last))
    total = Use()
    for use in sums.values():
        total.add(use)
    if given.bill is not None and total.usd:
        share = given.bill / total.usd
        for use in (*sums.values(), total):
            use.usd *= share
    if given.json:
        _print_document(sums, total, first, last, given)
    else:
        _print_table(sums, total, first, last)
    return 0


def _uses(log: EventLog, first: str, last: str) -> Iterator[tuple[Payer, Use]]:
    """Yield the sums of each object of the log, with progress on a terminal."""
    from headwater.aws.clients import CONCURRENCY
    from headwater.cli.text.progress import object_bars
    from headwater.features.cost.usage import sums_of

    with object_bars() as progress:
        for day in (day for day in log.days() if first <= day <= last):
            keys = log.keys_of(day)
            task = progress.add_task(day, total=len(keys))
            with ThreadPoolExecutor(CONCURRENCY) as pool:
                for sums in pool.map(sums_of, map(log.lines, keys)):
                    yield from sums.items()
                    progress.advance(task)


def _print_table(sums: Mapping[Payer, Use], total: Use, first: str, last: str) -> None:
    from rich.table import Table
    from rich.text import Text

    from headwater.cli.service import printable
    from headwater.cli.text.terminal import output_console, print_part

    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), title=None)
    for name in ("NAMESPACE", "TOKEN"):
        table.add_column(name, overflow="fold")
    for name in ("EVENTS", "RUNNING", "BYTES", "USD"):
        table.add_column(name, justify="right")
    for payer, use in sums.items():
        table.add_row(*(Text(printable(name)) for name in payer), *_cells(use))
    table.add_row(f"{first} to {last}", "", *_cells(total))
    print_part(output_console(), table)


def _cells(use: Use) -> Sequence[str]:
    return f"{use.events:,}", f"{use.running:,}", f"{use.bytes:,}", f"{use.usd:,.4f}"


def _print_document(sums: Mapping[Payer, Use], total: Use, first: str, last: str, given: argparse.Namespace) -> None:
    from headwater.cli.text.terminal import print_json

    rows = []
    for payer, use in sums.items():
        names = {"namespace": payer.namespace, "token": payer.caller}
        rows.append({name: value for name, value in names.items() if value != _EVERY} | asdict(use))
    of = "estimate" if given.bill is None else "bill"
    print_json({"from": first, "to": last, "usdOf": of, "rows": rows, "total": asdict(total)})
