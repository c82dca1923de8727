"""Patterns of namespaces, and the rights of a sender of events over them.

A pattern is a name, or the beginning of names and then `*`; `*` alone is every name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

EVERYWHERE = "*"


def covers(patterns: Iterable[str], name: str) -> bool:
    """True if a pattern is the name or a beginning of it.

    >>> [covers(("flights", "s3://*"), name) for name in ("flights", "flights-2013", "s3://lake")]
    [True, False, True]
    """
    return any(is_match(pattern, name) for pattern in patterns)


def is_match(pattern: str, name: str) -> bool:
    """True if the pattern is the name or a beginning of it.

    >>> is_match("flights*", "flights-2013"), is_match("flights", "flights-2013")
    (True, False)
    """
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


@dataclass(frozen=True, slots=True)
class Rights:
    """The rights of a sender of events, as patterns of namespaces.

    It may describe jobs and datasets in `writes`. In `references` it may name datasets, as inputs and as sources of
    columns, but not describe them.
    """

    writes: tuple[str, ...] = (EVERYWHERE,)
    references: tuple[str, ...] = (EVERYWHERE,)


EVERY_RIGHT = Rights()
