"""Routes of the search by Marquez's page with OpenSearch, and their JSON.

There is no index of texts here: names of jobs, of datasets and of columns are searched, as by `/api/v1/search`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import nonblank_text
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez import search_types as types
from headwater.api.route import Services, Within, list_route
from headwater.events.event import TERMINAL
from headwater.facts.words import typed_words
from headwater.queries.results.entities import Job, SearchOptions
from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId, JobId

_TEXT = nonblank_text("q", "The text, in any case; not blank.", "check").required()
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
    searched = _TEXT.read(request)
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
    searched = _TEXT.read(request)
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
    list_route(f"{_SEARCH}/jobs", search_job_texts, Within.SEEN, (_TEXT,), types.JobTextHits),
    list_route(f"{_SEARCH}/datasets", search_dataset_texts, Within.SEEN, (_TEXT,), types.DatasetTextHits),
)
