"""Reports of impact as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from headwater.api.marquez.dataset_views import render_short_dataset
from headwater.api.marquez.job_views import render_short_job
from headwater.api.reports import types
from headwater.queries.results.entities import Job
from headwater.queries.results.graphs import Impact, Impacted
from headwater.queries.results.reports import ColumnImpact, ImpactedColumn, ImpactedNode
from headwater_model.field_paths import print_dotted

_Derived: TypeAlias = types.DerivedColumn | types.DerivingJob | types.DerivedDataset


def render_impact(impact: Impact) -> types.ImpactReport:
    """Return the report of everything downstream of a node."""
    return {
        "nodeId": impact.node_id,
        "impacted": list(map(_render_impacted, impact.impacted)),
        "truncated": impact.truncated,
    }


def _render_impacted(impacted: Impacted) -> types.ImpactedJob | types.ImpactedDataset:
    node, through = impacted.node, list(impacted.through)
    if isinstance(node, Job):
        job = None if node.outline else render_short_job(node)
        return {
            "nodeId": node.id.node_id,
            "type": "JOB",
            "hops": impacted.hops,
            "through": through,
            "data": job,
            **_mark_part(impacted),
        }
    dataset = None if node.outline else render_short_dataset(node)
    return {"nodeId": node.id.node_id, "type": "DATASET", "hops": impacted.hops, "through": through, "data": dataset}


def _mark_part(impacted: Impacted) -> types.PartRead:
    return {"readsOtherPart": True} if impacted.apart else {}


def render_column_impact(impact: ColumnImpact) -> types.ColumnImpactReport:
    """Return the report of everything derived from a column: nearest first, then by type and id."""
    rendered = sorted(_rendered(impact), key=lambda derived: (derived["hops"], derived["type"], derived["nodeId"]))
    return {"nodeId": impact.column.node_id, "impacted": rendered, "truncated": impact.truncated}


def _rendered(impact: ColumnImpact) -> Iterator[_Derived]:
    yield from map(_render_column, impact.columns)
    yield from map(_render_node, impact.nodes)


def _render_column(impacted: ImpactedColumn) -> types.DerivedColumn:
    data: types.ColumnData = {
        "dataset": impacted.column.dataset.node_id,
        "field": print_dotted(impacted.column.field),
        "fieldType": impacted.type,
        "jobs": [job.node_id for job in impacted.jobs],
    }
    return {
        "nodeId": impacted.column.node_id,
        "type": "DATASET_FIELD",
        **_render_way(impacted),
        "data": None if impacted.outline else data,
    }


def _render_node(impacted: ImpactedNode) -> types.DerivingJob | types.DerivedDataset:
    node, way = impacted.node, _render_way(impacted)
    if isinstance(node, Job):
        job = None if node.outline else render_short_job(node)
        return {"nodeId": node.id.node_id, "type": "JOB", **way, "data": job}
    dataset = None if node.outline else render_short_dataset(node)
    return {"nodeId": node.id.node_id, "type": "DATASET", **way, "data": dataset}


def _render_way(impacted: ImpactedColumn | ImpactedNode) -> types.OnTheWay:
    return {
        "hops": impacted.hops,
        "through": [column.node_id for column in impacted.through],
        "direct": impacted.direct,
        "masked": impacted.masked,
        "certain": impacted.certain if isinstance(impacted, ImpactedNode) else True,
    }
