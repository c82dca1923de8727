"""Reports on a column, or on the columns with a tag, over a time range: as JSON, and as CSV (`tables`).

Fields are printed as paths with dots, as in the node ids of requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from headwater.api.marquez.dataset_views import render_tag
from headwater.api.reports import types
from headwater.api.reports.tables import Row, cut, flag, join_words, table
from headwater.api.values import render_id, render_transformation, when
from headwater.facts.annotations import Tag
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.reports import (
    Flow,
    LineageStep,
    Provenance,
    ReportedRun,
    TaggedColumn,
    TagUsage,
    TrueSource,
    Usage,
    Use,
)
from headwater_model.columns import Column, ColumnSource, Transformation
from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId, JobId

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


def render_report(report: Usage | TagUsage | Provenance) -> Mapping[str, object]:
    """Render a report by its members, in their order: of `types.UsageReport`, `TagReport` or `ProvenanceReport`."""
    return _render_members(report)


def _render_members(thing: Any) -> dict[str, object]:
    values = ((each.name, getattr(thing, each.name)) for each in fields(thing))
    return {_NAMES.get(name, name): when(value) if name in _TIMES else _render(value) for name, value in values}


def _render(value: object) -> object:
    """Render a member by its type; a dataclass without a form of its own by its members."""
    if form := _FORMS.get(type(value)):
        return form(value)
    return _render_members(value) if is_dataclass(value) else value


def render_column(column: Column | ColumnSource) -> types.ReportedColumn:
    """Render `{"dataset": {"namespace", "name"}, "field"}`; a dataset alone has no field (None)."""
    field = None if column.field is None else print_dotted(column.field)
    return {"dataset": render_id(column.dataset), "field": field}


def _render_use(use: Use) -> Mapping[str, object]:
    return {**_render_members(use), "states": dict(use.states)}


def _render_run(run: ReportedRun) -> types.ReportedRun:
    return {"id": run.id, "started": when(run.started), "state": run.state}


_TIMES = frozenset({"first", "last", "start", "end"})
# Members with another name in JSON.
_NAMES = {"time_range": "window", "tags": "reportedBy"}
_FORMS: Mapping[type, Callable[[Any], object]] = {
    tuple: lambda values: list(map(_render, values)),
    Column: render_column,
    ColumnSource: render_column,
    DatasetId: render_id,
    JobId: render_id,
    ReportedRun: _render_run,
    Tag: render_tag,
    Transformation: render_transformation,
    Use: _render_use,
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
