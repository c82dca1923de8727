"""`headwater iam`: the permissions of each role of the stack, and the reason for each wildcard."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.cli.options import add_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infra.permissions import Grant

_ABOUT = """\
Print what the role of each function, Spark job, schedule and state machine may do, on which resources, and the reason
for each resource with a wildcard. The command synthesizes the stack with the context values that -c sets, and sends
nothing to AWS.
"""
_EXAMPLES = """\
examples:
  %(prog)s
  %(prog)s -c auth=token -c sign_digests=true
  %(prog)s --json | jq '.[] | select(.wildcards != [])'
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        subparsers, "iam", "what each role of the stack may do", _ABOUT, _EXAMPLES, run=run_iam, failed=2
    )
    parser.add_argument(
        "-c", dest="context", action="append", default=[], metavar="NAME=VALUE", help="set a context value"
    )
    parser.add_argument("--json", action="store_true", help="print the statements as JSON")


def run_iam(arguments: argparse.Namespace) -> int:
    """Print the table; return 1 if a wildcard has no reason, 2 if a context value is invalid."""
    from infra.permissions import grants_of
    from infra.synth import make_app, make_stack

    with tempfile.TemporaryDirectory() as scratch:
        app = make_app(Path(scratch), dict(value.partition("=")[::2] for value in arguments.context))
        stack = make_stack(app)
        # A synthesized template names the resources of each statement.
        app.synth()
        grants = grants_of(stack)
    if arguments.json:
        print(json.dumps([asdict(grant) for grant in grants], indent=2))
    else:
        _print_table(grants)
    unexplained = [grant for grant in grants if set(grant.wildcards) != set(grant.reasons)]
    for grant in unexplained:
        print(f"headwater iam: {grant.principal}: no reason is written for {grant.wildcards}", file=sys.stderr)
    return 1 if unexplained else 0


def _text(value: Any) -> str:
    """Print a value of the template: `{"Fn::Join": ["", ["s3.", {"Ref": "AWS::Region"}]]}` -> `s3.${AWS::Region}`."""
    match value:
        case {"Fn::Join": [str(between), list(parts)]}:
            return between.join(map(_text, parts))
        case {"Ref": str(name)}:
            return f"${{{name}}}"
        case {"Fn::Sub": str(text)}:
            return text
    return value if isinstance(value, str) else json.dumps(value)


def _print_table(grants: Sequence[Grant]) -> None:
    from rich import box
    from rich.table import Table

    from headwater.cli.text.terminal import output_console, print_part

    console = output_console()
    table = Table("role", "may", "on", "reason for a wildcard", box=box.SIMPLE_HEAD, show_lines=False)
    for (principal, service), of_one in groupby(grants, key=lambda grant: (grant.principal, grant.service)):
        shown = f"[bold]{principal}[/bold]\n{service}"
        for grant in of_one:
            reasons = dict.fromkeys(grant.reasons.values())
            conditions = [
                f"if {key} is {' or '.join(map(_text, value if isinstance(value, list) else [value]))}"
                for condition in grant.conditions.values()
                for key, value in condition.items()
            ]
            allowed = [*grant.actions, *conditions]
            table.add_row(shown, "\n".join(allowed), "\n".join(grant.resources), "\n".join(reasons))
            # Each row of a pipe stands alone.
            shown = "" if console.is_terminal else shown
        table.add_section()
    print_part(console, table)
