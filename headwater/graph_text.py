"""A graph of jobs and datasets as text: a tree in the direction of the data."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

from rich.text import Text
from rich.tree import Tree

from headwater.job_graph import Dataset, Job, JobGraph, Node, printable, short_name
from headwater.layers import layers_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STATE_STYLES = {"COMPLETED": "green", "RUNNING": "yellow", "FAILED": "red", "ABORTED": "red"}
# Beyond this, lines would have no room left for their text.
_LEVELS_MAX = 12
_MORE = "more is connected than the answer holds"


def tree_of(graph: JobGraph) -> Tree:
    """The graph from where its data comes in, as a tree; what grows too deep goes on as a further tree.

    A node that data reaches twice is told once, and named where it is reached again.
    """
    layers = layers_of(graph.nodes, graph.edges).layers
    below: dict[str, list[str]] = defaultdict(list)
    for origin, destination in graph.edges:
        below[origin].append(destination)
    top = Tree("", hide_root=True, guide_style="dim")
    seen: set[str] = set()
    fed = {destination for _, destination in graph.edges}
    # Sources first. What they do not lead to is fed by a cycle, which is entered at its first layer.
    for start in sorted(graph.nodes, key=lambda node_id: (node_id in fed, layers[node_id], node_id)):
        starts = deque([start])
        while starts:
            if (one := starts.popleft()) not in seen:
                starts += _grow(top, one, graph.nodes, below, seen)
    if graph.truncated:
        top.add(Text(_MORE, "yellow"))
    return top


def render_duration(milliseconds: int) -> str:
    """How long something took, in the two units that matter.

    >>> [render_duration(ms) for ms in (40, 59_940, 59_960, 3_599_700, 7_260_000)]
    ['0.0 s', '59.9 s', '1 min 0 s', '1 h 0 min', '2 h 1 min']
    """
    if milliseconds < 59_950:
        return f"{milliseconds / 1000:.1f} s"
    minutes, seconds = divmod(round(milliseconds / 1000), 60)
    if minutes < 60:
        return f"{minutes} min {seconds} s"
    return f"{minutes // 60} h {minutes % 60} min"


def said_of(node: Node) -> str:
    """What there is to say of a node beside its name, in a few words."""
    if isinstance(node, Dataset):
        writer = f", last written by {node.last_writer}" if node.last_writer else ""
        return f"stale{writer}" if node.stale else ""
    if node.state is None:
        return "never ran"
    return node.state if node.duration_ms is None else f"{node.state} in {render_duration(node.duration_ms)}"


def _grow(
    top: Tree, start: str, nodes: Mapping[str, Node], below: Mapping[str, Sequence[str]], seen: set[str]
) -> list[str]:
    """Add a tree that begins at a node; the nodes where it became too deep are left to trees of their own."""
    left = []
    waiting = [(top, start, 0)]
    while waiting:
        branch, node_id, level = waiting.pop()
        following = below.get(node_id, ())
        if node_id in seen:
            branch.add(_name(nodes[node_id]).append("  told above", "dim"))
        elif level == _LEVELS_MAX and following:
            branch.add(_name(nodes[node_id]).append("  told below", "dim"))
            left.append(node_id)
        else:
            seen.add(node_id)
            grown = branch.add(_label(nodes[node_id]))
            waiting.extend((grown, one, level + 1) for one in reversed(following))
    return left


def _label(node: Node) -> Text:
    said = said_of(node)
    label = _name(node)
    if said:
        label.append("  ").append(said, _style(node))
    return label.append(f"\n{printable(node.id)}", "dim")


def _name(node: Node) -> Text:
    return Text.assemble((short_name(node), "bold cyan" if isinstance(node, Job) else "bold"), overflow="fold")


def _style(node: Node) -> str:
    return STATE_STYLES.get(node.state or "", "dim") if isinstance(node, Job) else "yellow"
