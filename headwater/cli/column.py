"""`headwater column`: the sources of a column and its dependants, as trees or as a Mermaid flowchart."""

from __future__ import annotations

import argparse

from headwater.cli.options import add_command, add_formats, add_url, print_in_format

_ABOUT = """\
Print the lineage of a column from a running service as a tree: below each column its sources, each with the operations
or transformations between them. Filters, joins and groups decide which rows exist: the tree shows them once for each
dataset, below "all of" it, after the columns. With --down a second tree shows the columns made from this column.

The node may also be a dataset (all its columns) or a job (the columns of its outputs). A node of a version (`#` and its
UUID) cannot be combined with --down.
"""
_EXAMPLES = """\
examples:
  %(prog)s datasetField:s3://flights:estimated:co2_kg
  %(prog)s datasetField:s3://flights:landing:distance --down
  %(prog)s datasetField:s3://flights:estimated:co2_kg --mermaid co2.mmd
  %(prog)s job:emissions:emissions.demo_estimated --depth 1
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    parser = add_command(subparsers, "column", "print the lineage of a column", _ABOUT, _EXAMPLES, run=run_column)
    parser.add_argument(
        "node_id", metavar="NODE_ID", help="datasetField:<namespace>:<dataset>:<column>, dataset:... or job:..."
    )
    parser.add_argument(
        "--depth", type=int, default=20, metavar="N", help="the number of steps to follow (default: 20)"
    )
    parser.add_argument("--down", action="store_true", help="print the downstream columns, too")
    add_url(parser)
    add_formats(parser)


def run_column(given: argparse.Namespace) -> int:
    """Print the lineage of a column."""
    from headwater.cli.column_graph import fetch_response, parse_columns
    from headwater.cli.logins import token_for
    from headwater.cli.service import columns_link
    from headwater.cli.text.mermaid import render_columns
    from headwater.cli.text.trees import trees_of

    token = token_for(given.url)
    response = fetch_response(given.url, given.node_id, depth=given.depth, down=given.down, token=token)
    graph = parse_columns(response)
    trees, flowchart = trees_of(graph, given.node_id, down=given.down), render_columns(graph, given.node_id)
    print_in_format(given, response, trees, flowchart, columns_link(given.url, given.node_id))
    return 0
