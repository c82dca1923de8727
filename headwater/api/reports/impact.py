"""Reports on impact: the nodes downstream of a node or derived from a column, as JSON and as CSV (`tables`)."""

from __future__ import annotations

from headwater.api.marquez.dataset_views import render_short_dataset
from headwater.api.marquez.job_views import render_short_job
from headwater.api.reports import types
from headwater.api.reports.tables import Row, cut, flag, join_words, table
from headwater.api.values import redact, when
from headwater.queries.results.entities import Dataset, Job, description_of
from headwater.queries.results.graphs import Impact, Impacted
from headwater.queries.results.reports import ColumnImpact, ImpactedColumn, ImpactedNode
from headwater_model.columns import Column
from headwater_model.field_paths import print_dotted

_STATE = ("state", "started", "ended", "run", "testsFailed", "testsWarned", "updated", "description", "id")
# New columns are last, for readers that count columns.
IMPACT = ("section", "hops", "type", "namespace", "name", "through", "owners", *_STATE, "readsOtherPart")
_WAY = ("section", "hops", "direct", "masked", "certain")
COLUMN_IMPACT = (*_WAY, "type", "namespace", "name", "field", "through", "owners", *_STATE)


def render_impact(impact: Impact) -> types.ImpactReport:
    """Render the report of everything downstream of a node."""
    return {
        "nodeId": impact.node_id,
        "impacted": list(map(_render_impacted, impact.impacted)),
        "truncated": impact.truncated,
    }


def _render_impacted(impacted: Impacted) -> types.ImpactedJob | types.ImpactedDataset:
    node, through = impacted.node, list(impacted.through)
    if isinstance(node, Job):
        job: types.ImpactedJob = {
            "nodeId": node.id.node_id,
            "type": "JOB",
            "hops": impacted.hops,
            "through": through,
            "data": redact(node, render_short_job),
        }
        if impacted.reads_other_part:
            job["readsOtherPart"] = True
        return job
    dataset = redact(node, render_short_dataset)
    return {"nodeId": node.id.node_id, "type": "DATASET", "hops": impacted.hops, "through": through, "data": dataset}


def render_column_impact(impact: ColumnImpact) -> types.ColumnImpactReport:
    """Render the report of everything derived from a column: nearest first, then by type and id."""
    derived: list[types.DerivedColumn | types.DerivingJob | types.DerivedDataset] = [
        *map(_render_column, impact.columns),
        *map(_render_node, impact.nodes),
    ]
    derived.sort(key=lambda thing: (thing["hops"], thing["type"], thing["nodeId"]))
    return {"nodeId": impact.column.node_id, "impacted": derived, "truncated": impact.truncated}


def _render_column(impacted: ImpactedColumn) -> types.DerivedColumn:
    data: types.DerivedColumnData = {
        "dataset": impacted.column.dataset.node_id,
        "field": print_dotted(impacted.column.field),
        "fieldType": impacted.type,
        "jobs": [job.node_id for job in impacted.jobs],
    }
    return {
        "nodeId": impacted.column.node_id,
        "type": "DATASET_FIELD",
        **_render_path(impacted),
        "data": None if impacted.outline else data,
    }


def _render_node(impacted: ImpactedNode) -> types.DerivingJob | types.DerivedDataset:
    node, way = impacted.node, _render_path(impacted)
    if isinstance(node, Job):
        return {"nodeId": node.id.node_id, "type": "JOB", **way, "data": redact(node, render_short_job)}
    return {"nodeId": node.id.node_id, "type": "DATASET", **way, "data": redact(node, render_short_dataset)}


def _render_path(impacted: ImpactedColumn | ImpactedNode) -> types.OnTheWay:
    return {
        "hops": impacted.hops,
        "through": [column.node_id for column in impacted.through],
        "direct": impacted.direct,
        "masked": impacted.masked,
        "certain": impacted.certain if isinstance(impacted, ImpactedNode) else True,
    }


def impact_table(impact: Impact) -> str:
    """Render a row for each job and dataset downstream; the first is the query, the last `truncated` if it is cut."""
    query = {"section": "query", "id": impact.node_id}
    return table(IMPACT, [query, *map(_impacted, impact.impacted), *cut(impact.truncated)])


def _impacted(impacted: Impacted) -> Row:
    row = {**_node(impacted.node), "hops": str(impacted.hops), "through": join_words(impacted.through)}
    return {**row, "readsOtherPart": flag(impacted.reads_other_part)} if isinstance(impacted.node, Job) else row


def column_impact_table(impact: ColumnImpact) -> str:
    """Render a row for each column, job and dataset derived from a column, as `impact_table` does."""
    named = {"section": "impacted", "type": "DATASET_FIELD"}
    columns = ({**named, **_names(impacted.column), **_path_row(impacted)} for impacted in impact.columns)
    rows: list[Row] = [*columns, *({**_node(impacted.node), **_path_row(impacted)} for impacted in impact.nodes)]
    ordered = sorted(rows, key=lambda row: (int(row["hops"]), row["type"], row["id"]))
    return table(COLUMN_IMPACT, [{"section": "query", **_names(impact.column)}, *ordered, *cut(impact.truncated)])


def _names(column: Column) -> Row:
    names = {"namespace": column.dataset.namespace, "name": column.dataset.name, "field": print_dotted(column.field)}
    return {**names, "id": column.node_id}


def _path_row(impacted: ImpactedColumn | ImpactedNode) -> Row:
    certain = impacted.certain if isinstance(impacted, ImpactedNode) else True
    flags = {"direct": flag(impacted.direct), "masked": flag(impacted.masked), "certain": flag(certain)}
    return {"hops": str(impacted.hops), "through": join_words(column.node_id for column in impacted.through), **flags}


def _node(node: Job | Dataset) -> Row:
    kind = "JOB" if isinstance(node, Job) else "DATASET"
    row = {"section": "impacted", "id": node.id.node_id, "type": kind}
    row |= {"namespace": node.id.namespace, "name": node.id.name}
    if node.outline:
        return row
    run = node.latest_run if isinstance(node, Job) else None
    if run:
        row |= {"run": run.id, "state": run.state, "started": when(run.started) or "", "ended": when(run.ended) or ""}
    if node.assertions:
        row |= {"testsFailed": str(node.assertions.failed), "testsWarned": str(node.assertions.warned)}
    row["owners"] = join_words([owner.name for owner in node.annotations.owners])
    return {
        **row,
        "updated": when(node.updated),
        "description": description_of(node) or "",
    }
