"""Reports on all jobs: what their events cover, and which of them fail."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import get_type_hints

from headwater.api.marquez.job_views import render_short_job
from headwater.api.reports import types
from headwater.api.reports.tables import cut, flag, table
from headwater.api.values import render_id, when
from headwater.queries.results.graphs import Broken, Coverage, JobCoverage

_TABLE = ("section", *get_type_hints(types.JobCoverage))


def render_coverage(coverage: Coverage) -> types.CoverageReport:
    """Return the counts of all jobs, by namespace and by producer, and each job."""
    by_namespace = _grouped(coverage.jobs, lambda job: job.job.namespace)
    by_producer = _grouped(coverage.jobs, lambda job: job.producer or "")
    return {
        **_counts(coverage.jobs),
        "namespaces": [{"namespace": name, **_counts(jobs)} for name, jobs in by_namespace],
        "producers": [{"producer": uri or None, **_counts(jobs)} for uri, jobs in by_producer],
        "jobs": [_render_job(job) for job in coverage.jobs],
        "truncated": coverage.truncated,
    }


def coverage_table(coverage: Coverage) -> str:
    """Return a row for each job."""
    rows = (
        {"section": "job", **{name: _cell(value) for name, value in _render_job(job).items()}} for job in coverage.jobs
    )
    return table(_TABLE, [*rows, *cut(coverage.truncated)])


def _grouped(
    jobs: Iterable[JobCoverage], key: Callable[[JobCoverage], str]
) -> Sequence[tuple[str, Sequence[JobCoverage]]]:
    return [(name, list(group)) for name, group in groupby(sorted(jobs, key=key), key)]


def _counts(jobs: Sequence[JobCoverage]) -> types.CoverageCounts:
    levels = [job.level for job in jobs]
    return {
        "total": len(jobs),
        "columns": levels.count("columns"),
        "tables": levels.count("tables"),
        "nothing": levels.count("nothing"),
        "parent": levels.count("parent"),
        "silent": levels.count("silent"),
        "outputs": sum(job.outputs for job in jobs),
        "certainOutputs": sum(job.certain for job in jobs),
        "incompleteJobs": sum(job.incomplete for job in jobs),
    }


def _render_job(covered: JobCoverage) -> types.JobCoverage:
    return {
        **render_id(covered.job),
        "producer": covered.producer,
        "coverage": covered.level,
        "updatedAt": when(covered.updated),
        "outputs": covered.outputs,
        "certainOutputs": covered.certain,
        "incomplete": covered.incomplete,
    }


def _cell(value: object) -> str:
    return flag(value) if isinstance(value, bool) else "" if value is None else str(value)


def render_broken(broken: Broken) -> types.BrokenReport:
    """Return the jobs of the page, in its order."""
    return {
        "broken": [
            {
                "nodeId": failing.job.id.node_id,
                "data": render_short_job(failing.job),
                "datasets": failing.datasets,
                "since": when(failing.since),
                "failedRuns": failing.failed_runs,
                "failsLonger": failing.cut,
                "runId": failing.run,
                "error": failing.error,
            }
            for failing in broken.jobs
        ],
        "totalCount": broken.total,
        "truncated": broken.truncated,
        "datasetsTruncated": broken.datasets_cut,
    }
