"""The raw log: every accepted event as it was sent, and by whom, in the archive bucket before anything is made of it.

    events/year=2026/month=11/day=20/<sha256 of the object>.jsonl.gz    the events of a loaded batch, by day of arrival
    events/bodies/<sha256 of the event>.json.gz                         one that is too large for a row of the list

A line is `{"event": <as sent>, "acceptedBy": {"sender": <SQS's SenderId>, "caller": <as the API names it>}}`, without
what is unknown. Who sent an event is no part of it: one that two callers send has two lines, and is one event to all
that is made of the log.

Objects are named by content, written once and never changed. Digests list those of batches (`lineage.records.digest`);
bodies are copies out of them. Everything that questions know can be made anew from them (`replay`).
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import orjson

from lineage.aws.clients import CONCURRENCY
from lineage.aws.objects import put_new, put_once
from lineage.graph.entities import ResultPage
from lineage.graph.event_index import EventIndex, IndexedEvent
from lineage.graph.visibility import EVERYTHING, Visibility
from lineage.openlineage.canonical import canonical
from lineage.openlineage.event import Deletion, Event
from lineage.records.event_objects import event_prefix_of
from lineage.settings import EVENTS_PREFIX
from lineage.times import LATEST
from lineage_model.errors import Conflict

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

    from lineage.graph.table import GraphTable

# Up to here an event is kept in its row of the list, compressed to about a quarter: as dear there as an object of its
# own would be ($5 a million puts), and read with the row.
_INLINE_BYTES_MAX = 16_384
_FORM = "event"
# Events that are looked at for a caller who sees some of them, and how many at once.
LOOKED_AT_MAX = 1_000
_LOOKED_AT = 100


@dataclass(frozen=True, slots=True)
class RawEvent:
    """A statement, the JSON that it was sent as, and who sent it to the queue and to the API, as far as known."""

    statement: Event | Deletion
    form: Any
    sender: str | None = None
    caller: str | None = None

    @property
    def line(self) -> bytes:
        """Its line in the log."""
        by = {name: who for name, who in (("sender", self.sender), ("caller", self.caller)) if who}
        return orjson.dumps({"event": self.form, **({"acceptedBy": by} if by else {})})

    @property
    def listed(self) -> bool:
        """Whether it is among the events that are listed: run events alone are, as in Marquez."""
        return isinstance(self.statement, Event) and self.statement.kind == "RUN"


@dataclass(frozen=True, slots=True)
class EventLog:
    """The objects of the log, and the list of run events by their time."""

    table: GraphTable
    s3: S3Client
    bucket: str
    # Whose reader lists only the events of its own jobs.
    visibility: Visibility = EVERYTHING

    def seen_by(self, visibility: Visibility) -> EventLog:
        """Return the same log as a caller may read it."""
        return replace(self, visibility=visibility)

    def put(self, events: Sequence[RawEvent], received_day: str) -> None:
        """Keep the events, then list them. The same events again change nothing."""
        if events:
            self._keep(events, received_day)
            self.enlist(events)

    def _keep(self, events: Sequence[RawEvent], day: str) -> None:
        # In one order, and packed without a time: a batch that comes again is the same object.
        lines = sorted({event.line for event in events})
        body = gzip.compress(b"".join(line + b"\n" for line in lines), mtime=0)
        sha256 = hashlib.sha256(body).hexdigest()
        key = f"{event_prefix_of(day)}{sha256}.jsonl.gz"
        put_once(self.s3, self.bucket, key, body, sha256=sha256, content_type="application/gzip")

    def enlist(self, events: Iterable[RawEvent]) -> None:
        """List the run events among these, each once."""
        listings = {event.statement.hash: event for event in events if event.listed}
        if listings:
            EventIndex(self.table).put([self._listing(event) for event in listings.values()])

    def _listing(self, event: RawEvent) -> IndexedEvent:
        # Equal events may differ in the order of their names; their rows must not.
        body = canonical(event.form)
        time, sha = event.statement.time, event.statement.hash
        if len(body) <= _INLINE_BYTES_MAX:
            return IndexedEvent(time, sha, {_FORM: orjson.loads(body)})
        self._put_body(_body_key(sha), body)
        return IndexedEvent(time, sha)

    def _put_body(self, key: str, body: bytes) -> None:
        """Keep an event on its own; one that is there already may be packed otherwise, by another release."""
        packed = gzip.compress(body, mtime=0)
        if put_new(self.s3, self.bucket, key, packed, content_type="application/gzip"):
            return
        if gzip.decompress(self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()) != body:
            raise Conflict(f"s3://{self.bucket}/{key}: must hold the event of its name, and holds something else")

    def list_events(
        self,
        *,
        before: str | None = None,
        after: str | None = None,
        newest_first: bool = True,
        limit: int,
        offset: int = 0,
    ) -> ResultPage[Any]:
        """The run events with `after` <= eventTime < `before` (kept times; None: no bound), as they were sent.

        Equal events are listed once. Work grows with the days that hold events, not with the events. For who sees some
        namespaces alone, the first `LOOKED_AT_MAX` events are looked at; `total` counts those of them that it sees.
        """
        low, high = after or "", before or LATEST + "~"
        if self.visibility is EVERYTHING:
            return self._page(low, high, newest_first, limit, offset)
        seen: list[Any] = []
        for start in range(0, LOOKED_AT_MAX, _LOOKED_AT):
            page = self._page(low, high, newest_first, _LOOKED_AT, start)
            seen += [one for one in page.items if self.visibility.covers(one["job"]["namespace"])]
            if start + _LOOKED_AT >= page.total:
                return ResultPage(seen[offset : offset + limit], len(seen), page.truncated)
        return ResultPage(seen[offset : offset + limit], len(seen), truncated=True)

    def _page(self, low: str, high: str, newest_first: bool, limit: int, offset: int) -> ResultPage[Any]:
        found = EventIndex(self.table).page(low=low, high=high, newest_first=newest_first, limit=limit, offset=offset)
        with ThreadPoolExecutor(CONCURRENCY) as pool:
            return ResultPage(list(pool.map(self._form, found.items)), found.total, found.truncated)

    def _form(self, listing: IndexedEvent) -> Any:
        if _FORM in listing.data:
            return listing.data[_FORM]
        packed = self.s3.get_object(Bucket=self.bucket, Key=_body_key(listing.hash))["Body"].read()
        return orjson.loads(gzip.decompress(packed))

    def keys_of(self, day: str) -> list[str]:
        """The objects of a day of arrival, in one order."""
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=self.bucket, Prefix=event_prefix_of(day))
        return sorted(found["Key"] for page in pages for found in page.get("Contents", []))

    def read(self, key: str) -> Iterator[Any]:
        """Yield the events of an object, each as it was sent; None for a line that holds no event."""
        packed = self.s3.get_object(Bucket=self.bucket, Key=key)["Body"].read()
        lines = map(orjson.loads, gzip.decompress(packed).splitlines())
        yield from (line.get("event") if isinstance(line, dict) else None for line in lines)

    def days(self) -> list[str]:
        """The days on which events arrived."""
        years = self._folders(EVENTS_PREFIX, "year=")
        months = [month for year in years for month in self._folders(year, "month=")]
        days = [day for month in months for day in self._folders(month, "day=")]
        return sorted("-".join(part.partition("=")[2] for part in day.split("/")[1:4]) for day in days)

    def _folders(self, prefix: str, name: str) -> list[str]:
        pages = self.s3.get_paginator("list_objects_v2").paginate(
            Bucket=self.bucket, Prefix=f"{prefix}{name}", Delimiter="/"
        )
        return [found["Prefix"] for page in pages for found in page.get("CommonPrefixes", [])]


def _body_key(sha: str) -> str:
    return f"{EVENTS_PREFIX}bodies/{sha}.json.gz"
