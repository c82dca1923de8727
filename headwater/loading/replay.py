"""Replaying the raw log into a graph table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from botocore.exceptions import BotoCoreError, ClientError

from headwater.aws.retries import is_of_request
from headwater.events.api_changes import parse_change
from headwater.events.event import Event
from headwater.events.naming import NamingRules
from headwater.events.rights import limit_event, parse_patterns
from headwater.facts.apply import apply_isolating_failures, apply_statements
from headwater.loading.event_log import EventLog, RawEvent
from headwater.loading.screens import NO_SCREENS, Screens
from headwater_model.errors import HeadwaterError, Unavailable
from headwater_model.ids import normalize_run_id

# Events applied together: larger groups share more reads and writes.
_TOGETHER = 200
# A line's position, its event, and the `writes` of its sender.
_Line: TypeAlias = tuple[str, Any, Any]


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of some objects of the log: numbers of objects and applied events, and the reasons of failures.

    `excluded` events were left out.
    """

    objects: int = 0
    events: int = 0
    failed: tuple[str, ...] = ()
    excluded: int = 0


@dataclass(frozen=True, slots=True)
class Exclusion:
    """The events to leave out of a replay: by run (normalized id), by producer, by the sender's token."""

    runs: frozenset[str] = frozenset()
    producers: frozenset[str] = frozenset()
    tokens: frozenset[str] = frozenset()

    def has(self, document: Any, accepted_by: Mapping[str, Any]) -> bool:
        """True for an excluded event, or change through the API.

        >>> Exclusion(tokens=frozenset({"ab12"})).has({"eventType": "START"}, {"caller": "token:ab12"})
        True
        """
        if not isinstance(document, Mapping):
            return False
        run = document.get("run")
        run_id = run.get("runId") if isinstance(run, Mapping) else None
        callers = {accepted_by.get("caller"), document.get("caller")}
        return (
            (isinstance(run_id, str) and bool(self.runs) and normalize_run_id(run_id) in self.runs)
            or document.get("producer") in self.producers
            or not callers.isdisjoint(f"token:{token}" for token in self.tokens)
        )


NOTHING = Exclusion()


def replay(
    keys: Sequence[str],
    log: EventLog,
    rules: NamingRules,
    screens: Screens = NO_SCREENS,
    exclusion: Exclusion = NOTHING,
) -> Iterator[Replay]:
    """List and apply the events in these objects again, in the log's table; yield a result for some objects at a time.

    An event that cannot be read or applied is reported and skipped, also if AWS refuses its rows for good. Raises
    `Unavailable`, or boto3's errors, if AWS refuses for another reason; the objects yielded before are done.
    """
    objects, excluded, lines = 0, 0, list[_Line]()
    for key in keys:
        for number, (event, sender) in enumerate(log.lines(key), 1):
            if exclusion.has(event, sender):
                excluded += 1
                continue
            kept = screens.event(event, rules)
            # A line without an event is a fault, not a screened event.
            if kept is not None or event is None:
                lines.append((f"{key}:{number}", kept, sender.get("writes")))
        objects += 1
        if len(lines) >= _TOGETHER:
            yield replace(_replay(objects, lines, log, rules), excluded=excluded)
            objects, excluded, lines = 0, 0, []
    if objects:
        yield replace(_replay(objects, lines, log, rules), excluded=excluded)


def _replay(objects: int, lines: Sequence[_Line], log: EventLog, rules: NamingRules) -> Replay:
    """Parse and apply the documents of some objects; report faults by position."""
    events: list[tuple[str, RawEvent]] = []
    failed: list[str] = []
    for position, document, writes in lines:
        try:
            statement, patterns = parse_change(document, rules), parse_patterns(writes)
            if isinstance(statement, Event):
                statement = limit_event(statement, patterns)
            events.append((position, RawEvent(statement, document, writes=patterns)))
        except HeadwaterError as error:
            failed.append(f"{position}: {error}")
    failed += _apply(events, log)
    return Replay(objects, len(lines) - len(failed), tuple(failed))


def _apply(events: Sequence[tuple[str, RawEvent]], log: EventLog) -> list[str]:
    """Apply the events; return the position and the reason of each failure."""

    def act(group: Sequence[tuple[str, RawEvent]]) -> None:
        log.enlist(event for _, event in group)
        apply_statements([event.statement for _, event in group], log.table)

    reasons = []
    for (position, _), error in apply_isolating_failures(events, act):
        if _is_of_aws(error):
            raise error
        reasons.append(f"{position}: {type(error).__name__}: {error}")
    return reasons


def _is_of_aws(error: Exception) -> bool:
    """True for a refusal of AWS without an event's fault: the replay stops, and loses nothing if it starts over."""
    if isinstance(error, ClientError):
        return not is_of_request(error)
    return isinstance(error, (Unavailable, BotoCoreError))
