"""The route of search, the words and filters of its text, and its JSON.

A filter is `tag:`, `owner:` or `ns:`, with a word or a text in quotes behind it.

>>> parse_terms('orders owner:team:finance NS:"gold lake" 2026')
SearchTerms(words='orders 2026', tag=None, owner='team:finance', within='gold lake')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import choice, moment, nonblank_text, number, text
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez import search_types as types
from headwater.api.marquez.parameters import FORM, LIMIT_MAX, is_short
from headwater.api.marquez.responses import respond_list
from headwater.api.marquez.run_views import summarize_run
from headwater.api.route import Services, Within, list_route
from headwater.api.values import when
from headwater.events.event import TERMINAL
from headwater.facts.result_page import ResultPage
from headwater.facts.words import typed_words
from headwater.queries.results.columns import ColumnHit
from headwater.queries.results.entities import Failure, Job, SearchHit, SearchOptions, SearchSort
from headwater.queries.service import LineageQueries
from headwater_model.columns import Column
from headwater_model.errors import Invalid
from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId, JobId

_FILTER_IN_TEXT = re.compile(r'(?:^|(?<=\s))(tag|owner|ns):\s*(?:"([^"]*)"|(\S+))', re.IGNORECASE)
_TERMS = {"tag": "tag", "owner": "owner", "ns": "within"}
_Kind: TypeAlias = Literal["dataset", "job", "column"]
_KINDS: Mapping[str, _Kind] = {"dataset": "dataset", "job": "job", "column": "column"}
# Marquez's page sends `update_at` (its Java enum `SearchSort`), its OpenAPI document has `updated_at`. `relevance` is
# ours.
_SORTS: Mapping[str, SearchSort] = {
    "name": "name",
    "updated_at": "updated_at",
    "update_at": "updated_at",
    "relevance": "relevance",
}
_TEXT = nonblank_text(
    "q",
    "Words, in any order and case, each the beginning of a word of the namespace, the name or the column. "
    "Not blank; it may be left out where `tag` is given. Ours: `tag:pii`, `owner:team-x` and `ns:gold` keep what has "
    "the tag, the owner, or the words in its namespace.",
    "check",
)
_TAG = text("tag", "Ours: only what has this tag, in any case.")
_STATES: Mapping[str, Failure] = {"failing": "FAILED", "warning": "WARNED"}
_STATE = choice(
    "state",
    "Ours: only datasets and jobs with a test that fails, or that fails with the severity `warn`; not beside a tag.",
    _STATES,
)
_FILTER = choice("filter", "Only these; columns are found by this alone, or by `tag`.", _KINDS)
_SORT = choice("sort", "Which come first.", _SORTS).default("name")
_LIMIT = number("limit", "The most results.", least=0, most=LIMIT_MAX).default(10)
_NAMESPACE = text("namespace", "Only in this namespace.")
_BEFORE = moment("before", "Updated before this time.")
_AFTER = moment("after", "Updated at this time or later.")


@dataclass(frozen=True, slots=True)
class SearchTerms:
    """Words of names, a tag, an owner, and words of the namespace."""

    words: str
    tag: str | None = None
    owner: str | None = None
    within: str = ""


def parse_terms(text: str) -> SearchTerms:
    """Parse the terms of a text as a reader types it.

    Raises:
        Invalid: A filter stands twice.
    """
    filters: dict[str, str] = {}
    for name, quoted, word in _FILTER_IN_TEXT.findall(text):
        field = _TERMS[name.lower()]
        if field in filters:
            raise Invalid.because("q", text, f"must have {name.lower()}: once at most")
        filters[field] = quoted or word
    return SearchTerms(" ".join(_FILTER_IN_TEXT.sub(" ", text).split()), **filters)


def search(services: Services, request: HttpRequest) -> Response[str]:
    """Search jobs and datasets, or columns, by words, or by a tag.

    A word begins after a sign, with a capital after a small letter, and with a digit after a letter. Each word of `q`
    must begin a word of the namespace, the name or (of a column) the column. At least one must begin a word of the
    name, or of the column, itself: `orders.customer_id`, `payments silver`. A search reads 1,000 names of each word;
    `truncated` if there are more.

    With a tag and without a filter, columns are found beside jobs and datasets; with an owner, or a state, jobs and
    datasets. A state needs no word.

    With `form=summary` each job has its last run, each dataset the number of its columns, each column its type.

    Returns:
        By name, or the last updated first. By `relevance`: first names equal to the text or with its words at the end,
        then names with its whole words, then names with the text at the beginning, then the rest.
    """
    query, tag, kind = _TEXT.read(request), _TAG.read(request), _FILTER.read(request)
    render = partial(_render_short_hits, services) if is_short(request) else partial(map, render_hit)
    options: SearchOptions = {
        "sort": _SORT.read(request),
        "limit": _LIMIT.read(request),
        "namespace": _NAMESPACE.read(request),
        "before": _BEFORE.read(request),
        "after": _AFTER.read(request),
    }
    state = _STATE.read(request)
    if query is None and tag is None and state is None:
        raise Invalid.because("q", None, "must be given, and not blank")
    terms = parse_terms(query or "")
    hits: ResultPage[Any] = (
        _find(services.queries, terms, tag, kind, options)
        if state is None
        else _find_failing(services.queries, state, terms, tag, kind, options)
    )
    return respond_list(services.links, "results", hits, render(hits.items))


def _find(
    queries: LineageQueries, terms: SearchTerms, tag: str | None, kind: _Kind | None, options: SearchOptions
) -> ResultPage[SearchHit] | ResultPage[ColumnHit] | ResultPage[SearchHit | ColumnHit]:
    if tag is not None and terms.tag is not None:
        raise Invalid.because("tag", tag, "must not stand beside tag: in q")
    options, tag = {**options, "within": terms.within}, tag or terms.tag
    if tag is not None:
        return queries.search_tagged(tag, terms.words, kind=kind, owner=terms.owner, **options)
    if terms.owner is not None:
        if kind == "column":
            raise Invalid.because("filter", kind, "must be dataset or job beside owner:, which no column has")
        return queries.search_owned(terms.owner, terms.words, kind=kind, **options)
    if not terms.words:
        raise Invalid.because("q", terms.within or None, "must have a word of a name, a tag: or an owner:")
    if kind == "column":
        return queries.search_columns(terms.words, **options)
    return queries.search(terms.words, kind=kind, **options)


def _find_failing(
    queries: LineageQueries,
    state: Failure,
    terms: SearchTerms,
    tag: str | None,
    kind: _Kind | None,
    options: SearchOptions,
) -> ResultPage[SearchHit | ColumnHit]:
    if tag is not None or terms.tag is not None or terms.owner is not None:
        raise Invalid.because("state", state, "must not stand beside a tag or an owner")
    if kind == "column":
        raise Invalid.because("filter", kind, "must be dataset or job beside state, which no column has")
    options = {**options, "within": terms.within}
    return queries.search_failing(state, terms.words, kind=kind, **options)


def _render_short_hits(
    services: Services, hits: Sequence[SearchHit | ColumnHit]
) -> Iterator[types.ShortJobHit | types.ShortDatasetHit | types.ShortColumnHit]:
    """Yield the hits with their jobs and datasets in short, all read at once."""
    named = [hit for hit in hits if isinstance(hit, SearchHit)]
    jobs = services.queries.short_jobs([hit.id for hit in named if isinstance(hit.id, JobId)])
    datasets = services.queries.short_datasets([hit.id for hit in named if isinstance(hit.id, DatasetId)])
    for hit in hits:
        if isinstance(hit, ColumnHit):
            yield {**render_hit(hit), "fieldType": hit.type}
        elif isinstance(hit.id, JobId):
            run = jobs[hit.id].latest_run if hit.id in jobs else None
            yield {**render_hit(hit), "latestRun": None if run is None else summarize_run(run)}
        else:
            yield {**render_hit(hit), "fieldCount": len(datasets[hit.id].fields) if hit.id in datasets else 0}


def render_hit(hit: SearchHit | ColumnHit) -> types.SearchHit:
    """Render Marquez's SearchResult; a column as a hit of its dataset, with its `field` beside."""
    if isinstance(hit, ColumnHit):
        return {
            "type": "DATASET_FIELD",
            "name": hit.dataset.name,
            "field": print_dotted(hit.field),
            "updatedAt": when(hit.updated),
            "namespace": hit.dataset.namespace,
            "nodeId": Column(hit.dataset, hit.field).node_id,
        }
    return {
        "type": "JOB" if isinstance(hit.id, JobId) else "DATASET",
        "name": hit.id.name,
        "updatedAt": when(hit.updated),
        "namespace": hit.id.namespace,
        "nodeId": hit.id.node_id,
    }


