"""Candidates of a search, from the index of words.

Each typed word must begin a word of the namespace, the name or the column, and one of them a word of what is searched
itself. So every match has a row under one of the words; the rows hold what decides about the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from headwater.facts.facts import dataset_of, job_of
from headwater.facts.table import RowPage
from headwater.facts.visibility import EVERYTHING, Visibility
from headwater.facts.words import EVERY_NAMESPACE, TYPED_MAX, Kind, has_words, typed_words, word_queries
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId, namespace_hash

# A caller with more namespaces reads the names of all namespaces, and keeps its own.
_SCOPES_MAX = 4


def find_names(text: str, view: GraphView, namespace: str | None) -> tuple[set[JobId | DatasetId], bool]:
    """Return the visible names, hidden ones too, that have the words; and true if some were not read."""
    typed = typed_words(text)
    pages = _pages("NAME", typed, _scopes(namespace, view.caller), view)
    read = (job_of(data["job"]) if "job" in data else dataset_of(data["dataset"]) for data in _documents(pages))
    names = {
        name
        for name in set(read)
        if namespace in (None, name.namespace) and view.caller.sees(name)
        if has_words(typed, (name.namespace, name.name))
    }
    return names, _is_cut(typed, pages)


def find_columns(text: str, view: GraphView, namespace: str | None) -> tuple[set[tuple[str, DatasetId]], bool]:
    """Return paths of columns that have the words, with the datasets as written; and true if some were not read.

    A dataset of another namespace may be another name of a visible one.
    """
    typed = typed_words(text)
    scopes = dict.fromkeys((*_scopes(namespace, view.caller), EVERY_NAMESPACE))
    pages = _pages("COLUMN", typed, list(scopes), view)
    candidates = {(data["field"], dataset_of(data["dataset"])) for data in _documents(pages)}
    columns = {
        (path, dataset) for path, dataset in candidates if has_words(typed, (path, dataset.name, dataset.namespace))
    }
    return columns, _is_cut(typed, pages)


def _scopes(namespace: str | None, visibility: Visibility) -> list[str]:
    names = visibility.namespaces if namespace is None else [namespace]
    if visibility is EVERYTHING and namespace is None:
        return [EVERY_NAMESPACE]
    if len(names) > _SCOPES_MAX or any(name.endswith("*") for name in names):
        return [EVERY_NAMESPACE]
    return [namespace_hash(name) for name in names]


def _pages(kind: Kind, typed: Sequence[str], scopes: Sequence[str], view: GraphView) -> list[RowPage]:
    queries = [query for word in typed[:TYPED_MAX] for query in word_queries(kind, scopes, word)] if scopes else []
    return view.query(queries)


def _is_cut(typed: Sequence[str], pages: Sequence[RowPage]) -> bool:
    return len(typed) > TYPED_MAX or any(page.more for page in pages)


def _documents(pages: Sequence[RowPage]) -> Iterator[Mapping[str, str]]:
    return (row.data for page in pages for row in page.rows)
