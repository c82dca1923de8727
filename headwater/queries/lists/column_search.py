"""Columns by words of their names, of their datasets and of their namespaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from typing_extensions import Unpack

from headwater.aws.items import chunks
from headwater.facts.result_page import ResultPage
from headwater.facts.words import has_words, typed_words
from headwater.queries.lists.name_search import find_columns, is_by_time, page_by_time, rank_of
from headwater.queries.results.columns import ColumnHit
from headwater.queries.results.entities import SearchOptions, SearchSort
from headwater.queries.view import GraphView
from headwater.queries.view.descriptions import is_temporary
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId

# A column's path as text, and its dataset as written.
_Match: TypeAlias = tuple[str, DatasetId]
# Matches read: as many as fill the page if sorted by name, else up to this number.
MATCHES_MAX = 1_000
# Matches in datasets of further namespaces: they may be aliases of a visible dataset.
_ELSEWHERE_MAX = 100


def search_columns(view: GraphView, text: str, **options: Unpack[SearchOptions]) -> ResultPage[ColumnHit]:
    """List the columns with the words of the text, by name, or the best or the last updated first.

    The index has all past columns, too. A read drops the columns that no longer exist: no page shows them, but the
    total counts the unread among them.
    """
    limit, namespace, within = options["limit"], options.get("namespace"), typed_words(options.get("within", ""))
    candidates, truncated = find_columns(text, view, namespace)

    def is_wanted(dataset: DatasetId) -> bool:
        if namespace not in (None, dataset.namespace) or not has_words(within, [dataset.namespace]):
            return False
        return view.sees(dataset)

    # The wanted matches come first; a match elsewhere may be an alias of a wanted dataset.
    order = _order_of(text, options["sort"])
    matches = sorted((match for match in candidates if is_wanted(match[1])), key=order)
    elsewhere = sorted((match for match in candidates if not is_wanted(match[1])), key=order)
    truncated |= len(elsewhere) > _ELSEWHERE_MAX
    reader = _Reader(view, is_wanted)
    # By name or rank, read until the page is full.
    if not is_by_time(options):
        reader.read(matches, limit)
        unread = len(matches) - reader.number
        reader.read(elsewhere[:_ELSEWHERE_MAX], limit)
        hits = sorted(reader.hits.values(), key=lambda hit: order((".".join(hit.field), hit.dataset)))
        return ResultPage(hits[:limit], len(hits) + unread, truncated)
    # By time, read up to `MATCHES_MAX` matches: their facts have the times.
    reader.read([*matches[:MATCHES_MAX], *elsewhere[:_ELSEWHERE_MAX]], MATCHES_MAX)
    hits = sorted(reader.hits.values(), key=lambda hit: order((".".join(hit.field), hit.dataset)))
    truncated |= len(matches) > MATCHES_MAX
    return page_by_time(hits, options, truncated=truncated)


def _order_of(text: str, sort: SearchSort) -> Callable[[_Match], tuple[int, str, DatasetId]]:
    by_rank = sort == "relevance"
    return lambda match: (rank_of(match[0], text) if by_rank else 0, *match)


class _Reader:
    """A reader of columns: existing columns in a listed and wanted dataset, each under its primary name."""

    def __init__(self, view: GraphView, is_wanted: Callable[[DatasetId], bool]) -> None:
        self._view, self._is_wanted = view, is_wanted
        self.hits: dict[_Match, ColumnHit] = {}
        # Matches read so far.
        self.number = 0

    def read(self, matches: Sequence[_Match], limit: int) -> None:
        """Read matches until the hits fill a page."""
        for batch in chunks(matches[:MATCHES_MAX], max(limit, 1)):
            if len(self.hits) >= limit:
                return
            self._view.load_columns({dataset for _, dataset in batch})
            self.number += len(batch)
            for path, dataset in batch:
                hit = self._hit(path, dataset)
                if hit is not None:
                    self.hits[path, hit.dataset] = hit

    def _hit(self, text: str, dataset: DatasetId) -> ColumnHit | None:
        path, entry = parse_dotted(text), self._view.columns(dataset)
        if entry is None or not self._is_wanted(entry.group.primary):
            return None
        if not entry.group.known or is_temporary(entry.group.facts):
            return None
        if entry.schema.known and path not in entry.schema.types and path not in entry.columns.fields:
            return None
        return ColumnHit(entry.group.primary, path, entry.group.facts.last or "", entry.type_of(path))
