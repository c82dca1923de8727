"""The view of a caller: the whole graph, or what is in some namespaces, and their neighbours more or less."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from lineage.graph.table import GraphTable, Key, Row, RowPage, RowQuery
from lineage_model.ids import DatasetId, JobId


@dataclass(frozen=True, slots=True)
class Visibility:
    """A caller's view. What is in no namespace that it `covers` is not there, but as a neighbour of what is.

    `namespaces` are the covered ones by name, or by the beginning of their names with `*` after it. `strict`: of such a
    neighbour the id and the type are shown alone, and no graph goes on behind it.
    """

    covers: Callable[[str], bool]
    namespaces: Sequence[str] = ("*",)
    strict: bool = False

    def sees(self, thing: DatasetId | JobId) -> bool:
        """Return True if the caller may ask for the thing."""
        return self.covers(thing.namespace)

    def opens(self, *names: DatasetId | JobId) -> bool:
        """Return True if a thing that was met, known by these names, is shown in full, and what is behind it too."""
        return not self.strict or any(map(self.sees, names))


EVERYTHING = Visibility(covers=lambda _: True)


class EmptyTable(GraphTable):
    """A graph table that nothing was written to: where what a caller may not see is looked up.

    So it is answered as what does not exist, whatever the route, and without a request.
    """

    def __init__(self) -> None:
        """Take nothing: there is no table behind it."""

    def get(self, keys: Iterable[Key]) -> dict[Key, Row]:  # noqa: ARG002 - as in the base class
        """Return no row."""
        return {}

    def query(self, queries: Sequence[RowQuery]) -> list[RowPage]:
        """Return an empty page for each query."""
        return [RowPage([]) for _ in queries]
