"""The raw log: every accepted event as it was sent, and its sender, in the archive bucket before anything else.

    events/year=2026/month=11/day=20/<sha256 of the object>.jsonl.gz    the events of a loaded batch, by day of arrival
    events/bodies/<sha256 of the event>.json.gz                         an event too large for a row of the index

A line is `{"event": <as sent>, "acceptedBy": {"sender": <SQS's SenderId>, "caller": <as the API names it>, "writes":
[<pattern of namespaces>, ...]}}`, without unknown fields. The sender is no part of the event: an event sent by two
callers has two lines, and counts once in all results. `writes` limits the event's effect (`rights`), for the loader and
for a replay; without it nothing is limited. `"forwarded": true` marks an event forwarded by another stack; it is not
forwarded on.

Objects are named by content, written once and never changed, so the numbers of their lines never change either. Digests
(`headwater.records.digest`) list the objects of batches; bodies are copies of large events. A replay of the batches
makes all results of queries again (`replay`). A reader of lines needs no table:

    for line in pick_lines(read_packed(s3, bucket, key), [7, 0]):
        event, accepted_by = parse_line(line)
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, Any

import orjson

from headwater.aws.clients import CONCURRENCY
from headwater.aws.objects import list_days, list_objects, put_new, put_once
from headwater.events.canonical import canonical
from headwater.events.event import ApiChange, Event
from headwater.facts.facts import RunFacts
from headwater.facts.index_scan import read_run_facts
from headwater.facts.lattice import CONTENTS_MAX
from headwater.facts.result_page import ResultPage
from headwater.facts.visibility import EVERYTHING, Visibility
from headwater.loading.event_index import EventIndex, IndexedEvent
from headwater.records.event_objects import event_prefix_of
from headwater.settings import EVENTS_PREFIX
from headwater.times import LATEST
from headwater_model.errors import Conflict
from headwater_model.ids import JobId, RunKey, normalize_run_id

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from headwater.facts.table import GraphTable


# An event of at most this size, and at most the second size when compressed, is stored in its row of the index and read
# with it. The row costs at most 4 write units as a put, 8 in a transaction; an object costs as much as 8 ($5 a
# million). A short event fits without a look at its compressed size.
_INLINE_BYTES_MAX = 65_536
_PACKED_BYTES_MAX = 4_096
_SHORT_BYTES_MAX = 16_384
_DOCUMENT, _NAMESPACE = "event", "namespace"
# The most events read for a caller who sees only some of them, and the number read at once.
LOOKED_AT_MAX = 1_000
_LOOKED_AT = 100


@dataclass(frozen=True, slots=True)
class StoredLines:
    """The events in an object of the log, as sent, in the order of its lines; None for a forwarded event."""

    key: str
    documents: Sequence[Any]
    lines: Sequence[bytes] = ()


def read_packed(s3: S3Client, bucket: str, key: str) -> bytes:
    """Read an object, `events/bodies/<sha256>.json.gz`, as it is stored: compressed."""
    return s3.get_object(Bucket=bucket, Key=key)["Body"].read()


def unpack(packed: bytes) -> Sequence[bytes]:
    """Unzip an object to its lines, in order: `[b'{"event": …}', …]`."""
    return gzip.decompress(packed).splitlines()


def pick_lines(packed: bytes, numbers: Sequence[int]) -> Sequence[bytes]:
    """Unzip the lines of these numbers, `[7, 0]`, in the order of the numbers; no further line is held in memory.

    Raises:
        IndexError: the object has no such line.
    """
    needed = frozenset(numbers)
    with gzip.open(BytesIO(packed)) as lines:
        picked = {number: line for number, line in enumerate(lines) if number in needed}
    if missing := needed - picked.keys():
        raise IndexError(f"lines {sorted(missing)}")
    return [picked[number] for number in numbers]


def parse_line(line: bytes) -> tuple[Any, Mapping[str, Any]]:
    """Parse a line to its event, as sent, and its `acceptedBy`; None for a line without an event.

    >>> parse_line(b'{"event": {"eventType": "START"}, "acceptedBy": {"caller": "token:ab12"}}')
    ({'eventType': 'START'}, {'caller': 'token:ab12'})
    """
    parsed = orjson.loads(line)
    event, accepted_by = (parsed.get("event"), parsed.get("acceptedBy")) if isinstance(parsed, dict) else (None, None)
    return event, accepted_by if isinstance(accepted_by, dict) else {}


@dataclass(frozen=True, slots=True)
class RawEvent:
    """A statement, its JSON as sent, its `sender` to the queue and its `caller` of the API, as far as known.

    The statement is limited to the namespaces that the sender `writes`; the JSON is whole.
    """

    statement: Event | ApiChange
    document: Any
    sender: str | None = None
    caller: str | None = None
    writes: Sequence[str] | None = None
    # True if another stack forwarded it.
    forwarded: bool = False
    # The canonical JSON of the document, where it is known already.
    canonical: bytes | None = None

    @property
    def line(self) -> bytes:
        """The line of the event in the log."""
        known = {
            "sender": self.sender,
            "caller": self.caller,
            "writes": self.writes,
            "forwarded": self.forwarded or None,
        }
        accepted_by = {name: value for name, value in known.items() if value is not None}
        return orjson.dumps({"event": self.document, **({"acceptedBy": accepted_by} if accepted_by else {})})

    @property
    def is_run_event(self) -> bool:
        """True for a run event: Job- and DatasetEvents are not listed, as in Marquez."""
        return isinstance(self.statement, Event) and self.statement.kind == "RUN"


@dataclass(frozen=True, slots=True)
class EventLog:
    """The objects of the log, and the index of run events by their time."""

    table: GraphTable
    s3: S3Client
    bucket: str
    # Of the caller: limits the events to those of visible jobs.
    visibility: Visibility = EVERYTHING
    # The earliest time of listed events: older events may have expired.
    oldest: Callable[[], str] = str

    def seen_by(self, visibility: Visibility) -> EventLog:
        """Limit the log to the events that a caller may read."""
        return replace(self, visibility=visibility)

    def put(self, events: Sequence[RawEvent], received_day: str) -> StoredLines | None:
        """Store the events, then list them; return the stored lines, if any. The same events again change nothing."""
        if not events:
            return None
        stored = self.store(events, received_day)
        self.enlist(events)
        return stored

    def store(self, events: Sequence[RawEvent], day: str) -> StoredLines:
        """Store the events that arrived on a day, and list none."""
        # Sorted, and compressed without a time: a repeated batch makes the same object.
        documents = {event.line: None if event.forwarded else event.document for event in events}
        lines = sorted(documents)
        return StoredLines(self.store_lines(lines, day), [documents[line] for line in lines], lines)

    def store_lines(self, lines: Sequence[bytes], day: str) -> str:
        """Store sorted lines as an object of the day; return its key."""
        body = gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0)
        sha256 = hashlib.sha256(body).hexdigest()
        key = f"{event_prefix_of(day)}{sha256}.jsonl.gz"
        put_once(self.s3, self.bucket, key, body, sha256=sha256, content_type="application/gzip")
        return key

    def enlist(self, events: Iterable[RawEvent]) -> None:
        """List the run events among these, each once."""
        run_events = {event.statement.hash: event for event in events if event.is_run_event}
        if run_events:
            EventIndex(self.table).put([self._indexed(event) for event in run_events.values()])

    def _indexed(self, event: RawEvent) -> IndexedEvent:
        # Equal events may differ in the order of their names; their rows must not.
        body = event.canonical or canonical(event.document)
        time, sha = event.statement.time, event.statement.hash
        kind = event.statement.type if isinstance(event.statement, Event) else None
        packed = b"" if len(body) <= _SHORT_BYTES_MAX else gzip.compress(body, mtime=0)
        if len(body) <= _INLINE_BYTES_MAX and len(packed) <= _PACKED_BYTES_MAX:
            return IndexedEvent(time, sha, {_DOCUMENT: orjson.Fragment(body)}, kind)
        # The event may have an object already, compressed differently by another release.
        key = body_key(sha)
        is_new = put_new(self.s3, self.bucket, key, packed, content_type="application/gzip")
        if not is_new and gzip.decompress(read_packed(self.s3, self.bucket, key)) != body:
            raise Conflict(f"s3://{self.bucket}/{key}: must hold the event of its name, but holds another")
        return IndexedEvent(time, sha, {_NAMESPACE: event.document["job"]["namespace"]}, kind)

    def list_events(
        self,
        *,
        before: str | None = None,
        after: str | None = None,
        newest_first: bool = True,
        limit: int,
        offset: int = 0,
    ) -> ResultPage[Any]:
        """List the run events with `after` <= eventTime < `before` (normalized; None: no bound), as sent.

        Equal events are listed once. The work grows neither with events nor with their days. For a caller of a few
        namespaces, the first `LOOKED_AT_MAX` rows are read, and `total` counts the visible events.
        """
        low, high = max(after or "", self.oldest()), before or LATEST + "~"
        if self.visibility is EVERYTHING:
            return self._page(low, high, newest_first, limit, offset)
        visible: list[Any] = []
        for start in range(0, LOOKED_AT_MAX, _LOOKED_AT):
            page = EventIndex(self.table).page(
                low=low, high=high, newest_first=newest_first, limit=_LOOKED_AT, offset=start
            )
            visible += self._visible(page.items)
            if start + _LOOKED_AT >= page.total:
                return ResultPage(visible[offset : offset + limit], len(visible), page.truncated)
        return ResultPage(visible[offset : offset + limit], len(visible), truncated=True)

    def list_run_events(
        self,
        run: RunKey,
        *,
        before: str | None = None,
        after: str | None = None,
        newest_first: bool = True,
        limit: int,
        offset: int = 0,
    ) -> ResultPage[Any]:
        """List the events of a run as `list_events` does, at the latest `CONTENTS_MAX` times of the run."""
        facts = read_run_facts([run], self.table).get(run, RunFacts())
        listed = EventIndex(self.table).at_times(
            facts.times, low=max(after or "", self.oldest()), high=before or LATEST + "~", newest_first=newest_first
        )
        events = [event for event in self._documents(listed) if _run_of(event) == run]
        return ResultPage(events[offset : offset + limit], len(events), len(facts.times) >= CONTENTS_MAX)

    def _page(self, low: str, high: str, newest_first: bool, limit: int, offset: int) -> ResultPage[Any]:
        page = EventIndex(self.table).page(low=low, high=high, newest_first=newest_first, limit=limit, offset=offset)
        return ResultPage(self._documents(page.items), page.total, page.truncated)

    def _visible(self, events: Iterable[IndexedEvent]) -> list[Any]:
        """Read the events of visible jobs, and no object of a hidden event."""
        return self._documents(event for event in events if self.visibility.covers(_namespace_in(event.data)))

    def _documents(self, events: Iterable[IndexedEvent]) -> list[Any]:
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            return list(pool.map(self._document, events))

    def _document(self, indexed: IndexedEvent) -> Any:
        if _DOCUMENT in indexed.data:
            return indexed.data[_DOCUMENT]
        return orjson.loads(gzip.decompress(read_packed(self.s3, self.bucket, body_key(indexed.hash))))

    def keys_of(self, day: str) -> list[str]:
        """List the objects of a day of arrival, by key."""
        return sorted(key for _, key in self._objects_of(day))

    def keys_by_arrival(self, day: str) -> list[str]:
        """List the objects of a day of arrival by the second of their storage."""
        return [key for _, key in sorted(self._objects_of(day))]

    def _objects_of(self, day: str) -> Iterator[tuple[datetime, str]]:
        listed = list_objects(self.s3, self.bucket, event_prefix_of(day))
        return ((entry["LastModified"], entry["Key"]) for entry in listed)

    def stored_lines(self, key: str) -> StoredLines:
        """Read the documents of an object, as `put` returned them, without the lines."""
        return StoredLines(key, [None if by.get("forwarded") else event for event, by in self.lines(key)])

    def lines(self, key: str) -> Iterator[tuple[Any, Mapping[str, Any]]]:
        """Yield the events of an object as sent, each with its `acceptedBy`; None for a line without an event."""
        yield from map(parse_line, unpack(read_packed(self.s3, self.bucket, key)))

    def days(self) -> list[str]:
        """List the days on which events arrived, as `2026-11-20`."""
        return list_days(self.s3, self.bucket, EVENTS_PREFIX)


def _run_of(event: Mapping[str, Any]) -> RunKey:
    job = JobId(event["job"]["namespace"], event["job"]["name"])
    return RunKey.of(job, normalize_run_id(event["run"]["runId"]))


def _namespace_in(data: Mapping[str, Any]) -> str:
    """Read the namespace of an event's job from the data of its row."""
    return str(data[_DOCUMENT]["job"]["namespace"] if _DOCUMENT in data else data[_NAMESPACE])


def body_key(sha: str) -> str:
    """Name the object of a large event by its hash: `events/bodies/<sha256>.json.gz`."""
    return f"{EVENTS_PREFIX}bodies/{sha}.json.gz"
