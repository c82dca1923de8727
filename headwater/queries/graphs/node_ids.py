"""Node ids: keys to look up, not text to split, because namespaces contain colons (`arn:aws:glue:…`, `pg://h:5432`).

Any colon may end the namespace, and in a field's id the dataset's name. The reading with an existing node counts. Of
several existing nodes, Marquez's own reading is preferred, then the shortest namespace, then the shortest name. If none
exists, the rules of names may know a dataset by another name. Nodes hidden from the caller do not exist: events in
foreign namespaces never change the node of an id.

Queries by a dataset's name look it up likewise:

    result_by_name(dataset, query, view)    # a `query` whose result is None where the dataset is unknown
    of_dataset(query)                       # a method of a `query` with a result for an unknown dataset, too
    of_field(query)                         # a method of a `query` whose result is empty where the field is unknown

The rules of names, one row of the table, are read for an unknown name alone. A known name costs nothing more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import wraps
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any, Concatenate, TypeAlias, TypeVar, cast

from typing_extensions import ParamSpec

from headwater.facts.facts import DatasetFacts, JobFacts
from headwater.facts.keys import facts_key
from headwater.queries.results.graphs import GraphDirection
from headwater.queries.view import GraphView, Queries
from headwater_model.columns import Column
from headwater_model.errors import Fault, Invalid
from headwater_model.field_paths import parse_dotted
from headwater_model.ids import DatasetId, FieldPath, JobId

if TYPE_CHECKING:
    from headwater.events.naming import NamingRules

_P = ParamSpec("_P")
_T = TypeVar("_T")
_Id: TypeAlias = DatasetId | JobId
# Colons tried in one id, by the number of parts: each split is a key to read.
_COLONS_MAX = {2: 50, 3: 25}
_VERSION = re.compile(r"(?P<id>.+)#(?P<version>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})", re.DOTALL)
# Where Marquez ends a namespace: at a colon that neither `//` nor a digit follows (NodeId.java).
_MARQUEZ = re.compile(r":(?!//|\d)")
_RULE = "must be dataset:<namespace>:<name> or job:<namespace>:<name>, with #<version> or without"
_ANY_RULE = (
    "must be dataset:<namespace>:<name>, datasetField:<namespace>:<name>:<field> or job:<namespace>:<name>, "
    "with #<version> or without"
)
_FIELD_RULE = "must be datasetField:<namespace>:<name>:<field>, with #<version> or without"
# The spellings of Marquez, and of its column-endpoint proposal.
_FIELD_KINDS = frozenset({"datasetField", "dataset_field"})


@dataclass(frozen=True, slots=True)
class Node:
    """The dataset or job of a node id, and the version if the id has a version."""

    id: DatasetId | JobId
    version: str | None = None


@dataclass(frozen=True, slots=True)
class FieldNode:
    """The field of a node id, under the dataset's name in the id, and the version if the id has a version."""

    id: DatasetId
    field: FieldPath
    version: str | None = None


_N = TypeVar("_N", FieldNode, Node)


def nodes_named(text: str, view: GraphView) -> Iterable[FieldNode | Node]:
    """List the nodes that an id may name, the preferred first; empty if none exists.

    Raises:
        Invalid: the id cannot be read.
    """
    if _names_a_field(text):
        return field_candidates(text, view)
    node = find_node(text, view, _ANY_RULE)
    return [node] if node else []


def field_candidates(text: str, view: GraphView) -> Iterable[FieldNode]:
    """Yield the fields that an id may name, of existing datasets, the preferred first; the fields may not exist.

    The last are fields as the rules of names fold them: a caller content with an earlier field reads no rules.

    Raises:
        Invalid: the id cannot be read.
    """
    nodes = _existing(_readable(text, _field_readings(text), _FIELD_RULE), view)
    by_rules = ((node, folded(node.id, node.field, view)) for node in nodes)
    return chain(nodes, (replace(node, field=field) for node, field in by_rules if field != node.field))


def find_node(text: str, view: GraphView, rule: str = _RULE) -> Node | None:
    """Find the dataset or job of an id, such as `job:a:b`, or None; `Invalid` with the rule if it cannot be read."""
    return next(iter(_existing(_readable(text, _candidates(text), rule), view)), None)


def _readable(text: str, candidates: Iterable[_N], rule: str) -> list[_N]:
    """List the candidates of an id; `Invalid` with the rule if there is none."""
    if readings := list(candidates):
        return readings
    raise Invalid.because("nodeId", text, rule)


