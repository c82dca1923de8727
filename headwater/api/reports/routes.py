"""Routes of reports: on a column or a tag, on impact, and on all jobs and datasets."""

from __future__ import annotations

from collections.abc import Mapping

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import END, START, AnyParameter, choice, nonblank_text, number, read_range
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import CSV, JSON, respond_json, respond_or_link
from headwater.api.marquez.parameters import DEPTH_MAX, LIMIT, OFFSET, read_paging
from headwater.api.marquez.responses import require
from headwater.api.reports import types
from headwater.api.reports.column_reports import (
    provenance_table,
    render_provenance,
    render_tag_usage,
    render_usage,
    tag_table,
    usage_table,
)
from headwater.api.reports.impact import column_impact_table, impact_table, render_column_impact, render_impact
from headwater.api.reports.overviews import coverage_table, render_broken, render_coverage, render_similar
from headwater.api.route import Handler, Route, Services, Within
from headwater.queries.results.columns import TimeRange
from headwater.times import from_seconds
from headwater_model.columns import Column
from headwater_model.errors import Invalid

_EXAMPLE = "datasetField:s3://flights:estimated:co2_kg"
_NODE_ID = nonblank_text("nodeId", "`datasetField:<namespace>:<dataset>:<field>`.", _EXAMPLE).required()
_IS_TABLE = choice("format", "Without it `Accept: text/csv` requests a table.", {"json": False, "csv": True})
_PARAMETERS = (_NODE_ID, START, END, _IS_TABLE)
_NODE_ID_OR_TAG = nonblank_text(
    "nodeId", "`datasetField:<namespace>:<dataset>:<field>`; either this or `tag`.", _EXAMPLE
)
_TAG = nonblank_text("tag", "Ours: all columns with this tag, in any case, in place of one column.", "PII")
_USAGE_PARAMETERS = (_NODE_ID_OR_TAG, _TAG, START, END, _IS_TABLE)
_GRAPH_NODE_ID = nonblank_text(
    "nodeId",
    "`dataset:<namespace>:<name>`, `job:<namespace>:<name>` or `datasetField:<namespace>:<name>:<field>`.",
    "dataset:s3://flights:checked",
).required()
_DEPTH = number(
    "depth",
    "How many jobs further: 0 is the job itself, or the jobs that read the dataset or column. So below a dataset, 1 "
    "lists two jobs in a row; below a job, one.",
    least=0,
    most=DEPTH_MAX,
).default(20)
_OF_IMPACT = (_GRAPH_NODE_ID, _DEPTH, _IS_TABLE)
_NAMESPACE = nonblank_text("namespace", "Only jobs of this namespace.", "emissions")
_OWNER = nonblank_text("owner", "Only jobs of this owner.", "team:flights")
_DAYS = number("days", "A job without an event for so many days is silent.", least=1, most=3650).default(30)
_OF_COVERAGE = (_NAMESPACE, _DAYS, _IS_TABLE)
_KINDS = frozenset({"application/json", "text/csv"})
_FIELD_KINDS = ("datasetField:", "dataset_field:")


def report_usage(services: Services, request: HttpRequest) -> Response[str]:
    """Report the runs that used a field in a time range, and the columns that it flowed into.

    With `tag` in place of `nodeId`: every column that has the tag now, and those made of them without masking.

    In a table, `section` names the subject of a row: `query` is the first, `truncated` the last if there was more.
    Every cell is quoted. Cells that a spreadsheet would compute begin with an apostrophe.

    Returns:
        The report.
    """
    request.refuse_unknown([parameter.name for parameter in _USAGE_PARAMETERS])
    is_table = _is_table(request)
    node_id, tag = _NODE_ID_OR_TAG.read(request), _TAG.read(request)
    if (node_id is None) == (tag is None):
        raise Invalid.because("nodeId", node_id, "must be given, or else tag, and not both")
    if tag is not None:
        tagged = services.queries.report_tag(tag, read_range(request, services.now_s()).time_range)
        return _respond(services, request, tag_table(tagged) if is_table else render_tag_usage(tagged))
    column, time_range = _read(services, request)
    usage = services.queries.report_usage(column.dataset, column.field, time_range)
    return _respond(services, request, usage_table(usage) if is_table else render_usage(usage))


def report_provenance(services: Services, request: HttpRequest) -> Response[str]:
    """Report the columns that a field came from in a time range, and the operations on the way.

    In a table, `section` names the subject of a row: `query` is the first, `truncated` the last if there was more.
    Every cell is quoted. Cells that a spreadsheet would compute begin with an apostrophe.

    Returns:
        The report.
    """
    request.refuse_unknown([parameter.name for parameter in _PARAMETERS])
    is_table = _is_table(request)
    column, time_range = _read(services, request)
    provenance = services.queries.report_provenance(column.dataset, column.field, time_range)
    return _respond(services, request, provenance_table(provenance) if is_table else render_provenance(provenance))


