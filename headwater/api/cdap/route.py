"""A route of CDAP's dialect: its parameters in CDAP's words, endpoints, and a header of cut responses.

An unknown dataset or field has no lineage: 200, with an empty list.
"""

from __future__ import annotations

from collections.abc import Mapping

from aws_lambda_powertools.event_handler import Response

from headwater.api.cdap import types
from headwater.api.http.parameters import END, START, AnyParameter, Parameter, choice, parsed_segment, segment, words
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.route import Handler, Route, Services, Within
from headwater.queries.results.graphs import Direction
from headwater_model.field_paths import parse_slashed
from headwater_model.ids import DatasetId, FieldPath

# The designs' words, and the words of CDAP's own routes.
DIRECTIONS: Mapping[str, Direction] = {
    "backward": "up",
    "forward": "down",
    "both": "both",
    "incoming": "up",
    "outgoing": "down",
}
_SYNONYMS = "In any case; `incoming` is `backward`, `outgoing` is `forward`."

NAMESPACE = segment("namespace", "s3://flights")
# An endpoint is a dataset, and called so by some routes.
ENDPOINT = segment("endpoint", "estimated")
DATASET = segment("dataset", "estimated")
FIELD: Parameter[FieldPath] = parsed_segment(
    "field", {"type": "string", "minLength": 1, "examples": ["co2_kg"]}, parse_slashed, "A path: `employees%2Fname`."
)
RANGE = (START, END)
DIRECTION = choice("direction", _SYNONYMS, DIRECTIONS).default("both")
REQUIRED_DIRECTION = choice("direction", _SYNONYMS, words(DIRECTIONS)).required()
# CDAP's responses have no field to mark a cut.
_TRUNCATED = "X-Truncated"


def read_endpoint(request: HttpRequest, name: Parameter[str]) -> DatasetId:
    """Read the dataset in the path."""
    return DatasetId(NAMESPACE.read(request), name.read(request))


def render_endpoint(endpoint: DatasetId, description: str | None = None) -> types.EndPoint:
    """Render an endpoint of the designs: with a description only if it has one."""
    if description is None:
        return {"namespace": endpoint.namespace, "name": endpoint.name}
    return {"namespace": endpoint.namespace, "name": endpoint.name, "description": description}


def respond_cut(services: Services, body: object, *, truncated: bool) -> Response[str]:
    """Respond with the JSON, or a redirect to it if it is large; a header says if it was cut."""
    return respond_json(services.links, body, {_TRUNCATED: "true"} if truncated else None)


def cdap_route(path: str, handler: Handler, parameters: tuple[AnyParameter, ...], returns: object) -> Route:
    """Build a route of a namespace."""
    return Route(
        "GET",
        f"/v3/namespaces/<namespace>/{path}",
        handler,
        scope="read",
        within=Within.NAMESPACE,
        parameters=(NAMESPACE, *parameters),
        returns=returns,
        headers=(_TRUNCATED,),
        errors=(400, 503),
    )
