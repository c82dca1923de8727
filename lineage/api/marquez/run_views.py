"""Runs as Marquez prints them, and their jobs."""

from __future__ import annotations

from lineage.api.marquez import types
from lineage.api.values import render_id, render_ids, render_version_id, when
from lineage.graph.run_results import Run, UsedVersion
from lineage.times import milliseconds_between


def render_run(run: Run) -> types.Run:
    """Return Marquez's Run; ours: `job`, `otherJobs` that claim its id, whether each was cut, and `resolvedBy`."""
    return {
        **summarize_run(run),
        "args": _args(run),
        "jobVersion": None if run.job_version is None else render_version_id(run.job, run.job_version),
        "inputDatasetVersions": [{**_used(one), "resolvedBy": one.resolved_by} for one in run.inputs],
        "outputDatasetVersions": [_used(one) for one in run.outputs],
        "facets": dict(run.facets),
        "job": render_id(run.job),
        "otherJobs": render_ids(run.other_jobs),
        "otherJobsTruncated": run.others_cut,
        "truncated": run.truncated,
    }


def summarize_run(run: Run) -> types.RunSummary:
    """Return the state and the times of a run."""
    return {
        "id": run.id,
        "createdAt": when(run.created),
        "updatedAt": when(run.updated),
        "nominalStartTime": when(run.nominal_start),
        "nominalEndTime": when(run.nominal_end),
        "state": run.state,
        "startedAt": when(run.started),
        "endedAt": when(run.ended),
        "durationMs": _duration_ms(run),
    }


def render_run_if_any(run: Run | None) -> types.Run | None:
    """Return the run; None without one."""
    return None if run is None else render_run(run)


def _duration_ms(run: Run) -> int | None:
    if run.started is None or run.ended is None:
        return None
    return milliseconds_between(run.started, run.ended)


def _args(run: Run) -> dict[str, str]:
    """Return what Marquez stores as a run's arguments: its nominal times and its parent."""
    parent = run.parent
    given = {
        "nominal_start_time": when(run.nominal_start),
        "nominal_end_time": when(run.nominal_end),
        "run_id": parent.run if parent else None,
        "name": parent.job.name if parent else None,
        "namespace": parent.job.namespace if parent else None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _used(used: UsedVersion) -> types.UsedVersion:
    return {"datasetVersionId": render_version_id(used.dataset, used.version), "facets": dict(used.facets)}
