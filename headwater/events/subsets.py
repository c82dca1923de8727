"""The `subset` facet of an input or output: its conditions, and the listed part of the dataset.

    read, written = part_of(input_facet), part_of(output_facet)
    are_disjoint(read, written)     # True if no row is in both

A part is known if the facet lists partitions or locations. The part of a condition on rows is unknown: two conditions
may choose the same rows. Spark jobs read facets, too, without pydantic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from headwater.events.event import Facet, is_deleted

SUBSET = "subset"
_CONDITIONS = ("inputCondition", "outputCondition")
# Conditions by lists: two conditions of a type join their lists.
_LISTS = {"location": "locations", "partition": "partitions"}
# The most partitions or locations of a part; the part of a longer list is unknown.
ENTRIES_MAX = 100
# `locations`, `identifiers` or `dimensions`: a list of locations, of names of partitions, or of values by dimension.
Part: TypeAlias = Mapping[str, Sequence[Any]]


def alternatives_of(facet: Any) -> Iterator[Any]:
    """Split a facet's condition at its ORs, each location and partition by itself; none without a condition.

    >>> days = {"type": "location", "locations": ["s3://b/1", "s3://b/2"]}
    >>> [condition["locations"] for condition in alternatives_of({"inputCondition": days})]
    [['s3://b/1'], ['s3://b/2']]
    """
    name = name_of_condition(facet)
    return iter(()) if name is None else alternatives_in(facet[name])


def name_of_condition(facet: Any) -> str | None:
    """Find the name of the facet's condition: `inputCondition`, `outputCondition` or None."""
    if not isinstance(facet, Mapping) or is_deleted(facet):
        return None
    return next((name for name in _CONDITIONS if isinstance(facet.get(name), Mapping)), None)


def alternatives_in(condition: Any) -> Iterator[Any]:
    """Split a condition at its ORs, each location and partition by itself."""
    if _is_either(condition):
        yield from alternatives_in(condition["left"])
        yield from alternatives_in(condition["right"])
    elif listed := list_name(condition):
        yield from ({**condition, listed: [each]} for each in condition[listed])
    else:
        yield condition


def _is_either(condition: Any) -> bool:
    binary = isinstance(condition, Mapping) and condition.get("type") == "binary"
    return binary and condition.get("operator") == "OR" and condition.keys() >= {"left", "right"}


def list_name(condition: Any) -> str | None:
    """Find the name of a condition's list: `locations`, `partitions` or None."""
    if not isinstance(condition, Mapping):
        return None
    lists = (name for kind, name in _LISTS.items() if condition.get("type") == kind)
    return next((name for name in lists if isinstance(condition.get(name), list)), None)


def part_of(facet: Facet) -> Part | None:
    """Parse the part listed in a `subset` facet; None if it is unknown.

    >>> part_of({"inputCondition": {"type": "location", "locations": ["s3://lake/day=1", "s3://lake/day=2"]}})
    {'locations': ['s3://lake/day=1', 's3://lake/day=2']}
    """
    entries = list(islice(map(_entry_of, alternatives_of(facet)), ENTRIES_MAX + 1))
    kinds = {entry[0] if entry else None for entry in entries}
    if len(entries) > ENTRIES_MAX or len(kinds) != 1 or None in kinds:
        return None
    return {entry[0]: [entry[1] for entry in entries if entry] for entry in entries[:1] if entry}


def _entry_of(condition: Any) -> tuple[str, Any] | None:
    """Parse the location or partition of a condition: its kind, and its entry in the part; else None.

    `("locations", "s3://lake/day=1")`, `("dimensions", {"day": "1"})`, `("identifiers", "day=1")`
    """
    name = list_name(condition)
    listed = condition[name][0] if name else None
    if name == "locations":
        location = listed.rstrip("/") if isinstance(listed, str) else ""
        return ("locations", location) if location else None
    if not isinstance(listed, Mapping):
        return None
    dimensions = listed.get("dimensions")
    if isinstance(dimensions, Mapping) and dimensions:
        return "dimensions", {name: str(value) for name, value in dimensions.items()}
    identifier = listed.get("identifier")
    return ("identifiers", identifier) if isinstance(identifier, str) else None


def are_disjoint(part: Part, other: Part) -> bool:
    """True if no row is in both parts; parts of different kinds may share rows.

    >>> days = [{"dimensions": [{"day": day, "hour": "1"}]} for day in ("1", "2")]
    >>> are_disjoint(*days), are_disjoint(days[0], {"dimensions": [{"day": "1"}]}), are_disjoint(days[0], {"locations": ["s3://l"]})
    (True, False, False)
    """
    if part.keys() != other.keys():
        return False
    [kind] = part
    entries, others = part[kind], other[kind]
    if kind == "dimensions":
        shared = sorted(set.intersection(*map(set, (*entries, *others))))
        values, other_values = ({tuple(entry[name] for name in shared) for entry in side} for side in (entries, others))
        return bool(shared) and values.isdisjoint(other_values)
    if kind == "locations":
        return not (_lies_in(entries, others) or _lies_in(others, entries))
    return set(entries).isdisjoint(others)


def _lies_in(locations: Sequence[str], others: Sequence[str]) -> bool:
    """True if a location is in the second list, or lies in a folder of it."""
    return any(folder in others for location in locations for folder in _folders(location))


def _folders(location: str) -> Iterator[str]:
    """Yield the location and the folders around it."""
    while location:
        yield location
        location = location.rpartition("/")[0]
