"""Reports on a column, or on the columns with a tag, over a time range: as JSON, and as CSV (`tables`).

Fields are printed as paths with dots, as in the node ids of requests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    Provenance,
    ReportedRun,
    TagUsage,
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


_TIMES = frozenset({"first", "last", "start", "end", "time"})
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
    tagged = (
        {**_cells("column", tag), **_cells("column", tag.reported_by), **_column(column.column), "tag": tag.name}
        for column in usage.columns
        for tag in column.tags
    )
    return table(TAGGED, [query, *tagged, *map(_flow, usage.flows), *cut(usage.truncated)])


def provenance_table(provenance: Provenance) -> str:
    """Render a row for each true source, and for each step from them."""
    query = _query(provenance.time_range, _column(provenance.column))
    sources = ({**_cells("source", source), **_column(source.column)} for source in provenance.sources)
    steps = (
        {**_cells("step", step), **_column(step.source), **_column(step.destination, _INTO)}
        for step in provenance.steps
    )
    return table(PROVENANCE, [query, *sources, *steps, *cut(provenance.truncated)])


def _query(time_range: TimeRange, subject: Row) -> Row:
    return {**_cells("query", time_range), **subject}


def _uses(use: Use) -> Iterable[Row]:
    row = {**_cells("use", use), "jobs": use.job.node_id if use.job else ""}
    return [{**row, **_column(column)} for column in use.fields] or [row]


def _flow(flow: Flow) -> Row:
    return {**_cells("flow", flow), **_column(flow.column)}


def _column(column: Column | ColumnSource, names: Sequence[str] = _COLUMN) -> Row:
    field = "" if column.field is None else print_dotted(column.field)
    return dict(zip(names, (column.dataset.namespace, column.dataset.name, field), strict=True))


def _cells(section: str, thing: Any) -> Row:
    """Print the members with a column in a table, in a row of the section."""
    names = (each.name for each in fields(thing) if each.name in _PRINTED)
    return {"section": section, **{_CELLS.get(name, name): _cell(name, getattr(thing, name)) for name in names}}


def _cell(name: str, value: Any) -> str:
    if isinstance(value, tuple):
        return join_words(_WORDS.get(type(part), str)(part) for part in value)
    if isinstance(value, bool):
        return flag(value)
    return "" if value is None else when(value) if name in _TIMES else str(value)


def _transformation(transformation: Transformation) -> str:
    kind = f"{transformation.type}/{transformation.subtype}" if transformation.subtype else transformation.type
    masked = " (masking)" if transformation.masking else ""
    return f"{kind}{masked}: {transformation.description}" if transformation.description else f"{kind}{masked}"


# The members in cells, and a member whose column has another name.
_CELLS = {"time": "at"}
_PRINTED = {*USAGE, *TAGGED, *PROVENANCE, *_CELLS} - set(_COLUMN)
_WORDS: Mapping[type, Callable[[Any], str]] = {
    tuple: lambda pair: ": ".join(map(str, pair)),
    DatasetId: lambda dataset: dataset.node_id,
    JobId: lambda job: job.node_id,
    ReportedRun: lambda run: run.id if run.state is None else f"{run.id} ({run.state})",
    Transformation: _transformation,
}
