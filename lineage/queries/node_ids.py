"""Node ids: keys to look up, not text to take apart, for namespaces hold colons (`arn:aws:glue:…`, `postgres://h:5432`).

Every colon may be where the namespace ends, and in a field's id where the dataset's name does; what exists decides. If
several do, Marquez's own reading is preferred, then the shortest namespace, then the shortest name. Readings that the
caller may not see do not exist: what others write never changes what an id of one's own finds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from lineage.graph.facts import DatasetFacts, JobFacts
from lineage.graph.keys import facts_key
from lineage.graph.table import GraphTable
from lineage.graph.visibility import EVERYTHING, Visibility
from lineage_model.errors import Fault, Invalid
from lineage_model.field_paths import parse_dotted
from lineage_model.ids import DatasetId, FieldPath, JobId

_Id: TypeAlias = DatasetId | JobId
# Colons of one id that are tried, by the parts that they cut it into: each way is a key to read.
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
# As Marquez prints it, and as the proposal of its endpoint also spells it.
_FIELD_KINDS = frozenset({"datasetField", "dataset_field"})


@dataclass(frozen=True, slots=True)
class Node:
    """What a node id names, and the version if it names one."""

    id: DatasetId | JobId
    version: str | None = None


@dataclass(frozen=True, slots=True)
class FieldNode:
    """What a field's node id names, under the dataset's name as it was given, and the version if it names one."""

    dataset: DatasetId
    field: FieldPath
    version: str | None = None


def nodes_named(text: str, table: GraphTable, visibility: Visibility = EVERYTHING) -> Sequence[FieldNode | Node]:
    """What an id may name, the preferred first; none if nothing of the kind exists.

    Raises:
        Invalid: it cannot be read.
    """
    if _names_a_field(text):
        return field_candidates(text, table, visibility)
    if next(_candidates(text), None) is None:
        raise Invalid.because("nodeId", text, _ANY_RULE)
    node = find_node(text, table, visibility)
    return [node] if node else []


def field_candidates(text: str, table: GraphTable, visibility: Visibility = EVERYTHING) -> list[FieldNode]:
    """The fields that an id may name, of datasets that exist, the preferred first; that one has the field is not said.

    Raises:
        Invalid: no id can be read so.
    """
    candidates = list(_field_readings(text))
    if not candidates:
        raise Invalid.because("nodeId", text, _FIELD_RULE)
    seen = {node.dataset for node in candidates if visibility.sees(node.dataset)}
    there = _which_are_there(seen, table)
    return [node for node in candidates if node.dataset in there]


def find_node(text: str, table: GraphTable, visibility: Visibility = EVERYTHING) -> Node | None:
    """The dataset or job of this id; None if there is none. `Invalid` if no id can be read so."""
    candidates = list(_candidates(text))
    if not candidates:
        raise Invalid.because("nodeId", text, _RULE)
    there = _which_are_there({node.id for node in candidates if visibility.sees(node.id)}, table)
    return next((node for node in candidates if node.id in there), None)


def _which_are_there(ids: Iterable[_Id], table: GraphTable) -> set[_Id]:
    """Those of which something was told, in one round of requests."""
    keys = {one: facts_key(one) for one in ids}
    rows = table.get(keys.values()) if keys else {}
    return {one for one, key in keys.items() if key in rows and _is_there(one, rows[key].data["facts"])}


def _is_there(id: DatasetId | JobId, told: dict[str, object]) -> bool:  # noqa: A002 - what it is
    if isinstance(id, JobId):
        return JobFacts(**told).first is not None  # type: ignore[arg-type]
    facts = DatasetFacts(**told)  # type: ignore[arg-type]
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
    """The id without its version, and the version; then the id as it stands, for a name may end like that."""
    versioned = _VERSION.fullmatch(rest)
    if versioned:
        yield versioned["id"], versioned["version"].lower()
    yield rest, None


def _splits(rest: str, parts: int) -> list[tuple[str, ...]]:
    """Every way to cut an id into so many parts, Marquez's first.

    >>> _splits("pg://db:5432:shop.orders", 2)
    [('pg://db:5432', 'shop.orders'), ('pg', '//db:5432:shop.orders'), ('pg://db', '5432:shop.orders')]
    >>> _splits("pg://db:orders:id", 3)[:2]
    [('pg://db', 'orders', 'id'), ('pg', '//db', 'orders:id')]
    """
    places = _outermost([place for place, letter in enumerate(rest) if letter == ":"], _COLONS_MAX[parts])
    ways = list(combinations(places, parts - 1))
    preferred = tuple(found.start() for found in _MARQUEZ.finditer(rest))[: parts - 1]
    if len(places) >= parts and len(preferred) == parts - 1:
        ways.insert(0, preferred)
    cuts = dict.fromkeys(_cut(rest, way) for way in ways)
    return [cut for cut in cuts if all(cut)]


def _outermost(places: list[int], most: int) -> list[int]:
    """The first and the last of these, where they are too many: namespaces begin an id, fields end it."""
    return places if len(places) <= most else [*places[: most // 2], *places[-(most - most // 2) :]]


def _cut(rest: str, places: tuple[int, ...]) -> tuple[str, ...]:
    starts, ends = (0, *(place + 1 for place in places)), (*places, len(rest))
    return tuple(rest[start:end] for start, end in zip(starts, ends, strict=True))


def selected_version(
    named: str | None, version: str | None, at: str | None, *, of_job: bool, downstream: bool = False
) -> str | None:
    """The version that is asked for: `named` by the node id, or by `version` beside it; None if neither.

    Raises:
        Invalid: they disagree, or there is a time beside them; a job's node has no dataset version; what lies
            downstream is only known of the present.
    """
    faults = []
    if version and named and version.lower() != named:
        faults.append(Fault("datasetVersion", version, f"must be the version in nodeId, {named}, or be left out"))
    if at and (version or named):
        faults.append(Fault("lineageAt", at, "must be left out where a version is given"))
    if version and of_job:
        faults.append(Fault("datasetVersion", version, "must be left out where nodeId names a job"))
    if downstream and (at or version or named):
        faults.append(Fault("withDownstream", True, "must be left out where a version or a time is given"))
    if faults:
        raise Invalid(faults)
    return named or (version.lower() if version else None)
