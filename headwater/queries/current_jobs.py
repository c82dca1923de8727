"""Jobs of the current graph, as their nodes have them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater.events.event import ParentRun
from headwater.facts.annotations import annotations_from_json
from headwater.facts.assertions import count_assertions
from headwater.facts.facts import JobFacts, as_of, dataset_of, job_of
from headwater.facts.job_nodes import compute_nodes, flows_in
from headwater.facts.keys import current_key, facts_key
from headwater.facts.run_facts import Run
from headwater.queries.past_assertions import resolve_jobs
from headwater.queries.results.entities import Job
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId


def nodes_of(jobs: Sequence[JobId], view: GraphView) -> Mapping[JobId, Mapping[str, Any]]:
    """Return the nodes of the known jobs, now or as of a time, in the given order.

    A node of a time has no outcome of a test that more than `past_assertions.ROWS_MAX` later events report again.
    """
    if not jobs:
        return {}
    if view.at is None:
        rows = view.get(current_key(job) for job in jobs)
        return {job: rows[current_key(job)].data for job in jobs if current_key(job) in rows}
    rows = view.get(facts_key(job) for job in jobs)
    known = {job: JobFacts(**rows[facts_key(job)].data["facts"]) for job in jobs if facts_key(job) in rows}
    there = [job for job, facts in known.items() if facts.first and facts.first < view.at]
    then, _ = resolve_jobs({job: as_of(known[job], view.at) for job in there}, view, view.at)
    return compute_nodes(then, view, view.at)


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
