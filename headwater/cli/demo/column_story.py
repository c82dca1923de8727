"""The story of a column, as the demo prints it: the sources of a flight's CO2, and the dependants of its distance.

From the column the story goes down to records by the links of the responses: column, version, run, the run's roots.
Last, it has the field lineage of CDAP's first design: the operation paths to a field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rich.console import Group
from rich.text import Text
from rich.tree import Tree

from headwater.cli.column_graph import ColumnGraph, GraphColumn, GraphDataset, fetch_columns
from headwater.cli.service import NoResponse, address_of, fetch_json, printable
from headwater.cli.text.terminal import print_part
from headwater.cli.text.trees import name_of, trees_of

if TYPE_CHECKING:
    from rich.console import Console

_DEPTH = 20
_RESULT, _SOURCE = "co2_kg", "distance"
# A dataset and a column of a step with recorded operations.
_RECORDED, _BY_HAND = "factors.json", "average_seats"
_ROOTS_SHOWN, _RECORDS_SHOWN = 2, 3
# The width of a line: a read may have hundreds of fields.
_WIDTH_MAX = 48
_LAST_HOUR = {"start": "now-1h", "end": "now"}


@dataclass(frozen=True, slots=True)
class ColumnStory:
    """The results: columns upstream of the result and downstream of the source, records, and CDAP's paths."""

    result: str
    source: str
    up: ColumnGraph
    down: ColumnGraph
    origins: DrillDown
    paths: FieldPaths


def fetch_story(url: str, folder: Path) -> ColumnStory:
    """Fetch the columns of the demo's pipeline over the data in a folder.

    Raises:
        NoResponse: the service did not respond, or does not know the columns.
    """
    datasets = (GraphDataset("file", str((folder / name).resolve())) for name in ("landing", "estimated", _RECORDED))
    landing, estimated, recorded = datasets
    result, source = estimated.id_of(_RESULT), landing.id_of(_SOURCE)
    up, down = (fetch_columns(url, column, depth=_DEPTH, down=True) for column in (result, source))
    if result not in up.columns:
        raise NoResponse(f"{url}: no column {result}")
    origins = drill_down(url, up.columns[result])
    return ColumnStory(result, source, up, down, origins, fetch_paths(url, recorded, _BY_HAND))


def print_story(console: Console, story: ColumnStory) -> None:
    """Print each result under a title."""
    parts = (
        ("Where a flight's CO2 comes from, column by column", trees_of(story.up, story.result)),
        ("What the distance in the flights file goes into", trees_of(story.down, story.source, up=False, down=True)),
        ("From the column down to records, by the links of the responses", tree_of_origins(story.origins)),
        (
            f"CDAP's field lineage of a step that recorded its operations: the operation paths to {_BY_HAND}",
            text_of_paths(story.paths),
        ),
    )
    for title, part in parts:
        console.print(f"\n[bold underline]{title}[/]")
        print_part(console, part)
    console.print(f"  {story.paths.command}", style="dim", highlight=False, markup=False, soft_wrap=True)


