"""The routes of columns: the graph around a dataset, a field or a job, and from a field down to record roots."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_whole, found
from lineage.api.marquez.column_views import render_columns, render_origins
from lineage.api.request import HttpRequest
from lineage.api.services import Services

# The proposal's: what was asked, with its inputs told; Marquez's own is 20.
DEPTH = 0


def get_columns(services: Services, request: HttpRequest) -> Response[str]:
    """What columns are made of, and with `withDownstream` what is made of them: now, at a time, or of a version."""
    node_id = query.required(request, "nodeId")
    graph = services.fields.find_columns(
        node_id,
        depth=query.number(request, "depth", DEPTH, query.DEPTH_MAX),
        downstream=query.flag(request, "withDownstream"),
        at=query.moment(request, "lineageAt"),
        version=query.text(request, "datasetVersion"),
    )
    return answer_whole(services, render_columns(found(graph, "Node", node_id)))


def get_origins(services: Services, request: HttpRequest) -> Response[str]:
    """The runs that a field's values come from, and the record roots that each of them reported."""
    node_id = query.required(request, "nodeId")
    return answer_whole(services, render_origins(found(services.fields.find_origins(node_id), "Node", node_id)))
