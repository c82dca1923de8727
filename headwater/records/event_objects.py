"""Objects of the raw log of events, as digests list them: by day of arrival, named by the SHA-256 of their bytes.

events/year=2026/month=11/day=20/<sha256 of the object>.jsonl.gz
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from headwater.settings import EVENTS_PREFIX
from headwater.times import hive_prefix

_NAME = re.compile(r"([0-9a-f]{64})\.jsonl\.gz", re.ASCII)


@dataclass(frozen=True, slots=True)
class EventObject:
    """An object of the raw log: its name is the SHA-256 of its bytes."""

    key: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class ArrivalDays:
    """The arrival days (YYYY-MM-DD) of a digest's events: later than `after`, up to `to`.

    `after` is the `to` of the previous digest; empty in the first digest, from the first event on.
    """

    after: str
    to: str

    def hold(self, day: str) -> bool:
        """True if the day is in the range."""
        return self.after < day <= self.to


def event_prefix_of(day: str) -> str:
    """Name the folder of a day's events, in the form of Hive's partitions.

    >>> event_prefix_of("2026-11-20")
    'events/year=2026/month=11/day=20/'
    """
    return f"{EVENTS_PREFIX}{hive_prefix(day)}"


def sha256_in_name(key: str) -> str | None:
    """Read the SHA-256 in the name of a loader's object; None for a foreign file.

    >>> sha256_in_name("events/year=2026/month=11/day=20/notes.txt")
    """
    folder, _, name = key.rpartition("/")
    match = _NAME.fullmatch(name)
    # Four parts: loaders write nothing into folders of the day's folder.
    return match[1] if match and folder.count("/") == event_prefix_of("2026-11-20").count("/") - 1 else None
