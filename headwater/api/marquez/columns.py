"""Routes of columns: the graph around a dataset, a field or a job, and from a field down to record roots."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import flag, nonblank_text, number
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez import column_types as types
from headwater.api.marquez.column_views import render_columns, render_origins
from headwater.api.marquez.parameters import DATASET_VERSION, DEPTH_MAX, lineage_at
from headwater.api.marquez.responses import require
from headwater.api.route import Route, Services

_EXAMPLE = "datasetField:s3://flights:estimated:co2_kg"
_NODE_ID = nonblank_text(
    "nodeId",
    "`datasetField:<namespace>:<name>:<field>`, also `dataset_field:`; `dataset:<namespace>:<name>` for all its "
    "columns, `job:<namespace>:<name>` for those that it writes; and `#<version>` for one.",
    _EXAMPLE,
).required()
_FIELD_ID = nonblank_text(
    "nodeId", "`datasetField:<namespace>:<name>:<field>`, and `#<version>` for one.", _EXAMPLE
).required()
# The default of Marquez's column-endpoint proposal; Marquez's own is 20.
_DEPTH = number(
    "depth", "How many columns away; 0 is the requested nodes and their inputs.", least=0, most=DEPTH_MAX
).default(0)
_WITH_DOWNSTREAM = flag(
    "withDownstream",
    "Also what is made of it; not of a version. Beside `lineageAt` the graph is the one that was current then.",
)
_LINEAGE_AT = lineage_at("The sources of the latest versions before this time.")


def get_column_lineage(services: Services, request: HttpRequest) -> Response[str]:
    """Return what columns are made of, and what is made of them.

    Of `#<version>`, `datasetVersion` and `lineageAt` one is given; `withDownstream` beside no version. Up and down are
    walked apart from each other, so that what merely shares a source is not met. Ids are looked up, not taken apart:
    namespaces, names and fields may hold colons.

    Returns:
        The requested nodes, and what is near them.
    """
    node_id = _NODE_ID.read(request)
    graph = services.queries.find_columns(
        node_id,
        depth=_DEPTH.read(request),
        downstream=_WITH_DOWNSTREAM.read(request),
        at=_LINEAGE_AT.read(request),
        version=DATASET_VERSION.read(request),
    )
    return respond_json(services.links, render_columns(require(graph, "Node", node_id)))


def get_column_origins(services: Services, request: HttpRequest) -> Response[str]:
    """Go from a field down to runs and records.

    Returns:
        The versions that its writers made last, or the one that was requested.
    """
    node_id = _FIELD_ID.read(request)
    origins = require(services.queries.find_origins(node_id), "Node", node_id)
    return respond_json(services.links, render_origins(origins))


ROUTES = (
    Route(
        "GET",
        "/api/v1/column-lineage",
        get_column_lineage,
        parameters=(_NODE_ID, _DEPTH, _WITH_DOWNSTREAM, _LINEAGE_AT, DATASET_VERSION),
        returns=types.ColumnGraph,
    ),
    Route(
        "GET",
        "/api/v1/column-lineage/origins",
        get_column_origins,
        parameters=(_FIELD_ID,),
        returns=types.Origins,
    ),
)
