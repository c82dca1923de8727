"""DataHub's patches of lineage: most of its sources write these, which add to what is known, and take from it.

A patch is a list of JSON patch operations (RFC 6902), whose paths have URNs in place of positions:

    {"op": "add", "path": "/upstreams/urn:li:dataset:(...)", "value": {"dataset": "urn:li:dataset:(...)", ...}}
    {"op": "add", "path": "/fineGrainedLineages/TRANSFORM/<field made>/NONE/<field it is made of>", "value": {...}}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

_FINE = "fineGrainedLineages"
_FIELD_URN = "urn:li:schemaField:"
# The field of an entry that has its URN, by the list that the entry is in.
_URN_FIELDS = {
    "upstreams": "dataset",
    "inputDatasetEdges": "destinationUrn",
    "outputDatasetEdges": "destinationUrn",
}


def operations_of(aspect: object) -> Sequence[Mapping[str, Any]]:
    """Return the operations of a patch, which stand alone or under `patch`.

    Raises:
        TypeError: it is no patch.
    """
    operations = aspect.get("patch") if isinstance(aspect, dict) else aspect
    if not isinstance(operations, list):
        raise TypeError("no list of operations")
    return operations


def patched(aspect: Mapping[str, Any], operations: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return an aspect after these operations; those on other than lineage change nothing."""
    result = {name: list(entries) if isinstance(entries, list) else entries for name, entries in aspect.items()}
    for operation in operations:
        name, *keys = map(_unescaped, operation["path"].removeprefix("/").split("/"))
        if name == _FINE:
            _patch(result, name, _fine(keys), operation["op"])
        elif name in _URN_FIELDS and keys:
            field = _URN_FIELDS[name]
            _patch(result, name, {**(operation.get("value") or {}), field: keys[0]}, operation["op"], field)
        elif name in ("inputDatasets", "outputDatasets") and keys:
            _patch(result, name, keys[0], operation["op"])
    return result


def _patch(aspect: dict[str, Any], name: str, entry: Any, op: str, field: str | None = None) -> None:
    """Add an entry to a list in place of the equal one, or of the one with the same URN in a field; or remove that."""

    def is_same(other: Any) -> bool:
        return bool(other[field] == entry[field] if field else other == entry)

    others = [other for other in aspect.get(name) or () if not is_same(other)]
    aspect[name] = others if op == "remove" else [*others, entry]


def _fine(keys: Sequence[str]) -> dict[str, Any]:
    """Return what a path says of fields: the first field is made of the others. A query's URN may stand between."""
    fields = [key for key in keys if key.startswith(_FIELD_URN)]
    if not fields:
        raise TypeError(f"no field in the path /{_FINE}/{'/'.join(keys)}")
    return {"downstreams": fields[:1], "upstreams": fields[1:]}


def _unescaped(key: str) -> str:
    """Return a key of a JSON pointer (RFC 6901)."""
    return key.replace("~1", "/").replace("~0", "~")
