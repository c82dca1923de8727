"""Which route of Marquez is whose."""

from __future__ import annotations

from lineage.api.marquez import columns, datasets, events, jobs, lineage, namespaces, runs, search
from lineage.api.route import Route

_NAMESPACE = "/api/v1/namespaces/<namespace>"
_DATASET = f"{_NAMESPACE}/datasets/<dataset>"
_JOB = f"{_NAMESPACE}/jobs/<job>"

ROUTES = (
    Route("GET", "/api/v1/lineage", lineage.get_lineage),
    Route("GET", "/api/v1/runlineage/upstream", lineage.get_upstream),
    Route("GET", "/api/v1/column-lineage", columns.get_columns),
    Route("GET", "/api/v1/column-lineage/origins", columns.get_origins),
    Route("GET", "/api/v1/events/lineage", events.list_events),
    Route("GET", "/api/v1/namespaces", namespaces.list_namespaces),
    Route("GET", _NAMESPACE, namespaces.get_namespace),
    Route("DELETE", _NAMESPACE, namespaces.delete_namespace),
    Route("GET", f"{_NAMESPACE}/datasets", datasets.list_datasets),
    Route("GET", _DATASET, datasets.get_dataset),
    Route("DELETE", _DATASET, datasets.delete_dataset),
    Route("GET", f"{_DATASET}/versions", datasets.list_versions),
    Route("GET", f"{_DATASET}/versions/<version>", datasets.get_version),
    Route("GET", "/api/v1/jobs", jobs.list_all_jobs),
    Route("GET", f"{_NAMESPACE}/jobs", jobs.list_jobs),
    Route("GET", _JOB, jobs.get_job),
    Route("DELETE", _JOB, jobs.delete_job),
    Route("GET", f"{_JOB}/versions", jobs.list_versions),
    Route("GET", f"{_JOB}/versions/<version>", jobs.get_version),
    Route("GET", f"{_JOB}/runs", runs.list_runs),
    Route("GET", "/api/v1/jobs/runs/<run_id>", runs.get_run),
    Route("GET", "/api/v1/jobs/runs/<run_id>/facets", runs.get_facets),
    Route("GET", "/api/v1/search", search.search),
)
