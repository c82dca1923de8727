"""Loading of queued messages: records are written to the table, then their roots marked; failures are per message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from headwater.aws.bodies import StoredBody, get_body
from headwater.aws.clients import CONCURRENCY
from headwater.aws.queues import QueuedMessage
from headwater.aws.retries import is_passing, is_throttle
from headwater.records.dirty_roots import DirtyRoots
from headwater.records.enrich import ENRICHERS, Enricher, enrich
from headwater.records.messages import parse_message
from headwater.records.queues import DeadLetters, render_message
from headwater.records.record import Key, LineageRecord, Refused
from headwater.records.table import RecordsTable, is_refused
from headwater_model.errors import Invalid, Unavailable

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

T = TypeVar("T")


@dataclass(slots=True)
class RecordLoad:
    """The result of a batch: the messages to try again with the reason of each, and counts of records.

    `passing` are failed messages without a fault of their own: AWS refused them for now.
    """

    failed: dict[str, str] = field(default_factory=dict)
    passing: set[str] = field(default_factory=set)
    loaded: int = 0
    displaced: int = 0
    refused: int = 0
    screened: int = 0


@dataclass(frozen=True, slots=True)
class LoadStores:
    """The stores of loading; `bucket` holds bodies too large for a message.

    Items expire `ttl_s` seconds after their record was made.
    """

    table: RecordsTable
    dirty_roots: DirtyRoots
    dead_letters: DeadLetters
    s3: S3Client
    bucket: str
    ttl_s: int
    enrichers: tuple[Enricher, ...] = ENRICHERS
    # False for a root whose records are left out.
    keeps: Callable[[str], bool] = lambda _: True


def load(messages: Sequence[QueuedMessage], stores: LoadStores, *, now_s: int, day: str) -> RecordLoad:
    """Load the batch at `now_s` (seconds since 1970), marking roots on `day` (YYYY-MM-DD).

    A message succeeds when its records are in the table (or in the dead-letter queue, if refused or displaced) and its
    roots are marked dirty. Else its id is among `failed`.
    """
    batch = _Batch(stores, now_s)
    keys_of = batch.read(messages)
    with ThreadPoolExecutor(CONCURRENCY) as pool:
        unwritten = _each(pool, batch.put, batch.groups)
        # Marked only after the write: a trace that sees the mark sees the record.
        roots = {root_id for root_id, node_id in batch.groups if (root_id, node_id) not in unwritten}
        unmarked = _each(pool, lambda root_id: batch.mark(root_id, day), roots)
    for message_id, keys in keys_of.items():
        reasons = (unwritten.get(key) or unmarked.get(key[0]) for key in keys)
        if reason := next(filter(None, reasons), None):
            batch.result.failed[message_id] = reason
            # A record refused for good is among the dead letters already.
            batch.result.passing.add(message_id)
    batch.result.loaded = len(batch.groups) - len(unwritten)
    return batch.result


def _each(pool: ThreadPoolExecutor, act: Callable[[T], str | None], things: Iterable[T]) -> Mapping[T, str]:
    """Collect the reason of each failed thing."""
    ordered = list(things)
    return {thing: reason for thing, reason in zip(ordered, pool.map(act, ordered), strict=True) if reason}


class _Batch:
    """A batch under way: its records by node, and the result so far."""

    def __init__(self, stores: LoadStores, now_s: int) -> None:
        self.stores = stores
        self.now_s = now_s
        self.result = RecordLoad()
        self.groups: dict[Key, dict[LineageRecord, None]] = {}
        self._throttled: set[str] = set()
        # Nodes are written by several threads.
        self._counting = Lock()

    def read(self, messages: Sequence[QueuedMessage]) -> dict[str, set[Key]]:
        """Group the records of every readable message by node; return the nodes of each message."""
        keys_of: dict[str, set[Key]] = {}
        for message in messages:
            try:
                sent = self._records_of(message)
            except (Invalid, Unavailable, BotoCoreError, ClientError) as error:
                self.result.failed[message.message_id] = f"{type(error).__name__}: {error}"
                if is_passing(error):
                    self.result.passing.add(message.message_id)
                continue
            records = [record for record in sent if self.stores.keeps(record.root_id)]
            self.result.screened += len(sent) - len(records)
            for record in records:
                self.groups.setdefault(record.key, {})[record] = None
            keys_of[message.message_id] = {record.key for record in records}
        return keys_of

    def _records_of(self, message: QueuedMessage) -> list[LineageRecord]:
        content = parse_message(message.body)
        if isinstance(content, StoredBody):
            content = parse_message(get_body(self.stores.s3, self.stores.bucket, content))
            if isinstance(content, StoredBody):
                raise Invalid.because("s3", content.key, "must hold records, not another pointer")
        if isinstance(content, LineageRecord):
            return [enrich(content, self.stores.enrichers)]
        self._refuse(content.refused)
        return [enrich(record, self.stores.enrichers) for record in content.records]

    def put(self, key: Key) -> str | None:
        """Write the records of one node; return the reason of a failure, or None."""
        root_id, _ = key
        if root_id in self._throttled:
            return "the root is throttled"
        for record in self.groups[key]:
            try:
                self.stores.table.put(record, ttl_s=self.stores.ttl_s, loaded_at=self.now_s, save=self._displace)
            except ClientError as error:
                if not is_refused(error):
                    # A partition takes about 1,000 writes a second: the rest of the root waits for a later batch.
                    if is_throttle(error):
                        self._throttled.add(root_id)
                    return str(error)
                self._refuse([Refused(render_message(record), str(error))])
            except (BotoCoreError, Unavailable) as error:
                return str(error)
        return None

    def mark(self, root_id: str, day: str) -> str | None:
        """Mark the root dirty; return the reason of a failure, or None."""
        try:
            self.stores.dirty_roots.mark(root_id, day)
        except (BotoCoreError, ClientError) as error:
            return f"the root could not be marked: {error}"
        return None

    def _displace(self, records: Iterable[LineageRecord]) -> None:
        displaced = self.stores.dead_letters.put_displaced(records)
        with self._counting:
            self.result.displaced += displaced

    def _refuse(self, letters: Sequence[Refused]) -> None:
        if letters:
            refused = self.stores.dead_letters.put_refused(letters)
            with self._counting:
                self.result.refused += refused
