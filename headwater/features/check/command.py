"""`headwater check`: the readers that a change would break; nothing is stored."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from headwater.cli.options import add_command, add_url
from headwater.cli.program import CommandFailed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headwater.cli.service import Get
    from headwater.features.check.proposal import Proposal

_ABOUT = """\
Compare a change with the graph of a running service, before the change runs: columns lost, retyped or made of other
sources; the readers of lost and retyped columns, worst first, with their owners; and columns with tags that would
arrive without their mask. It only reads: nothing is stored.

The change is a PySpark job, run here over empty frames of the schemas that the service knows: all its files and tables
are in a folder of their own, and nothing is read or written elsewhere. Or it is a file of Spark SQL statements, run in
the same way; the artifacts of dbt, for its models' columns; or OpenLineage events: JSON lines, one JSON document or an
array.

Exit code: 0 when nothing breaks, 1 when a reader breaks, a column loses its mask or not all was read, 2 when the check
failed.
"""
_EXAMPLES = """\
examples:
  %(prog)s job.py arguments...
  %(prog)s --sql nightly.sql --app nightly
  %(prog)s --dbt target/
  %(prog)s --events events.jsonl
  %(prog)s --events events.jsonl --format markdown --tag PII > comment.md
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "list the readers that a change would break"
    parser = add_command(subparsers, "check", summary, _ABOUT, _EXAMPLES, run=run_check, failed=2)
    parser.add_argument("--events", type=Path, metavar="FILE", help="OpenLineage events of the change")
    parser.add_argument("--sql", type=Path, metavar="FILE", help="statements of Spark SQL, with semicolons between")
    parser.add_argument("--app", default="sql", metavar="NAME", help="of --sql: the application's name (default: sql)")
    parser.add_argument("--dbt", type=Path, metavar="FOLDER", help="dbt's target/, with manifest.json and catalog.json")
    parser.add_argument("job", nargs=argparse.REMAINDER, metavar="job.py ...", help="a PySpark job, and its arguments")
    parser.add_argument(
        "--tag", action="append", default=[], help="look for lost masks of this tag (default: of any tag); repeatable"
    )
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text", help="(default: text)")
    add_url(parser)


def run_check(given: argparse.Namespace) -> int:
    """Print the report; return 0, or 1 if something breaks."""
    from headwater.cli.logins import token_for
    from headwater.cli.service import fetch_json
    from headwater.cli.text.terminal import print_json
    from headwater.features.check.report import check, render_markdown, render_text

    if len([change for change in (given.job, given.sql, given.dbt, given.events) if change]) != 1:
        given.parser.error("give a job, --sql FILE, --dbt FOLDER or --events FILE")
    get = partial(fetch_json, given.url, token=token_for(given.url))
    try:
        report = check(get, *_proposal(given, get), given.tag)
    except ValueError as error:
        raise CommandFailed(str(error)) from error
    if given.format == "json":
        print_json(report.to_json())
    else:
        lines = render_markdown(report) if given.format == "markdown" else render_text(report)
        print("\n".join(lines))
    return 1 if report.breaks or report.truncated else 0


def _proposal(given: argparse.Namespace, get: Get) -> tuple[Proposal, Sequence[str]]:
    """Read the change; list the parts that are not compared."""
    from headwater.features.check.dbt import read_target
    from headwater.features.check.proposal import parse_documents, read_proposal

    if given.events:
        return read_proposal(parse_documents(given.events.read_text(encoding="utf-8"), str(given.events))), ()
    if given.dbt:
        return read_target(given.dbt, get)
    job = given.job
    if given.sql:
        job = [str(Path(__file__).with_name("statements.py")), str(given.sql), given.app]
    with TemporaryDirectory(prefix="headwater-check-") as folder:
        documents = [(job[0], document) for document in _run(job, given.url, get, Path(folder).resolve())]
    return read_proposal(documents), ()


def _run(job: Sequence[str], url: str, get: Get, folder: Path) -> list[Any]:
    """Run the job in a process of its own; return its events.

    Raises:
        ValueError: the job failed.
    """
    from headwater.cli.logins import token_for
    from headwater.features.check.tables import proposed_events

    file = folder / "events.jsonl"
    settings = {"HEADWATER_CHECK_SANDBOX": str(folder), "HEADWATER_CHECK_URL": url, "HEADWATER_FILE": str(file)}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
    if token := token_for(url):
        settings["HEADWATER_TOKEN"] = token
    program = [sys.executable, "-m", "headwater.features.check.job", *job]
    # The report alone is on standard output.
    status = subprocess.run(program, env={**environment, **settings}, stdout=2, check=False).returncode  # noqa: S603 - the caller's own job
    if status:
        raise ValueError(f"{job[0]}: the job ended with status {status}")
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return list(proposed_events(lines, get, str(folder / "warehouse")))
