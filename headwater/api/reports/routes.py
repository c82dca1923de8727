"""Routes of reports: on a column or a tag, and on impact."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import END, START, nonblank_text, number, read_range
from headwater.api.http.request import HttpRequest
from headwater.api.marquez.parameters import DEPTH_MAX
from headwater.api.marquez.responses import require
from headwater.api.reports import types
from headwater.api.reports.column_reports import (
    provenance_table,
    render_report,
    tag_table,
    usage_table,
)
from headwater.api.reports.impact import column_impact_table, impact_table, render_column_impact, render_impact
from headwater.api.reports.route import IS_TABLE, is_table, report_route, respond
from headwater.api.route import Services, Within
from headwater.queries.results.columns import TimeRange
from headwater_model.columns import Column
from headwater_model.errors import Invalid

_EXAMPLE = "datasetField:s3://flights:estimated:co2_kg"
_NODE_ID = nonblank_text("nodeId", "`datasetField:<namespace>:<dataset>:<field>`.", _EXAMPLE).required()
_PARAMETERS = (_NODE_ID, START, END, IS_TABLE)
_NODE_ID_OR_TAG = nonblank_text(
    "nodeId", "`datasetField:<namespace>:<dataset>:<field>`; either this or `tag`.", _EXAMPLE
)
_TAG = nonblank_text("tag", "Ours: all columns with this tag, in any case, in place of one column.", "PII")
_USAGE_PARAMETERS = (_NODE_ID_OR_TAG, _TAG, START, END, IS_TABLE)
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
_OF_IMPACT = (_GRAPH_NODE_ID, _DEPTH, IS_TABLE)
_FIELD_KINDS = ("datasetField:", "dataset_field:")


def report_usage(services: Services, request: HttpRequest) -> Response[str]:
    """Report the runs that used a field in a time range, and the columns made of it.

    With `tag` in place of `nodeId`: the columns with the tag now, and the columns made of them without masking.

    In a table, `section` names the subject of a row: `query` is the first, `truncated` the last if there was more.
    All cells are quoted. A cell that a spreadsheet would compute begins with an apostrophe.

    Returns:
        The report.
    """
    as_table = is_table(request, _USAGE_PARAMETERS)
    node_id, tag = _NODE_ID_OR_TAG.read(request), _TAG.read(request)
    if (node_id is None) == (tag is None):
        raise Invalid.because("nodeId", node_id, "must be given, or else tag, and not both")
    if tag is not None:
        tagged = services.queries.report_tag(tag, read_range(request, services.now_s()).time_range)
        return respond(services, request, tag_table(tagged) if as_table else render_report(tagged))
    column, time_range = _read(services, request)
    usage = services.queries.report_usage(column.dataset, column.field, time_range)
    return respond(services, request, usage_table(usage) if as_table else render_report(usage))


def report_provenance(services: Services, request: HttpRequest) -> Response[str]:
    """Report the source columns of a field in a time range, and the operations on the way.

    In a table, `section` names the subject of a row: `query` is the first, `truncated` the last if there was more.
    All cells are quoted. A cell that a spreadsheet would compute begins with an apostrophe.

    Returns:
        The report.
    """
    as_table = is_table(request, _PARAMETERS)
    column, time_range = _read(services, request)
    provenance = services.queries.report_provenance(column.dataset, column.field, time_range)
    return respond(services, request, provenance_table(provenance) if as_table else render_report(provenance))


def report_impact(services: Services, request: HttpRequest) -> Response[str]:
    """Report everything downstream of a job, a dataset or a column now, with its last runs and the way there.

    Of a column: the columns derived from it, their jobs and their datasets. In a table, `section` names the subject of
    a row: `query` is the first, `truncated` the last if there was more. All cells are quoted. A cell that a spreadsheet
    would compute begins with an apostrophe. The last column of the table of a job or dataset is `readsOtherPart`.

    Returns:
        The report, nearest first.
    """
    as_table, node_id, depth = is_table(request, _OF_IMPACT), _GRAPH_NODE_ID.read(request), _DEPTH.read(request)
    if node_id.startswith(_FIELD_KINDS):
        derived = require(services.queries.report_column_impact(node_id, depth=depth), "Node", node_id)
        return respond(services, request, column_impact_table(derived) if as_table else render_column_impact(derived))
    impact = require(services.queries.report_impact(node_id, depth=depth), "Node", node_id)
    return respond(services, request, impact_table(impact) if as_table else render_impact(impact))


def _read(services: Services, request: HttpRequest) -> tuple[Column, TimeRange]:
    node_id = _NODE_ID.read(request)
    time_range = read_range(request, services.now_s()).time_range
    return require(services.queries.find_field(node_id), "Node", node_id), time_range


ROUTES = (
    report_route("usage", report_usage, Within.NODE, _USAGE_PARAMETERS, types.UsageReport | types.TagReport),
    report_route("provenance", report_provenance, Within.NODE, _PARAMETERS, types.ProvenanceReport),
    report_route("impact", report_impact, Within.NODE, _OF_IMPACT, types.ImpactReport | types.ColumnImpactReport),
)