@dataclass(frozen=True, slots=True)
class Root:
    """A root of records, and its path in the API."""

    id: str
    href: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a root."""

    node_id: str
    action: str


@dataclass(frozen=True, slots=True)
class DrillDown:
    """The steps below a column: the run that made it, the roots reported by the run, records of the first root."""

    column: GraphColumn
    link: str
    run: str
    roots: tuple[Root, ...]
    records: tuple[Record, ...]


def drill_down(url: str, column: GraphColumn) -> DrillDown:
    """Follow a column's links down to records of the newest run that made it.

    Raises:
        NoResponse: no such service, or a response without the links.
    """
    link = column.links.get("origins")
    if link is None:
        raise NoResponse(f"{column.id}: the response has no link to its origins")
    try:
        version = fetch_json(url, link, {})["versions"][0]
        run = version["run"]
        shown = f"run {run['id']} of {run['job']['name']}, {run['state']}" if run else "no run"
        roots = tuple(Root(printable(root["rootId"]), root["href"]) for root in version["roots"])
        records = fetch_json(url, roots[0].href, {})["records"] if roots else []
        return DrillDown(column, link, printable(shown), roots, tuple(_records_of(version, records)))
    except (KeyError, IndexError, TypeError) as error:
        raise NoResponse(f"{column.id}: not a response about origins: {type(error).__name__} {error}") from error


def tree_of_origins(drill: DrillDown) -> Tree:
    """Draw the steps as a tree, each with its path in the API."""
    tree = Tree(_label(name_of(drill.column), drill.link), guide_style="dim")
    run = tree.add(_label(drill.run))
    for root in drill.roots[:_ROOTS_SHOWN]:
        branch = run.add(_label(root.id, root.href))
        if root is drill.roots[0]:
            for record in drill.records:
                branch.add(Text.assemble((record.action, "cyan"), " ", record.node_id, overflow="fold"))
    if len(drill.roots) > _ROOTS_SHOWN:
        run.add(Text(f"and {len(drill.roots) - _ROOTS_SHOWN} more roots", "dim"))
    return tree


def _records_of(version: Mapping[str, Any], documents: Sequence[Mapping[str, Any]]) -> Iterator[Record]:
    """Yield records of the run that made the version or reported the root; without such a run, all of the root's."""
    runs = {(version["run"] or {}).get("id"), version.get("rootsReportedBy")} - {None}
    own = [document for document in documents if document.get("run_id") in runs]
    for document in (own or documents)[:_RECORDS_SHOWN]:
        yield Record(printable(document["node_id"]), printable(document["action_taken"]))


def _label(name: str, link: str | None = None) -> Text:
    label = Text(name, "bold", overflow="fold")
    return label if link is None else label.append(f"\n{printable(link)}", "dim")


@dataclass(frozen=True, slots=True)
class FieldPaths:
    """The query's address, and each path: its operations, as (name, inputs, outputs), and its number of runs."""

    address: str
    paths: tuple[tuple[tuple[tuple[str, str, str], ...], int], ...]

    @property
    def command(self) -> str:
        """The query as a command line."""
        return f"curl -s '{self.address}'"


def fetch_paths(url: str, dataset: GraphDataset, field: str) -> FieldPaths:
    """Fetch the operation paths to a field in the last hour.

    Raises:
        NoResponse: no such service, or a response without paths.
    """
    namespace, name, names = (quote(part, safe="") for part in (dataset.namespace, dataset.name, field))
    path = f"/v3/namespaces/{namespace}/datasets/{name}/fields/{names}/lineage"
    response = fetch_json(url, path, _LAST_HOUR)
    try:
        paths = tuple(
            (tuple(_operation(operation) for operation in path_document["operations"]), len(path_document["runs"]))
            for path_document in response["paths"]
        )
    except (KeyError, TypeError) as error:
        raise NoResponse(f"not a response about paths: {type(error).__name__} {error}") from error
    return FieldPaths(address_of(url, path, _LAST_HOUR), paths)


def text_of_paths(field_paths: FieldPaths) -> Group:
    """Print each path's operations in their order."""
    lines: list[Text] = []
    for operations, runs in field_paths.paths:
        lines.append(Text(f"an operation path of {runs} run{'' if runs == 1 else 's'}", "cyan"))
        widest = max((len(name) for name, *_ in operations), default=0)
        for name, inputs, outputs in operations:
            flow = " -> ".join(shorten(side, _WIDTH_MAX, placeholder=" ...") for side in (inputs, outputs))
            lines.append(Text.assemble(f"  {name:{widest}}  ", (flow, "dim"), overflow="fold"))
    if not field_paths.paths:
        lines.append(Text("no run made it in this time range", "dim"))
    return Group(*lines)


def _operation(document: Any) -> tuple[str, str, str]:
    inputs, outputs = (", ".join(document[side]) for side in ("inputs", "outputs"))
    return printable(document["name"]), printable(inputs), printable(outputs)
