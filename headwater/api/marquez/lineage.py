"""Routes of lineage: the graph now, at a time, or of versions; and the runs upstream of a run."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.cursor import parse_cursor, render_cursor
from headwater.api.http.parameters import Parameter, choice, flag, moment, nonblank_text, number, text, value, words
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import RESPONSE_BYTES_MAX, fit_within, respond_json
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
from headwater.api.route import Services, Within, read_route
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
    """Get the graph of jobs and datasets around a node.

    A node id is looked up, not split: namespaces and names may hold colons. Give at most one of `#<version>`,
    `datasetVersion` and `lineageAt`, and a version without `direction` and `fold`.

    Returns:
        The same from every node of a component within `depth`, in both directions and without `fold`. Edges between
        datasets come from views: a DatasetEvent names their sources.
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

    The graph of `lineageAt` at the start, with the changes until a later time, is the graph of `lineageAt` at the later
    time: of the same `nodeId`, `depth` and `direction`.

    Returns:
        Oldest first, at most 100; complete until `until`.
    """
    node_id, start = _NODE_ID.read(request), _START.read(request)
    end = _END.read(request) or services.now()
    if start > end:
        raise Invalid.because("end", end, f"must not be before start ({start})")
    depth, direction = _DEPTH.read(request), _DIRECTION.read(request)
    history = services.queries.report_history(node_id, depth=depth, direction=direction, start=start, end=end)
    return respond_json(services.links, render_history(node_id, start, end, require(history, "Node", node_id)))


def list_neighbours(services: Services, request: HttpRequest) -> Response[str]:
    """List the neighbours on a side of a job or dataset, as a folded graph leaves them out.

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
    """List the runs upstream of a run: the writers of its inputs, and so on.

    Returns:
        Nearest first. If runs in several namespaces have the id, upstream of the earliest run within the caller's
        rights.
    """
    run_id = _RUN_ID.read(request)
    upstream = services.queries.find_upstream_runs(run_id, depth=_RUNS_UP.read(request))
    return _respond_runs(services, require(upstream, "Run", run_id))


def get_downstream_runs(services: Services, request: HttpRequest) -> Response[str]:
    """List the runs downstream of a run: the readers of its outputs, and so on.

    Returns:
        Nearest first, each with all its inputs. If runs in several namespaces have the id, downstream of the earliest
        run within the caller's rights. A reader is not found if it started more than a day before its writer.
    """
    run_id = _RUN_ID.read(request)
    downstream = services.queries.find_downstream_runs(run_id, depth=_RUNS_DOWN.read(request))
    return _respond_runs(services, require(downstream, "Run", run_id))


def _respond_runs(services: Services, runs: ResultPage[UpstreamRun]) -> Response[str]:
    page = list(fit_within(map(render_upstream, runs.items), RESPONSE_BYTES_MAX))
    body: types.UpstreamRuns = {"runs": page, "truncated": runs.truncated or len(page) < runs.total}
    return respond_json(services.links, body)


ROUTES = (
    read_route(
        "/api/v1/lineage",
        get_lineage,
        Within.NODE,
        (_NODE_ID, _DEPTH, _LINEAGE_AT, DATASET_VERSION, _DIRECTION, FORM, _FOLD, _DEPENDENCIES),
        types.Graph | types.ShortGraph,
    ),
    read_route(
        "/api/v1/lineage/history",
        get_history,
        Within.NODE,
        (_NODE_ID, _DEPTH, _DIRECTION, _START, _END),
        types.GraphHistory,
        errors=(400, 404, 413, 503),
    ),
    read_route(
        "/api/v1/lineage/neighbours",
        list_neighbours,
        Within.NODE,
        (_NODE_ID, _SIDE, _PART, _PAGE, _CURSOR),
        types.Neighbours,
    ),
    read_route("/api/v1/runlineage/upstream", get_upstream_runs, Within.RUN, (_RUN_ID, _RUNS_UP), types.UpstreamRuns),
    read_route(
        "/api/v1/runlineage/downstream", get_downstream_runs, Within.RUN, (_RUN_ID, _RUNS_DOWN), types.UpstreamRuns
    ),
)
