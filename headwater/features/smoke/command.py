"""`headwater smoke`: a deployed stack, tried from end to end with the caller's credentials."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from headwater.cli.deployment import add_options, find_deployment
from headwater.cli.options import add_command, whole_number
from headwater.cli.program import CommandFailed

if TYPE_CHECKING:
    from headwater.features.smoke.trial import Outcome

_WAIT_S = 300
_ABOUT = """\
Try a stack in your account, with your credentials, from end to end: send records by Lambda and over HTTP and
OpenLineage events, wait for them, read the graph and a column, compact now, verify what was sealed, query it by Athena,
read the explorer's page, look at the alarms and the dead letters, and remove what can be removed.

What it sends is under the namespace headwater-smoke and a root of its own. Compaction seals today: records of the rest
of the day are archived with tomorrow's. Records cannot be removed: the table's expire, the archive's stay.
The credentials need the rights of a producer (output ProducersPolicyArn), execute-api:Invoke on the API, and
states:StartExecution, cloudformation:Describe* and List*, athena:*, cloudwatch:DescribeAlarms, sqs:GetQueueAttributes,
and to read the archive and the graph table.
Exit code: 0 when nothing failed, 1 when something did, 2 when there is no stack. What a stack lacks is skipped.
"""
_EXAMPLES = """\
examples:
  %(prog)s --stage test                             a stack in the account of your AWS credentials
  %(prog)s --local http://127.0.0.1:4566            the stack of `serve`
  %(prog)s --stage prod --skip compaction --json    seal nothing; JSON for a report
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "try a deployed stack from end to end"
    parser = add_command(subparsers, "smoke", summary, _ABOUT, _EXAMPLES, run=run_smoke, failed=2)
    add_options(parser)
    parser.add_argument(
        "--wait",
        type=whole_number(1),
        default=_WAIT_S,
        metavar="S",
        help=f"for what was sent to be loaded (default: {_WAIT_S})",
    )
    parser.add_argument("--skip", action="append", default=[], metavar="STEP", help="leave a step out; may be repeated")
    parser.add_argument("--json", action="store_true", help="print one JSON document instead of a table")


def run_smoke(given: argparse.Namespace) -> int:
    """Try the stack and print the outcome of each step; return the exit status."""
    from headwater.cli.text.terminal import progress_console
    from headwater.features.smoke.steps import STEPS, names
    from headwater.features.smoke.trial import Trial, run_steps

    if unknown := set(given.skip) - set(names()):
        raise CommandFailed(f"--skip: must be any of {', '.join(names())}, got {min(unknown)!r}")
    trial = Trial(find_deployment(given), is_local=bool(given.local), wait_s=given.wait)
    console = progress_console()
    try:
        with console.status("trying the stack") as status:
            outcomes = run_steps(STEPS, trial, frozenset(given.skip), status.update)
    except KeyboardInterrupt:
        print(f"headwater smoke: interrupted; namespace headwater-smoke may hold job {trial.job}", file=sys.stderr)
        return 130
    print_report(given.local or f"Headwater-{given.stage}", outcomes, as_json=given.json)
    return 1 if any(outcome.result == "failed" for outcome in outcomes) else 0


def print_report(stack: str, outcomes: Sequence[Outcome], *, as_json: bool) -> None:
    """Print the outcomes of a stack's steps to standard output."""
    from headwater.cli.text.terminal import output_console, print_json, print_part

    counts = {
        result: sum(outcome.result == result for outcome in outcomes) for result in ("passed", "failed", "skipped")
    }
    seconds = sum(outcome.seconds for outcome in outcomes)
    if as_json:
        steps = [asdict(outcome) for outcome in outcomes]
        print_json({"stack": stack, **counts, "seconds": round(seconds, 1), "steps": steps})
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False)
    for name in ("step", "result", "seconds", "detail"):
        table.add_column(name, justify="right" if name == "seconds" else "left", overflow="fold")
    styles = {"passed": "green", "failed": "bold red", "skipped": "yellow"}
    for outcome in outcomes:
        result = Text(outcome.result, style=styles[outcome.result])
        table.add_row(outcome.step, result, f"{outcome.seconds:.1f}", Text(outcome.detail))
    console = output_console()
    print_part(console, table)
    summary = ", ".join(f"{count} {result}" for result, count in counts.items())
    print_part(console, Text(f"{stack}: {summary} in {seconds:.0f} s"))
