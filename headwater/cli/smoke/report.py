"""The report of `headwater smoke`: a table for people, a document of JSON for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from headwater.cli.smoke.trial import Outcome

_COST = "Glue by its DPU seconds, Athena by its bytes; nothing else is counted"


def print_report(stack: str, outcomes: Sequence[Outcome], *, as_json: bool) -> None:
    """Print the outcomes of a stack's steps to standard output."""
    from headwater.cli.text.terminal import output_console, print_json, print_part

    counts = {
        result: sum(outcome.result == result for outcome in outcomes) for result in ("passed", "failed", "skipped")
    }
    seconds, usd = sum(outcome.seconds for outcome in outcomes), sum(outcome.usd for outcome in outcomes)
    if as_json:
        steps = [asdict(outcome) for outcome in outcomes]
        print_json({"stack": stack, **counts, "seconds": round(seconds, 1), "usd": round(usd, 5), "steps": steps})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("step", "result", "seconds", "USD", "detail"):
        table.add_column(name, justify="right" if name in ("seconds", "USD") else "left", overflow="fold")
    styles = {"passed": "green", "failed": "bold red", "skipped": "yellow"}
    for outcome in outcomes:
        cost = f"{outcome.usd:.5f}" if outcome.usd else ""
        result = Text(outcome.result, style=styles[outcome.result])
        table.add_row(outcome.step, result, f"{outcome.seconds:.1f}", cost, Text(outcome.detail))
    console = output_console()
    print_part(console, table)
    summary = ", ".join(f"{count} {result}" for result, count in counts.items())
    print_part(console, Text(f"{stack}: {summary} in {seconds:.0f} s, {usd:.5f} USD ({_COST})"))
