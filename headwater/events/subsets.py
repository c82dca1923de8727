"""The `subset` facet of an input or output: the locations, partitions or conditions that a run read or wrote of it.

An event may mention a dataset more than once, as its partitions once their names were trimmed. What it used is then the
union of what the mentions name; if one of them names nothing, the part is unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from headwater.events.canonical import canonical
from headwater.events.deleted_facets import is_deleted

SUBSET = "subset"
_CONDITIONS = ("inputCondition", "outputCondition")
# Conditions that list what they name: two of one type are one.
_LISTS = {"location": "locations", "partition": "partitions"}


def merge_subsets(facets: Sequence[Any]) -> Any:
    """Return the facet of several mentions (None: it has none); None if one of them does not say what it names.

    Neither the order of mentions matters, nor one that comes twice.

    >>> days = [{"inputCondition": {"type": "location", "locations": [day]}} for day in ("s3://b/2", "s3://b/1")]
    >>> merge_subsets(days)
    {'inputCondition': {'type': 'location', 'locations': ['s3://b/1', 's3://b/2']}}
    """
    names = set(map(_condition_of, facets))
    name = names.pop() if len(names) == 1 else None
    if name is None:
        return None
    rest = max(({key: value for key, value in facet.items() if key != name} for facet in facets), key=canonical)
    return {**rest, name: _either([part for facet in facets for part in _parts(facet[name])])}


def alternatives_of(facet: Any) -> Iterator[Any]:
    """Yield the conditions that a facet joins by OR, each location and partition by itself; none without a condition.

    >>> days = {"type": "location", "locations": ["s3://b/1", "s3://b/2"]}
    >>> [condition["locations"] for condition in alternatives_of({"inputCondition": days})]
    [['s3://b/1'], ['s3://b/2']]
    """
    name = _condition_of(facet)
    return iter(()) if name is None else _parts(facet[name])


def _condition_of(facet: Any) -> str | None:
    """Return the name of the facet's condition, if it has one."""
    if not isinstance(facet, Mapping) or is_deleted(facet):
        return None
    return next((name for name in _CONDITIONS if isinstance(facet.get(name), Mapping)), None)


def _parts(condition: Any) -> Iterator[Any]:
    """Yield the alternatives that a condition joins by OR, each location and partition by itself."""
    if _is_either(condition):
        yield from _parts(condition["left"])
        yield from _parts(condition["right"])
    elif listed := _listed(condition):
        yield from ({**condition, listed: [each]} for each in condition[listed])
    else:
        yield condition


def _is_either(condition: Any) -> bool:
    binary = isinstance(condition, Mapping) and condition.get("type") == "binary"
    return binary and condition.get("operator") == "OR" and condition.keys() >= {"left", "right"}


def _listed(condition: Any) -> str | None:
    """Return the name of the list in which a condition names what it is about, if it does."""
    if not isinstance(condition, Mapping):
        return None
    lists = (name for kind, name in _LISTS.items() if condition.get("type") == kind)
    return next((name for name in lists if isinstance(condition.get(name), list)), None)


def _either(parts: Sequence[Any]) -> Any:
    """Return the condition that one of these holds, in the order of their JSON; what lists name is in one list."""
    once = {canonical(part): part for part in parts}
    lists: dict[bytes, dict[str, Any]] = {}
    others: list[Any] = []
    for part in (once[text] for text in sorted(once)):
        listed = _listed(part)
        if listed is None:
            others.append(part)
            continue
        lists.setdefault(canonical({**part, listed: []}), {**part, listed: []})[listed].extend(part[listed])
    return _tree([*lists.values(), *others])


def _tree(conditions: Sequence[Any]) -> Any:
    """Return the conditions joined by OR, as deep as the logarithm of their number."""
    if len(conditions) == 1:
        return conditions[0]
    middle = len(conditions) // 2
    left, right = _tree(conditions[:middle]), _tree(conditions[middle:])
    return {"type": "binary", "operator": "OR", "left": left, "right": right}
