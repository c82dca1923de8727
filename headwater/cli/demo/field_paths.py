"""CDAP's field lineage, as in CDAP's first design: the operation paths that made a field in a time range."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rich.console import Group
from rich.text import Text

from headwater.cli.service import NoResponse, address_of, fetch_json, printable

if TYPE_CHECKING:
    from headwater.cli.column_graph import GraphDataset

# The width of a line: a read may have hundreds of fields.
_WIDTH_MAX = 48
_LAST_HOUR = {"start": "now-1h", "end": "now"}


@dataclass(frozen=True, slots=True)
class FieldPaths:
    """The query's address, and each path: its operations, as (name, inputs, outputs), and its number of runs."""

    address: str
    paths: tuple[tuple[tuple[tuple[str, str, str], ...], int], ...]

    @property
    def command(self) -> str:
        """The query as a command line."""
        return f"curl -s '{self.address}'"


def fetch_paths(url: str, dataset: GraphDataset, field: str, *, token: str | None = None) -> FieldPaths:
    """Fetch the operation paths that made a field in the last hour.

    Raises:
        NoResponse: no such service, or a response that has no paths.
    """
    namespace, name, names = (quote(part, safe="") for part in (dataset.namespace, dataset.name, field))
    path = f"/v3/namespaces/{namespace}/datasets/{name}/fields/{names}/lineage"
    response = fetch_json(url, path, _LAST_HOUR, token=token)
    try:
        paths = tuple(
            (tuple(_operation(operation) for operation in path_document["operations"]), len(path_document["runs"]))
            for path_document in response["paths"]
        )
    except (KeyError, TypeError) as error:
        raise NoResponse(f"not a response about paths: {type(error).__name__} {error}") from error
    return FieldPaths(address_of(url, path, _LAST_HOUR), paths)


def text_of(field_paths: FieldPaths) -> Group:
    """Return each path's operations in their order."""
    lines: list[Text] = []
    for operations, runs in field_paths.paths:
        lines.append(Text(f"an operation path of {runs} run{'' if runs == 1 else 's'}", "cyan"))
        widest = max((len(name) for name, *_ in operations), default=0)
        for name, inputs, outputs in operations:
            lines.append(Text.assemble(f"  {name:{widest}}  ", (_flow(inputs, outputs), "dim"), overflow="fold"))
    if not field_paths.paths:
        lines.append(Text("no run made it in this time range", "dim"))
    return Group(*lines)


def _flow(*sides: str) -> str:
    return " -> ".join(shorten(side, _WIDTH_MAX, placeholder=" ...") for side in sides)


def _operation(document: Any) -> tuple[str, str, str]:
    inputs, outputs = (", ".join(document[side]) for side in ("inputs", "outputs"))
    return printable(document["name"]), printable(inputs), printable(outputs)
