"""`headwater export`: the lineage graph as OpenLineage events, GraphML, Mermaid or DOT."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.cli.options import add_command, add_url

if TYPE_CHECKING:
    from headwater.cli.service import Get
    from headwater.features.export.reading import Part

# Up to 20 s for a request.
_TRIES = 10
FORMATS = ("openlineage", "graphml", "mermaid", "dot")
_ABOUT = """\
Print the current lineage graph of a running service: all of it, that of a namespace (its jobs with what they read and
write, and its datasets), or that around a node. It is read job by job, and written as it is read.

The format openlineage has an event a line: JobEvents with inputs, outputs and column lineage, and DatasetEvents with
schemas. `import` makes the same graph of them in another service. Runs and versions are not in it. The other formats
have jobs, datasets and the edges between them. Mermaid is for small graphs: GitHub draws at most 500 edges.

Exit code: 0 when all of it was written, 1 when something was cut or the export failed.
"""
_EXAMPLES = """\
examples:
  %(prog)s --output lineage.jsonl
  %(prog)s --namespace emissions --format graphml --output emissions.graphml
  %(prog)s dataset:s3://flights:estimated --direction up --format dot | dot -Tsvg > estimated.svg
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "print the graph as OpenLineage events, GraphML, Mermaid or DOT"
    parser = add_command(subparsers, "export", summary, _ABOUT, _EXAMPLES, run=run_export)
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument(
        "node_id", nargs="?", metavar="NODE_ID", help="the graph around job:<namespace>:<name> or dataset:..."
    )
    scope.add_argument("--namespace", metavar="NAME", help="the jobs and datasets of this namespace")
    parser.add_argument(
        "--depth", type=int, default=20, metavar="N", help="of a node: the number of jobs to follow (default: 20)"
    )
    parser.add_argument(
        "--direction", choices=("both", "up", "down"), default="both", help="of a node: the way to go (default: both)"
    )
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0], help=f"(default: {FORMATS[0]})")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help="write it into this file, whole or not at all (default: print it)"
    )
    add_url(parser)


def run_export(given: argparse.Namespace) -> int:
    """Write the graph; return 1 for a cut graph."""
    from headwater.cli.logins import token_for
    from headwater.cli.service import fetch_json, printable
    from headwater.cli.text.terminal import progress_console
    from headwater.features.export.reading import Reading, Scope

    get = _patient(partial(fetch_json, given.url, token=token_for(given.url)))
    scope = Scope(given.node_id, given.depth, given.direction, given.namespace)
    with progress_console().status("reading jobs") as status:
        reading = Reading(get, columns=given.format == FORMATS[0], report=status.update)
        _write(_render(given.format, reading.parts(scope), reading.cuts), given.output)
    for cut in reading.cuts:
        print(f"! {printable(cut)}", file=sys.stderr)
    return 1 if reading.cuts else 0


def _patient(get: Get, sleep: Callable[[float], None] = time.sleep) -> Get:
    """Wrap a GET: it tries again while the service is busy, as an export makes thousands of requests."""
    from headwater.attempts import attempts
    from headwater.cli.service import Busy

    def patient(path: str, query: Mapping[str, object]) -> Any:
        for attempt in attempts(_TRIES, sleep):
            try:
                return get(path, query)
            except Busy:
                if attempt == _TRIES - 1:
                    raise
        raise AssertionError("there is a last attempt")

    return patient


def _render(name: str, parts: Iterable[Part], cuts: Sequence[str]) -> Iterator[str]:
    from headwater.features.export.events import render_events
    from headwater.features.export.graphs import render_dot, render_graphml, render_mermaid

    if name == FORMATS[0]:
        return render_events(parts)
    return {"graphml": render_graphml, "mermaid": render_mermaid, "dot": render_dot}[name](parts, cuts)


def _write(chunks: Iterable[str], file: Path | None) -> None:
    """Write text to standard output as it comes, or into a file, which appears only once it is whole."""
    if file is None:
        for chunk in chunks:
            sys.stdout.write(chunk)
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    partial_file = file.with_name(f".{file.name}.partial")
    try:
        with partial_file.open("w", encoding="utf-8") as opened:
            opened.writelines(chunks)
        os.replace(partial_file, file)
    finally:
        partial_file.unlink(missing_ok=True)
