"""Making the graph anew from the raw log, day after day: into an empty table or any other, as often as one likes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from lineage.errors import HeadwaterError, Unavailable
from lineage.runs.apply import apply
from lineage.runs.door.parse import parse_statement
from lineage.runs.door.rules import NameRules
from lineage.runs.log.event_log import EventLog, RawEvent

# Events applied together: more share more reads and writes.
_TOGETHER = 200


@dataclass(frozen=True, slots=True)
class Replayed:
    """What came of some objects of the log: how many of them, and of events; the reason of each that failed."""

    objects: int = 0
    events: int = 0
    failed: tuple[str, ...] = ()


def replay(keys: Sequence[str], log: EventLog, rules: NameRules) -> Iterator[Replayed]:
    """List and apply again what these objects hold, in the log's own table; one answer for some objects at a time.

    An event that cannot be read or applied is told and passed over. Raises `Unavailable`, or boto3's errors, if AWS
    refuses; all that was answered before is done.
    """
    objects, lines = 0, list[tuple[str, Any]]()
    for key in keys:
        lines += [(f"{key}:{number}", form) for number, form in enumerate(log.read(key), 1)]
        objects += 1
        if len(lines) >= _TOGETHER:
            yield _replay(objects, lines, log, rules)
            objects, lines = 0, []
    if objects:
        yield _replay(objects, lines, log, rules)


def _replay(objects: int, lines: Sequence[tuple[str, Any]], log: EventLog, rules: NameRules) -> Replayed:
    events: list[tuple[str, RawEvent]] = []
    failed: list[str] = []
    for place, form in lines:
        try:
            events.append((place, RawEvent(parse_statement(form, rules), form)))
        except HeadwaterError as error:
            failed.append(f"{place}: {error}")
    failed += _apply(events, log)
    return Replayed(objects, len(lines) - len(failed), tuple(failed))


def _apply(events: Sequence[tuple[str, RawEvent]], log: EventLog) -> list[str]:
    """Apply them together or, if one of them does not let that be, each alone; why those failed that did."""
    if not events:
        return []
    try:
        log.enlist(event for _, event in events)
        apply([event.statement for _, event in events], log.table)
    except (Unavailable, BotoCoreError, ClientError):
        raise
    except Exception as error:  # noqa: BLE001 - as in loading: a fault that one event finds must not keep the others
        if len(events) == 1:
            return [f"{events[0][0]}: {type(error).__name__}: {error}"]
        return [reason for one in events for reason in _apply([one], log)]
    return []
