"""Parameters that CDAP's routes share."""

from __future__ import annotations

from collections.abc import Mapping

from headwater.api.http.parameters import Parameter, choice, parsed_segment, segment, words
from headwater.api.http.request import HttpRequest
from headwater.api.http.requested_range import END, START
from headwater.queries.results.directions import Direction
from headwater_model.field_paths import parse_slashed
from headwater_model.ids import DatasetId, FieldPath

# The designs' words, and those of CDAP's own routes.
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


def read_endpoint(request: HttpRequest, name: Parameter[str]) -> DatasetId:
    """Return the dataset that the path names."""
    return DatasetId(NAMESPACE.read(request), name.read(request))
