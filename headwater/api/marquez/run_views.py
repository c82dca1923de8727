"""Runs as Marquez prints them, and their jobs."""

from __future__ import annotations

from typing import Any

from headwater.api.marquez import types
from headwater.api.marquez.written_events import ARGS_FACET
from headwater.api.values import render_id, render_ids, render_version_id, when
from headwater.facts.run_facts import Run, UsedVersion
from headwater_model.times import milliseconds_between


def render_run(run: Run) -> types.Run:
    """Render Marquez's Run; ours: its attempts, `job`, `otherJobs` with its id, the marks of cuts, `resolvedBy`."""
    return {
        **summarize_run(run),
        "args": _args(run),
        "jobVersion": None if run.job_version is None else render_version_id(run.job, run.job_version),
        "inputDatasetVersions": [
            {**_render_used(version), "resolvedBy": version.resolved_by} for version in run.inputs
        ],
        "outputDatasetVersions": [_render_used(version) for version in run.outputs],
        "facets": dict(run.facets),
        "job": render_id(run.job),
        "otherJobs": render_ids(run.other_jobs),
        "otherJobsTruncated": run.others_cut,
        "truncated": run.truncated,
        **_attempts(run),
    }


def summarize_run(run: Run) -> types.RunSummary:
    """Render the state and the times of a run."""
    return {
        "id": run.id,
        "createdAt": when(run.created),
        "updatedAt": when(run.updated),
        "nominalStartTime": when(run.nominal_start),
        "nominalEndTime": when(run.nominal_end),
        "state": run.state,
        "startedAt": when(run.started),
        "endedAt": when(run.ended),
        "durationMs": None
        if run.started is None or run.ended is None
        else milliseconds_between(run.attempt_started or run.started, run.ended),
        **mark_incomplete(incomplete=run.incomplete),
    }


def summarize_child_run(run: Run) -> types.ShortChildRun:
    """Render the state and the times of a run, and its job: children of a run are of several jobs."""
    return {**summarize_run(run), "job": render_id(run.job)}


def mark_incomplete(*, incomplete: bool) -> types.Incomplete:
    """Mark a run that its producer could not read whole."""
    return {"lineageIncomplete": True} if incomplete else {}


def render_run_if_any(run: Run | None) -> types.Run | None:
    """Render the run; None without a run."""
    return None if run is None else render_run(run)


def _args(run: Run) -> dict[str, Any]:
    """Render the arguments that Marquez's clients sent; else Marquez's default: the nominal times and the parent."""
    sent = run.facets.get(ARGS_FACET, {}).get("args")
    if isinstance(sent, dict):
        return sent
    parent = run.parent
    given = {
        "nominal_start_time": when(run.nominal_start),
        "nominal_end_time": when(run.nominal_end),
        "run_id": parent.run if parent else None,
        "name": parent.job.name if parent else None,
        "namespace": parent.job.namespace if parent else None,
    }
    return {name: value for name, value in given.items() if value is not None}


def _attempts(run: Run) -> types.Attempts:
    shown: types.Attempts = {"attemptsTruncated": True} if run.attempts_cut else {}
    if len(run.attempts) > 1:
        shown["attempts"] = [
            {"state": attempt.state, "startedAt": when(attempt.started), "endedAt": when(attempt.ended)}
            for attempt in run.attempts
        ]
    return shown


def _render_used(used: UsedVersion) -> types.UsedVersion:
    return {"datasetVersionId": render_version_id(used.dataset, used.version), "facets": dict(used.facets)}
