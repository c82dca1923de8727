"""The `subset` facet of an input or output: the locations, partitions or conditions that a run read or wrote of it.

An event may mention a dataset more than once, as its partitions once their names were trimmed. What it used is then the
union of what the mentions name; if one of them names nothing, the part is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headwater.events.canonical import canonical
from headwater.events.subset_conditions import alternatives_in, list_name, name_of_condition


def merge_subsets(facets: Sequence[Any]) -> Any:
    """Return the facet of several mentions (None: it has none); None if one of them does not say what it names.

    Neither the order of mentions matters, nor one that comes twice.

    >>> days = [{"inputCondition": {"type": "location", "locations": [day]}} for day in ("s3://b/2", "s3://b/1")]
    >>> merge_subsets(days)
    {'inputCondition': {'type': 'location', 'locations': ['s3://b/1', 's3://b/2']}}
    """
    names = set(map(name_of_condition, facets))
    name = names.pop() if len(names) == 1 else None
    if name is None:
        return None
    rest = max(({key: value for key, value in facet.items() if key != name} for facet in facets), key=canonical)
    return {**rest, name: _either([part for facet in facets for part in alternatives_in(facet[name])])}


def _either(parts: Sequence[Any]) -> Any:
    """Return the condition that one of these holds, in the order of their JSON; what lists name is in one list."""
    once = {canonical(part): part for part in parts}
    lists: dict[bytes, dict[str, Any]] = {}
    others: list[Any] = []
    for part in (once[text] for text in sorted(once)):
        listed = list_name(part)
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
