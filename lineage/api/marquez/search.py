"""The route of search, and how Marquez prints what it found."""

from __future__ import annotations

from typing import Literal, get_args

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_list
from lineage.api.marquez.values import Form, when
from lineage.api.request import HttpRequest
from lineage.api.services import Services
from lineage.names import JobId
from lineage.runs.found import Hit

LIMIT = 10
Kind = Literal["dataset", "job"]
Sort = Literal["name", "updated_at"]
KINDS: tuple[Kind, ...] = get_args(Kind)
SORTS: tuple[Sort, ...] = get_args(Sort)


def search(services: Services, request: HttpRequest) -> Response[str]:
    """Jobs and datasets whose name holds a text, in any case."""
    hits = services.questions.search(
        query.required(request, "q"),
        kind=query.choice(request, "filter", KINDS),
        sort=query.choice(request, "sort", SORTS) or "name",
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