def _existing(candidates: Sequence[_N], view: GraphView) -> list[_N]:
    """List the existing candidates; else the existing datasets under their names by the rules."""
    return _among(candidates, view) or _among(
        [
            replace(node, id=other)
            for node in candidates
            if isinstance(node.id, DatasetId)
            for other in renamed(view, node.id)
        ],
        view,
    )


def _among(candidates: Sequence[_N], view: GraphView) -> list[_N]:
    there, named = _find_existing({node.id for node in candidates if view.sees(node.id)}, view)
    return [node for ids in (there, named) for node in candidates if node.id in ids]


def _find_existing(ids: Iterable[_Id], view: GraphView) -> tuple[set[_Id], set[_Id]]:
    """Find the existing ids, and the datasets known by name alone, in a single round of requests.

    A dataset known by name alone never takes the place of an existing dataset.
    """
    stored = view.stored_facts(ids)
    there = {name for name, facts in stored.items() if _exists(name, facts)}
    return there, {name for name, facts in stored.items() if name not in there and facts.get("named_first")}


def _exists(id: DatasetId | JobId, stored: Mapping[str, Any]) -> bool:  # noqa: A002 - what it is
    if isinstance(id, JobId):
        return JobFacts(**stored).first is not None
    facts = DatasetFacts(**stored)
    return bool(facts.first or facts.aliases)


def _candidates(text: str) -> Iterator[Node]:
    kind, _, rest = text.partition(":")
    if kind in {"dataset", "job"}:
        for id_text, version in _versions(rest):
            for namespace, name in _splits(id_text, 2):
                yield Node(DatasetId(namespace, name) if kind == "dataset" else JobId(namespace, name), version)


def _names_a_field(text: str) -> bool:
    return text.partition(":")[0] in _FIELD_KINDS


def _field_readings(text: str) -> Iterator[FieldNode]:
    if _names_a_field(text):
        for id_text, version in _versions(text.partition(":")[2]):
            for namespace, name, field in _splits(id_text, 3):
                yield FieldNode(DatasetId(namespace, name), parse_dotted(field), version)


def _versions(rest: str) -> Iterator[tuple[str, str | None]]:
    """Yield the id without its version, and the version; then the whole id, because a name may end like a version."""
    versioned = _VERSION.fullmatch(rest)
    if versioned:
        yield versioned["id"], versioned["version"].lower()
    yield rest, None


def _splits(rest: str, parts: int) -> list[tuple[str, ...]]:
    """List every split of an id into this number of parts, Marquez's first.

    >>> _splits("pg://db:5432:shop.orders", 2)
    [('pg://db:5432', 'shop.orders'), ('pg', '//db:5432:shop.orders'), ('pg://db', '5432:shop.orders')]
    >>> _splits("pg://db:orders:id", 3)[:2]
    [('pg://db', 'orders', 'id'), ('pg', '//db', 'orders:id')]
    """
    positions = _outermost([position for position, letter in enumerate(rest) if letter == ":"], _COLONS_MAX[parts])
    splits = list(combinations(positions, parts - 1))
    preferred = tuple(colon.start() for colon in _MARQUEZ.finditer(rest))[: parts - 1]
    if len(positions) >= parts and len(preferred) == parts - 1:
        splits.insert(0, preferred)
    cuts = dict.fromkeys(_cut(rest, split) for split in splits)
    return [cut for cut in cuts if all(cut)]


