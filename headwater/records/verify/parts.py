"""The parts of an archive that digests cover: traces by their day, events by the day of their arrival."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headwater.records.archive import prefix_of
from headwater.records.event_objects import EventObject, end_of_events, event_prefix_of
from headwater.records.pointers import ArchiveObject
from headwater.records.verify.chain import DayRange
from headwater.records.verify.sealed_day import SealedDay
from headwater.settings import EVENTS_PREFIX

TRACES = "traces/"
# Bodies are copies from the objects of batches, under `events/bodies/`: they have no day, and no replay reads them.
_BODIES_END = f"{EVENTS_PREFIX}bodies0"


@dataclass(frozen=True, slots=True)
class Part:
    """A prefix of the archive, with the part of the digests of a range of days that covers it.

    Keys of the range come after `first` and before `end` (empty: no bound); `last` is the last covered day. `entry` is
    the kind of a digest's entries, `end_of` returns a key after all keys that a digest covers, `fault_of` the fault of
    the digest that covers a day: empty if it is good, None if no digest does.
    """

    prefix: str
    entry: type[ArchiveObject] | type[EventObject]
    first: str
    end: str
    last: str
    prefix_of: Callable[[str], str]
    end_of: Callable[[SealedDay], str]
    fault_of: Callable[[str], str | None]


def traces_part(days: DayRange, sealed: Sequence[SealedDay], last: str) -> Part:
    """Return the traces of the range; `last` is the last day that is sealed."""
    faults = {sealed_day.day: sealed_day.fault for sealed_day in sealed}
    return Part(
        prefix=TRACES,
        entry=ArchiveObject,
        # After all keys of the day before.
        first=prefix_of(days.first)[:-1] if days.first else "",
        end=_end_of_traces(days.last) if days.last else "",
        last=last,
        prefix_of=prefix_of,
        end_of=lambda sealed_day: _end_of_traces(sealed_day.day),
        fault_of=faults.get,
    )


def _end_of_traces(day: str) -> str:
    """Return a key after all of the day's: a zero sorts after a slash."""
    return f"{prefix_of(day)[:-1]}0"


def events_part(days: DayRange, sealed: Sequence[SealedDay], last: str) -> Part:
    """Return the events that the digests of the range cover: a digest covers more days than its own, or none."""
    covering = [sealed_day for sealed_day in sealed if sealed_day.head and sealed_day.head.events]
    ends = [_to(sealed_day) for sealed_day in covering]
    # The digest of the last day names the last covered day: a day sealed by hand before its end is not covered yet.
    newest = _to(sealed[-1]) if sealed and sealed[-1].day == last and sealed[-1].head else last

    def fault_of(day: str) -> str | None:
        place = bisect_left(ends, day)
        holds = place < len(ends) and _after(covering[place]) < day
        return covering[place].fault if holds else None

    return Part(
        prefix=EVENTS_PREFIX,
        entry=EventObject,
        first=max(_BODIES_END, _first_event(days, covering)),
        end=end_of_events(ends[-1] if ends else days.last) if days.last else "",
        last=newest,
        prefix_of=event_prefix_of,
        end_of=lambda sealed_day: end_of_events(_to(sealed_day)) if _to(sealed_day) else "",
        fault_of=fault_of,
    )


def _first_event(days: DayRange, covering: Sequence[SealedDay]) -> str:
    """Return a key between the events before the range and those of the range."""
    if not days.first:
        return ""
    if not covering:
        return event_prefix_of(days.first)[:-1]
    return end_of_events(_after(covering[0])) if _after(covering[0]) else ""


def _after(sealed_day: SealedDay) -> str:
    return sealed_day.head.events.after if sealed_day.head and sealed_day.head.events else ""


def _to(sealed_day: SealedDay) -> str:
    return sealed_day.head.events.to if sealed_day.head and sealed_day.head.events else ""
