"""Jobs of the current graph, as their nodes have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from headwater.events.event import ParentRun
from headwater.facts.annotations import annotations_from_json
from headwater.facts.assertions import count_assertions
from headwater.facts.entities import Job
from headwater.facts.facts import dataset_of, job_of
from headwater.facts.job_nodes import flows_in
from headwater.facts.run_results import Run
from headwater_model.ids import DatasetId


def job_of_node(node: Mapping[str, Any], namespace_deleted: str = "") -> Job:
    """Return the job of a node; names of datasets are as they were written."""
    latest = node["latest"]
    return Job(
        id=job_of(node["job"]),
        type=node["type"],
        created=node["first"] or "",
        updated=node["last"] or "",
        inputs=tuple(map(dataset_of, node["inputs"])),
        outputs=tuple(map(dataset_of, node["outputs"])),
        flows=flows_in(node),
        incomplete="incomplete" in node,
        location=node["location"],
        description=node["description"],
        parent=_parent_of(node["parent"]),
        latest_run=_run_of(latest) if latest else None,
        labels=tuple(node["labels"]),
        # Without a mention it was only tagged, or deleted.
        hidden=node["first"] is None or max(node["deleted"], namespace_deleted) > (node["last"] or ""),
        annotations=annotations_from_json(node.get("annotations")),
        assertions=count_assertions(node.get("assertions", {})),
    )


def under_primaries(job: Job, primary: Callable[[DatasetId], DatasetId]) -> Job:
    """Return the job with its datasets under the names that `primary` returns."""
    flows = job.flows and tuple(sorted({(primary(source), primary(output)) for source, output in job.flows}))
    inputs, outputs = (tuple(sorted(set(map(primary, side)))) for side in (job.inputs, job.outputs))
    return replace(job, inputs=inputs, outputs=outputs, flows=flows)


def _parent_of(document: Mapping[str, str] | None) -> ParentRun | None:
    return None if document is None else ParentRun(document["run"], job_of(document["job"]))


def _run_of(document: Mapping[str, Any]) -> Run:
    return Run(
        **{
            **document,
            "job": job_of(document["job"]),
            "parent": _parent_of(document["parent"]),
        }
    )
