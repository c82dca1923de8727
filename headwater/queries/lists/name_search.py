"""Jobs and datasets by words of their names: listed names, with the time of their last event.

Each typed word must begin a word of the namespace, the name or the column; and a typed word must begin a word of the
name or the column itself. So every match has a row under a typed word; the row holds the words to check the rest.
Equal names are first, then names with the text as whole words, then the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeVar

from typing_extensions import Unpack

from headwater.aws.items import chunks
from headwater.facts.facts import dataset_of, job_of
from headwater.facts.result_page import ResultPage
from headwater.facts.visibility import EVERYTHING, Visibility
from headwater.facts.words import EVERY_NAMESPACE, has_words, read_documents, typed_words
from headwater.queries.lists.name_lists import Id, ListedFacts
from headwater.queries.results.columns import ColumnHit
from headwater.queries.results.entities import SearchHit, SearchOptions, SearchSort
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId, namespace_hash
from headwater_model.partitions import trim_partitions

AnyHit = TypeVar("AnyHit", bound="SearchHit | ColumnHit")
# A caller with more namespaces reads the names of all namespaces, and keeps the visible names.
_SCOPES_MAX = 4
# The ranks of names with the words of a text.
_EQUAL, _LAST, _WHOLE, _BEGINNING, _REST = range(5)
# Matches with read facts: all, up to this number; of more matches, as many as fill the page.
CHECKED_MAX = 100
# Matches with read facts in a search by time.
MATCHES_MAX = 1_000


def find_names(text: str, view: GraphView, namespace: str | None) -> tuple[set[JobId | DatasetId], bool]:
    """Find the visible names with the words, hidden names too; return true, too, if names were not read."""
    typed = typed_words(text)
    documents, cut = read_documents("NAME", _scopes(namespace, view.caller), typed, view)
    read = (job_of(data["job"]) if "job" in data else dataset_of(data["dataset"]) for data in documents)
    names = {
        name
        for name in set(read)
        if namespace in (None, name.namespace) and view.sees(name)
        if has_words(typed, (name.namespace, name.name))
    }
    return names, cut


def find_columns(text: str, view: GraphView, namespace: str | None) -> tuple[set[tuple[str, DatasetId]], bool]:
    """Find paths of columns with the words, with the datasets as written; return true, too, if rows were not read.

    A dataset of another namespace may be an alias of a visible dataset.
    """
    typed = typed_words(text)
    scopes = dict.fromkeys((*_scopes(namespace, view.caller), EVERY_NAMESPACE))
    documents, cut = read_documents("COLUMN", list(scopes), typed, view)
    candidates = {
        (path, dataset_of(data["dataset"])) for data in documents for path in data.get("fields") or (data["field"],)
    }
    columns = {
        (path, dataset) for path, dataset in candidates if has_words(typed, (path, dataset.name, dataset.namespace))
    }
    return columns, cut


def _scopes(namespace: str | None, visibility: Visibility) -> list[str]:
    names = visibility.namespaces if namespace is None else [namespace]
    if visibility is EVERYTHING and namespace is None:
        return [EVERY_NAMESPACE]
    if len(names) > _SCOPES_MAX or any(name.endswith("*") for name in names):
        return [EVERY_NAMESPACE]
    return [namespace_hash(name) for name in names]


def rank_of(name: str, text: str) -> int:
    """Rank a name with the words of the text, in any case; the least is the best.

    The order: a name equal to the text; a name with the text's words at its end; a name with each word of the text;
    a name that begins with the text; the rest.

    >>> [rank_of(name, "check") for name in ("CHECK", "emissions.check", "check_all", "checked", "emissions.checks")]
    [0, 1, 2, 3, 4]
    """
    lowered, phrase = name.lower(), text.strip().lower()
    if lowered == phrase:
        return _EQUAL
    typed = typed_words(text)
    held = typed_words(name)
    if held[-len(typed) :] == typed:
        return _LAST
    if set(typed) <= set(held):
        return _WHOLE
    return _BEGINNING if lowered.startswith(phrase) else _REST


def search(
    view: GraphView, text: str, *, kind: Literal["job", "dataset"] | None, **options: Unpack[SearchOptions]
) -> ResultPage[SearchHit]:
    """Search the jobs and datasets with the words of the text in their names (see `words`).

    If there are none, the text may be a dataset's name with partitions that were trimmed.
    """
    hits = _search(view, text, kind=kind, **options)
    if hits.total or kind == "job" or not view.trim_partitions or (trimmed := trim_partitions(text)) == text:
        return hits
    return _search(view, trimmed, kind="dataset", **options)


def _search(
    view: GraphView, text: str, *, kind: Literal["job", "dataset"] | None, **options: Unpack[SearchOptions]
) -> ResultPage[SearchHit]:
    """List the matches by name, the best or the last updated first.

    The index may have hidden and temporary names, and aliases: no page shows them. The total counts the unread among
    them if it is above `CHECKED_MAX`.
    """
    limit, within = options["limit"], typed_words(options.get("within", ""))
    names, truncated = find_names(text, view, options.get("namespace"))
    matches = [name for name in names if has_words(within, [name.namespace])]
    matches = [name for name in matches if kind is None or isinstance(name, JobId) == (kind == "job")]
    matches.sort(key=_order_of(text, options["sort"]))
    if not is_by_time(options):
        hits, unlisted = _first(matches, limit, view)
        total = len(matches) - unlisted
        return ResultPage(hits[:limit], total, truncated or len(hits) < min(limit, total))
    hits, _ = _first(matches[:MATCHES_MAX], MATCHES_MAX, view)
    truncated |= len(matches) > MATCHES_MAX
    return page_by_time(hits, options, truncated=truncated)


def is_by_time(options: SearchOptions) -> bool:
    """True if the times of the hits count: `{"sort": "updated_at", ...}`, or with a limit of times."""
    return options["sort"] == "updated_at" or (options.get("before"), options.get("after")) != (None, None)


def page_by_time(hits: Iterable[AnyHit], options: SearchOptions, *, truncated: bool) -> ResultPage[AnyHit]:
    """Take the hits within the times of the options: in the given order, or the last updated first."""
    after, before = options.get("after") or "", options.get("before") or "~"
    page = [hit for hit in hits if after <= hit.updated < before]
    if options["sort"] == "updated_at":
        page.sort(key=lambda hit: hit.updated, reverse=True)
    return ResultPage(page[: options["limit"]], len(page), truncated)


def _order_of(text: str, sort: SearchSort) -> Callable[[Id], tuple[int, str, str, bool]]:
    """Make the sort key of matches; datasets come before jobs of the same name."""
    by_rank = sort == "relevance"
    return lambda name: (rank_of(name.name, text) if by_rank else 0, name.name, name.namespace, isinstance(name, JobId))


def _first(matches: Sequence[Id], limit: int, view: GraphView) -> tuple[list[SearchHit], int]:
    """Read at least the first `limit` listed matches; count the skipped unlisted matches."""
    facts, hits, unlisted = ListedFacts(view), list[SearchHit](), 0
    for chunk in chunks(matches[:MATCHES_MAX], max(limit, 1) if len(matches) > CHECKED_MAX else CHECKED_MAX):
        facts.load_facts(chunk)
        listed = [SearchHit(name, updated) for name in chunk if (updated := facts.updated(name)) is not None]
        hits, unlisted = hits + listed, unlisted + len(chunk) - len(listed)
        if len(hits) >= limit:
            break
    return hits, unlisted
