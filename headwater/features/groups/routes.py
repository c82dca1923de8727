"""The route of the estate in short, and its JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from aws_lambda_powertools.event_handler import Response
from typing_extensions import TypedDict

from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.route import Services, Within, read_route
from headwater.api.types import Count, Id, Time
from headwater.api.values import render_id, render_ids, when
from headwater.events.event import State
from headwater.facts.facts import IdText, dataset_of, job_of, text_of
from headwater.queries.lists.name_lists import NameCatalogue

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
    view = services.queries.view()
    catalogue = NameCatalogue(view)
    names = catalogue.every_job(None)
    page = catalogue.page(names, limit=JOBS_MAX, offset=0)
    view.load(jobs=page)
    nodes = [node for job in page if (node := view.nodes.get(job)) and (node["inputs"] or node["outputs"])]
    names_used = {dataset_of(text) for node in nodes for text in (*node["inputs"], *node["outputs"])}
    view.load_names(catalogue.perhaps_aliases(names_used))
    primaries = {text_of(name): text_of(view.primary(name)) for name in names_used}
    places = {text: place for place, text in enumerate(sorted({*primaries.values()}))}
    by_name = {text: places[primary] for text, primary in primaries.items()}
    report: EstateReport = {
        "jobs": [_render_job(node, by_name) for node in nodes],
        "datasets": render_ids(map(dataset_of, places)),
        "truncated": names.truncated or len(names) > JOBS_MAX,
    }
    return respond_json(services.links, report)


def _render_job(node: Mapping[str, Any], places: Mapping[IdText, int]) -> EstateJob:
    last = node["latest"] or {}
    return {
        **render_id(job_of(node["job"])),
        "state": last.get("state"),
        "endedAt": when(last.get("ended")),
        "owners": sorted({owner["name"] for owner in node.get("annotations", {}).get("owners", ())}),
        "parent": render_id(job_of(node["parent"]["job"])) if node["parent"] else None,
        "inputs": sorted({places[text] for text in node["inputs"]}),
        "outputs": sorted({places[text] for text in node["outputs"]}),
    }


ROUTES = (read_route("/api/v1/reports/estate", report_estate, Within.SEEN, (), EstateReport, errors=(503,)),)
