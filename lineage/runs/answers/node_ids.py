"""Node ids: keys to look up, not text to take apart, for namespaces hold colons (`arn:aws:glue:…`, `postgres://h:5432`).

Every colon may be where the namespace ends; what exists decides. If several do, Marquez's own reading is preferred,
then the shortest namespace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from lineage.errors import Invalid
from lineage.names import DatasetId, JobId
from lineage.runs.facts.growing import DatasetFacts, JobFacts
from lineage.runs.facts.keys import facts_key
from lineage.runs.facts.table import GraphTable

# Colons of one id that are tried: each is a key to read.
_COLONS_MAX = 50
_VERSION = re.compile(r"(?P<id>.+)#(?P<version>[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})", re.DOTALL)
# Where Marquez ends a namespace: at a colon that neither `//` nor a digit follows (NodeId.java).
_MARQUEZ = re.compile(r":(?!//|\d)")
_RULE = "must be dataset:<namespace>:<name> or job:<namespace>:<name>, with #<version> or without"


@dataclass(frozen=True, slots=True)
class Node:
    """What a node id names, and the version if it names one."""

    id: DatasetId | JobId
    version: str | None = None


def find_node(text: str, table: GraphTable) -> Node | None:
    """The dataset or job of this id; None if there is none. `Invalid` if no id can be read so."""
    candidates = list(_candidates(text))
    if not candidates:
        raise Invalid.because("nodeId", text, _RULE)
    rows = table.get(facts_key(node.id) for node in candidates)
    for node in candidates:
        row = rows.get(facts_key(node.id))
        if row and _is_there(node.id, row.data["facts"]):
            return node
    return None


def _is_there(id: DatasetId | JobId, told: dict[str, object]) -> bool:  # noqa: A002 - what it is
    if isinstance(id, JobId):
        return JobFacts(**told).first is not None  # type: ignore[arg-type]
    facts = DatasetFacts(**told)  # type: ignore[arg-type]
    return bool(facts.first or facts.aliases)


def _candidates(text: str) -> Iterator[Node]:
    kind, _, rest = text.partition(":")
    if kind not in {"dataset", "job"}:
        return
    versioned = _VERSION.fullmatch(rest)
    if versioned:
        for namespace, name in _splits(versioned["id"]):
            yield Node(_id(kind, namespace, name), versioned["version"].lower())
    for namespace, name in _splits(rest):
        yield Node(_id(kind, namespace, name))


def _id(kind: str, namespace: str, name: str) -> DatasetId | JobId:
    return DatasetId(namespace, name) if kind == "dataset" else JobId(namespace, name)


def _splits(rest: str) -> list[tuple[str, str]]:
    """Every way to cut a namespace from a name, Marquez's first.

    >>> _splits("pg://db:5432:shop.orders")
    [('pg://db:5432', 'shop.orders'), ('pg', '//db:5432:shop.orders'), ('pg://db', '5432:shop.orders')]
    """
    places = [place for place, letter in enumerate(rest) if letter == ":"][:_COLONS_MAX]
    preferred = _MARQUEZ.search(rest)
    if preferred and len(places) > 1:
        places.insert(0, preferred.start())
    cuts = dict.fromkeys((rest[:place], rest[place + 1 :]) for place in places)
    return [(namespace, name) for namespace, name in cuts if namespace and name]
