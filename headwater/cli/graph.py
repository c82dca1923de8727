"""`headwater graph`: the jobs and datasets around a node, as a tree or as a Mermaid flowchart."""

from __future__ import annotations

import argparse

from headwater.cli.options import add_command, add_formats, add_url, print_in_format

_ABOUT = """\
Print the jobs and datasets that are connected to a node, from a running service, as a tree in the direction of the
data. Jobs have the state of their latest run; datasets that no job writes any more are stale. Within the depth, the
graph is the same from each of its nodes.
"""
_EXAMPLES = """\
examples:
  %(prog)s job:emissions:emissions.demo_estimated
  %(prog)s dataset:s3://flights:checked --depth 1 --mermaid -
  %(prog)s 'dataset:s3://flights:checked#9c5c7f64-6f5e-3a39-8f4b-0f6d2b1d9e22'
"""


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command and its options."""
    summary = "print the jobs and datasets around a node"
    parser = add_command(subparsers, "graph", summary, _ABOUT, _EXAMPLES, run=run_graph)
    parser.add_argument("node_id", metavar="NODE_ID", help="job:<namespace>:<name> or dataset:<namespace>:<name>")
    parser.add_argument(
        "--depth",
        type=int,
        default=20,
        metavar="N",
        help="the number of jobs to follow (default: 20), from a dataset behind its own readers and writers",
    )
    add_url(parser)
    add_formats(parser)


def run_graph(given: argparse.Namespace) -> int:
    """Print the graph around a node."""
    from headwater.cli.job_graph import fetch_response, parse_graph
    from headwater.cli.logins import token_for
    from headwater.cli.service import map_link
    from headwater.cli.text.mermaid import render_jobs
    from headwater.cli.text.trees import tree_of

    response = fetch_response(given.url, given.node_id, depth=given.depth, token=token_for(given.url))
    graph = parse_graph(response)
    print_in_format(given, response, tree_of(graph), render_jobs(graph), map_link(given.url, given.node_id))
    return 0
