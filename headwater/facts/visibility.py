"""The view of a caller: the whole graph, or some namespaces with more or less of their neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from headwater.facts.table import GraphReader, Key, Row, RowPage, RowQuery
from headwater_model.ids import DatasetId, JobId


@dataclass(frozen=True, slots=True)
class Visibility:
    """A caller's view: the things in the namespaces that the view `covers`, and the neighbours of the things.

    `namespaces` are the covered namespaces by name, or by the beginning of their names with `*` after it. A `strict`
    view shows a neighbour's id and type alone, and no graph continues behind the neighbour.
    """

    covers: Callable[[str], bool]
    namespaces: Sequence[str] = ("*",)
    strict: bool = False

    def sees(self, thing: DatasetId | JobId) -> bool:
        """True if the caller may query the thing."""
        return self.covers(thing.namespace)

    def opens(self, *names: DatasetId | JobId) -> bool:
        """True if a thing with these names is shown in full, and the graph continues behind it."""
        return not self.strict or any(map(self.sees, names))


EVERYTHING = Visibility(covers=lambda _: True)


class NoRows(GraphReader):
    """A reader without rows: it stands in for the table when a caller looks up a hidden thing.

    The response is then the same as for a missing thing, on each route, and costs no request.
    """

    def read(self, _keys: Iterable[Key], queries: Sequence[RowQuery]) -> tuple[dict[Key, Row], list[RowPage]]:
        """Give no row, and an empty page for each query."""
        return {}, [RowPage([]) for _ in queries]