def _outermost(positions: list[int], most: int) -> list[int]:
    """Keep the first and the last positions, if they are too many: namespaces begin an id, fields end it."""
    return positions if len(positions) <= most else [*positions[: most // 2], *positions[-(most - most // 2) :]]


def _cut(rest: str, positions: tuple[int, ...]) -> tuple[str, ...]:
    starts, ends = (0, *(position + 1 for position in positions)), (*positions, len(rest))
    return tuple(rest[start:end] for start, end in zip(starts, ends, strict=True))


def selected_version(
    named: str | None, version: str | None, at: str | None, *, of_job: bool, downstream: bool = False
) -> str | None:
    """Choose the requested version: `named` by the node id, or `version` beside it; None if neither.

    Raises:
        Invalid: they disagree, or are combined with a time; a dataset version is given for a job; downstream is
            combined with a version.
    """
    faults = []
    if version and named and version.lower() != named:
        faults.append(Fault("datasetVersion", version, f"must be the version in nodeId, {named}, or be left out"))
    if at and (version or named):
        faults.append(Fault("lineageAt", at, "must be left out where a version is given"))
    if version and of_job:
        faults.append(Fault("datasetVersion", version, "must be left out where nodeId names a job"))
    if downstream and (version or named):
        faults.append(Fault("withDownstream", True, "must be left out where a version is given"))
    if faults:
        raise Invalid(faults)
    return named or (version.lower() if version else None)


def check_unfolded(direction: GraphDirection, fold: int | None) -> None:
    """Refuse a direction and a fold of the graph of a version: it leads upstream, and is whole.

    Raises:
            Invalid: `direction` or `fold` is given.
    """
    rule = "must be left out where a version is given"
    faults = [Fault("direction", direction, rule)] if direction != "both" else []
    faults += [Fault("fold", fold, rule)] if fold is not None else []
    if faults:
        raise Invalid(faults)


def _rules(view: GraphView) -> NamingRules:
    # A cold start does not pay for the imports of few requests.
    from headwater.events.naming import NamingRules
    from headwater.loading.stored_rules import read_stored_rules

    return NamingRules(trim_partitions=view.trim_partitions, names=read_stored_rules(view))


def renamed(view: GraphView, name: DatasetId) -> Sequence[DatasetId]:
    """Load the name like the name in an event; empty if the rules do not change it."""
    loaded = _rules(view).loaded(name)
    return () if loaded == name else (loaded,)


def untrimmed(name: DatasetId, view: GraphView) -> DatasetId:
    """Apply the rules to a dataset's name, and keep its partitions."""
    return replace(_rules(view), trim_partitions=False).loaded(name)


def find_name_by_rules(view: GraphView, dataset: DatasetId) -> DatasetId | None:
    """Find the name by the rules, with partitions; None if it stays or the caller may not see it."""
    name = untrimmed(dataset, view)
    return name if name != dataset and view.sees(name) else None


def find_trimmed(view: GraphView, dataset: DatasetId) -> DatasetId | None:
    """Find the dataset of a partition's name; None if the name is of no partition."""
    name = untrimmed(dataset, view)
    return next((other for other in renamed(view, name) if other != name), None)


def folded(name: DatasetId, field: FieldPath, view: GraphView) -> FieldPath:
    """Fold a field of a dataset like the field in an event."""
    return _rules(view).loaded_path(name, field)


def _seen_renamed(name: DatasetId, view: GraphView) -> Sequence[DatasetId]:
    """Rename a dataset by the rules; empty if the caller may not query the new name."""
    return [other for other in renamed(view, name) if view.sees(other)]


def result_by_name(dataset: DatasetId, query: Callable[[DatasetId], _T | None], view: GraphView) -> _T | None:
    """Query a dataset; without a result, query its name by the rules: `s3a://lake raw` becomes `s3://lake raw`."""
    result = query(dataset)
    if result is not None:
        return result
    results = (query(other) for other in _seen_renamed(dataset, view))
    return next((other for other in results if other is not None), None)


def of_dataset(
    query: Callable[Concatenate[GraphView, DatasetId, _P], _T],
) -> Callable[Concatenate[Queries, DatasetId, _P], _T]:
    """Make a method of a query with a result for an unknown dataset, too: then its name by the rules is queried.

    The query reads the facts of the dataset through the same view: the check costs no round.
    """

    @wraps(query)
    def method(queries: Queries, dataset: DatasetId, /, *args: _P.args, **options: _P.kwargs) -> _T:
        view = queries.view()
        result = query(view, dataset, *args, **options)
        if _is_known(dataset, view):
            return result
        other = next((other for other in _seen_renamed(dataset, view) if _is_known(other, view)), None)
        return result if other is None else query(view, other, *args, **options)

    return method


def of_field(
    query: Callable[Concatenate[GraphView, Column, _P], _T],
) -> Callable[Concatenate[Queries, DatasetId, FieldPath, _P], _T]:
    """Make a method of a query whose result is empty for an unknown field: then of the field as the rules fold it."""

    @wraps(query)
    def of_names(view: GraphView, dataset: DatasetId, field: FieldPath, /, *args: _P.args, **options: _P.kwargs) -> _T:
        result = query(view, Column(dataset, field), *args, **options)
        if any(getattr(result, member.name) for member in fields(cast("Any", result))):
            return result
        loaded = folded(dataset, field, view)
        return result if loaded == field else query(view, Column(dataset, loaded), *args, **options)

    return of_dataset(of_names)


def _is_known(dataset: DatasetId, view: GraphView) -> bool:
    """True if an event mentioned the dataset by this name."""
    return bool(view.get([facts_key(dataset)]))
