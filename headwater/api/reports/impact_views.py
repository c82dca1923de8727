"""Reports of impact as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from headwater.api.marquez.dataset_views import render_short_dataset
from headwater.api.marquez.job_views import render_short_job
from headwater.api.reports import types
from headwater.facts.entities import Job
from headwater.facts.graph_results import Impact, Impacted
from headwater.queries.columns.report_results import ColumnImpact, ImpactedColumn, ImpactedNode
from headwater_model.field_paths import print_dotted

_Derived: TypeAlias = types.DerivedColumn | types.DerivingJob | types.DerivedDataset


def render_impact(impact: Impact) -> types.ImpactReport:
    """Return the report of everything downstream of a node."""
    return {
        "nodeId": impact.node_id,
        "impacted": list(map(_render_impacted, impact.impacted)),
        "truncated": impact.truncated,
    }


def _render_impacted(one: Impacted) -> types.ImpactedJob | types.ImpactedDataset:
    node, through = one.node, list(one.through)
    if isinstance(node, Job):
        job = None if node.outline else render_short_job(node)
        return {"nodeId": node.id.node_id, "type": "JOB", "hops": one.hops, "through": through, "data": job}
    dataset = None if node.outline else render_short_dataset(node)
    return {"nodeId": node.id.node_id, "type": "DATASET", "hops": one.hops, "through": through, "data": dataset}


def render_column_impact(impact: ColumnImpact) -> types.ColumnImpactReport:
    """Return the report of everything derived from a column: nearest first, then by type and id."""
    rendered = sorted(_rendered(impact), key=lambda one: (one["hops"], one["type"], one["nodeId"]))
    return {"nodeId": impact.column.node_id, "impacted": rendered, "truncated": impact.truncated}


def _rendered(impact: ColumnImpact) -> Iterator[_Derived]:
    yield from map(_render_column, impact.columns)
    yield from map(_render_node, impact.nodes)


def _render_column(one: ImpactedColumn) -> types.DerivedColumn:
    data: types.ColumnData = {
        "dataset": one.column.dataset.node_id,
        "field": print_dotted(one.column.field),
        "fieldType": one.type,
        "jobs": [job.node_id for job in one.jobs],
    }
    return {
        "nodeId": one.column.node_id,
        "type": "DATASET_FIELD",
        **_render_way(one),
        "data": None if one.outline else data,
    }


def _render_node(one: ImpactedNode) -> types.DerivingJob | types.DerivedDataset:
    node, way = one.node, _render_way(one)
    if isinstance(node, Job):
        job = None if node.outline else render_short_job(node)
        return {"nodeId": node.id.node_id, "type": "JOB", **way, "data": job}
    dataset = None if node.outline else render_short_dataset(node)
    return {"nodeId": node.id.node_id, "type": "DATASET", **way, "data": dataset}


def _render_way(one: ImpactedColumn | ImpactedNode) -> types.OnTheWay:
    return {
        "hops": one.hops,
        "through": [column.node_id for column in one.through],
        "direct": one.direct,
        "masked": one.masked,
        "certain": one.certain if isinstance(one, ImpactedNode) else True,
    }
