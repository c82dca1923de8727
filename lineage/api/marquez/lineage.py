"""Routes of lineage: the current graph, as it was, or of versions; and the runs upstream of a run."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from lineage.api.links import respond_json
from lineage.api.marquez import graph_types as types
from lineage.api.marquez.graph_views import render_graph, render_upstream
from lineage.api.marquez.parameters import DATASET_VERSION, DEPTH_MAX, lineage_at
from lineage.api.marquez.responses import require
from lineage.api.parameters import Parameter, number, required_text
from lineage.api.request import HttpRequest
from lineage.api.responses import RESPONSE_BYTES_MAX, take_within
from lineage.api.route import Route
from lineage.api.services import Services


def _depth(description: str) -> Parameter[int]:
    return number("depth", description, least=0, most=DEPTH_MAX, default=20)


_NODE_ID = required_text(
    "nodeId",
    "`dataset:<namespace>:<name>` or `job:<namespace>:<name>`, and `#<version>` for one.",
    "dataset:s3://flights:checked",
)
_DEPTH = _depth("How many jobs away from the start; 0 is its own jobs.")
_LINEAGE_AT = lineage_at("The graph of the events before this time.")
_RUN_ID = required_text("runId", "As sent, or as printed.", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c")
_RUNS_UP = _depth("How many runs up; 0 is the run itself.")


def get_lineage(services: Services, request: HttpRequest) -> Response[str]:
    """Return the graph of jobs and datasets around one of them.

    A node id is looked up, not taken apart: namespaces and names may hold colons. Of `#<version>`, `datasetVersion` and
    `lineageAt` one is given.

    Returns:
        The same from every node of a component that `depth` covers.
    """
    node_id = _NODE_ID.read(request)
    graph = services.queries.find_graph(
        node_id,
        depth=_DEPTH.read(request),
        at=_LINEAGE_AT.read(request),
        version=DATASET_VERSION.read(request),
    )
    from_dataset = node_id.startswith("dataset:")
    return respond_json(services.links, render_graph(require(graph, "Node", node_id), from_dataset=from_dataset))


def get_upstream_runs(services: Services, request: HttpRequest) -> Response[str]:
    """List the runs that made what a run read.

    Returns:
        Nearest first. Of runs that have the id in several namespaces, the earliest that the caller may read.
    """
    run_id = _RUN_ID.read(request)
    upstream = services.queries.find_upstream_runs(run_id, depth=_RUNS_UP.read(request))
    runs = require(upstream, "Run", run_id)
    page = list(take_within(map(render_upstream, runs.items), RESPONSE_BYTES_MAX))
    body: types.UpstreamRuns = {"runs": page, "truncated": runs.truncated or len(page) < runs.total}
    return respond_json(services.links, body)


ROUTES = (
    Route(
        "GET",
        "/api/v1/lineage",
        get_lineage,
        parameters=(_NODE_ID, _DEPTH, _LINEAGE_AT, DATASET_VERSION),
        returns=types.Graph,
    ),
    Route(
        "GET",
        "/api/v1/runlineage/upstream",
        get_upstream_runs,
        parameters=(_RUN_ID, _RUNS_UP),
        returns=types.UpstreamRuns,
    ),
)
