"""The story of a column, as the demo prints it: the sources of a flight's CO2, and the dependants of its distance.

From the column the story goes down to records by the links of the responses: column, version, run, the run's roots.
Last, it has the field lineage of CDAP's first design: the operation paths to a field.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import shorten
from typing import Any
from urllib.parse import quote

from rich.console import Console, Group, RenderableType
from rich.text import Text
from rich.tree import Tree

from headwater.cli.column_graph import ColumnGraph, GraphColumn, GraphDataset, fetch_response, parse_columns
from headwater.cli.service import NoResponse, address_of, fetch_json, printable
from headwater.cli.text.terminal import print_part
from headwater.cli.text.trees import name_of, trees_of

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
    """The results: columns upstream of the result and downstream of the source, records, and CDAP's paths.

    `command` is the query of the paths as a command line.
    """

    result: str
    source: str
    up: ColumnGraph
    down: ColumnGraph
    origins: RenderableType
    paths: RenderableType
    command: str


def fetch_story(url: str, folder: Path) -> ColumnStory:
    """Fetch the columns of the demo's pipeline over the data in a folder.

    Raises:
        NoResponse: the service did not respond, or does not know the columns.
    """
    datasets = (GraphDataset("file", str((folder / name).resolve())) for name in ("landing", "estimated", _RECORDED))
    landing, estimated, recorded = datasets
    result, source = estimated.id_of(_RESULT), landing.id_of(_SOURCE)
    responses = (fetch_response(url, column, depth=_DEPTH, down=True) for column in (result, source))
    up, down = map(parse_columns, responses)
    if result not in up.columns:
        raise NoResponse(f"{url}: no column {result}")
    return ColumnStory(
        result, source, up, down, drill_down(url, up.columns[result]), *fetch_paths(url, recorded, _BY_HAND)
    )


def print_story(console: Console, story: ColumnStory) -> None:
    """Print each result under a title."""
    parts = (
        ("Where a flight's CO2 comes from, column by column", trees_of(story.up, story.result)),
        ("What the distance in the flights file goes into", trees_of(story.down, story.source, up=False, down=True)),
        ("From the column down to records, by the links of the responses", story.origins),
        (
            f"CDAP's field lineage of a step that recorded its operations: the operation paths to {_BY_HAND}",
            story.paths,
        ),
    )
    for title, part in parts:
        console.print(f"\n[bold underline]{title}[/]")
        print_part(console, part)
    console.print(f"  {story.command}", style="dim", highlight=False, markup=False, soft_wrap=True)


def drill_down(url: str, column: GraphColumn) -> Tree:
    """Follow a column's links down to records of the newest run that made it: a tree with the paths in the API.

    Below the column are the run, the roots reported by the run, and records of the first root.

    Raises:
        NoResponse: no such service, or a response without the links.
    """
    link = column.links.get("origins")
    if link is None:
        raise NoResponse(f"{column.id}: the response has no link to its origins")
    tree = Tree(_label(name_of(column), link), guide_style="dim")
    try:
        version = fetch_json(url, link, {})["versions"][0]
        run, roots = version["run"], version["roots"]
        branch = tree.add(_label(f"run {run['id']} of {run['job']['name']}, {run['state']}" if run else "no run"))
        for place, root in enumerate(roots[:_ROOTS_SHOWN]):
            of_root = branch.add(_label(root["rootId"], root["href"]))
            for record in [] if place else _records_of(version, fetch_json(url, root["href"], {})["records"]):
                action, node = printable(record["action_taken"]), printable(record["node_id"])
                of_root.add(Text.assemble((action, "cyan"), " ", node, overflow="fold"))
    except (KeyError, IndexError, TypeError) as error:
        raise NoResponse(f"{column.id}: not a response about origins: {type(error).__name__} {error}") from error
    if len(roots) > _ROOTS_SHOWN:
        branch.add(Text(f"and {len(roots) - _ROOTS_SHOWN} more roots", "dim"))
    return tree


def _records_of(version: Mapping[str, Any], documents: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """List records of the run that made the version or reported the root; without such a run, all of the root's."""
    runs = {(version["run"] or {}).get("id"), version.get("rootsReportedBy")} - {None}
    own = [document for document in documents if document.get("run_id") in runs]
    return (own or documents)[:_RECORDS_SHOWN]


def _label(name: str, link: str | None = None) -> Text:
    label = Text(printable(name), "bold", overflow="fold")
    return label if link is None else label.append(f"\n{printable(link)}", "dim")


def fetch_paths(url: str, dataset: GraphDataset, field: str) -> tuple[Group, str]:
    """Fetch the operation paths to a field in the last hour, each with its number of runs; and their command line.

    Raises:
        NoResponse: no such service, or a response without paths.
    """
    namespace, name, names = (quote(part, safe="") for part in (dataset.namespace, dataset.name, field))
    path = f"/v3/namespaces/{namespace}/datasets/{name}/fields/{names}/lineage"
    response = fetch_json(url, path, _LAST_HOUR)
    try:
        lines = [line for document in response["paths"] for line in _lines_of(document)]
    except (KeyError, TypeError) as error:
        raise NoResponse(f"not a response about paths: {type(error).__name__} {error}") from error
    paths = Group(*(lines or [Text("no run made it in this time range", "dim")]))
    return paths, f"curl -s '{address_of(url, path, _LAST_HOUR)}'"


def _lines_of(path: Mapping[str, Any]) -> Iterator[Text]:
    """Yield the number of runs, and the operations in their order, each with its inputs and outputs."""
    operations, runs = path["operations"], len(path["runs"])
    yield Text(f"an operation path of {runs} run{'' if runs == 1 else 's'}", "cyan")
    widest = max((len(printable(operation["name"])) for operation in operations), default=0)
    for operation in operations:
        sides = (printable(", ".join(operation[side])) for side in ("inputs", "outputs"))
        flow = " -> ".join(shorten(side, _WIDTH_MAX, placeholder=" ...") for side in sides)
        yield Text.assemble(f"  {printable(operation['name']):{widest}}  ", (flow, "dim"), overflow="fold")
