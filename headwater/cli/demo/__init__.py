"""`headwater demo`: a real PySpark pipeline's lineage, or a company's, through the whole stack, on this machine."""

from __future__ import annotations

import argparse
import sys

from headwater.cli.options import add_command, whole_number
from headwater.cli.program import CommandFailed

_DAYS_MAX = 365

_ABOUT = """\
Start the synthesized stack on this machine and run a PySpark pipeline over real flights: departures from New York in
January 2013. Every write of the pipeline is captured, with its inputs, its outputs and their column lineage; the
pipeline records the lineage of its files and of each of their rows. Then the daily compaction traces every root into
the archive. The demo counts records: every record that the pipeline sent must have been loaded, and must be in the
archive. It prints a summary, and with --verbose also two traces, the graph of the jobs and the lineage of one column.

On a terminal the stack then stays up until Ctrl-C, and the last line is the address of that column in the explorer.
With --once, or without a terminal, the demo ends; --keep has the stack stay up there, too.

With --days-of-compaction it runs that many days instead, and ends: a delivery each day, a compaction each night,
sealed and written as tables by Spark. Then a record that has expired from the table is found in the archive, the
archive is verified, and an object that was tampered with is detected.

With --company it loads a company that does not exist instead: 300 jobs and 500 datasets with thirty nights of runs,
failures, a stream, changes of schemas, tags and owners, and a day of records with their proofs. Then the last line is
the address of the explorer.

Its files stay in .headwater/demo: the input, the pipeline's Parquet, and a copy of the archive.
Exit code: 0 when every check passed, 1 when the counts do not agree or another check failed.
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add `headwater demo` to the command line."""
    summary = "run a PySpark pipeline's lineage through the whole stack, on this machine"
    parser = add_command(subparsers, "demo", summary, _ABOUT, run=run_demo)
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--days",
        type=whole_number(1, _DAYS_MAX),
        default=7,
        metavar="N",
        help="days of flights, from 2013-01-01 on (default 7, about 870 each)",
    )
    which.add_argument(
        "--days-of-compaction",
        type=whole_number(1, _DAYS_MAX),
        metavar="N",
        help="run N days and nights, one day of flights each, and show the archive",
    )
    which.add_argument("--company", action="store_true", help="load a company's runs and records, to look at")
    end = parser.add_mutually_exclusive_group()
    end.add_argument("--once", action="store_true", help="end after the summary, on a terminal too")
    end.add_argument(
        "--keep", action="store_true", help="leave the stack up at the end, until Ctrl-C, without a terminal too"
    )
    parser.add_argument("--verbose", action="store_true", help="print traces and trees, too")


def run_demo(given: argparse.Namespace) -> int:
    """Run the demo and return its exit code."""
    from headwater.cli.demo.company import demonstrate_company
    from headwater.cli.demo.nights import demonstrate_nights
    from headwater.cli.demo.run import demonstrate
    from local_stack.errors import LocalError

    if given.keep and given.days_of_compaction:
        print("headwater demo: --keep: must not be given with --days-of-compaction", file=sys.stderr)
        return 2
    try:
        if given.days_of_compaction:
            return 0 if demonstrate_nights(given.days_of_compaction) else 1
        keep = stays(given, is_terminal=sys.stdout.isatty())
        if given.company:
            return 0 if demonstrate_company(keep=keep) else 1
        return 0 if demonstrate(given.days, keep=keep, verbose=given.verbose) else 1
    except LocalError as error:
        raise CommandFailed(str(error)) from error


def stays(given: argparse.Namespace, *, is_terminal: bool) -> bool:
    """True if the stack stays up at the end: on a terminal, for a reader of the address, or on request."""
    return bool(given.keep or (is_terminal and not given.once))
