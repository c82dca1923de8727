"""The routes of reports on a field."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import orjson
from aws_lambda_powertools.event_handler import Response

from lineage.api.answers import CSV, answer_within
from lineage.api.marquez import query
from lineage.api.marquez.answers import found
from lineage.api.marquez.values import Form
from lineage.api.reports.tables import provenance_table, usage_table
from lineage.api.reports.views import render_provenance, render_usage
from lineage.api.request import HttpRequest
from lineage.api.route import Route
from lineage.api.services import Services
from lineage.api.time_range import parse_range
from lineage.queries.columns.results import TimeRange
from lineage_model.columns import Column
from lineage_model.ids import DatasetId, FieldPath

T = TypeVar("T")

PARAMETERS = ("nodeId", "start", "end", "format")
FORMATS = ("json", "csv")
_KINDS = frozenset({"application/json", "text/csv"})


def get_usage(services: Services, request: HttpRequest) -> Response[str]:
    """How a field was consumed: which runs used it, and what it flowed into."""
    return _report(services, request, services.fields.report_usage, render_usage, usage_table)


def get_provenance(services: Services, request: HttpRequest) -> Response[str]:
    """Where a field came from: its true sources, and the operations on the way."""
    return _report(services, request, services.fields.report_provenance, render_provenance, provenance_table)


def _report(
    services: Services,
    request: HttpRequest,
    ask: Callable[[DatasetId, FieldPath, TimeRange], T],
    as_json: Callable[[T], Form],
    as_table: Callable[[T], str],
) -> Response[str]:
    request.take_only(PARAMETERS)
    is_table = _is_table(request)
    column, window = _asked(services, request)
    report = ask(column.dataset, column.field, window)
    if is_table:
        name = request.event.path.rpartition("/")[2]
        headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
        return answer_within(services, as_table(report).encode(), CSV, headers)
    return answer_within(services, orjson.dumps(as_json(report)))


def _asked(services: Services, request: HttpRequest) -> tuple[Column, TimeRange]:
    node_id = query.required(request, "nodeId")
    window = parse_range(request, services.now_s()).window
    return found(services.fields.find_field(node_id), "Node", node_id), window


def _is_table(request: HttpRequest) -> bool:
    """Whether a table is asked for: by `format`, or by the first kind that Accept names of those we have."""
    chosen = query.choice(request, "format", FORMATS)
    if chosen is not None:
        return chosen == "csv"
    accepted = (one.partition(";")[0].strip() for one in (request.event.headers.get("Accept") or "").lower().split(","))
    return next((kind for kind in accepted if kind in _KINDS), None) == "text/csv"


ROUTES = (
    Route("GET", "/api/v1/reports/usage", get_usage),
    Route("GET", "/api/v1/reports/provenance", get_provenance),
)
