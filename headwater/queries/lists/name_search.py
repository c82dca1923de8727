"""Jobs and datasets by words of their names: listed ones, with the time of their last event."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from headwater.aws.items import chunks
from headwater.facts.result_page import ResultPage
from headwater.facts.words import has_words, typed_words
from headwater.queries.lists.name_lists import Id, ListedFacts
from headwater.queries.lists.relevance import rank_of
from headwater.queries.lists.word_search import find_names
from headwater.queries.results.entities import SearchHit, SearchSort
from headwater.queries.view import GraphView
from headwater_model.ids import JobId

# Matches whose facts are read: if they are no more than this, all; else as many as fill the page.
CHECKED_MAX = 100
# Matches whose facts are read, if the search is about times.
MATCHES_MAX = 1_000


def search(
    text: str,
    view: GraphView,
    *,
    kind: Literal["job", "dataset"] | None,
    sort: SearchSort,
    limit: int,
    namespace: str | None = None,
    before: str | None = None,
    after: str | None = None,
    within: str = "",
) -> ResultPage[SearchHit]:
    """Return the matches updated from `after` on and before `before`: by name, the best or the last updated first.

    Their namespaces have the words of `within`.

    The index may have names that are hidden, temporary, or another name of a dataset: no page shows these. The total
    counts them if it is above `CHECKED_MAX` and the page was full before they were met.
    """
    names, truncated = find_names(text, view, namespace)
    matches = [name for name in names if has_words(typed_words(within), [name.namespace])]
    matches = [name for name in matches if kind is None or isinstance(name, JobId) == (kind == "job")]
    matches.sort(key=_order_of(text, sort))
    if sort != "updated_at" and before is None and after is None:
        hits, unlisted = _first(matches, limit, view)
        total = len(matches) - unlisted
        return ResultPage(hits[:limit], total, truncated or len(hits) < min(limit, total))
    hits, _ = _first(matches[:MATCHES_MAX], MATCHES_MAX, view)
    hits = [hit for hit in hits if (after is None or hit.updated >= after) and (before is None or hit.updated < before)]
    if sort == "updated_at":
        hits.sort(key=lambda hit: hit.updated, reverse=True)
    return ResultPage(hits[:limit], len(hits), truncated or len(matches) > MATCHES_MAX)


def _order_of(text: str, sort: SearchSort) -> Callable[[Id], tuple[int, str, str, bool]]:
    """Return the order of matches; datasets come before jobs of the same name."""
    by_rank = sort == "relevance"
    return lambda name: (rank_of(name.name, text) if by_rank else 0, name.name, name.namespace, isinstance(name, JobId))


def _first(matches: Sequence[Id], limit: int, view: GraphView) -> tuple[list[SearchHit], int]:
    """Return at least the first `limit` listed matches, and the number of unlisted ones that were skipped."""
    facts, hits, unlisted = ListedFacts(view), list[SearchHit](), 0
    for chunk in chunks(matches[:MATCHES_MAX], max(limit, 1) if len(matches) > CHECKED_MAX else CHECKED_MAX):
        facts.load_facts(chunk)
        listed = [SearchHit(name, updated) for name in chunk if (updated := facts.updated(name)) is not None]
        hits, unlisted = hits + listed, unlisted + len(chunk) - len(listed)
        if len(hits) >= limit:
            break
    return hits, unlisted
