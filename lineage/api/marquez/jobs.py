"""The routes of jobs and their versions."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_list, answer_whole, found
from lineage.api.marquez.job_views import render_job, render_job_version
from lineage.api.request import HttpRequest
from lineage.api.services import Services
from lineage.graph.entities import State

STATES: tuple[State, ...] = get_args(State)


def list_all_jobs(services: Services, request: HttpRequest) -> Response[str]:
    """The jobs of every namespace, by name."""
    return _list_jobs(services, request, None)


def list_jobs(services: Services, request: HttpRequest) -> Response[str]:
    """A namespace's jobs, by name; none for a namespace that nothing is known of."""
    return _list_jobs(services, request, request.segment("namespace"))


def get_job(services: Services, request: HttpRequest) -> Response[str]:
    """A job."""
    job_id = query.job_id(request)
    return answer_whole(services, render_job(found(services.questions.find_job(job_id), "Job", job_id.name)))


def delete_job(services: Services, request: HttpRequest) -> Response[str]:
    """Hide a job until an event tells of it again; it is as good as done when this is answered."""
    job_id = query.job_id(request)
    job = found(services.questions.find_job(job_id), "Job", job_id.name)
    services.deletions.put(job.id.namespace, time=services.now(), job=job.id.name, caller=request.caller)
    return answer_whole(services, render_job(replace(job, hidden=True)))


def list_versions(services: Services, request: HttpRequest) -> Response[str]:
    """A job's versions, the one it last ran first."""
    job_id, page = query.job_id(request), query.paging(request)
    versions = services.questions.list_job_versions(job_id, limit=page.limit, offset=page.offset)
    listed = found(versions, "Job", job_id.name)
    return answer_list(services, "versions", listed, map(render_job_version, listed.items))


def get_version(services: Services, request: HttpRequest) -> Response[str]:
    """A version of a job."""
    version = request.segment("version")
    one = services.questions.find_job_version(query.job_id(request), version)
    return answer_whole(services, render_job_version(found(one, "Job version", version)))


def _list_jobs(services: Services, request: HttpRequest, namespace: str | None) -> Response[str]:
    states, page = query.choices_of(request, "lastRunStates", STATES), query.paging(request)
    listed = services.questions.list_jobs(namespace, states=states, limit=page.limit, offset=page.offset)
    return answer_list(services, "jobs", listed, map(render_job, listed.items))
