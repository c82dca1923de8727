"""The view of a caller: the whole graph, or some namespaces with more or less of their neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from headwater.facts.table import Key, Row, RowPage, RowQuery
from headwater_model.ids import DatasetId, JobId


@dataclass(frozen=True, slots=True)
class Visibility:
    """A caller's view: what is in the namespaces that it `covers`, and the neighbours of these.

    `namespaces` are the covered namespaces by name, or by the beginning of their names with `*` after it. `strict`:
    such a neighbour shows its id and type alone, and no graph continues behind it.
    """

    covers: Callable[[str], bool]
    namespaces: Sequence[str] = ("*",)
    strict: bool = False

    def sees(self, thing: DatasetId | JobId) -> bool:
        """True if the caller may query the thing."""
        return self.covers(thing.namespace)

    def opens(self, *names: DatasetId | JobId) -> bool:
        """True if a thing with these names is shown in full, and what is behind it too."""
        return not self.strict or any(map(self.sees, names))


EVERYTHING = Visibility(covers=lambda _: True)


class NoRows:
    """A reader that finds nothing, in which things that a caller may not see are looked up.

    The response is then the same as for what does not exist, whatever the route, and costs no request.
    """

    def get(self, keys: Iterable[Key]) -> dict[Key, Row]:  # noqa: ARG002 - as `GraphReader` has it
        """Return no row."""
        return {}

    def query(self, queries: Sequence[RowQuery]) -> list[RowPage]:
        """Return an empty page for each query."""
        return [RowPage([]) for _ in queries]

    def read(self, keys: Iterable[Key], queries: Sequence[RowQuery]) -> tuple[dict[Key, Row], list[RowPage]]:
        """Return no row, and an empty page for each query."""
        return self.get(keys), self.query(queries)

    def expect(self, keys: Iterable[Key] = (), queries: Iterable[RowQuery] = ()) -> None:
        """Do nothing: there is nothing to read."""
