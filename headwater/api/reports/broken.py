"""The report on jobs that fail, as JSON."""

from __future__ import annotations

from headwater.api.marquez.job_views import render_short_job
from headwater.api.reports import types
from headwater.api.values import when
from headwater.queries.results.graphs import Broken, BrokenJob


def render_broken(broken: Broken) -> types.BrokenReport:
    """Return the jobs of the page, in its order."""
    return {
        "broken": list(map(_render_job, broken.jobs)),
        "totalCount": broken.total,
        "truncated": broken.truncated,
        "datasetsTruncated": broken.datasets_cut,
    }


def _render_job(broken: BrokenJob) -> types.BrokenJob:
    return {
        "nodeId": broken.job.id.node_id,
        "data": render_short_job(broken.job),
        "datasets": broken.datasets,
        "since": when(broken.since),
        "failedRuns": broken.failed_runs,
        "failsLonger": broken.cut,
        "runId": broken.run,
        "error": broken.error,
    }
