"""Counts of new jobs, datasets and sources, by the hour of their first mention.

    CREATED#<kind>#<partition>    <hour>#<shard>    count

A count moves in a transaction with the facts: when a thing is first written, or gets an earlier first mention.
So it is a function of the facts: the order and repetition of events and the death of a loader do not matter.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from headwater.facts.table import Key, RowQuery
from headwater_model.ids import sha256_hex

Created: TypeAlias = Literal["jobs", "datasets", "sources"]
_TO_HOUR = len("2026-11-20T12")
# Loaders of new things meet at the counts of an hour; more shards are more rows of a query.
_SHARDS = 16
# A partition takes 500 increments a second.
_PARTITIONS = 4


def count_of(kind: Created, name: str, first: str) -> Key:
    """Name the count of a thing's hour of first mention; the thing's name chooses the shard."""
    shard = int(sha256_hex(name)[0], 16) % _SHARDS
    return _pk(kind, shard % _PARTITIONS), f"{first[:_TO_HOUR]}#{shard:x}"


def _pk(kind: Created, partition: int) -> str:
    return f"CREATED#{kind}#{partition}"


def counts_since(kind: Created, hour: str) -> list[RowQuery]:
    """Query the counts from an hour on: `2026-11-20T12` and later, a query a partition."""
    return [RowQuery(_pk(kind, partition), low=hour, high="~") for partition in range(_PARTITIONS)]
