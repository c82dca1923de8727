"""`headwater recall`: the dataset versions that hold something of a load; nothing is changed."""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from typing import TYPE_CHECKING

from headwater.cli.options import add_command, add_url, whole_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headwater.features.recall.versions import Held, Recall

_ABOUT = """\
List the dataset versions that hold something of a load, with their partitions, owners and runs: "certainly" where each
run on the way reported the version that it read, "possibly" where only the time says so, or where a table kept its
older rows. The load is a run, a version, or a dataset's versions of a time range.

The form sql has a DELETE for each table; where its partitions are unknown, the statement deletes nothing. It is a plan
to read and to run by yourself: this command only reads.

The URL may be that of a deployed stack: a call to API Gateway is signed with the AWS credentials of the environment, or
carries the bearer token in HEADWATER_TOKEN.
Exit code: 0; 1 when not all was read or, with --after-repair, a version was not written anew; 2 when the recall failed.
"""
_EXAMPLES = """\
examples:
  %(prog)s --run 01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c
  %(prog)s --version s3://flights raw 9c5c7f64-6f5e-3a39-8f4b-0f6d2b1d9e22 --format csv
  %(prog)s --dataset s3://flights raw --from 2026-11-20 --to 2026-11-21 --format sql
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(subparsers, "recall", "list the versions made of a load", _ABOUT, _EXAMPLES)
    load = parser.add_mutually_exclusive_group(required=True)
    load.add_argument("--run", metavar="ID", help="the outputs of a run")
    load.add_argument("--version", nargs=3, metavar=("NAMESPACE", "DATASET", "VERSION"), help="a version")
    load.add_argument("--dataset", nargs=2, metavar=("NAMESPACE", "DATASET"), help="the versions of --from to --to")
    parser.add_argument(
        "--from", dest="start", type=_parse_time, metavar="TIME", help="of --dataset: the first time, ISO 8601"
    )
    parser.add_argument(
        "--to", dest="end", type=_parse_time, metavar="TIME", help="of --dataset: the time after the last"
    )
    parser.add_argument("--after-repair", action="store_true", help="find the runs that wrote these versions anew")
    parser.add_argument("--format", choices=("text", "csv", "json", "sql"), default="text", help="(default: text)")
    parser.add_argument(
        "--limit", type=whole_number(1, 100_000), default=1_000, metavar="N", help="of versions (default: 1000)"
    )
    add_url(parser)
    parser.set_defaults(func=run_recall, parser=parser)


def _parse_time(text: str) -> str:
    """Parse a time in ISO 8601, or a day: its midnight.

    >>> _parse_time("2026-11-20"), _parse_time("2026-11-20T12:00:00+01:00")
    ('2026-11-20T00:00:00.000000Z', '2026-11-20T11:00:00.000000Z')
    """
    from headwater_model.times import parse_time

    try:
        return parse_time(f"{text}T00:00:00Z" if len(text) == len("2026-11-20") else text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{error}, got {text!r}") from error


def run_recall(given: argparse.Namespace) -> int:
    """Print the versions; return the exit code."""
    from headwater.cli.service import NoResponse, fetch_json, printable
    from headwater.features.recall.versions import Recall
    from headwater.walk import Budget
    from headwater_model.errors import HeadwaterError

    if bool(given.dataset) != (given.start is not None and given.end is not None):
        given.parser.error("--dataset needs --from and --to, and they need --dataset")
    recall = Recall(partial(fetch_json, given.url, token=os.environ.get("HEADWATER_TOKEN")), Budget(given.limit))
    try:
        _start(recall, given)
        held = recall.walk()
        if given.after_repair:
            recall.find_repairs()
    except (NoResponse, HeadwaterError, OSError) as error:
        print(f"headwater recall: {error}", file=sys.stderr)
        return 2
    _print(held, recall, given.format)
    for cut in recall.cuts:
        print(f"! {printable(cut)}", file=sys.stderr)
    return 1 if recall.cuts or (given.after_repair and not all(each.repaired_by for each in held)) else 0


def _start(recall: Recall, given: argparse.Namespace) -> None:
    from headwater_model.ids import DatasetId

    if given.run:
        recall.from_run(given.run)
    elif given.version:
        namespace, name, version = given.version
        recall.from_version(DatasetId(namespace, name), version)
    else:
        recall.from_times(DatasetId(*given.dataset), given.start, given.end)


def _print(held: Sequence[Held], recall: Recall, form: str) -> None:
    from headwater.cli.text.terminal import print_json
    from headwater.features.recall.forms import render_csv, render_lines, render_plan

    if form == "json":
        print_json({"versions": [each.to_json() for each in held], "cut": list(recall.cuts)})
    elif form == "csv":
        sys.stdout.write(render_csv(held))
    else:
        for line in (render_lines if form == "text" else render_plan)(held):
            print(line)
