"""Reports on a column, or on the columns with a tag, over a time range: as JSON, and as CSV (`tables`).

Fields are printed as paths with dots, as in the node ids of requests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from headwater.api.marquez.dataset_views import render_tag
from headwater.api.reports import types
from headwater.api.reports.tables import Row, cut, flag, join_words, table
from headwater.api.values import render_id, render_ids, render_transformation, when
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.reports import (
    Flow,
    LineageStep,
    Provenance,
    TaggedColumn,
    TagUsage,
    TrueSource,
    Usage,
    Use,
)
from headwater_model.columns import Column, ColumnSource, Transformation
from headwater_model.field_paths import print_dotted
from headwater_model.ids import JobId

_COLUMN = ("namespace", "dataset", "field")
_WAY = ("hops", "direct", "masked")
_USE = ("kind", "first", "last", "count", "states", "runs", "known", "operations")
_FLOW = (*_WAY, "certain", "failed", "status", "jobs")
USAGE = ("section", "start", "end", *_COLUMN, *_USE, *_FLOW)
_INTO = tuple(f"into_{name}" for name in _COLUMN)
_DONE = ("transformations", "operations", "jobs", "runs")
_TAG = ("tag", "source", "producer", "at", "caller")
TAGGED = ("section", "start", "end", *_COLUMN, *_TAG, *_FLOW)
PROVENANCE = ("section", "start", "end", *_COLUMN, *_INTO, *_WAY, "reason", *_DONE, "reads")


def render_usage(usage: Usage) -> types.UsageReport:
    """Render the report of the runs that used a field, and of the columns made of it."""
    return {
        "column": render_column(usage.column),
        "window": _render_window(usage.time_range),
        "uses": [_render_use(use) for use in usage.uses],
        "flows": [_render_flow(flow) for flow in usage.flows],
        "truncated": usage.truncated,
    }


def render_tag_usage(usage: TagUsage) -> types.TagReport:
    """Render the report of the columns with a tag, and of the columns made of them."""
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
    """Render the report of the true sources of a field, and of each step from them."""
    return {
        "column": render_column(provenance.column),
        "window": _render_window(provenance.time_range),
        "sources": [_render_source(source) for source in provenance.sources],
        "steps": [_render_step(step) for step in provenance.steps],
        "truncated": provenance.truncated,
    }


def render_column(column: Column | ColumnSource) -> types.ReportedColumn:
    """Render `{"dataset": {"namespace", "name"}, "field"}`; a dataset alone has no field (None)."""
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


def usage_table(usage: Usage) -> str:
    """Render a row for each use and each of its columns, and for each column made of the field."""
    uses = (row for use in usage.uses for row in _uses(use))
    query = _query(usage.time_range, _column(usage.column))
    return table(USAGE, [query, *uses, *map(_flow, usage.flows), *cut(usage.truncated)])


def tag_table(usage: TagUsage) -> str:
    """Render a row for each tag of each tagged column, and for each column made of them."""
    query = _query(usage.time_range, {"tag": usage.tag})
    tagged = (row for column in usage.columns for row in _tagged(column))
    return table(TAGGED, [query, *tagged, *map(_flow, usage.flows), *cut(usage.truncated)])


def _tagged(column: TaggedColumn) -> Iterator[Row]:
    for tag in column.tags:
        reporter = tag.reported_by
        yield {
            "section": "column",
            **_column(column.column),
            "tag": tag.name,
            "source": tag.source or "",
            "producer": reporter.producer or "",
            "at": when(reporter.time),
            "caller": reporter.caller or "",
        }


def provenance_table(provenance: Provenance) -> str:
    """Render a row for each true source, and for each step from them."""
    query = _query(provenance.time_range, _column(provenance.column))
    rows = [query, *map(_source, provenance.sources), *map(_step, provenance.steps), *cut(provenance.truncated)]
    return table(PROVENANCE, rows)


def _query(time_range: TimeRange, subject: Row) -> Row:
    return {"section": "query", **subject, "start": when(time_range.start), "end": when(time_range.end)}


def _uses(use: Use) -> Iterator[Row]:
    row = {
        "section": "use",
        "kind": use.kind,
        "first": when(use.first) or "",
        "last": when(use.last) or "",
        "count": str(use.count),
        "states": join_words(f"{state}: {count}" for state, count in use.states),
        "runs": join_words(run.id if run.state is None else f"{run.id} ({run.state})" for run in use.runs),
        "known": flag(use.known),
        "operations": join_words(use.operations),
        "jobs": _jobs([] if use.job is None else [use.job]),
    }
    for column in use.fields:
        yield {**row, **_column(column)}
    if not use.fields:
        yield row


def _flow(flow: Flow) -> Row:
    flags = {"certain": flag(flow.certain), "failed": flag(flow.failed)}
    what = {**flags, "status": flow.status, "jobs": _jobs(flow.jobs)}
    return {"section": "flow", **_column(flow.column), **_path_row(flow), **what}


def _source(source: TrueSource) -> Row:
    return {
        "section": "source",
        **_column(source.column),
        **_path_row(source),
        "reason": source.reason,
        "jobs": _jobs(source.jobs),
        "runs": join_words(source.runs),
        "reads": join_words(dataset.node_id for dataset in source.reads),
    }


def _step(step: LineageStep) -> Row:
    return {
        "section": "step",
        **_column(step.source),
        **{f"into_{name}": text for name, text in _column(step.destination).items()},
        "transformations": join_words(_transformation(transformation) for transformation in step.transformations),
        "operations": join_words(step.operations),
        "jobs": _jobs(step.jobs),
        "runs": join_words(step.runs),
    }


def _column(column: Column | ColumnSource) -> Row:
    field = "" if column.field is None else print_dotted(column.field)
    return dict(zip(_COLUMN, (column.dataset.namespace, column.dataset.name, field), strict=True))


def _path_row(way: Flow | TrueSource) -> Row:
    return {"hops": str(way.hops), "direct": flag(way.direct), "masked": flag(way.masked)}


def _transformation(transformation: Transformation) -> str:
    kind = f"{transformation.type}/{transformation.subtype}" if transformation.subtype else transformation.type
    masked = " (masking)" if transformation.masking else ""
    return f"{kind}{masked}: {transformation.description}" if transformation.description else f"{kind}{masked}"


def _jobs(jobs: Iterable[JobId]) -> str:
    return join_words(job.node_id for job in jobs)
