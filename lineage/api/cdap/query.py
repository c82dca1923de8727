"""What CDAP's routes are asked with: endpoints, fields, levels, directions and views, each checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, TypeVar, get_args

from lineage.api.request import HttpRequest
from lineage.queries.columns.results import Direction
from lineage_model.errors import Invalid
from lineage_model.field_paths import parse_slashed
from lineage_model.ids import DatasetId, FieldPath

T = TypeVar("T")
View: TypeAlias = Literal["simple", "detailed"]

LEVEL = 10
LEVEL_MAX = 1_000
VIEWS: Mapping[str, View] = {view: view for view in get_args(View)}
# The design's words, and those of CDAP's own routes.
DIRECTIONS: Mapping[str, Direction] = {
    "backward": "backward",
    "forward": "forward",
    "both": "both",
    "incoming": "backward",
    "outgoing": "forward",
}


def endpoint(request: HttpRequest) -> DatasetId:
    """The endpoint in the path: a dataset, and called so by some routes."""
    name = "endpoint" if "endpoint" in request.segments else "dataset"
    return DatasetId(request.segment("namespace"), request.segment(name))


def field(request: HttpRequest) -> FieldPath:
    """The field in the path, its names between slashes."""
    return parse_slashed(request.segment("field"))


def level(request: HttpRequest) -> int:
    """How many datasets to go in each direction."""
    given = request.number("level", least=1, most=LEVEL_MAX)
    return LEVEL if given is None else given


def direction(request: HttpRequest) -> Direction:
    """Which way to go from a field; both if nothing is said."""
    return _choice(request, "direction", DIRECTIONS) or "both"


def view(request: HttpRequest) -> View | None:
    """How to draw a field's paths, if not as operations."""
    return _choice(request, "view", VIEWS)


def _choice(request: HttpRequest, name: str, choices: Mapping[str, T]) -> T | None:
    """One of some words, in any case."""
    word = request.value(name)
    if word is None:
        return None
    if word.lower() not in choices:
        raise Invalid.because(name, word, f"must be one of {', '.join(choices)}")
    return choices[word.lower()]