_SEARCHED = nonblank_text("q", "The text, in any case; not blank.", "check").required()
# As many hits as OpenSearch returns.
_OPTIONS: SearchOptions = {"sort": "relevance", "limit": 10}
# OpenSearch's name for a match in a column.
_COLUMNS = "facets.schema.fields.name"
# The type of event for a run's state; for every other state, START.
_EVENT_TYPES: Mapping[str, str] = {"RUNNING": "RUNNING"} | {state: kind for kind, state in TERMINAL.items()}


def search_job_texts(services: Services, request: HttpRequest) -> Response[str]:
    """Search the ten jobs with the best names for a text, as Marquez does with OpenSearch.

    Returns:
        The jobs with their last run, and each with its matches; facets are left out.
    """
    searched = _SEARCHED.read(request)
    page = services.queries.search(searched, kind="job", **_OPTIONS)
    ids = [hit.id for hit in page.items if isinstance(hit.id, JobId)]
    jobs = services.queries.short_jobs(ids)
    hits = [render_job_hit(job_id, jobs.get(job_id)) for job_id in ids]
    highlights = [{"name": [mark(job_id.name, searched)]} for job_id in ids]
    return respond_json(services.links, {"hits": hits, "highlights": highlights})


def search_dataset_texts(services: Services, request: HttpRequest) -> Response[str]:
    """Search the ten datasets with the best names, or columns' names, for a text, as Marquez does with OpenSearch.

    Returns:
        The datasets with their schemas, matches of datasets' names first, and each with its matches.
    """
    searched = _SEARCHED.read(request)
    named = services.queries.search(searched, kind="dataset", **_OPTIONS)
    columns = services.queries.search_columns(searched, **_OPTIONS)
    # Matches of datasets' names first, then of their columns' names.
    matches: dict[DatasetId, dict[str, list[str]]] = {
        hit.id: {"name": [hit.id.name]} for hit in named.items if isinstance(hit.id, DatasetId)
    }
    for column in columns.items:
        matches.setdefault(column.dataset, {}).setdefault(_COLUMNS, []).append(print_dotted(column.field))
    ids = list(matches)[: _OPTIONS["limit"]]
    datasets = services.queries.short_datasets(ids)
    hits: list[types.DatasetTextHit] = [
        {
            "run_id": None,
            "name": dataset_id.name,
            "namespace": dataset_id.namespace,
            "eventType": None,
            "facets": {"schema": {"fields": [dict(field) for field in datasets[dataset_id].fields]}}
            if dataset_id in datasets
            else {},
        }
        for dataset_id in ids
    ]
    highlights = [
        {name: [mark(text, searched) for text in texts] for name, texts in matches[dataset_id].items()}
        for dataset_id in ids
    ]
    return respond_json(services.links, {"hits": hits, "highlights": highlights})


