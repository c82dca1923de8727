"""The graph of columns around one, as a running service answers it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from headwater.service import NoAnswer, ask, printable


@dataclass(frozen=True, order=True, slots=True)
class Place:
    """A dataset, or a version of it, as a place of columns."""

    namespace: str
    name: str
    version: str | None = None

    @property
    def id(self) -> str:
        """Its node id."""
        return _versioned(f"dataset:{self.namespace}:{self.name}", self.version)

    @property
    def short_name(self) -> str:
        """Of a path, the last part."""
        return self.name.rstrip("/").rpartition("/")[2] or self.name

    def id_of(self, column: str) -> str:
        """The node id of a column of it."""
        return _versioned(f"datasetField:{self.namespace}:{self.name}:{column}", self.version)


@dataclass(frozen=True, slots=True)
class Column:
    """A column, or (`name` None) all of its dataset; `links` are paths of the API that lead on from it."""

    id: str
    place: Place
    name: str | None
    type: str | None = None
    links: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """That one column (or dataset) is made of another, or depends on it; `how` in a few words, each once.

    `indirect`: its values are not, only which of them there are; `masked`: what they were cannot be seen any more.
    """

    origin: str
    destination: str
    how: tuple[str, ...] = ()
    indirect: bool = False
    masked: bool = False

    @property
    def said(self) -> str:
        """How, as text."""
        return "; ".join(self.how) or "nobody told how"


@dataclass(frozen=True, slots=True)
class ColumnGraph:
    """Columns by id, in the order of their ids, and what is made of what; `truncated`: there is more."""

    columns: Mapping[str, Column]
    made: tuple[Made, ...]
    truncated: bool = False


def ask_columns(url: str, node_id: str, *, depth: int, down: bool = False, token: str | None = None) -> ColumnGraph:
    """The columns that a column (or a dataset's, or those of a job's outputs) is made of, and with `down` of it.

    Raises:
        NoAnswer: no such node, no such service, or another answer than a graph.
    """
    asked: dict[str, object] = {"nodeId": node_id, "depth": depth}
    if down:
        asked["withDownstream"] = "true"
    return parse_columns(ask(url, "/api/v1/column-lineage", asked, token=token))


def parse_columns(answer: Any) -> ColumnGraph:
    """The answer of `GET /api/v1/column-lineage`; a source beyond its depth is a column without a type.

    Raises:
        NoAnswer: it is no such answer.
    """
    try:
        # A neighbour of which the caller is shown the id alone is known from what is made of it.
        forms = [form for form in answer["graph"] if form["data"] is not None]
        found = [_parse_column(form) for form in forms]
        made = {way: source for form in forms for way, source in _ways(form)}
        made.update(way for form in answer.get("datasets") or () for way in _ways_into_dataset(form))
        truncated = bool(answer.get("truncated"))
    except (KeyError, TypeError, AttributeError) as error:
        raise NoAnswer(f"not an answer about columns: {type(error).__name__} {error}") from error
    columns = {column.id: column for column in [*_ends(made), *found]}
    ways = tuple(sorted(made, key=lambda way: (way.destination, way.origin)))
    return ColumnGraph({one: columns[one] for one in sorted(columns)}, ways, truncated)


def asked_of(graph: ColumnGraph, node_id: str) -> list[str]:
    """Return the columns that a question was about: one, those of a dataset, or else those of which nothing is made.

    A dataset's node id also stands for all of it, as the end of what all its rows depend on: that is no column.
    """
    column = node_id.replace("dataset_field:", "datasetField:", 1)
    if column in graph.columns and graph.columns[column].name is not None:
        return [column]
    of_dataset = [one.id for one in graph.columns.values() if one.place.id == node_id and one.name]
    used = {way.origin for way in graph.made}
    return of_dataset or [one.id for one in graph.columns.values() if one.id not in used and one.name]


def _parse_column(form: Mapping[str, Any]) -> Column:
    data, place = form["data"], _place_of_node(form)
    return Column(form["id"], place, printable(data["field"]), printable(data["type"]), data.get("links") or {})


def _place_of_node(form: Mapping[str, Any]) -> Place:
    return _of_version(form["id"], _place_of(form["data"]))


def _of_version(node_id: str, place: Place) -> Place:
    """Return the place, of a version only if the node's id says so: nodes of the present have their latest, too."""
    return place if place.version and node_id.endswith(f"#{place.version}") else replace(place, version=None)


def _place_of(form: Mapping[str, Any]) -> Place:
    return Place(form["namespace"], form["dataset"], form["datasetVersion"])


def _ways(form: Mapping[str, Any]) -> Iterator[tuple[Made, tuple[Column, Column]]]:
    """What leads to a node, and to all of its dataset, with both ends of it."""
    data = form["data"]
    column, whole = _parse_column(form), _whole(_place_of_node(form))
    for end, sources in ((column, data["inputFields"]), (whole, data.get("datasetDependencies") or ())):
        for source in sources:
            origin = _origin_of(source, end.place)
            yield _made(origin.id, end.id, source.get("transformations") or ()), (origin, end)


def _ways_into_dataset(form: Mapping[str, Any]) -> Iterator[tuple[Made, tuple[Column, Column]]]:
    """Yield what all of a dataset depends on, with both ends of each dependency."""
    whole = _whole(_of_version(form["id"], Place(form["namespace"], form["name"], form["datasetVersion"])))
    for source in form["datasetDependencies"]:
        origin = _origin_of(source, whole.place)
        yield _made(origin.id, whole.id, source.get("transformations") or ()), (origin, whole)


def _origin_of(source: Mapping[str, Any], end: Place) -> Column:
    """Return the column that `end` is made of: in a graph of the present the one now, whichever version was read."""
    place, name = _place_of(source) if end.version else replace(_place_of(source), version=None), source["field"]
    return _whole(place) if name is None else Column(place.id_of(name), place, printable(name))


def _whole(place: Place) -> Column:
    return Column(place.id, place, None)


def _made(origin: str, destination: str, transformations: Any) -> Made:
    how = tuple(dict.fromkeys(_how(one) for one in transformations))
    indirect = bool(transformations) and all(one["type"] == "INDIRECT" for one in transformations)
    return Made(origin, destination, how, indirect, any(one.get("masking") for one in transformations))


def _how(transformation: Mapping[str, Any]) -> str:
    """A transformation in a few words; one that operations make up goes by their names."""
    kind = (transformation.get("subtype") or transformation["type"]).lower().replace("_", " ")
    said = transformation.get("description")
    text = said if said and kind == "transformation" else f"{kind}: {said}" if said else kind
    return printable(f"{text} (masked)" if transformation.get("masking") else text)


def _ends(made: Mapping[Made, tuple[Column, Column]]) -> Iterator[Column]:
    for both in made.values():
        yield from both


def _versioned(node_id: str, version: str | None) -> str:
    return f"{node_id}#{version}" if version else node_id
