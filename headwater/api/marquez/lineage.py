"""Routes of lineage: the current graph, as it was, or of versions; and the runs upstream of a run."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.cursor import parse_cursor, render_cursor
from headwater.api.http.parameters import Parameter, choice, flag, moment, nonblank_text, number, text, value, words
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import RESPONSE_BYTES_MAX, respond_json, take_within
from headwater.api.marquez import graph_types as types
from headwater.api.marquez.graph_views import (
    render_graph,
    render_history,
    render_neighbour,
    render_short_graph,
    render_upstream,
)
from headwater.api.marquez.parameters import DATASET_VERSION, DEPTH_MAX, FORM, LIMIT_MAX, is_short, lineage_at
from headwater.api.marquez.responses import require
from headwater.api.route import Route, Services, Within
from headwater.facts.result_page import ResultPage
from headwater.queries.results.graphs import GraphDirection, Side, UpstreamRun
from headwater_model.errors import Invalid


def _depth(description: str) -> Parameter[int]:
    return number("depth", description, least=0, most=DEPTH_MAX).default(20)


_NODE_ID = nonblank_text(
    "nodeId",
    "`dataset:<namespace>:<name>` or `job:<namespace>:<name>`, and `#<version>` for one.",
    "dataset:s3://flights:checked",
).required()
_DEPTH = _depth(
    "How many jobs further on each way: 0 is the job itself, or the jobs that read or write the dataset. So from a "
    "dataset, 1 draws two jobs each way; from a job, one."
)
_LINEAGE_AT = lineage_at("The graph of the events before this time.")
_DIRECTIONS: dict[str, GraphDirection] = {"both": "both", "up": "up", "down": "down", "through": "through"}
_DIRECTION = choice(
    "direction",
    "Ours: from each node `both` ways, or only ways that lead `up` from the start, `down`, or either (`through`).",
    _DIRECTIONS,
).default("both")
_FOLD = number(
    "fold",
    "Ours: at most so many neighbours on each side of a node, those that ran last, and `more` on every node.",
    least=0,
    most=100,
)
_DEPENDENCIES = flag(
    "dependencies", "Ours: jobs lead on to those that they depend on, or that depend on them, by `jobDependencies`."
)
_START = moment("start", "Changes from then on.").required()
_END = moment("end", "Changes before then; without it, until now.")
_SIDES: tuple[Side, ...] = ("up", "down")
_SIDE = choice("side", "What the node is made of, or what is made of it.", words(_SIDES)).required()
_PART = text("q", "Only those whose name holds this text, in any case.")
_PAGE = number("limit", "The most of a page.", least=1, most=LIMIT_MAX).default(100)
_CURSOR = value("cursor", "As the last response to the same request gave it.")
_RUN_ID = nonblank_text("runId", "As sent, or as printed.", "01941f29-7c00-7ea7-b5a3-4d2d5f0a1b2c").required()
_RUNS_UP = _depth("How many runs up; 0 is the run itself.")
_RUNS_DOWN = _depth("How many runs down; 0 is the run itself.")


def get_lineage(services: Services, request: HttpRequest) -> Response[str]:
    """Return the graph of jobs and datasets around one of them.

    A node id is looked up, not taken apart: namespaces and names may hold colons. Of `#<version>`, `datasetVersion` and
    `lineageAt` one is given, and beside a version neither `direction` nor `fold`.

    Returns:
        The same from every node of a component that `depth` covers, in both directions and without `fold`. Edges
        between datasets are those of views: a DatasetEvent says what they are made of.
    """
    node_id = _NODE_ID.read(request)
    graph = services.queries.find_graph(
        node_id,
        depth=_DEPTH.read(request),
        at=_LINEAGE_AT.read(request),
        version=DATASET_VERSION.read(request),
        direction=_DIRECTION.read(request),
        fold=_FOLD.read(request),
        dependencies=_DEPENDENCIES.read(request),
    )
    render = render_short_graph if is_short(request) else render_graph
    body = render(require(graph, "Node", node_id))
    return respond_json(services.links, body)


def get_history(services: Services, request: HttpRequest) -> Response[str]:
    """List the changes of the graph around a job or dataset in a range of times.

    The graph of `lineageAt` at the start, with the changes before a later time, is the graph of `lineageAt` at that
    time: of the same `nodeId`, `depth` and `direction`.

    Returns:
        Oldest first, at most 100; `until` says how far.
    """
    node_id, start = _NODE_ID.read(request), _START.read(request)
    end = _END.read(request) or services.now()
    if start > end:
        raise Invalid.because("end", end, f"must not be before start ({start})")
    depth, direction = _DEPTH.read(request), _DIRECTION.read(request)
    history = services.queries.report_history(node_id, depth=depth, direction=direction, start=start, end=end)
    return respond_json(services.links, render_history(node_id, start, end, require(history, "Node", node_id)))


def list_neighbours(services: Services, request: HttpRequest) -> Response[str]:
    """List the neighbours on one side of a job or dataset: what a folded graph leaves out.

    Returns:
        By name; a page may be short, or empty, and not be the last.
    """
    node_id, side, part = _NODE_ID.read(request), _SIDE.read(request), _PART.read(request) or ""
    criteria, cursor = (node_id, side, part), _CURSOR.read(request)
    after = parse_cursor(criteria, cursor) if cursor else ""
    neighbours = services.queries.list_neighbours(node_id, side, text=part, limit=_PAGE.read(request), after=after)
    page = require(neighbours, "Node", node_id)
    body: types.Neighbours = {
        "neighbours": list(map(render_neighbour, page.items)),
        "cursor": render_cursor(criteria, page.after) if page.after else None,
    }
    return respond_json(services.links, body)


def get_upstream_runs(services: Services, request: HttpRequest) -> Response[str]:
    """List the runs that made what a run read.

    Returns:
        Nearest first. Of runs that have the id in several namespaces, the earliest that the caller may read.
    """
    run_id = _RUN_ID.read(request)
    upstream = services.queries.find_upstream_runs(run_id, depth=_RUNS_UP.read(request))
    return _respond_runs(services, require(upstream, "Run", run_id))


def get_downstream_runs(services: Services, request: HttpRequest) -> Response[str]:
    """List the runs that read what a run made, and so on.

    Returns:
        Nearest first, each with all that it read. Of runs that have the id in several namespaces, those downstream of
        the earliest that the caller may read. A reader that started more than a day before its writer is not found.
    """
    run_id = _RUN_ID.read(request)
    downstream = services.queries.find_downstream_runs(run_id, depth=_RUNS_DOWN.read(request))
    return _respond_runs(services, require(downstream, "Run", run_id))


def _respond_runs(services: Services, runs: ResultPage[UpstreamRun]) -> Response[str]:
    page = list(take_within(map(render_upstream, runs.items), RESPONSE_BYTES_MAX))
    body: types.UpstreamRuns = {"runs": page, "truncated": runs.truncated or len(page) < runs.total}
    return respond_json(services.links, body)


ROUTES = (
    Route(
        "GET",
        "/api/v1/lineage",
        get_lineage,
        scope="read",
        within=Within.NODE,
        parameters=(_NODE_ID, _DEPTH, _LINEAGE_AT, DATASET_VERSION, _DIRECTION, FORM, _FOLD, _DEPENDENCIES),
        returns=types.Graph | types.ShortGraph,
    ),
    Route(
        "GET",
        "/api/v1/lineage/history",
        get_history,
        scope="read",
        within=Within.NODE,
        parameters=(_NODE_ID, _DEPTH, _DIRECTION, _START, _END),
        returns=types.GraphHistory,
        errors=(400, 404, 413, 503),
    ),
    Route(
        "GET",
        "/api/v1/lineage/neighbours",
        list_neighbours,
        scope="read",
        within=Within.NODE,
        parameters=(_NODE_ID, _SIDE, _PART, _PAGE, _CURSOR),
        returns=types.Neighbours,
    ),
    Route(
        "GET",
        "/api/v1/runlineage/upstream",
        get_upstream_runs,
        scope="read",
        within=Within.RUN,
        parameters=(_RUN_ID, _RUNS_UP),
        returns=types.UpstreamRuns,
    ),
    Route(
        "GET",
        "/api/v1/runlineage/downstream",
        get_downstream_runs,
        scope="read",
        within=Within.RUN,
        parameters=(_RUN_ID, _RUNS_DOWN),
        returns=types.UpstreamRuns,
    ),
)
