"""The route of search, and how Marquez prints what it found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypedDict, get_args

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_list
from lineage.api.marquez.column_views import column_node_id
from lineage.api.marquez.values import Form, when
from lineage.api.request import HttpRequest
from lineage.api.services import Services
from lineage.graph.entities import SearchHit, Sort
from lineage.queries.columns.results import ColumnHit
from lineage_model.field_paths import print_dotted
from lineage_model.ids import JobId

LIMIT = 10
Kind = Literal["dataset", "job", "column"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# `update_at` is what Marquez's page sends (its Java enum `SearchSort`), `updated_at` what its OpenAPI document has.
SORTS: Mapping[str, Sort] = {"name": "name", "updated_at": "updated_at", "update_at": "updated_at"}


class _Asked(TypedDict):
    """Options that every search may be asked with."""

    sort: Sort
    limit: int
    namespace: str | None
    before: str | None
    after: str | None


def search(services: Services, request: HttpRequest) -> Response[str]:
    """Jobs and datasets, or columns, whose name holds a text, in any case."""
    text, kind = query.required(request, "q"), query.choice(request, "filter", KINDS)
    asked: _Asked = {
        "sort": SORTS[query.choice(request, "sort", tuple(SORTS)) or "name"],
        "limit": query.number(request, "limit", LIMIT, query.LIMIT_MAX),
        "namespace": query.text(request, "namespace"),
        "before": query.moment(request, "before"),
        "after": query.moment(request, "after"),
    }
    if kind == "column":
        columns = services.fields.search_columns(text, **asked)
        return answer_list(services, "results", columns, map(render_column_hit, columns.items))
    hits = services.questions.search(text, kind=kind, **asked)
    return answer_list(services, "results", hits, map(render_hit, hits.items))


def render_column_hit(hit: ColumnHit) -> Form:
    """Return a column as a SearchResult of its dataset, with its `field` beside."""
    return {
        "type": "DATASET_FIELD",
        "name": hit.dataset.name,
        "field": print_dotted(hit.field),
        "updatedAt": when(hit.updated),
        "namespace": hit.dataset.namespace,
        "nodeId": column_node_id(hit.dataset, hit.field),
    }


def render_hit(hit: SearchHit) -> Form:
    """Marquez's SearchResult."""
    return {
        "type": "JOB" if isinstance(hit.id, JobId) else "DATASET",
        "name": hit.id.name,
        "updatedAt": when(hit.updated),
        "namespace": hit.id.namespace,
        "nodeId": hit.id.node_id,
    }
