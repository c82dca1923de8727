"""Reports as JSON. Fields are printed as paths with dots, as in the node ids of requests."""

from __future__ import annotations

from headwater.api.marquez.dataset_views import render_tag
from headwater.api.reports import types
from headwater.api.values import render_id, render_ids, render_transformation, when
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.reports import Flow, LineageStep, Provenance, TagUsage, TrueSource, Usage, Use
from headwater_model.columns import Column, ColumnSource
from headwater_model.field_paths import print_dotted


def render_usage(usage: Usage) -> types.UsageReport:
    """Return the runs that used a field, and the columns that it flowed into."""
    return {
        "column": render_column(usage.column),
        "window": _render_window(usage.time_range),
        "uses": [_render_use(use) for use in usage.uses],
        "flows": [_render_flow(flow) for flow in usage.flows],
        "truncated": usage.truncated,
    }


def render_tag_usage(usage: TagUsage) -> types.TagReport:
    """Return the columns with a tag, and those made of them."""
    return {
        "tag": usage.tag,
        "window": _render_window(usage.time_range),
        "columns": [
            {"column": render_column(tagged.column), "reportedBy": [render_tag(tag) for tag in tagged.tags]}
            for tagged in usage.columns
        ],
        "flows": [_render_flow(flow) for flow in usage.flows],
        "truncated": usage.truncated,
    }


def render_provenance(provenance: Provenance) -> types.ProvenanceReport:
    """Return the true sources of a field, and each step from them."""
    return {
        "column": render_column(provenance.column),
        "window": _render_window(provenance.time_range),
        "sources": [_render_source(source) for source in provenance.sources],
        "steps": [_render_step(step) for step in provenance.steps],
        "truncated": provenance.truncated,
    }


def render_column(column: Column | ColumnSource) -> types.ReportedColumn:
    """Return `{"dataset": {"namespace", "name"}, "field"}`; a dataset alone has no field (None)."""
    field = None if column.field is None else print_dotted(column.field)
    return {"dataset": render_id(column.dataset), "field": field}


def _render_window(time_range: TimeRange) -> types.Window:
    return {"start": when(time_range.start), "end": when(time_range.end)}


def _render_use(use: Use) -> types.Use:
    return {
        "kind": use.kind,
        "job": None if use.job is None else render_id(use.job),
        "first": when(use.first),
        "last": when(use.last),
        "count": use.count,
        "states": dict(use.states),
        "runs": [{"id": run.id, "started": when(run.started), "state": run.state} for run in use.runs],
        "fields": [render_column(column) for column in use.fields],
        "operations": list(use.operations),
        "known": use.known,
    }


def _render_flow(flow: Flow) -> types.Flow:
    return {
        "column": render_column(flow.column),
        "hops": flow.hops,
        "direct": flow.direct,
        "masked": flow.masked,
        "certain": flow.certain,
        "failed": flow.failed,
        "status": flow.status,
        "jobs": render_ids(flow.jobs),
    }


def _render_source(source: TrueSource) -> types.TrueSource:
    return {
        "column": render_column(source.column),
        "hops": source.hops,
        "direct": source.direct,
        "masked": source.masked,
        "reason": source.reason,
        "jobs": render_ids(source.jobs),
        "runs": list(source.runs),
        "reads": render_ids(source.reads),
    }


def _render_step(step: LineageStep) -> types.ProvenanceStep:
    return {
        "source": render_column(step.source),
        "destination": render_column(step.destination),
        "transformations": [render_transformation(transformation) for transformation in step.transformations],
        "operations": list(step.operations),
        "jobs": render_ids(step.jobs),
        "runs": list(step.runs),
    }
