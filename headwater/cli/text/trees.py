"""Graphs as trees of text: of jobs and datasets in the direction of the data, of columns with their operations.

A tree has a bounded depth: a deeper branch continues as a further tree. Each node is shown in full once, then by name.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from rich.console import Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from headwater.cli.column_graph import ColumnEdge, ColumnGraph, GraphColumn, requested_columns
from headwater.cli.job_graph import Dataset, Job, JobGraph, Node, layers_of, short_name
from headwater.cli.service import printable

# Below this level, indentation would leave no room for text.
_LEVELS_MAX = 12
# Arguments: a node's id, and the id of the node above it, None at the top.
Label: TypeAlias = Callable[[str, "str | None"], Text]

_STATE_STYLES = {"COMPLETED": "green", "RUNNING": "yellow", "FAILED": "red", "ABORTED": "red"}


@dataclass(frozen=True, slots=True)
class NodeLabels:
    """The labels of a node: in full, and by name alone."""

    full: Label
    name: Label


def grow(starts: Iterable[str], below: Mapping[str, Sequence[str]], labels: NodeLabels) -> Tree:
    """Grow a tree from each of `starts`, unless an earlier tree has it; a deep branch continues as a further tree.

    A node is shown in full once, then by name.
    """
    top = Tree("", hide_root=True, guide_style="dim")
    seen: set[str] = set()
    for start in starts:
        pending = deque([start])
        while pending:
            if (node := pending.popleft()) not in seen:
                pending += _grow(top, node, below, labels, seen)
    return top


def _grow(top: Tree, start: str, below: Mapping[str, Sequence[str]], labels: NodeLabels, seen: set[str]) -> list[str]:
    """Add a tree that begins at a node; return the nodes at which it became too deep."""
    too_deep = []
    pending: list[tuple[Tree, str, str | None, int]] = [(top, start, None, 0)]
    while pending:
        branch, node, above, level = pending.pop()
        following = below.get(node, ())
        if node in seen:
            branch.add(labels.name(node, above).append("  shown above", "dim"))
        elif level == _LEVELS_MAX and following:
            branch.add(labels.name(node, above).append("  shown below", "dim"))
            too_deep.append(node)
        else:
            seen.add(node)
            grown = branch.add(labels.full(node, above))
            pending.extend((grown, child, node, level + 1) for child in reversed(following))
    return too_deep


def trees_of(graph: ColumnGraph, node_id: str, *, up: bool = True, down: bool = False) -> Group:
    """Draw trees of the requested columns' sources; with `down`, also of their dependants.

    The sources of all rows of a dataset are shown once, below "all of" the dataset, after the trees of the columns.
    """
    requested = requested_columns(graph, node_id)
    parts: list[RenderableType] = []
    if up:
        parts += [Text("upstream", "cyan"), _trees(graph, requested, up=True)]
    if down:
        parts += [Text("downstream", "cyan"), _trees(graph, requested, up=False)]
    return Group(*parts, *([Text("the response does not hold all columns", "yellow")] if graph.truncated else []))


def name_of(column: GraphColumn) -> str:
    """Print a column's name with its dataset's short name."""
    dataset = printable(column.dataset.short_name)
    return f"all of {dataset}" if column.name is None else f"{column.name} of {dataset}"


def _trees(graph: ColumnGraph, requested: list[str], *, up: bool) -> RenderableType:
    edges = {(edge.destination, edge.origin) if up else (edge.origin, edge.destination): edge for edge in graph.edges}
    following: dict[str, list[str]] = defaultdict(list)
    # Short names first: the order is the same on every machine, in any folder.
    sort_keys = {node.id: (node.dataset.short_name, node.name or "", node.id) for node in graph.columns.values()}
    for start, end in sorted(edges, key=lambda edge: (sort_keys[edge[0]], sort_keys[edge[1]])):
        following[start].append(end)
    if up:
        return grow([*requested, *_wholes(graph, requested, following)], following, _labels(graph.columns, edges))
    for column, whole in _within(graph):
        following[whole].append(column)
    return grow(requested, following, _labels(graph.columns, edges))


def _wholes(graph: ColumnGraph, requested: list[str], following: Mapping[str, list[str]]) -> list[str]:
    """Collect "all of" each dataset with row dependencies, nearest to the requested columns first."""
    wholes = dict(_within(graph))
    ordered: dict[str, None] = {}
    seen, pending = set(requested), deque(requested)
    while pending:
        node = pending.popleft()
        neighbours = [*following.get(node, ())]
        if node in wholes:
            ordered.setdefault(wholes[node])
            neighbours.append(wholes[node])
        pending += (new := dict.fromkeys(other for other in neighbours if other not in seen))
        seen.update(new)
    return list(ordered)


def _within(graph: ColumnGraph) -> Iterator[tuple[str, str]]:
    """Yield each column with the node for all of its dataset, if the node has sources."""
    destinations = {edge.destination for edge in graph.edges}
    for column in graph.columns.values():
        if column.name is not None and column.dataset.id in destinations:
            yield column.id, column.dataset.id


def _labels(columns: Mapping[str, GraphColumn], edges: Mapping[tuple[str, str], ColumnEdge]) -> NodeLabels:
    def name(node: str, above: str | None) -> Text:
        text = Text(name_of(columns[node]), "bold", overflow="fold")
        edge = edges.get((above, node)) if above else None
        return text.append(f"  {edge.label}", "magenta" if edge.masked else "green") if edge else text

    def full(node: str, above: str | None) -> Text:
        kind = columns[node].type
        text = name(node, above)
        return text if kind is None else text.append(f"  {kind}", "dim")

    return NodeLabels(full, name)


def tree_of(graph: JobGraph) -> Tree:
    """Draw the graph as trees in the direction of the data; a deep branch continues as a further tree.

    A node is shown in full once, then by name.
    """
    layers = layers_of(graph.nodes, graph.edges)
    below: dict[str, list[str]] = defaultdict(list)
    for origin, destination in graph.edges:
        below[origin].append(destination)
    fed = {destination for _, destination in graph.edges}
    # Sources first. Nodes beyond their reach are fed by a cycle, entered at its first layer.
    starts = sorted(graph.nodes, key=lambda node_id: (node_id in fed, layers[node_id], node_id))
    labels = NodeLabels(lambda node_id, _: _label(graph.nodes[node_id]), lambda node_id, _: _name(graph.nodes[node_id]))
    top = grow(starts, below, labels)
    if graph.truncated:
        top.add(Text("more is connected than the response holds", "yellow"))
    return top


def render_duration(milliseconds: int) -> str:
    """Print a duration in its two largest units.

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
    """Print a node's state, or its last writer if it is stale, in a few words."""
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
        style = _STATE_STYLES.get(node.state or "", "dim") if isinstance(node, Job) else "yellow"
        label.append("  ").append(status, style)
    return label.append(f"\n{printable(node.id)}", "dim")


def _name(node: Node) -> Text:
    return Text.assemble((short_name(node), "bold cyan" if isinstance(node, Job) else "bold"), overflow="fold")
