"""The routes of lineage: the current graph, as it was, or of versions; and the runs upstream of a run."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from lineage.api.answers import ANSWER_BYTES_MAX
from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_whole, fitting, found
from lineage.api.marquez.graph_views import render_graph, render_upstream
from lineage.api.request import HttpRequest
from lineage.api.services import Services


def get_lineage(services: Services, request: HttpRequest) -> Response[str]:
    """The graph around a job or dataset: now, at a time (`lineageAt`), or upstream of a version."""
    node_id = query.required(request, "nodeId")
    graph = services.questions.find_graph(
        node_id,
        depth=query.depth(request),
        at=query.moment(request, "lineageAt"),
        version=query.text(request, "datasetVersion"),
    )
    from_dataset = node_id.startswith("dataset:")
    return answer_whole(services, render_graph(found(graph, "Node", node_id), from_dataset=from_dataset))


def get_upstream(services: Services, request: HttpRequest) -> Response[str]:
    """The runs that made what a run read, and so on, nearest first."""
    run_id = query.required(request, "runId")
    upstream = services.questions.find_upstream_runs(run_id, depth=query.depth(request))
    runs = found(upstream, "Run", run_id)
    kept = list(fitting(map(render_upstream, runs.items), ANSWER_BYTES_MAX))
    return answer_whole(services, {"runs": kept, "truncated": runs.truncated or len(kept) < runs.total})
