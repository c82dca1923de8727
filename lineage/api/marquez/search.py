"""The route of search, and how Marquez prints what it found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_list
from lineage.api.marquez.values import Form, when
from lineage.api.request import HttpRequest
from lineage.api.services import Services
from lineage.names import JobId
from lineage.runs.found import Hit, Sort

LIMIT = 10
Kind = Literal["dataset", "job"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# `update_at` is what Marquez's page sends (its Java enum `SearchSort`), `updated_at` what its OpenAPI document has.
SORTS: Mapping[str, Sort] = {"name": "name", "updated_at": "updated_at", "update_at": "updated_at"}


def search(services: Services, request: HttpRequest) -> Response[str]:
    """Jobs and datasets whose name holds a text, in any case."""
    hits = services.questions.search(
        query.required(request, "q"),
        kind=query.choice(request, "filter", KINDS),
        sort=SORTS[query.choice(request, "sort", tuple(SORTS)) or "name"],
        limit=query.number(request, "limit", LIMIT, query.LIMIT_MAX),
        namespace=query.text(request, "namespace"),
        before=query.moment(request, "before"),
        after=query.moment(request, "after"),
    )
    return answer_list(services, "results", hits, map(render_hit, hits.items))


def render_hit(hit: Hit) -> Form:
    """Marquez's SearchResult."""
    return {
        "type": "JOB" if isinstance(hit.id, JobId) else "DATASET",
        "name": hit.id.name,
        "updatedAt": when(hit.updated),
        "namespace": hit.id.namespace,
        "nodeId": hit.id.node_id,
    }
