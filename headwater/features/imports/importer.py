"""The import of events: batch by batch; an event is sent again while the service is busy; faults name their place.

    importer = Importer(transport, ImportState(path, url), report=print)
    importer.run(source)          # goes on where the last import of the source stopped
    importer.accepted, importer.refused

An accepted event is not sent again, unless its source had refused events: the next import sends all of such a source,
for the cause may be mended by then. The service keeps a repeated event once.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
from botocore.exceptions import ClientError

from headwater.attempts import attempts
from headwater.cli.program import CommandFailed
from headwater.features.imports.event_sources import EventSource, FoundEvent
from spark_client.errors import Refused, Undelivered
from spark_client.transport.destination import Transport

# The service takes 1,000 events and 4 MB; small batches make a fault cheap, and a restart repeats little.
BATCH_EVENTS = 100
BATCH_BYTES = 2_000_000
_TIMEOUT_S = 60.0
_TRIES = 10
_LONGEST_PAUSE_S = 30.0
# Codes of refusals of all events of this caller: by the service, and by a server that is no Headwater.
_FORBIDDEN, _NOT_OURS = "403", "unexpected"


class Stopped(CommandFailed):
    """The import cannot go on; accepted events stay, and the next import goes on from there."""


class ImportState:
    """The progress of each source into a service, in a file that several services may share.

    A file with other content is moved aside and reported: a repeated event is kept once.
    """

    def __init__(self, path: Path, url: str, report: Callable[[str], None] = lambda _: None) -> None:
        self._path = path
        stored = self._read(report)
        # Earlier versions kept passwords in URLs.
        self._all = {name: entries for name, entries in stored.items() if isinstance(entries, dict) and "@" not in name}
        self._mine: dict[str, Any] = self._all.setdefault(url, {})

    def _read(self, report: Callable[[str], None]) -> dict[str, Any]:
        if not self._path.exists():
            return {}
        try:
            stored = orjson.loads(self._path.read_bytes())
        except ValueError:
            stored = None
        if isinstance(stored, dict):
            return stored
        aside = self._path.with_suffix(".broken")
        os.replace(self._path, aside)
        report(f"{self._path}: must be the state of an import; it is {aside} now, and all sources are sent again")
        return {}

    def position(self, source: EventSource) -> int | None:
        """Find the place to go on; None if all of the source was accepted, and it has not changed."""
        match self._mine.get(source.name):
            case {"version": source.version, "ended": True}:
                # With an unknown version, it may hold more by now, anywhere: a repeated event is kept once.
                return None if source.version else 0
            case {"version": source.version, "events": int(events)} if events > 0:
                return events
        return 0

    def has_refused(self, source: EventSource) -> bool:
        """True if events of the source were refused before the position."""
        match self._mine.get(source.name):
            case {"refused": refused}:
                return bool(refused)
        return False

    def keep(self, source: EventSource, version: str, events: int, *, refused: bool, ended: bool = False) -> None:
        """Store that so many events of the source were sent, and if some were refused."""
        self._mine[source.name] = {"version": version, "events": events, "refused": refused, "ended": ended}
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            written = self._path.with_suffix(".new")
            written.write_text(json.dumps(self._all, indent=1), encoding="utf-8")
            os.replace(written, self._path)
        except OSError as error:
            raise Stopped(f"{self._path}: the state of the import cannot be kept ({error}); see --state") from error


class Importer:
    """An import into a service; `report` gets a line for each fault, `progress` the counts after each batch."""

    def __init__(
        self,
        transport: Transport,
        state: ImportState,
        report: Callable[[str], None],
        progress: Callable[[str], None] = lambda _: None,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._transport, self._state, self._sleep = transport, state, sleep
        self._report, self._progress = report, progress
        self.accepted = self.refused = self.skipped = 0
        self._forbidden = 0

    @property
    def counts(self) -> str:
        """The counts of events so far."""
        return f"{self.accepted:,} events accepted, {self.refused:,} refused"

    def run(self, source: EventSource) -> None:
        """Import a source from the end of its last import; a source that cannot be read is a fault.

        Raises:
            Stopped: the service does not respond, or refuses the caller.
            NoResponse: a Marquez does not respond.
        """
        try:
            self._run(source)
        except (OSError, ClientError) as error:
            self._refuse(FoundEvent(source.name), f"cannot be read ({error})")

    def _run(self, source: EventSource) -> None:
        version, position = source.version, self._state.position(source)
        if position is None:
            self.skipped += 1
            return
        refused = position > 0 and self._state.has_refused(source)
        for batch in _batches(source.events(position)):
            refused |= self._send(batch)
            position += len(batch)
            self._state.keep(source, version, position, refused=refused)
            self._progress(f"{self.counts}; {source.name}")
        self._state.keep(source, version, 0 if refused else position, refused=False, ended=not refused)

    def _send(self, batch: Sequence[FoundEvent]) -> bool:
        """Send a batch; return True if an event of it was refused."""
        refused_before = self.refused
        for event in batch:
            if event.fault:
                self._refuse(event, event.fault)
        self._deliver([sent for sent in batch if not sent.fault])
        if self._forbidden >= BATCH_EVENTS and not self.accepted:
            raise Stopped("the service accepts no event of this caller: see the reasons above")
        return self.refused > refused_before

    def _deliver(self, events: Sequence[FoundEvent]) -> None:
        """Send events until each is accepted or refused; a batch refused whole is halved."""
        reason = ""
        for _ in attempts(_TRIES, self._sleep, longest_s=_LONGEST_PAUSE_S):
            if not events:
                return
            try:
                response = self._transport.send_events([event.body for event in events], _TIMEOUT_S)
            except Undelivered as error:
                reason = str(error)
                continue
            except Refused as error:
                self._part(events, error)
                return
            failed = _failures(events, response)
            if failed is None:
                self._part(events, Refused(_NOT_OURS, "the service's response is not one of Headwater"))
                return
            events, reason = self._after(events, failed)
        if events:
            raise Stopped(f"{reason}; what was accepted stays: run the same command again to go on")

    def _part(self, events: Sequence[FoundEvent], error: Refused) -> None:
        """Refuse a single event; among several, search for the events at fault."""
        if error.code == "401":
            raise Stopped(f"{error}; set HEADWATER_TOKEN to a token with the scope write") from error
        if len(events) == 1:
            self._forbidden += error.code in (_FORBIDDEN, _NOT_OURS)
            self._refuse(events[0], str(error))
            return
        middle = len(events) // 2
        self._deliver(events[:middle])
        self._deliver(events[middle:])

    def _after(
        self, events: Sequence[FoundEvent], failed: Mapping[int, Mapping[str, Any]]
    ) -> tuple[Sequence[FoundEvent], str]:
        """Count the accepted and refused events of a response; return the events to send again, and the reason."""
        again, reason = list[FoundEvent](), ""
        for place, failure in failed.items():
            if failure.get("retriable"):
                again.append(events[place])
                reason = str(failure.get("reason"))
            else:
                self._refuse(events[place], str(failure.get("reason")))
        self.accepted += len(events) - len(failed)
        return again, reason

    def _refuse(self, event: FoundEvent, reason: str) -> None:
        self.refused += 1
        self._report(f"{event.place}: {reason}")


def _failures(events: Sequence[FoundEvent], response: Mapping[str, Any]) -> dict[int, Mapping[str, Any]] | None:
    """Read the failures in a response by the places of their events; None for a response that is not Headwater's."""
    failed = response.get("failed_events") or []
    if not isinstance(failed, list):
        return None
    by_place: dict[int, Mapping[str, Any]] = {}
    for failure in failed:
        match failure:
            case {"index": int(place)} if 0 <= place < len(events):
                by_place[place] = failure
            case _:
                return None
    return by_place


def _batches(events: Iterable[FoundEvent]) -> Iterator[list[FoundEvent]]:
    """Yield the events in batches of at most `BATCH_EVENTS`, and of about `BATCH_BYTES`."""
    batch, size = list[FoundEvent](), 0
    for event in events:
        if batch and (len(batch) == BATCH_EVENTS or size + len(event.body) > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += len(event.body)
    if batch:
        yield batch
