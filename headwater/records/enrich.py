"""Enrichment of records as they are loaded: Carbonlake's extension point of the load function.

An enricher is a pure function from a record to the pairs to add. A message may be loaded more than once, so equal
records must get equal pairs:

    def bucket(record: LineageRecord) -> Mapping[str, str]:
        return {"bucket": urlsplit(record.storage_location).netloc}

    ENRICHERS = (bucket,)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeAlias

from headwater.records.record import LineageRecord

Enricher: TypeAlias = Callable[[LineageRecord], Mapping[str, str]]

ENRICHERS: tuple[Enricher, ...] = ()


def enrich(record: LineageRecord, enrichers: tuple[Enricher, ...] = ENRICHERS) -> LineageRecord:
    """Add every enricher's metadata to the record; for equal names the later enricher wins."""
    added: dict[str, str] = {}
    for enricher in enrichers:
        added.update(enricher(record))
    return replace(record, metadata=tuple(sorted(added.items()))) if added else record
