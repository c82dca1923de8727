"""Routes of runs: a job's runs, a run, and its facets."""

from __future__ import annotations

from collections.abc import Mapping

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import choice, words
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez import types
from headwater.api.marquez.parameters import (
    FORM,
    JOB,
    JOB_NAMESPACE,
    LIMIT,
    OFFSET,
    RUN_ID,
    is_short,
    read_job_id,
    read_paging,
)
from headwater.api.marquez.responses import require, respond_list
from headwater.api.marquez.run_views import render_run, summarize_child_run, summarize_run
from headwater.api.route import Services, Within, read_route
from headwater.events.event import Facets
from headwater.facts.run_facts import Run

_TYPE = choice(
    "type", "Whose: the run's, or its job's; none for `dataset`, as in Marquez.", words(("run", "job", "dataset"))
).required()


def list_runs(services: Services, request: HttpRequest) -> Response[str]:
    """List a job's runs.

    Returns:
        Last started first.
    """
    job_id = read_job_id(request)
    limit, offset = read_paging(request)
    in_short = is_short(request)
    runs = services.queries.list_runs(job_id, in_short=in_short, limit=limit, offset=offset)
    listed = require(runs, "Job", job_id.name)
    return respond_list(services.links, "runs", listed, map(summarize_run if in_short else render_run, listed.items))


def get_run(services: Services, request: HttpRequest) -> Response[str]:
    """Get a run, by its id as sent or as printed.

    Returns:
        The run, with the versions it read and wrote. If runs in several namespaces have the id, the earliest within the
        caller's rights.
    """
    return respond_json(services.links, render_run(_find(services, request)))


def list_child_runs(services: Services, request: HttpRequest) -> Response[str]:
    """List the child runs of a run.

    Returns:
        Last started first, the last 1,000. If runs in several namespaces have the id, the children of the earliest run
        within the caller's rights.
    """
    run_id = RUN_ID.read(request)
    limit, offset = read_paging(request)
    in_short = is_short(request)
    runs = services.queries.list_child_runs(run_id, in_short=in_short, limit=limit, offset=offset)
    listed = require(runs, "Run", run_id)
    render = summarize_child_run if in_short else render_run
    return respond_list(services.links, "runs", listed, map(render, listed.items))


def get_run_facets(services: Services, request: HttpRequest) -> Response[str]:
    """Get the facets of a run, or of its job as the run sent them.

    Returns:
        By name. If runs in several namespaces have the id, of the earliest within the caller's rights.
    """
    kind = _TYPE.read(request)
    run = _find(services, request)
    facets: Mapping[str, Facets] = {"run": run.facets, "job": run.job_facets}
    body: types.RunFacets = {"runId": run.id, "facets": dict(facets.get(kind, {}))}
    return respond_json(services.links, body)


def _find(services: Services, request: HttpRequest) -> Run:
    run_id = RUN_ID.read(request)
    return require(services.queries.find_run(run_id), "Run", run_id)


_RUN = "/api/v1/jobs/runs/<run_id>"
ROUTES = (
    read_route(
        "/api/v1/namespaces/<namespace>/jobs/<job>/runs",
        list_runs,
        Within.NAMESPACE,
        (JOB_NAMESPACE, JOB, FORM, LIMIT, OFFSET),
        types.Runs | types.ShortRuns,
    ),
    read_route(_RUN, get_run, Within.RUN, (RUN_ID,), types.Run),
    read_route(
        f"{_RUN}/children",
        list_child_runs,
        Within.RUN,
        (RUN_ID, FORM, LIMIT, OFFSET),
        types.Runs | types.ShortChildRuns,
    ),
    read_route(f"{_RUN}/facets", get_run_facets, Within.RUN, (RUN_ID, _TYPE), types.RunFacets),
)
