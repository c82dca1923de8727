"""Columns as text: trees of their upstream and downstream columns, with the operations between them."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from headwater.cli.column_graph import ColumnGraph, GraphColumn, requested_columns
from headwater.cli.service import printable
from headwater.cli.text.trees import NodeLabels, grow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.console import RenderableType

    from headwater.cli.column_graph import ColumnEdge

_MORE = "the response does not hold all columns"


def trees_of(graph: ColumnGraph, node_id: str, *, up: bool = True, down: bool = False) -> Group:
    """Return trees of the requested columns' sources; with `down`, also of the columns made from them.

    The sources of all rows of a dataset are shown once, below "all of" the dataset, after the trees of the columns.
    """
    requested = requested_columns(graph, node_id)
    parts: list[RenderableType] = []
    if up:
        parts += [Text("upstream", "cyan"), _trees(graph, requested, up=True)]
    if down:
        parts += [Text("downstream", "cyan"), _trees(graph, requested, up=False)]
    return Group(*parts, *([Text(_MORE, "yellow")] if graph.truncated else []))


def name_of(column: GraphColumn) -> str:
    """Return a column's name with its dataset's short name."""
    dataset = printable(column.dataset.short_name)
    return f"all of {dataset}" if column.name is None else f"{column.name} of {dataset}"


def _trees(graph: ColumnGraph, requested: list[str], *, up: bool) -> RenderableType:
    edges = {(edge.destination, edge.origin) if up else (edge.origin, edge.destination): edge for edge in graph.edges}
    following: dict[str, list[str]] = defaultdict(list)
    # Short names first: the order is the same on every machine, whatever folder the datasets are in.
    sort_keys = {node.id: (node.dataset.short_name, node.name or "", node.id) for node in graph.columns.values()}
    for start, end in sorted(edges, key=lambda edge: (sort_keys[edge[0]], sort_keys[edge[1]])):
        following[start].append(end)
    if up:
        return grow([*requested, *_wholes(graph, requested, following)], following, _labels(graph.columns, edges))
    for column, whole in _within(graph):
        following[whole].append(column)
    return grow(requested, following, _labels(graph.columns, edges))


def _wholes(graph: ColumnGraph, requested: list[str], following: Mapping[str, list[str]]) -> list[str]:
    """Return "all of" each dataset with row dependencies, those nearest to the requested columns first."""
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
    """Yield each column with the node for all of its dataset, if that node has sources."""
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
