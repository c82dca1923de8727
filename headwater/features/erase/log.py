"""Erasure in the raw log: an object with targets is removed for good.

The remaining lines become an object of the present day of arrival, with their senders. The next digest covers it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from headwater.events.api_changes import parse_change
from headwater.events.canonical import content_hash
from headwater.events.naming import NamingRules
from headwater.features.erase.redaction import redact
from headwater.features.erase.targets import Erased, Target
from headwater.loading.event_log import EventLog, body_key, parse_line, read_packed, unpack
from headwater.records.removals import delete_versions, remove_for_good
from headwater_model.errors import Invalid

_FACETS = ("facets", "inputFacets", "outputFacets")


@dataclass(frozen=True, slots=True)
class Hit:
    """An object with targets: the remaining lines, and the hashes of the former events.

    `dropped` events go, `redacted` events lose names. `failed` events also lose all facets: without the names they
    broke a rule.
    """

    key: str
    lines: Sequence[bytes]
    hashes: Sequence[str]
    dropped: int
    redacted: int
    failed: int


@dataclass(frozen=True, slots=True)
class LogErasure:
    """The erasure of targets in the raw log."""

    log: EventLog
    erased: Erased
    targets: Sequence[Target]
    rules: NamingRules
    bypass: bool = False

    def find(self, key: str, counts: Counter[str]) -> Hit | None:
        """Look for the targets in an object; count `mentions`, remaining lines with a target's name in free text."""
        lines, hashes, numbers = list[bytes](), list[str](), Counter[str]()
        for line in unpack(read_packed(self.log.s3, self.log.bucket, key)):
            event, accepted_by = parse_line(line)
            kept = redact(event, self.erased, self.rules)
            writes = self._writes(accepted_by.get("writes"))
            if kept is event and writes == accepted_by.get("writes"):
                counts["mentions"] += self._mentions(line)
                lines.append(line)
                continue
            hashes.append(content_hash(event))
            numbers["dropped" if kept is None else "redacted"] += 1
            if kept is None:
                continue
            kept, failed = self._valid(kept)
            numbers["failed"] += failed
            by = {**accepted_by, **({"writes": writes} if writes is not None else {})}
            lines.append(orjson.dumps({"event": kept, **({"acceptedBy": by} if by else {})}))
            counts["mentions"] += self._mentions(lines[-1])
        counts.update({f"{name} events": number for name, number in numbers.items()})
        return (
            Hit(key, sorted(set(lines)), hashes, *(numbers[n] for n in ("dropped", "redacted", "failed")))
            if hashes
            else None
        )

    def erase(self, hits: Iterator[Hit], day: str) -> Iterator[Hit]:
        """Store the remaining lines under the day, then remove the objects and the bodies of large events."""
        for hit in hits:
            stored = self.log.store_lines(hit.lines, day) if hit.lines else ""
            for sha in hit.hashes:
                delete_versions(self.log.s3, self.log.bucket, body_key(sha), bypass=self.bypass)
            if stored != hit.key:
                remove_for_good(self.log.s3, self.log.bucket, [hit.key], bypass=self.bypass)
            yield hit

    def _writes(self, writes: Any) -> Any:
        """Leave erased namespaces out of a sender's limit."""
        if not isinstance(writes, list):
            return writes
        return [name for name in writes if not (isinstance(name, str) and self.erased.has_namespace(name))]

    def _valid(self, event: Any) -> tuple[Any, bool]:
        """Drop the facets of an event that breaks a rule without the names, so a replay takes it."""
        try:
            parse_change(event, self.rules)
        except Invalid:
            return _without_facets(event), True
        return event, False

    def _mentions(self, line: bytes) -> bool:
        return any(all(orjson.dumps(text)[1:-1] in line for text in target.names) for target in self.targets)


def _without_facets(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_facets(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    return {name: _without_facets(child) for name, child in value.items() if name not in _FACETS}
