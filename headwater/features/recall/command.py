"""`headwater recall`: the dataset versions that hold something of a load; nothing is changed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from headwater.cli.options import add_command, add_url, whole_number
from headwater.features.recall import RUNS_MAX, VERSIONS_MAX

# Records read of a root.
_RECORDS_MAX = 10_000
_ABOUT = """\
List the dataset versions that hold something of a load, with their partitions, owners and runs: "certainly" where each
run on the way reported the version that it read, "possibly" where only the time says so, or where a table kept its
older rows. The load is a run with its child runs, a version, a dataset's versions of a time range, or the runs of the
records of a root.

The form sql has a DELETE for each table; where its partitions are unknown, the statement deletes nothing. It is a plan
to read and to run by yourself: this command only reads.

Exit code: 0; 1 when not all was read or, with --after-repair, a version was not written anew; 2 when the recall failed.
"""
_EXAMPLES = """\
examples:
  %(prog)s --run 01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c
  %(prog)s --version s3://flights raw 9c5c7f64-6f5e-3a39-8f4b-0f6d2b1d9e22 --format csv
  %(prog)s --dataset s3://flights raw --from 2026-11-20 --to 2026-11-21 --format sql
  %(prog)s --root flights/2013-01-01.csv
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "list the versions made of a load"
    parser = add_command(subparsers, "recall", summary, _ABOUT, _EXAMPLES, run=run_recall, failed=2)
    load = parser.add_mutually_exclusive_group(required=True)
    load.add_argument("--run", metavar="ID", help="the outputs of a run and of its child runs")
    load.add_argument("--root", metavar="ID", help="the outputs of the runs of a root's records")
    load.add_argument("--version", nargs=3, metavar=("NAMESPACE", "DATASET", "VERSION"), help="a version")
    load.add_argument(
        "--dataset", nargs=2, metavar=("NAMESPACE", "DATASET"), help="all versions, or those of --from to --to"
    )
    time = "Unix seconds, a day, or an ISO 8601 time"
    parser.add_argument("--from", dest="start", metavar="TIME", help=f"of --dataset: the first time: {time}")
    parser.add_argument("--to", dest="end", metavar="TIME", help="of --dataset: the time after the last")
    parser.add_argument("--after-repair", action="store_true", help="exit code 1 until all was written anew")
    parser.add_argument("--format", choices=("text", "csv", "json", "sql"), default="text", help="(default: text)")
    parser.add_argument(
        "--limit", type=whole_number(1, VERSIONS_MAX), default=VERSIONS_MAX, metavar="N", help="of versions"
    )
    add_url(parser)


def run_recall(given: argparse.Namespace) -> int:
    """Print the versions; return the exit code."""
    from headwater.cli.logins import token_for
    from headwater.cli.service import fetch_json, printable

    if (given.start or given.end) and not given.dataset:
        given.parser.error("--from and --to need --dataset")
    query, cuts = _load(given)
    path = f"/api/v1/reports/recall?{urlencode({**query, 'limit': given.limit}, doseq=True)}"
    report = fetch_json(given.url, path, {}, token=token_for(given.url))
    report["cut"] += cuts
    _print(report, given.format)
    for cut in report["cut"]:
        print(f"! {printable(cut)}", file=sys.stderr)
    is_repaired = all(version["repairedBy"] for version in report["versions"])
    return 1 if report["cut"] or (given.after_repair and not is_repaired) else 0


def _load(given: argparse.Namespace) -> tuple[Mapping[str, object], list[str]]:
    """Name the load for the API; list the parts of a root that were not read."""
    if given.run:
        return {"runId": given.run}, []
    if given.root:
        return _runs_of_root(given.url, given.root)
    namespace, name, *version = given.version or given.dataset
    times = {"start": given.start, "end": given.end}
    node_id = "#".join([f"dataset:{namespace}:{name}", *version])
    return {"nodeId": node_id, **{name: time for name, time in times.items() if time}}, []


def _runs_of_root(url: str, root: str) -> tuple[Mapping[str, object], list[str]]:
    """Find the runs of a root's records: their outputs may hold rows of the root."""
    from headwater.cli.search import record_pages
    from headwater.cli.service import NoResponse

    pages = list(record_pages(url, {"root": root}, _RECORDS_MAX))
    named = (record.get("run_id") for page in pages for record in page["records"])
    runs, last = list(dict.fromkeys(filter(None, named))), pages[-1]
    if not runs:
        raise NoResponse(f"root {root}: none of its records names a run")
    cuts = [f"root {root}: it has more records, which were not read"] if last["cursor"] or last["truncated"] else []
    cuts += [f"root {root}: more than {RUNS_MAX} runs; the rest was not read"] if len(runs) > RUNS_MAX else []
    return {"runId": runs[:RUNS_MAX], "grade": "possibly"}, cuts


def _print(report: Mapping[str, Any], form: str) -> None:
    from headwater.cli.text.terminal import print_json
    from headwater.features.recall.forms import render_csv, render_lines, render_plan

    if form == "json":
        print_json(report)
    elif form == "csv":
        sys.stdout.write(render_csv(report["versions"]))
    else:
        for line in (render_lines if form == "text" else render_plan)(report["versions"]):
            print(line)
