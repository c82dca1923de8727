"""Partition keys of the graph table that hold roots: root ids may be longer (2,048 bytes) than a sort key (1,024)."""

from __future__ import annotations

import hashlib

# A root's shard is the first hex digit of its SHA-256: what is listed by day is spread over sixteen partitions.
SHARDS = tuple("0123456789abcdef")


def sha_of(text: str) -> str:
    """SHA-256 of the text's UTF-8, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()
