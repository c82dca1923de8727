"""Jobs and their versions as Marquez prints them."""

from __future__ import annotations

from typing import cast

from headwater.api.marquez import types
from headwater.api.marquez.dataset_views import render_annotations, render_counts, render_owners
from headwater.api.marquez.run_views import mark_incomplete, render_run, render_run_if_any, summarize_run
from headwater.api.values import render_id, render_ids, render_version_id, when
from headwater.queries.results.entities import Job, JobVersion, description_of
from headwater_model.ids import name_uuid


def render_job(job: Job) -> types.Job:
    """Render Marquez's Job; ours are `lineageUnknown`, `deleted`, `owners` and `reportedBy`."""
    return {
        **_summarize(job),
        "latestRuns": [render_run(run) for run in job.latest_runs] or None,
        "facets": dict(job.facets),
        "currentVersion": job.current_version,
        "labels": list(job.labels),
        "tags": list(job.annotations.names),
        "lineageUnknown": job.lineage_unknown,
        "deleted": job.hidden,
        **render_annotations(job.annotations),
    }


def render_job_data(job: Job) -> types.JobData:
    """Render the `data` of a job's node in a graph; `version` and `runs` for a node of a version."""
    latest = job.latest_run
    return {
        **_summarize(job),
        "currentRunUuid": None if latest is None else latest.id,
        "lineageUnknown": job.lineage_unknown,
        **_render_node_version(job),
        **_render_flows(job),
        **mark_incomplete(incomplete=job.incomplete),
    }


def _render_flows(job: Job) -> types.JobFlows:
    if job.flows is None:
        return {}
    return {"flows": [{"origin": source.node_id, "destination": output.node_id} for source, output in job.flows]}


def render_short_job(job: Job) -> types.ShortJob:
    """Render a job without lists and facets; `version` and `runs` for a node of a version."""
    return {
        "id": render_id(job.id),
        "type": cast(types.JobType, job.type),
        "name": job.id.name,
        "simpleName": _simple_name(job),
        "parentJobName": job.parent.job.name if job.parent else None,
        "createdAt": when(job.created),
        "updatedAt": when(job.updated),
        "namespace": job.id.namespace,
        "location": job.location,
        "description": description_of(job),
        "tags": list(job.annotations.names),
        "owners": render_owners(job.annotations),
        "latestRun": None if job.latest_run is None else summarize_run(job.latest_run),
        **render_counts(job.assertions),
        **_render_node_version(job),
    }


def render_job_version(version: JobVersion) -> types.JobVersion:
    """Render Marquez's JobVersion; ours are `updatedAt`, `codeVersion` and `lineageUnknown`."""
    return {
        "id": render_version_id(version.job, version.version),
        "name": version.job.name,
        "createdAt": when(version.created),
        "updatedAt": when(version.updated),
        "version": version.version,
        "namespace": version.job.namespace,
        "location": version.location,
        "inputs": render_ids(version.inputs),
        "outputs": render_ids(version.outputs),
        "latestRun": render_run_if_any(version.latest_run),
        "codeVersion": version.code_version,
        "lineageUnknown": version.lineage_unknown,
    }


def _render_node_version(job: Job) -> types.JobNodeVersion:
    return {} if job.version is None else {"version": job.version, "runs": list(job.runs)}


def _summarize(job: Job) -> types.JobSummary:
    parent = job.parent.job if job.parent else None
    return {
        "id": render_id(job.id),
        "type": cast(types.JobType, job.type),
        "name": job.id.name,
        "simpleName": _simple_name(job),
        "parentJobName": parent.name if parent else None,
        # In Marquez its row id; here an id that distinguishes jobs in the same way.
        "parentJobUuid": name_uuid(parent.node_id) if parent else None,
        "createdAt": when(job.created),
        "updatedAt": when(job.updated),
        "namespace": job.id.namespace,
        "inputs": render_ids(job.inputs),
        "outputs": render_ids(job.outputs),
        "location": job.location,
        "description": description_of(job),
        "latestRun": render_run_if_any(job.latest_run),
        **render_counts(job.assertions),
    }


def _simple_name(job: Job) -> str:
    """Cut the parent's name off, as most producers build names."""
    prefix = f"{job.parent.job.name}." if job.parent else ""
    name = job.id.name
    return name[len(prefix) :] if prefix and name.startswith(prefix) and name != prefix else name
