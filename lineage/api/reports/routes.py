"""Routes of reports on a field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from aws_lambda_powertools.event_handler import Response

from lineage.api.links import respond_json, respond_or_link
from lineage.api.marquez.responses import require
from lineage.api.parameters import choice, required_text
from lineage.api.reports import types
from lineage.api.reports.tables import provenance_table, usage_table
from lineage.api.reports.views import render_provenance, render_usage
from lineage.api.request import HttpRequest
from lineage.api.requested_range import END, START, read_range
from lineage.api.responses import CSV, JSON
from lineage.api.route import Handler, Route
from lineage.api.services import Services
from lineage.queries.columns.results import TimeRange
from lineage_model.columns import Column
from lineage_model.ids import DatasetId, FieldPath

T = TypeVar("T")

_NODE_ID = required_text(
    "nodeId", "`datasetField:<namespace>:<dataset>:<field>`.", "datasetField:s3://flights:estimated:co2_kg"
)
_IS_TABLE = choice("format", "Without it `Accept: text/csv` requests a table.", {"json": False, "csv": True})
_PARAMETERS = (_NODE_ID, START, END, _IS_TABLE)
_KINDS = frozenset({"application/json", "text/csv"})


def report_usage(services: Services, request: HttpRequest) -> Response[str]:
    """Report the runs that used a field in a time range, and the columns that it flowed into.

    In a table, `section` names the subject of a row: `query` is the first, `truncated` the last if there was more.
    Every cell is quoted. Cells that a spreadsheet would compute begin with an apostrophe.

    Returns:
        The report.
    """
    return _report(services, request, services.queries.report_usage, render_usage, usage_table)


def report_provenance(services: Services, request: HttpRequest) -> Response[str]:
    """Report the columns that a field came from in a time range, and the operations on the way.

    In a table, `section` names the subject of a row: `query` is the first, `truncated` the last if there was more.
    Every cell is quoted. Cells that a spreadsheet would compute begin with an apostrophe.

    Returns:
        The report.
    """
    return _report(services, request, services.queries.report_provenance, render_provenance, provenance_table)


def _report(
    services: Services,
    request: HttpRequest,
    find: Callable[[DatasetId, FieldPath, TimeRange], T],
    as_json: Callable[[T], Mapping[str, object]],
    as_table: Callable[[T], str],
) -> Response[str]:
    request.take_only([parameter.name for parameter in _PARAMETERS])
    is_table = _is_table(request)
    column, window = _read(services, request)
    report = find(column.dataset, column.field, window)
    if is_table:
        name = request.event.path.rpartition("/")[2]
        headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
        return respond_or_link(services.links, as_table(report).encode(), CSV, headers)
    return respond_json(services.links, as_json(report))


def _read(services: Services, request: HttpRequest) -> tuple[Column, TimeRange]:
    node_id = _NODE_ID.read(request)
    window = read_range(request, services.now_s()).window
    return require(services.queries.find_field(node_id), "Node", node_id), window


def _is_table(request: HttpRequest) -> bool:
    """True if a table is requested: by `format`, or by the first kind that Accept names of those we have."""
    chosen = _IS_TABLE.read(request)
    if chosen is not None:
        return chosen
    accepted = (one.partition(";")[0].strip() for one in (request.event.headers.get("Accept") or "").lower().split(","))
    return next((kind for kind in accepted if kind in _KINDS), None) == "text/csv"


def _route(name: str, handler: Handler, returns: object) -> Route:
    return Route(
        "GET",
        f"/api/v1/reports/{name}",
        handler,
        parameters=_PARAMETERS,
        returns=returns,
        content_types=(JSON, CSV),
        headers=("Content-Disposition",),
    )


ROUTES = (
    _route("usage", report_usage, types.UsageReport),
    _route("provenance", report_provenance, types.ProvenanceReport),
)
