"""Jobs and their versions as Marquez prints them."""

from __future__ import annotations

from lineage.api.marquez.run_views import render_run, render_run_if_any
from lineage.api.marquez.values import Form, render_id, render_ids, render_version_id, when
from lineage.graph.entities import Job, JobVersion
from lineage_model.ids import name_uuid


def render_job(job: Job) -> Form:
    """Marquez's Job; ours are `lineageUnknown` and `deleted`."""
    return {
        **_described(job),
        "latestRuns": [render_run(run) for run in job.latest_runs] or None,
        "facets": dict(job.facets),
        "currentVersion": job.current_version,
        "labels": list(job.labels),
        "tags": [],
        "lineageUnknown": job.lineage_unknown,
        "deleted": job.hidden,
    }


def render_job_data(job: Job) -> Form:
    """The `data` of a job's node in a graph; `version` and `runs` where the node is of a version."""
    latest = job.latest_run
    data = {
        **_described(job),
        "currentRunUuid": None if latest is None else latest.id,
        "lineageUnknown": job.lineage_unknown,
    }
    return data if job.version is None else {**data, "version": job.version, "runs": list(job.runs)}


def render_job_version(found: JobVersion) -> Form:
    """Marquez's JobVersion; ours are `updatedAt`, `codeVersion` and `lineageUnknown`."""
    return {
        "id": render_version_id(found.job, found.version),
        "name": found.job.name,
        "createdAt": when(found.created),
        "updatedAt": when(found.updated),
        "version": found.version,
        "namespace": found.job.namespace,
        "location": found.location,
        "inputs": render_ids(found.inputs),
        "outputs": render_ids(found.outputs),
        "latestRun": render_run_if_any(found.latest_run),
        "codeVersion": found.code_version,
        "lineageUnknown": found.lineage_unknown,
    }


def _described(job: Job) -> Form:
    parent = job.parent and job.parent.job
    return {
        "id": render_id(job.id),
        "type": job.type,
        "name": job.id.name,
        "simpleName": _simple_name(job),
        "parentJobName": parent and parent.name,
        # Marquez's row id; here one that tells jobs apart in the same way.
        "parentJobUuid": parent and name_uuid(parent.node_id),
        "createdAt": when(job.created),
        "updatedAt": when(job.updated),
        "namespace": job.id.namespace,
        "inputs": render_ids(job.inputs),
        "outputs": render_ids(job.outputs),
        "location": job.location,
        "description": job.description,
        "latestRun": render_run_if_any(job.latest_run),
    }


def _simple_name(job: Job) -> str:
    """The name without its parent's, as most producers build it."""
    prefix = f"{job.parent.job.name}." if job.parent else ""
    name = job.id.name
    return name[len(prefix) :] if prefix and name.startswith(prefix) and name != prefix else name
