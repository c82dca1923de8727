"""Counts of new jobs, datasets and sources, by the hour of their first mention.

    CREATED#<kind>#<partition>    <hour>#<shard>    count

A count moves in the transaction that first writes the facts of a thing, or that moves its first mention: it is a
function of the facts, whatever the order of events, their repetition, and the death of a loader.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from headwater.facts.table import Key, RowQuery
from headwater_model.ids import sha256_hex

Created: TypeAlias = Literal["jobs", "datasets", "sources"]
_TO_HOUR = len("2026-11-20T12")
# Loaders that create things in one hour meet at its counts; more shards are more rows of a query.
_SHARDS = 16
# A partition takes 500 increments a second.
_PARTITIONS = 4


def count_of(kind: Created, name: str, first: str) -> Key:
    """Return the key of the count in which a thing of this name is, by its first mention."""
    shard = int(sha256_hex(name)[0], 16) % _SHARDS
    return _pk(kind, shard % _PARTITIONS), f"{first[:_TO_HOUR]}#{shard:x}"


def _pk(kind: Created, partition: int) -> str:
    return f"CREATED#{kind}#{partition}"


def counts_since(kind: Created, hour: str) -> list[RowQuery]:
    """Return the queries for the counts of an hour (`2026-11-20T12`) and all later ones."""
    return [RowQuery(_pk(kind, partition), low=hour, high="~") for partition in range(_PARTITIONS)]
