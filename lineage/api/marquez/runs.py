"""The routes of runs: a job's, one, and its facets."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_list, answer_whole, found
from lineage.api.marquez.run_views import render_run
from lineage.api.request import HttpRequest
from lineage.api.services import Services
from lineage.graph.entities import Run
from lineage_model.errors import Invalid

FACET_TYPES = ("run", "job", "dataset")


def list_runs(services: Services, request: HttpRequest) -> Response[str]:
    """A job's runs, the last one started first."""
    job_id, page = query.job_id(request), query.paging(request)
    runs = services.questions.list_runs(job_id, limit=page.limit, offset=page.offset)
    listed = found(runs, "Job", job_id.name)
    return answer_list(services, "runs", listed, map(render_run, listed.items))


def get_run(services: Services, request: HttpRequest) -> Response[str]:
    """A run, by its id as sent or as printed."""
    return answer_whole(services, render_run(_run(services, request)))


def get_facets(services: Services, request: HttpRequest) -> Response[str]:
    """A run's facets, or those of its job as the run sent them; Marquez answers none for `dataset`, and so do we."""
    kind = query.choice(request, "type", FACET_TYPES)
    if kind is None:
        raise Invalid.because("type", None, f"must be one of {', '.join(FACET_TYPES)}")
    run = _run(services, request)
    facets = {"run": run.facets, "job": run.job_facets}.get(kind, {})
    return answer_whole(services, {"runId": run.id, "facets": dict(facets)})


def _run(services: Services, request: HttpRequest) -> Run:
    run_id = request.segment("run_id")
    return found(services.questions.find_run(run_id), "Run", run_id)
