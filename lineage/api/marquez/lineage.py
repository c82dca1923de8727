"""Routes of lineage: the current graph, as it was, or of versions; and the runs upstream of a run."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from lineage.api.links import respond_json
from lineage.api.marquez import graph_types as types
from lineage.api.marquez.graph_views import render_graph, render_short_graph, render_upstream
from lineage.api.marquez.parameters import DATASET_VERSION, DEPTH_MAX, FORM, is_short, lineage_at
from lineage.api.marquez.responses import require
from lineage.api.parameters import Parameter, choice, number, required_text
from lineage.api.request import HttpRequest
from lineage.api.responses import RESPONSE_BYTES_MAX, take_within
from lineage.api.route import Route
from lineage.api.services import Services
from lineage.graph.entities import GraphDirection


def _depth(description: str) -> Parameter[int]:
    return number("depth", description, least=0, most=DEPTH_MAX, default=20)


_NODE_ID = required_text(
    "nodeId",
    "`dataset:<namespace>:<name>` or `job:<namespace>:<name>`, and `#<version>` for one.",
    "dataset:s3://flights:checked",
)
_DEPTH = _depth("How many jobs away from the start; 0 is its own jobs.")
_LINEAGE_AT = lineage_at("The graph of the events before this time.")
_DIRECTIONS: dict[str, GraphDirection] = {"both": "both", "up": "up", "down": "down", "through": "through"}
_DIRECTION = choice(
    "direction",
    "Ours: from each node `both` ways, or only ways that lead `up` from the start, `down`, or either (`through`).",
    _DIRECTIONS,
    default="both",
)
_FOLD = number(
    "fold",
    "Ours: at most so many neighbours on each side of a node, those that ran last, and `more` on every node.",
    least=0,
    most=100,
)
_RUN_ID = required_text("runId", "As sent, or as printed.", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c")
_RUNS_UP = _depth("How many runs up; 0 is the run itself.")


def get_lineage(services: Services, request: HttpRequest) -> Response[str]:
    """Return the graph of jobs and datasets around one of them.

    A node id is looked up, not taken apart: namespaces and names may hold colons. Of `#<version>`, `datasetVersion` and
    `lineageAt` one is given, and beside a version neither `direction` nor `fold`.

    Returns:
        The same from every node of a component that `depth` covers, in both directions and without `fold`.
    """
    node_id = _NODE_ID.read(request)
    graph = services.queries.find_graph(
        node_id,
        depth=_DEPTH.read(request),
        at=_LINEAGE_AT.read(request),
        version=DATASET_VERSION.read(request),
        direction=_DIRECTION.read(request),
        fold=_FOLD.read(request),
    )
    render = render_short_graph if is_short(request) else render_graph
    body = render(require(graph, "Node", node_id), from_dataset=node_id.startswith("dataset:"))
    return respond_json(services.links, body)


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
        parameters=(_NODE_ID, _DEPTH, _LINEAGE_AT, DATASET_VERSION, _DIRECTION, FORM, _FOLD),
        returns=types.Graph | types.ShortGraph,
    ),
    Route(
        "GET",
        "/api/v1/runlineage/upstream",
        get_upstream_runs,
        parameters=(_RUN_ID, _RUNS_UP),
        returns=types.UpstreamRuns,
    ),
)
