"""Announcements of stored events to forward: lines of an object of the log, in order.

    {"key": "events/year=2026/month=11/day=20/<sha256>.jsonl.gz", "lane": 3, "lines": [7, 0, 4]}

    announcer = Announcer(sqs, queue_url, namespaces=("flights*",))
    announcer.announce(log.put(events, day))    # before the messages of the batch are acknowledged

A lane is a message group of the FIFO queue: its announcements are worked off one after another. All events of a run
share a lane, so they leave in the order of the announcements, and of the lines in each. The lines of an object are
sorted by content; an announcement has them by their times: at equal times a START comes first, and the event that ends
the run last.

The dead letter of a refused event is an announcement, too: moved back to the queue, it sends the event again.

SQS may deliver an event again, among different events than before: in another object of the log. So the graph table
keeps a mark of each announced line as long as SQS may repeat it:

    ANNOUNCED#<sha256 of the line>    LINE    expires
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import orjson

from headwater.aws.items import chunks
from headwater.aws.queues import Message, send_all
from headwater.events.event import TERMINAL
from headwater.facts.table import GraphTable, Row
from headwater.features.forwarding.settings import ANNOUNCED
from headwater.loading.event_log import StoredLines
from headwater.namespaces import covers
from headwater.records.event_objects import sha256_in_name
from headwater.settings import EVENTS_PREFIX
from headwater_model.errors import Invalid
from headwater_model.events import is_api_change
from headwater_model.ids import normalize_run_id
from headwater_model.times import parse_time

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient


# Lanes work side by side: more of them forward faster, and cost a message more for each object of the log.
LANES = 16
# Events of an announcement: as many as the function can send if each takes the longest time allowed.
EVENTS_MAX = 25
# SQS keeps an event for 14 days, in its queue and in the dead letters together.
_MARKED_S = 15 * 86_400


@dataclass(frozen=True, slots=True)
class Announcement:
    """Lines of an object of the log, in the order of forwarding, and their lane."""

    key: str
    lane: int
    lines: Sequence[int]

    @property
    def body(self) -> str:
        """The body of its message."""
        return orjson.dumps({"key": self.key, "lane": self.lane, "lines": list(self.lines)}).decode()

    def message(self, deduplication_id: str) -> Message:
        """Make its message in the FIFO queue."""
        return Message(self.body, group=str(self.lane), deduplication_id=deduplication_id)


def parse_announcement(body: str) -> Announcement:
    """Parse the announcement in a message.

    Raises:
        Invalid: it names no object of the log's batches, or no lines.
    """
    try:
        sent = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        raise Invalid.because("message", body, f"must be JSON ({error})") from error
    key, lane, lines = (sent.get(name) for name in ("key", "lane", "lines")) if isinstance(sent, dict) else (None,) * 3
    if not isinstance(key, str) or not key.startswith(EVENTS_PREFIX) or sha256_in_name(key) is None:
        raise Invalid.because("key", key, "must be an object of the raw log")
    if type(lane) is not int:
        raise Invalid.because("lane", lane, "must be a number")
    if not isinstance(lines, list) or not all(type(line) is int and line >= 0 for line in lines):
        raise Invalid.because("lines", lines, "must be numbers of lines, from 0")
    if not len(set(lines)) == len(lines) <= EVENTS_MAX:
        raise Invalid.because("lines", lines, f"must be different, and {EVENTS_MAX} at most")
    return Announcement(key, lane, lines)


def is_forwarded(event: Mapping[str, Any], namespaces: Sequence[str]) -> bool:
    """True if the event is of one of the namespaces: of its job, or of the dataset of a DatasetEvent."""
    return covers(namespaces, (event.get("job") or event["dataset"])["namespace"])


def lane_of(event: Mapping[str, Any]) -> int:
    """Compute the lane of an event: the same for all events of a run; without a run, of a job or a dataset."""
    if event.get("run"):
        text = normalize_run_id(event["run"]["runId"])
    else:
        described = event.get("job") or event["dataset"]
        text = f"{described['namespace']}\n{described['name']}"
    return hashlib.sha256(text.encode()).digest()[0] % LANES


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of announced lines in the graph table; new marks expire some days after `now_s`."""

    table: GraphTable
    now_s: int

    def unmarked(self, lines: Iterable[bytes]) -> set[bytes]:
        """Find the lines without a mark."""
        keys = {line: self._row(line).key for line in lines}
        marked = self.table.get(keys.values())
        return {line for line, key in keys.items() if key not in marked}

    def put(self, lines: Iterable[bytes]) -> None:
        """Mark lines as announced."""
        self.table.put(map(self._row, lines))

    def _row(self, line: bytes) -> Row:
        return Row(f"{ANNOUNCED}{hashlib.sha256(line).hexdigest()}", "LINE", expires_s=self.now_s + _MARKED_S)


@dataclass(frozen=True, slots=True)
class Announcer:
    """The queue of announcements, and the patterns of forwarded namespaces.

    With `marks`, an announced line is not announced again. `again` names a run of a backfill: SQS does not drop its
    announcements as repetitions of earlier announcements.
    """

    sqs: SQSClient
    queue_url: str
    namespaces: Sequence[str]
    marks: Marks | None = None
    again: str = ""

    def announce(self, stored: StoredLines) -> int:
        """Announce the events to forward, and return their number; raise `Unavailable` if the queue refuses.

        The messages of a call to SQS are of different lanes: if SQS takes only a part, the order of each lane stays.
        """
        sha256 = stored.key.rpartition("/")[2].partition(".")[0]
        lanes, number = self._lanes(stored), 0
        for wave in _waves(stored, lanes):
            messages = [part.message(f"{sha256}-{part.lane}-{part.lines[0]}{self.again}") for part in wave]
            send_all(self.sqs, self.queue_url, messages)
            if self.marks is not None:
                self.marks.put(stored.lines[line] for part in wave for line in part.lines)
            number += sum(len(part.lines) for part in wave)
        return number

    def _lanes(self, stored: StoredLines) -> Mapping[int, Sequence[int]]:
        """List the lines to announce, by lane."""
        lanes: defaultdict[int, list[int]] = defaultdict(list)
        for line, event in enumerate(stored.documents):
            if isinstance(event, dict) and not is_api_change(event) and is_forwarded(event, self.namespaces):
                lanes[lane_of(event)].append(line)
        if self.marks is None or not lanes:
            return lanes
        unmarked = self.marks.unmarked(stored.lines[line] for lines in lanes.values() for line in lines)
        return {lane: [line for line in lines if stored.lines[line] in unmarked] for lane, lines in lanes.items()}


def _waves(stored: StoredLines, lanes: Mapping[int, Sequence[int]]) -> Iterator[list[Announcement]]:
    """Yield the announcements: the first of each lane together, then the second of each."""
    parts = []
    for lane, lines in sorted(lanes.items()):
        ordered = sorted(lines, key=lambda line: _place(stored.documents[line], line))
        parts.append([Announcement(stored.key, lane, part) for part in chunks(ordered, EVENTS_MAX)])
    for wave in zip_longest(*parts):
        yield [announcement for announcement in wave if announcement is not None]


def _place(event: Mapping[str, Any], line: int) -> tuple[str, int, int]:
    kind = str(event.get("eventType")).upper()
    return parse_time(event["eventTime"]), 0 if kind == "START" else 2 if kind in TERMINAL else 1, line
