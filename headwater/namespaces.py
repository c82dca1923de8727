"""Patterns of namespaces, and the rights of a sender of events over them.

A pattern is a name, or the beginning of names and then `*`; `*` alone is every name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

EVERYWHERE = "*"


def covers(patterns: Iterable[str], name: str) -> bool:
    """Return True if a pattern is the name or a beginning of it.

    >>> [covers(("flights", "s3://*"), name) for name in ("flights", "flights-2013", "s3://lake")]
    [True, False, True]
    """
    return any(is_match(pattern, name) for pattern in patterns)


def is_match(pattern: str, name: str) -> bool:
    """Return True if this pattern is the name or a beginning of it."""
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of a sender of events, as patterns of namespaces.

    `writes`: where it may describe jobs and datasets. `references`: where it may name datasets that others describe, as
    inputs and as sources of columns.
    """

    writes: tuple[str, ...] = (EVERYWHERE,)
    references: tuple[str, ...] = (EVERYWHERE,)


EVERY_RIGHT = Rights()
