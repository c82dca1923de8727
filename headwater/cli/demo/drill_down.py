"""From a column down to records, by the links of the responses: column, version, run, the roots that it reported."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rich.text import Text
from rich.tree import Tree

from headwater.cli.service import NoResponse, fetch_json, printable
from headwater.cli.text.column_text import name_of

if TYPE_CHECKING:
    from headwater.cli.column_graph import GraphColumn

_ROOTS_SHOWN, _RECORDS_SHOWN = 2, 3


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
    """The steps below a column: the run that made it, the roots that the run reported, records of the first root."""

    column: GraphColumn
    link: str
    run: str
    roots: tuple[Root, ...]
    records: tuple[Record, ...]


def drill_down(url: str, column: GraphColumn, *, token: str | None = None) -> DrillDown:
    """Follow a column's links down to records of the newest run that made it.

    Raises:
        NoResponse: no such service, or a response without the links.
    """
    link = column.links.get("origins")
    if link is None:
        raise NoResponse(f"{column.id}: the response has no link to its origins")
    try:
        version = fetch_json(url, link, {}, token=token)["versions"][0]
        roots = tuple(Root(printable(root["rootId"]), root["href"]) for root in version["roots"])
        records = fetch_json(url, roots[0].href, {}, token=token)["records"] if roots else []
        return DrillDown(column, link, _run_of(version["run"]), roots, tuple(_records_of(version, records)))
    except (KeyError, IndexError, TypeError) as error:
        raise NoResponse(f"{column.id}: not a response about origins: {type(error).__name__} {error}") from error


def tree_of(drill: DrillDown) -> Tree:
    """Return the steps as a tree, each with its path in the API."""
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


def _run_of(document: Mapping[str, Any] | None) -> str:
    if document is None:
        return "no run"
    return printable(f"run {document['id']} of {document['job']['name']}, {document['state']}")


def _records_of(version: Mapping[str, Any], documents: Sequence[Mapping[str, Any]]) -> Iterator[Record]:
    """Yield records of the run that made the version or reported the root; without such a run, any of the root's."""
    runs = {(version["run"] or {}).get("id"), version.get("rootsReportedBy")} - {None}
    own = [document for document in documents if document.get("run_id") in runs]
    for document in (own or documents)[:_RECORDS_SHOWN]:
        yield Record(printable(document["node_id"]), printable(document["action_taken"]))


def _label(name: str, link: str | None = None) -> Text:
    label = Text(name, "bold", overflow="fold")
    return label if link is None else label.append(f"\n{printable(link)}", "dim")
