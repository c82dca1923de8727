"""Conditions in the `subset` facet of an input or output. The Spark jobs, which have no pydantic, read them too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from headwater.events.deleted_facets import is_deleted

SUBSET = "subset"
_CONDITIONS = ("inputCondition", "outputCondition")
# Conditions that list what they name: two of one type are one.
_LISTS = {"location": "locations", "partition": "partitions"}


def alternatives_of(facet: Any) -> Iterator[Any]:
    """Yield the conditions that a facet joins by OR, each location and partition by itself; none without a condition.

    >>> days = {"type": "location", "locations": ["s3://b/1", "s3://b/2"]}
    >>> [condition["locations"] for condition in alternatives_of({"inputCondition": days})]
    [['s3://b/1'], ['s3://b/2']]
    """
    name = name_of_condition(facet)
    return iter(()) if name is None else alternatives_in(facet[name])


def name_of_condition(facet: Any) -> str | None:
    """Return the name of the facet's condition, if it has one."""
    if not isinstance(facet, Mapping) or is_deleted(facet):
        return None
    return next((name for name in _CONDITIONS if isinstance(facet.get(name), Mapping)), None)


def alternatives_in(condition: Any) -> Iterator[Any]:
    """Yield the alternatives that a condition joins by OR, each location and partition by itself."""
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
    """Return the name of the list in which a condition names what it is about, if it does."""
    if not isinstance(condition, Mapping):
        return None
    lists = (name for kind, name in _LISTS.items() if condition.get("type") == kind)
    return next((name for name in lists if isinstance(condition.get(name), list)), None)
