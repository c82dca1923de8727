"""The announcing of stored events: after a batch is in the log, before its messages are acknowledged.

    announcer = Announcer(sqs, queue_url, namespaces=("flights*",))
    announcer.announce(log.put(events, day))

The order of a run's events is that of their announcements. Within an object, whose lines are sorted by content, it is
that of their times; at equal times a START comes first and the event that ends the run last.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from headwater.aws.items import chunks
from headwater.aws.queues import send_all
from headwater.events.event import TERMINAL
from headwater.events.parse import is_api_change
from headwater.forwarding.announcements import EVENTS_MAX, Announcement, is_forwarded, lane_of
from headwater.loading.event_lines import StoredLines
from headwater.times import parse_time

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


@dataclass(frozen=True, slots=True)
class Announcer:
    """The queue of announcements, and the patterns of namespaces whose events are forwarded.

    `again` names one run of a backfill: what it announces is not dropped as a repetition of what was announced before.
    """

    sqs: SQSClient
    queue_url: str
    namespaces: Sequence[str]
    again: str = ""

    def announce(self, stored: StoredLines) -> int:
        """Announce the events to forward, and return their number; raise `Unavailable` if the queue refuses.

        The messages of one call to SQS are of different lanes: where it takes only some, the order of each lane stays.
        """
        number = 0
        for wave in _waves(stored, self.namespaces):
            send_all(self.sqs, self.queue_url, [part.message(self._deduplication_id(part)) for part in wave])
            number += sum(len(part.lines) for part in wave)
        return number

    def _deduplication_id(self, announcement: Announcement) -> str:
        sha256 = announcement.key.rpartition("/")[2].partition(".")[0]
        return f"{sha256}-{announcement.lane}-{announcement.lines[0]}{self.again}"


def _waves(stored: StoredLines, namespaces: Sequence[str]) -> Iterator[list[Announcement]]:
    """Yield the announcements: the first of each lane together, then the second of each."""
    lanes: defaultdict[int, list[int]] = defaultdict(list)
    for line, event in enumerate(stored.documents):
        if isinstance(event, dict) and not is_api_change(event) and is_forwarded(event, namespaces):
            lanes[lane_of(event)].append(line)
    parts = []
    for lane, lines in sorted(lanes.items()):
        ordered = sorted(lines, key=lambda line: _place(stored.documents[line], line))
        parts.append([Announcement(stored.key, lane, part) for part in chunks(ordered, EVENTS_MAX)])
    for wave in zip_longest(*parts):
        yield [announcement for announcement in wave if announcement is not None]


def _place(event: Mapping[str, Any], line: int) -> tuple[str, int, int]:
    kind = str(event.get("eventType")).upper()
    return parse_time(event["eventTime"]), 0 if kind == "START" else 2 if kind in TERMINAL else 1, line