def render_job_hit(job_id: JobId, job: Job | None) -> types.JobTextHit:
    """Render a job as Marquez indexes it in OpenSearch."""
    run = job.latest_run if job else None
    return {
        "run_id": run.id if run else None,
        "name": job_id.name,
        "namespace": job_id.namespace,
        "eventType": _EVENT_TYPES.get(run.state, "START") if run else None,
        "type": job.type if job else "BATCH",
        "facets": {},
        "runFacets": {},
    }


def mark(text: str, searched: str) -> str:
    """Mark the searched words in a text, as OpenSearch does.

    >>> mark("emissions.Check", "check emis")
    '<em>emis</em>sions.<em>Check</em>'
    """
    words = "|".join(map(re.escape, sorted(typed_words(searched), key=len, reverse=True)))
    return re.sub(words, lambda match: f"<em>{match[0]}</em>", text, flags=re.IGNORECASE) if words else text


_SEARCH = "/api/v2beta/search"
ROUTES = (
    list_route(
        "/api/v1/search",
        search,
        Within.SEEN,
        (_TEXT, _TAG, _STATE, _FILTER, _SORT, _LIMIT, _NAMESPACE, _BEFORE, _AFTER, FORM),
        types.SearchResults | types.ShortSearchResults,
    ),
    list_route(f"{_SEARCH}/jobs", search_job_texts, Within.SEEN, (_SEARCHED,), types.JobTextHits),
    list_route(f"{_SEARCH}/datasets", search_dataset_texts, Within.SEEN, (_SEARCHED,), types.DatasetTextHits),
)
