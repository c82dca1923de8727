"""`headwater check`: the readers that a change would break; nothing is stored."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.cli.options import add_command, add_url

if TYPE_CHECKING:
    from headwater.features.check.proposal import Proposal

_ABOUT = """\
Compare a change with the graph of a running service, before the change runs: columns lost, retyped or made of other
sources; the readers of lost and retyped columns, worst first, with their owners; and columns with tags that would
arrive without their mask. It only reads: nothing is stored.

The change is OpenLineage events: JSON lines, one JSON document or an array.

The URL may be that of a deployed stack: a call to API Gateway is signed with the AWS credentials of the environment, or
carries the bearer token in HEADWATER_TOKEN.
Exit code: 0 when nothing breaks, 1 when a reader breaks or a column loses its mask, 2 when the check failed.
"""
_EXAMPLES = """\
examples:
  %(prog)s --events events.jsonl
  %(prog)s --events events.jsonl --format markdown --tag PII > comment.md
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(subparsers, "check", "list the readers that a change would break", _ABOUT, _EXAMPLES)
    parser.add_argument("--events", type=Path, metavar="FILE", required=True, help="OpenLineage events of the change")
    parser.add_argument(
        "--tag", action="append", default=[], help="look for lost masks of this tag (default: of any tag); repeatable"
    )
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text", help="(default: text)")
    add_url(parser)
    parser.set_defaults(func=run_check)


def run_check(given: argparse.Namespace) -> int:
    """Print the report; return 0, 1 if something breaks, or 2 without a report."""
    from headwater.cli.service import NoResponse, fetch_json
    from headwater.cli.text.terminal import print_json
    from headwater.features.check.report import check, render_markdown, render_text

    get = partial(fetch_json, given.url, token=os.environ.get("HEADWATER_TOKEN"))
    try:
        report = check(get, _proposal(given), given.tag)
    except (NoResponse, OSError, ValueError) as error:
        print(f"headwater check: {error}", file=sys.stderr)
        return 2
    if given.format == "json":
        print_json(report.to_json())
    else:
        lines = render_markdown(report) if given.format == "markdown" else render_text(report)
        print("\n".join(lines))
    return 1 if report.breaks else 0


def _proposal(given: argparse.Namespace) -> Proposal:
    from headwater.features.check.proposal import parse_documents, read_proposal

    return read_proposal(parse_documents(given.events.read_text(encoding="utf-8"), str(given.events)))
