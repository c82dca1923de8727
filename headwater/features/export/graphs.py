"""An export as text for other programs: GraphML, DOT and Mermaid, of jobs, datasets and the edges between them.

GraphML and DOT are written as they are read: memory holds the ids of the written nodes alone. Both formats are a few
lines; a graph library would hold the whole graph first, and pull a dependency into the command line.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from headwater.cli.job_graph import Edge, parse_graph
from headwater.cli.service import printable
from headwater.cli.text.mermaid import render_jobs
from headwater.features.export.reading import Document, JobPart, Part

_GRAPHML = "http://graphml.graphdrawing.org/xmlns"
_ATTRIBUTES = ("type", "namespace", "name", "state", "stale")


class _Node(NamedTuple):
    """A node as the formats print it: its id, and its attributes that are not empty."""

    id: str
    shown: dict[str, str]


def render_graphml(parts: Iterable[Part], cuts: Sequence[str]) -> Iterator[str]:
    """Yield GraphML: nodes have `type`, `namespace`, `name`, a job's last `state`, and `stale`; the graph has `cut`.

    `cuts` is read at the end: it grows while the parts are read.
    """
    yield f'<?xml version="1.0" encoding="utf-8"?>\n<graphml xmlns="{_GRAPHML}">'
    for owner, names in (("node", _ATTRIBUTES), ("graph", ("cut",))):
        for name in names:
            yield f'<key id="{name}" for="{owner}" attr.name="{name}" attr.type="string"/>'
    yield '<graph id="lineage" edgedefault="directed">'
    for item in _items(parts):
        if isinstance(item, _Node):
            data = "".join(_data(name, value) for name, value in item.shown.items())
            yield f"<node id={quoteattr(item.id)}>{data}</node>\n"
        else:
            yield f"<edge source={quoteattr(item[0])} target={quoteattr(item[1])}/>\n"
    for cut in cuts:
        yield _data("cut", printable(cut))
    yield "</graph></graphml>\n"


def _data(key: str, value: str) -> str:
    return f'<data key="{key}">{escape(value)}</data>'


def render_dot(parts: Iterable[Part], cuts: Sequence[str]) -> Iterator[str]:
    """Yield DOT, as Graphviz reads it: jobs are rounded boxes, datasets cylinders, dashed if stale."""
    yield "digraph lineage {\n  rankdir=LR;\n  node [shape=cylinder];\n"
    for item in _items(parts):
        if isinstance(item, _Node):
            yield f"  {_quoted(item.id)} [{', '.join(_dot_attributes(item.shown))}];\n"
        else:
            yield f"  {_quoted(item[0])} -> {_quoted(item[1])};\n"
    for cut in cuts:
        yield f"  // cut: {printable(cut)}\n"
    yield "}\n"


def render_mermaid(parts: Iterable[Part], cuts: Sequence[str]) -> Iterator[str]:
    """Yield a Mermaid flowchart: it numbers nodes in their order, so all nodes are read first."""
    nodes: dict[str, dict[str, Any]] = {}
    for part in parts:
        for document in _documents(part):
            nodes.setdefault(document["id"], {**document, "inEdges": [], "outEdges": []})
        for origin, destination in part.edges if isinstance(part, JobPart) else ():
            nodes[origin]["outEdges"].append({"origin": origin, "destination": destination})
    yield render_jobs(parse_graph({"graph": list(nodes.values()), "truncated": bool(cuts)}))


def _items(parts: Iterable[Part]) -> Iterator[_Node | Edge]:
    """Yield each node once, before its edges, and each edge once."""
    written: set[str] = set()
    between_jobs: set[Edge] = set()
    for part in parts:
        for document in _documents(part):
            node = _node_of(document)
            if node.id not in written:
                written.add(node.id)
                yield node
        for edge in part.edges if isinstance(part, JobPart) else ():
            # An edge of two jobs is in both of their parts, any further edge in its job's alone.
            if all(end.startswith("job:") for end in edge):
                if edge in between_jobs:
                    continue
                between_jobs.add(edge)
            yield printable(edge[0]), printable(edge[1])


def _documents(part: Part) -> Iterator[Document]:
    """Yield the nodes of a part as `/lineage` has them."""
    if isinstance(part, JobPart):
        yield part.node
        yield from part.neighbours.values()
    else:
        data = part.resource
        yield {"id": f"dataset:{data['namespace']}:{data['name']}", "type": "DATASET", "data": data}


def _node_of(document: Document) -> _Node:
    data = document["data"]
    state = (data.get("latestRun") or {}).get("state") or ""
    stale = "true" if data.get("stale") else ""
    texts = (document["type"], data["namespace"], data["name"], state, stale)
    shown = {name: printable(text) for name, text in zip(_ATTRIBUTES, texts, strict=True) if text}
    return _Node(printable(document["id"]), shown)


def _dot_attributes(shown: dict[str, str]) -> Iterator[str]:
    yield f"label={_quoted(shown['name'])}"
    for name in ("type", "namespace", "state", "stale"):
        if name in shown:
            yield f"{name}={_quoted(shown[name])}"
    if shown["type"] == "JOB":
        yield "shape=box, style=rounded"
    elif "stale" in shown:
        yield "style=dashed"


def _quoted(text: str) -> str:
    r"""Quote a string of DOT, in which a backslash begins an escape of a label.

    >>> print(_quoted('a "b" \\n'))
    "a \"b\" \\n"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