def report_impact(services: Services, request: HttpRequest) -> Response[str]:
    """Report everything downstream of a job, a dataset or a column now, with its last runs and the way there.

    Of a column: the columns derived from it, the jobs that make these, and their datasets. In a table, `section` names
    the subject of a row: `query` is the first, `truncated` the last if there was more. Every cell is quoted. Cells that
    a spreadsheet would compute begin with an apostrophe. The last column of the table of a job or dataset is
    `readsOtherPart`.

    Returns:
        The report, nearest first.
    """
    request.refuse_unknown([parameter.name for parameter in _OF_IMPACT])
    is_table, node_id, depth = _is_table(request), _GRAPH_NODE_ID.read(request), _DEPTH.read(request)
    if node_id.startswith(_FIELD_KINDS):
        derived = require(services.queries.report_column_impact(node_id, depth=depth), "Node", node_id)
        return _respond(services, request, column_impact_table(derived) if is_table else render_column_impact(derived))
    impact = require(services.queries.report_impact(node_id, depth=depth), "Node", node_id)
    return _respond(services, request, impact_table(impact) if is_table else render_impact(impact))


def report_coverage(services: Services, request: HttpRequest) -> Response[str]:
    """Report how many jobs report columns, datasets alone, or nothing, by namespace and by producer.

    A job counts by its last run with datasets. In a table each row is a job. Every cell is quoted. Cells that a
    spreadsheet would compute begin with an apostrophe.

    Returns:
        The report; the jobs by namespace and name.
    """
    request.refuse_unknown([parameter.name for parameter in _OF_COVERAGE])
    is_table, namespace, days = _is_table(request), _NAMESPACE.read(request), _DAYS.read(request)
    since = from_seconds(services.now_s() - days * 86_400)
    coverage = services.queries.report_coverage(namespace, since=since)
    return _respond(services, request, coverage_table(coverage) if is_table else render_coverage(coverage))


def report_broken(services: Services, request: HttpRequest) -> Response[str]:
    """Report the jobs that fail since their last good run, with the number of datasets that wait for each.

    If only a task of a job fails, the task is listed, not the job. One walk counts the datasets below all of them.

    Returns:
        What holds up most datasets first.
    """
    limit, offset = read_paging(request)
    broken = services.queries.report_broken(owner=_OWNER.read(request), limit=limit, offset=offset)
    return respond_json(services.links, render_broken(broken))


def report_similar(services: Services, _request: HttpRequest) -> Response[str]:
    """Report the datasets that are likely the same under several names, for rules of names to join.

    The last part of their names and all their columns are equal. Of datasets with equal last parts, 2,000 are compared.

    Returns:
        Groups of datasets, by the first of each.
    """
    return respond_json(services.links, render_similar(services.queries.report_similar()))


def _respond(services: Services, request: HttpRequest, report: str | Mapping[str, object]) -> Response[str]:
    """Return a report: text is a table, in a file of its route's name."""
    if not isinstance(report, str):
        return respond_json(services.links, report)
    name = request.event.path.rpartition("/")[2]
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"'}
    return respond_or_link(services.links, report.encode(), CSV, headers)


def _read(services: Services, request: HttpRequest) -> tuple[Column, TimeRange]:
    node_id = _NODE_ID.read(request)
    time_range = read_range(request, services.now_s()).time_range
    return require(services.queries.find_field(node_id), "Node", node_id), time_range


def _is_table(request: HttpRequest) -> bool:
    """True if a table is requested: by `format`, or by the first kind that Accept names of those we have."""
    chosen = _IS_TABLE.read(request)
    if chosen is not None:
        return chosen
    accepted = (
        kind.partition(";")[0].strip() for kind in (request.event.headers.get("Accept") or "").lower().split(",")
    )
    return next((kind for kind in accepted if kind in _KINDS), None) == "text/csv"


def _route(name: str, handler: Handler, within: Within, parameters: tuple[AnyParameter, ...], returns: object) -> Route:
    return Route(
        "GET",
        f"/api/v1/reports/{name}",
        handler,
        scope="read",
        within=within,
        parameters=parameters,
        returns=returns,
        content_types=(JSON, CSV),
        headers=("Content-Disposition",),
    )


ROUTES = (
    _route("usage", report_usage, Within.NODE, _USAGE_PARAMETERS, types.UsageReport | types.TagReport),
    _route("provenance", report_provenance, Within.NODE, _PARAMETERS, types.ProvenanceReport),
    _route("impact", report_impact, Within.NODE, _OF_IMPACT, types.ImpactReport | types.ColumnImpactReport),
    _route("coverage", report_coverage, Within.SEEN, _OF_COVERAGE, types.CoverageReport),
    Route(
        "GET",
        "/api/v1/reports/broken",
        report_broken,
        scope="read",
        within=Within.SEEN,
        parameters=(_OWNER, LIMIT, OFFSET),
        returns=types.BrokenReport,
        errors=(400, 503),
    ),
    Route(
        "GET",
        "/api/v1/reports/similar",
        report_similar,
        scope="read",
        within=Within.SEEN,
        returns=types.SimilarReport,
        errors=(503,),
    ),
)
