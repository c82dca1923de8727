"""`headwater column`: what a column is made of and what is made of it, as text and as a picture."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from headwater.graph import add_mermaid, add_url

_ABOUT = """\
Ask a running service what a column is made of, and print its way as a tree: below each column those that it is made of,
each with the operations or transformations on the way. Filters, joins and groups decide which rows there are: they
stand once for each dataset, below "all of" it, after the columns. With --down a second tree shows what the column goes
into.

The node may also be a dataset (all its columns) or a job (those of its outputs), and a version of one (`#` and its
UUID), but not together with --down.
"""
_EXAMPLES = """\
examples:
  headwater column datasetField:s3://flights:estimated:co2_kg
  headwater column datasetField:s3://flights:landing:distance --down --svg distance.svg
  headwater column datasetField:s3://flights:estimated:co2_kg --mermaid co2.mmd
  headwater column job:emissions:emissions.demo_estimated --depth 1
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """The command and its options."""
    parser = subparsers.add_parser(
        "column",
        help="print what a column is made of and goes into, as text and as a picture",
        description=_ABOUT,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "node_id", metavar="NODE_ID", help="datasetField:<namespace>:<dataset>:<column>, dataset:... or job:..."
    )
    parser.add_argument("--depth", type=int, default=20, metavar="N", help="how many steps away (default: 20)")
    parser.add_argument("--down", action="store_true", help="tell what it goes into, too")
    add_url(parser)
    parser.add_argument("--svg", type=Path, metavar="FILE", help="draw it into this file, too")
    add_mermaid(parser)
    parser.set_defaults(func=run_column)


def run_column(given: argparse.Namespace) -> int:
    """The command; 1 if there is no such column, or no such service."""
    from headwater.column_graph import ask_columns
    from headwater.column_picture import write_column_picture
    from headwater.column_text import ways_of
    from headwater.mermaid import STANDARD_OUTPUT, render_columns, write_mermaid
    from headwater.service import NoAnswer
    from headwater.terminal import output_console

    token = os.environ.get("HEADWATER_TOKEN")
    try:
        graph = ask_columns(given.url, given.node_id, depth=given.depth, down=given.down, token=token)
        if given.mermaid != STANDARD_OUTPUT:
            output_console().print(ways_of(graph, given.node_id, down=given.down), highlight=False)
        if given.svg:
            write_column_picture(graph, given.node_id, given.svg)
        if given.mermaid:
            write_mermaid(render_columns(graph, given.node_id), given.mermaid)
    except (NoAnswer, OSError) as error:
        print(f"headwater column: {error}", file=sys.stderr)
        return 1
    return 0
