"""Routes of jobs, their versions and their runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import choice, choices_of, words
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez import types
from headwater.api.marquez.job_views import render_job, render_job_version, render_short_job
from headwater.api.marquez.parameters import (
    FORM,
    JOB,
    JOB_NAMESPACE,
    JOB_VERSION_ID,
    LIMIT,
    OFFSET,
    RUN_ID,
    SORT,
    UPDATED_BEFORE,
    is_short,
    read_job_id,
    read_paging,
)
from headwater.api.marquez.responses import require, respond_list
from headwater.api.marquez.run_views import render_run, summarize_child_run, summarize_run
from headwater.api.route import Services, Within, delete_route, list_route, read_route
from headwater.events.event import Facets, State
from headwater.facts.run_facts import Run
from headwater.queries.results.entities import ChildSort, Job

_STATES: tuple[State, ...] = get_args(State)
_LAST_RUN_STATES = choices_of(
    "lastRunStates", "Only jobs whose latest run is in one of these states; repeatable. Of 1,000 changed last.", _STATES
)
_CHILD_SORTS: Mapping[str, ChildSort] = {"name": "name", "state": "state"}
_CHILD_SORT = choice(
    "sort", "Ours: by namespace and name, or by `state`: failed jobs first, then aborted, then running.", _CHILD_SORTS
).default("name")
_TYPE = choice(
    "type", "Whose: the run's, or its job's; none for `dataset`, as in Marquez.", words(("run", "job", "dataset"))
).required()


def list_all_jobs(services: Services, request: HttpRequest) -> Response[str]:
    """List all jobs.

    Returns:
        By name, or the last updated first.
    """
    return _list_jobs(services, request, None)


def list_jobs(services: Services, request: HttpRequest) -> Response[str]:
    """List a namespace's jobs.

    Returns:
        By name, or the last updated first; none for an unknown namespace.
    """
    return _list_jobs(services, request, JOB_NAMESPACE.read(request))


def get_job(services: Services, request: HttpRequest) -> Response[str]:
    """Get a job.

    Returns:
        The job.
    """
    return respond_json(services.links, render_job(_find(services, request)))


def delete_job(services: Services, request: HttpRequest) -> Response[str]:
    """Hide a job.

    Until an event of a later time mentions it again. Its history stays.

    Returns:
        The thing, deleted; readers see the change within seconds.
    """
    job = _find(services, request)
    services.changes.put(
        "DELETE", time=services.now(), namespace=job.id.namespace, job=job.id.name, caller=request.caller
    )
    return respond_json(services.links, render_job(replace(job, hidden=True)))


def list_child_jobs(services: Services, request: HttpRequest) -> Response[str]:
    """List the child jobs of a job.

    A job's parent comes from its last event with a parent. Graphs of the past have the same parents.

    Returns:
        Within the caller's rights; of a namespace, the first 1,000.
    """
    job_id = read_job_id(request)
    in_short, sort = is_short(request), _CHILD_SORT.read(request)
    children = services.queries.list_child_jobs(job_id, sort=sort, in_short=in_short, **read_paging(request))
    listed = require(children, "Job", job_id.name)
    return respond_list(services.links, "jobs", listed, map(render_short_job if in_short else render_job, listed.items))


def list_job_versions(services: Services, request: HttpRequest) -> Response[str]:
    """List a job's versions.

    Returns:
        Last run first.
    """
    job_id = read_job_id(request)
    versions = services.queries.list_job_versions(job_id, **read_paging(request))
    listed = require(versions, "Job", job_id.name)
    return respond_list(services.links, "versions", listed, map(render_job_version, listed.items))


def get_job_version(services: Services, request: HttpRequest) -> Response[str]:
    """Get a version of a job.

    Returns:
        The version.
    """
    version = JOB_VERSION_ID.read(request)
    job_version = services.queries.find_job_version(read_job_id(request), version)
    return respond_json(services.links, render_job_version(require(job_version, "Job version", version)))


def _find(services: Services, request: HttpRequest) -> Job:
    job_id = read_job_id(request)
    return require(services.queries.find_job(job_id), "Job", job_id.name)


def _list_jobs(services: Services, request: HttpRequest, namespace: str | None) -> Response[str]:
    states = _LAST_RUN_STATES.read(request)
    in_short = is_short(request)
    listed = services.queries.list_jobs(
        namespace,
        states=states,
        sort=SORT.read(request),
        updated_before=UPDATED_BEFORE.read(request),
        in_short=in_short,
        **read_paging(request),
    )
    return respond_list(services.links, "jobs", listed, map(render_short_job if in_short else render_job, listed.items))


def list_runs(services: Services, request: HttpRequest) -> Response[str]:
    """List a job's runs.

    Returns:
        Last started first.
    """
    job_id = read_job_id(request)
    in_short = is_short(request)
    runs = services.queries.list_runs(job_id, in_short=in_short, **read_paging(request))
    listed = require(runs, "Job", job_id.name)
    return respond_list(services.links, "runs", listed, map(summarize_run if in_short else render_run, listed.items))


def get_run(services: Services, request: HttpRequest) -> Response[str]:
    """Get a run, by its id as sent or as printed.

    Returns:
        The run, with the versions it read and wrote. If runs in several namespaces have the id, the earliest within the
        caller's rights.
    """
    return respond_json(services.links, render_run(_find_run(services, request)))


def list_child_runs(services: Services, request: HttpRequest) -> Response[str]:
    """List the child runs of a run.

    Returns:
        Last started first, the last 1,000. If runs in several namespaces have the id, the children of the earliest run
        within the caller's rights.
    """
    run_id = RUN_ID.read(request)
    in_short = is_short(request)
    runs = services.queries.list_child_runs(run_id, in_short=in_short, **read_paging(request))
    listed = require(runs, "Run", run_id)
    render = summarize_child_run if in_short else render_run
    return respond_list(services.links, "runs", listed, map(render, listed.items))


def get_run_facets(services: Services, request: HttpRequest) -> Response[str]:
    """Get the facets of a run, or of its job as the run sent them.

    Returns:
        By name. If runs in several namespaces have the id, of the earliest within the caller's rights.
    """
    kind = _TYPE.read(request)
    run = _find_run(services, request)
    facets: Mapping[str, Facets] = {"run": run.facets, "job": run.job_facets}
    body: types.RunFacets = {"runId": run.id, "facets": dict(facets.get(kind, {}))}
    return respond_json(services.links, body)


def _find_run(services: Services, request: HttpRequest) -> Run:
    run_id = RUN_ID.read(request)
    return require(services.queries.find_run(run_id), "Run", run_id)


_JOBS = "/api/v1/namespaces/<namespace>/jobs"
_RUN = "/api/v1/jobs/runs/<run_id>"
_ID = (JOB_NAMESPACE, JOB)
_PAGED = (FORM, LIMIT, OFFSET)
_LISTED = (_LAST_RUN_STATES, SORT, UPDATED_BEFORE, *_PAGED)
_JOBS_LISTED = types.Jobs | types.ShortJobs
ROUTES = (
    list_route("/api/v1/jobs", list_all_jobs, Within.SEEN, _LISTED, _JOBS_LISTED),
    list_route(_JOBS, list_jobs, Within.NAMESPACE, (JOB_NAMESPACE, *_LISTED), _JOBS_LISTED),
    read_route(f"{_JOBS}/<job>", get_job, Within.NAMESPACE, _ID, types.Job),
    delete_route(f"{_JOBS}/<job>", delete_job, parameters=_ID, returns=types.Job),
    read_route(
        f"{_JOBS}/<job>/children", list_child_jobs, Within.NAMESPACE, (*_ID, _CHILD_SORT, *_PAGED), _JOBS_LISTED
    ),
    read_route(
        f"{_JOBS}/<job>/versions", list_job_versions, Within.NAMESPACE, (*_ID, LIMIT, OFFSET), types.JobVersions
    ),
    read_route(
        f"{_JOBS}/<job>/versions/<version>", get_job_version, Within.NAMESPACE, (*_ID, JOB_VERSION_ID), types.JobVersion
    ),
    read_route(f"{_JOBS}/<job>/runs", list_runs, Within.NAMESPACE, (*_ID, *_PAGED), types.Runs | types.ShortRuns),
    read_route(_RUN, get_run, Within.RUN, (RUN_ID,), types.Run),
    read_route(f"{_RUN}/children", list_child_runs, Within.RUN, (RUN_ID, *_PAGED), types.Runs | types.ShortChildRuns),
    read_route(f"{_RUN}/facets", get_run_facets, Within.RUN, (RUN_ID, _TYPE), types.RunFacets),
)
