"""`headwater row`: the run that made a row, and the run that changed it last."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any

from headwater.cli.options import add_command, add_url, whole_number

_ABOUT = """\
Print the run that made a row of a table, and the run that changed it last, by the row's own numbers: of Iceberg's
format 3 `_row_id` and `_last_updated_sequence_number`, of Delta with row tracking `_metadata.row_id` and
`_metadata.row_commit_version`. Commits that no captured run reported are unknown.
"""
_EXAMPLES = """\
examples:
  %(prog)s s3://flights checked 17
  %(prog)s s3://flights checked 17 --sequence 4 --json
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(
        subparsers, "row", "print the runs that made and changed a row", _ABOUT, _EXAMPLES, run=run_row
    )
    parser.add_argument("namespace", metavar="NAMESPACE", help="of the dataset: s3://flights")
    parser.add_argument("dataset", metavar="DATASET", help="its name: checked")
    parser.add_argument("row_id", type=whole_number(0), metavar="ROW_ID", help="the row's own id")
    parser.add_argument("--sequence", type=whole_number(0), metavar="N", help="the row's sequence number or version")
    add_url(parser)
    parser.add_argument("--json", action="store_true", help="print the API's response")


def run_row(given: argparse.Namespace) -> int:
    """Print the commits of a row."""
    from headwater.api.values import path_of
    from headwater.cli.logins import token_for
    from headwater.cli.service import fetch_json, printable
    from headwater.cli.text.terminal import print_json
    from headwater_model.ids import DatasetId

    path = f"{path_of(DatasetId(given.namespace, given.dataset))}/rows/{given.row_id}"
    query = {} if given.sequence is None else {"sequence": given.sequence}
    row = fetch_json(given.url, path, query, token=token_for(given.url))
    if given.json:
        print_json(row)
        return 0
    for word in ("made", "changed"):
        print("\n".join(map(printable, _lines(word, row[word]))) if row[word] else "")
    return 0


def _lines(word: str, step: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines of a step: its run, the versions read, its columns and its record roots."""
    commit, reason = step["commit"], f" ({step['reason']})" if step["reason"] else ""
    if commit is None:
        yield f"{word}: unknown{reason}"
        return
    run = commit["run"]
    by = f"run {run['id']} of {run['job']['namespace']} {run['job']['name']}" if run else "a run of a hidden job"
    yield f"{word}: {'at or before' if step['known'] == 'atOrBefore' else 'by'} {by}{reason}"
    yield f"  version {commit['version']}, sequence {commit['sequence']}"
    yield from (f"  read {read['namespace']} {read['name']}, version {read['version']}" for read in commit["inputs"])
    for column in commit["columns"] or ():
        sources = ", ".join(f"{source['name']}.{source['field']}" for source in column["inputFields"])
        yield f"  {column['name']} <- {sources or 'nothing'}"
    yield from (f"  records of the root {root['rootId']}" for root in commit["roots"])
