"""The route of the estate in short, and its JSON."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response
from typing_extensions import TypedDict

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.route import Services, Within, read_route
from headwater.api.types import Count, Id, Time
from headwater.api.values import render_id, render_ids, when
from headwater.events.event import State
from headwater.queries.lists.listings import Jobs
from headwater.queries.results.entities import Job
from headwater_model.ids import DatasetId

# Jobs of a response: their nodes are read in 20 batches.
JOBS_MAX = 2_000


class EstateJob(TypedDict):
    """A job with its last run; `inputs` and `outputs` are places in `datasets`."""

    namespace: str
    name: str
    state: State | None
    endedAt: Time | None
    owners: list[str]
    parent: Id | None
    """The job that starts it, such as a DAG."""
    inputs: list[Count]
    outputs: list[Count]


class EstateReport(TypedDict):
    """The jobs and their datasets: the names alone, each once."""

    jobs: list[EstateJob]
    """By namespace and name."""
    datasets: list[Id]
    truncated: bool
    """True if there are more jobs than a request reads: 2,000."""


def report_estate(services: Services, _request: HttpRequest) -> Response[str]:
    """Report all jobs with inputs or outputs, in short: the data of a picture of groups.

    Datasets without a job are missing.

    Returns:
        The estate.
    """
    query = Jobs(services.queries.view())
    listed = query.list(None, in_short=True, limit=JOBS_MAX, offset=0)
    jobs = query.named([job for job in listed.items if job.inputs or job.outputs])
    datasets = sorted({name for job in jobs for name in (*job.inputs, *job.outputs)})
    places = {name: place for place, name in enumerate(datasets)}
    report: EstateReport = {
        "jobs": [_render_job(job, places) for job in jobs],
        "datasets": render_ids(datasets),
        "truncated": listed.truncated or listed.total > JOBS_MAX,
    }
    return respond_json(services.links, report)


def _render_job(job: Job, places: dict[DatasetId, int]) -> EstateJob:
    last = job.latest_run
    return {
        "namespace": job.id.namespace,
        "name": job.id.name,
        "state": last.state if last else None,
        "endedAt": when(last.ended) if last and last.ended else None,
        "owners": sorted({owner.name for owner in job.annotations.owners}),
        "parent": render_id(job.parent.job) if job.parent else None,
        "inputs": [places[name] for name in job.inputs],
        "outputs": [places[name] for name in job.outputs],
    }


ROUTES = (read_route("/api/v1/reports/estate", report_estate, Within.SEEN, (), EstateReport, errors=(503,)),)
