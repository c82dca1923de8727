"""A graph of jobs and datasets as text: a tree in the direction of the data."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from rich.text import Text

from headwater.cli.job_graph import Dataset, Job, JobGraph, Node, short_name
from headwater.cli.layers import layers_of
from headwater.cli.service import printable
from headwater.cli.text.trees import NodeLabels, grow

if TYPE_CHECKING:
    from rich.tree import Tree

STATE_STYLES = {"COMPLETED": "green", "RUNNING": "yellow", "FAILED": "red", "ABORTED": "red"}
_MORE = "more is connected than the response holds"


def tree_of(graph: JobGraph) -> Tree:
    """Return the graph as trees in the direction of the data; a branch that is too deep continues as a further tree.

    A node that data reaches twice is shown in full once, and by name where it is reached again.
    """
    layers = layers_of(graph.nodes, graph.edges)
    below: dict[str, list[str]] = defaultdict(list)
    for origin, destination in graph.edges:
        below[origin].append(destination)
    fed = {destination for _, destination in graph.edges}
    # Sources first. What they do not lead to is fed by a cycle, which is entered at its first layer.
    starts = sorted(graph.nodes, key=lambda node_id: (node_id in fed, layers[node_id], node_id))
    labels = NodeLabels(lambda node_id, _: _label(graph.nodes[node_id]), lambda node_id, _: _name(graph.nodes[node_id]))
    top = grow(starts, below, labels)
    if graph.truncated:
        top.add(Text(_MORE, "yellow"))
    return top


def render_duration(milliseconds: int) -> str:
    """Return a duration in its two largest units.

    >>> [render_duration(ms) for ms in (40, 59_940, 59_960, 3_599_700, 7_260_000)]
    ['0.0 s', '59.9 s', '1 min 0 s', '1 h 0 min', '2 h 1 min']
    """
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    return f"{minutes // 60} h {minutes % 60} min"


def status_of(node: Node) -> str:
    """Return a node's state, or its last writer if it is stale, in a few words."""
    if isinstance(node, Dataset):
        writer = f", last written by {node.last_writer}" if node.last_writer else ""
        return f"stale{writer}" if node.stale else ""
    if node.state is None:
        return "never ran"
    return node.state if node.duration_ms is None else f"{node.state} in {render_duration(node.duration_ms)}"


def _label(node: Node) -> Text:
    status = status_of(node)
    label = _name(node)
    if status:
        label.append("  ").append(status, _style(node))
    return label.append(f"\n{printable(node.id)}", "dim")


def _name(node: Node) -> Text:
    return Text.assemble((short_name(node), "bold cyan" if isinstance(node, Job) else "bold"), overflow="fold")


def _style(node: Node) -> str:
    return STATE_STYLES.get(node.state or "", "dim") if isinstance(node, Job) else "yellow"
