"""CDAP's question about a field, in the shape of its first design: by which operations was it made, in a time range?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from rich.console import Group
from rich.text import Text

from headwater.service import NoAnswer, ask, printable, question_of
from headwater.svg import shortened

if TYPE_CHECKING:
    from headwater.column_graph import Place

# A read may read hundreds of fields.
_CELLS_MAX = 48
_LAST_HOUR = {"start": "now-1h", "end": "now"}


@dataclass(frozen=True, slots=True)
class FieldPaths:
    """The question's address, and each way: its operations, as (name, inputs, outputs), and how many runs took it."""

    address: str
    ways: tuple[tuple[tuple[tuple[str, str, str], ...], int], ...]

    @property
    def command(self) -> str:
        """The question as a command line."""
        return f"curl -s '{self.address}'"


def ask_paths(url: str, place: Place, field: str, *, token: str | None = None) -> FieldPaths:
    """How a field was made by the runs of the last hour.

    Raises:
        NoAnswer: no such service, or another answer.
    """
    namespace, name, names = (quote(part, safe="") for part in (place.namespace, place.name, field))
    path = f"/v3/namespaces/{namespace}/datasets/{name}/fields/{names}/lineage"
    answer = ask(url, path, _LAST_HOUR, token=token)
    try:
        ways = tuple((tuple(_operation(one) for one in way["operations"]), len(way["runs"])) for way in answer["paths"])
    except (KeyError, TypeError) as error:
        raise NoAnswer(f"not an answer about paths: {type(error).__name__} {error}") from error
    return FieldPaths(question_of(url, path, _LAST_HOUR), ways)


def text_of(found: FieldPaths) -> Group:
    """Each way's operations in their order."""
    lines: list[Text] = []
    for operations, runs in found.ways:
        lines.append(Text(f"a way that {runs} run{'' if runs == 1 else 's'} took", "cyan"))
        widest = max((len(name) for name, *_ in operations), default=0)
        for name, inputs, outputs in operations:
            lines.append(Text.assemble(f"  {name:{widest}}  ", (_flow(inputs, outputs), "dim"), overflow="fold"))
    if not found.ways:
        lines.append(Text("nobody made it in this time", "dim"))
    return Group(*lines)


def _flow(*sides: str) -> str:
    return " → ".join(shortened(side, _CELLS_MAX) for side in sides)


def _operation(form: Any) -> tuple[str, str, str]:
    inputs, outputs = (", ".join(form[side]) for side in ("inputs", "outputs"))
    return printable(form["name"]), printable(inputs), printable(outputs)
