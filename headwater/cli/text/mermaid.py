"""Graphs as Mermaid flowcharts, which GitHub, GitLab and many wikis draw from text; data flows to the right.

Identifiers are numbers in the order of the node ids: equal graphs make equal text, in any order of arrival.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from headwater.cli.column_graph import ColumnGraph, GraphDataset, requested_columns
from headwater.cli.job_graph import Dataset, Job, JobGraph, Node, short_name
from headwater.cli.service import printable
from headwater.cli.text.trees import status_of

STANDARD_OUTPUT = Path("-")
# Characters with a meaning in Mermaid, in the Markdown of its labels, or in HTML. Dots, hyphens and underscores are
# safe only between letters and digits: elsewhere they may begin a list, or emphasis.
_SPECIAL = re.compile(r"[^\w ./-]|(?<![^\W_])[._-]|[._-](?![^\W_])")
_STYLES = {
    "stale": "stroke:#b58a2a,stroke-dasharray:5 3",
    "failed": "stroke:#b3261e,stroke-width:2px",
    "requested": "stroke:#b58a2a,stroke-width:2px",
}


def write_mermaid(text: str, file: Path) -> None:
    """Write a flowchart into a file, with its folders, or to standard output."""
    if file == STANDARD_OUTPUT:
        sys.stdout.write(text)
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def render_jobs(graph: JobGraph) -> str:
    """Draw a flowchart, `n0 --> n1`, of jobs (rounded) and datasets (drums), stale datasets dashed, failed jobs red."""
    ids = _number("n", graph.nodes)
    classes: dict[str, list[str]] = defaultdict(list)
    for node_id, node_class in ((node_id, _class_of(graph.nodes[node_id])) for node_id in ids):
        if node_class:
            classes[node_class].append(ids[node_id])
    nodes = (f"    {ids[node_id]}{_shape(graph.nodes[node_id])}" for node_id in ids)
    edges = (f"    {ids[origin]} --> {ids[destination]}" for origin, destination in sorted(graph.edges))
    return _flowchart("Jobs and the datasets that they read and write", graph.truncated, nodes, edges, _style(classes))


def render_columns(graph: ColumnGraph, node_id: str) -> str:
    """Draw a flowchart of columns, each dataset a subgraph, each edge labelled with its operations.

    Dotted edges decide which rows exist (filters, joins, groups). They end at a node for all of the dataset: an edge
    from a column to its own subgraph cannot be drawn.
    """
    ids = _number("c", graph.columns)
    edges = (
        f"    {ids[edge.origin]} {'-.->' if edge.indirect else '-->'}|{_label(edge.label)}| {ids[edge.destination]}"
        for edge in sorted(graph.edges, key=lambda edge: (edge.origin, edge.destination, edge.label))
    )
    classes = {"requested": [ids[column_id] for column_id in sorted(requested_columns(graph, node_id))]}
    return _flowchart("Columns and their sources", graph.truncated, _subgraphs(graph, ids), edges, _style(classes))


def _flowchart(title: str, truncated: bool, *parts: Iterable[str]) -> str:
    about = "More is connected than is shown." if truncated else "All of it."
    head = ["flowchart LR", f"    accTitle: {title}", f"    accDescr: {about}"]
    return "".join(f"{line}\n" for part in (head, *parts) for line in part)


def _number(letter: str, node_ids: Iterable[str]) -> Mapping[str, str]:
    return {node_id: f"{letter}{number}" for number, node_id in enumerate(sorted(node_ids))}


def _shape(node: Node) -> str:
    short = short_name(node)
    label = _label(short, _location(node.namespace, node.name, short), status_of(node))
    return f"([{label}])" if isinstance(node, Job) else f"[({label})]"


def _class_of(node: Node) -> str:
    if isinstance(node, Dataset):
        return "stale" if node.stale else ""
    return "failed" if node.state in {"FAILED", "ABORTED"} else ""


def _subgraphs(graph: ColumnGraph, ids: Mapping[str, str]) -> Iterator[str]:
    columns: dict[GraphDataset, list[str]] = defaultdict(list)
    for column_id in ids:
        columns[graph.columns[column_id].dataset].append(column_id)
    datasets = sorted(columns, key=lambda dataset: (dataset.namespace, dataset.name, dataset.version or ""))
    for number, dataset in enumerate(datasets):
        version = f"version {dataset.version}" if dataset.version else ""
        location = _location(dataset.namespace, dataset.name, dataset.short_name)
        yield f"    subgraph d{number}[{_label(dataset.short_name, location, version)}]"
        for column_id in columns[dataset]:
            name = graph.columns[column_id].name
            yield f"        {ids[column_id]}" + (f"([{_label('all of it')}])" if name is None else f"[{_label(name)}]")
        yield "    end"


def _location(namespace: str, name: str, short: str) -> str:
    """Print the namespace, and the folder of a path."""
    folder = name.rstrip("/").removesuffix(short).rstrip("/")
    return f"{namespace}:{folder}" if namespace and folder else namespace


def _label(*lines: str) -> str:
    r"""Quote lines as a label, every special character as its number; Mermaid takes no empty label.

    >>> _label('a "quoted" name', "s3://flights")
    '"a #34;quoted#34; name<br/>s3#58;//flights"'
    """
    shown = [_SPECIAL.sub(lambda match: f"#{ord(match[0])};", printable(line)) for line in lines if line]
    return f'"{"<br/>".join(shown) or " "}"'


def _style(classes: Mapping[str, list[str]]) -> Iterator[str]:
    """Yield each class with its nodes, if it has any."""
    for name in sorted(name for name in classes if classes[name]):
        yield f"    classDef {name} {_STYLES[name]}"
        yield f"    class {','.join(classes[name])} {name}"
