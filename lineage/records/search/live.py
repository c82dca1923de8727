"""The unpublished part of a search: what no object of the last published day, or before, holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from lineage.aws.clients import READ_CONCURRENCY
from lineage.aws.items import chunks
from lineage.records.items import expiry_of, parse_item
from lineage.records.root_records import Sources
from lineage.records.search.criteria import Found, Horizon, LivePlace, Question, Step
from lineage.records.search.root import RECORDS_MAX, RECORDS_MAX_ALONE, RootSearch
from lineage.records.search.roots import Days, Roots

if TYPE_CHECKING:
    from lineage.aws.items import Item

_NODES_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class LiveSearch:
    """What the unpublished part reads."""

    sources: Sources
    roots: Roots

    def steps(
        self, question: Question, horizon: Horizon | None, place: LivePlace, days: Days
    ) -> Iterator[Step[LivePlace]]:
        """What is not published, each node of a root once; a place every so often, and at the end."""
        if question.root is not None:
            return self._root(question, horizon, question.root, RECORDS_MAX_ALONE).steps(place)
        if question.node is not None:
            return self._of_node(question, question.node, horizon, place)
        return self._of_all(question, horizon, place, days)

    def _root(
        self, question: Question, horizon: Horizon | None, root_id: str, records_max: int = RECORDS_MAX
    ) -> RootSearch:
        return RootSearch(self.sources, question, horizon, root_id, records_max=records_max)

    def _of_node(
        self, question: Question, node_id: str, horizon: Horizon | None, place: LivePlace
    ) -> Iterator[Step[LivePlace]]:
        """By the index of nodes: of what has left the table it knows nothing."""
        start: Item | None = {"node_id": {"S": node_id}, "root_id": {"S": place.node}} if place.node else None
        while True:
            page = self.sources.table.page_of_node(node_id, start=start, limit=_NODES_AT_ONCE)
            for item in page.items:
                record = parse_item(item)
                root = self._root(question, horizon, record.root_id)
                if question.matches(record) and not root.is_published(item):
                    yield Step(replace(place, node=record.root_id), Found(record, expiry_of(item), None))
            start = page.last_key
            if start is None:
                return
            yield Step(replace(place, node=start["root_id"]["S"]))

    def _of_all(
        self, question: Question, horizon: Horizon | None, place: LivePlace, days: Days
    ) -> Iterator[Step[LivePlace]]:
        """Root by root, in the order of the SHA-256 of their ids."""
        # A root that is not done is among those after all of its id's SHA-256 but the last digit.
        after = place.root_sha if place.part == "done" else place.root_sha[:-1]
        with ThreadPoolExecutor(READ_CONCURRENCY) as pool:
            for window in self.roots.windows(days, after=after, pool=pool):
                for some in chunks(list(window.roots.items()), READ_CONCURRENCY):
                    searches = self._searches(question, horizon, place, dict(some))
                    for step in _side_by_side(searches, pool):
                        # Roots are begun side by side: none knows of what was too large before it.
                        place = replace(step.place, truncated=step.place.truncated or place.truncated)
                        yield Step(place, step.found)
                place = LivePlace(window.upto, "done", truncated=place.truncated)
                yield Step(place)

    def _searches(
        self, question: Question, horizon: Horizon | None, place: LivePlace, roots: Mapping[str, str | None]
    ) -> list[Iterator[Step[LivePlace]]]:
        """A search of each root that is not done, from its beginning or from the place in it."""
        named = self.sources.pointers.find_by_sha([sha for sha, root_id in roots.items() if root_id is None])
        begun = place if place.part != "done" else None
        return [
            self._root(question, horizon, root_id or named[sha][0]).steps(
                begun if begun and sha == begun.root_sha else LivePlace()
            )
            for sha, root_id in roots.items()
            if sha >= place.root_sha and (root_id or sha in named)
        ]


def _side_by_side(searches: Sequence[Iterator[Step[LivePlace]]], pool: ThreadPoolExecutor) -> Iterator[Step[LivePlace]]:
    """All steps of one search after the other; each is begun at once."""
    for begun, search in zip(pool.map(_begin, searches), searches, strict=True):
        yield from begun
        yield from search


def _begin(steps: Iterator[Step[LivePlace]]) -> list[Step[LivePlace]]:
    """The steps up to the first that is a place."""
    begun: list[Step[LivePlace]] = []
    for step in steps:
        begun.append(step)
        if step.found is None:
            break
    return begun
