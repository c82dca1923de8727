"""Loading of queued messages: records are written to the table, then their roots marked; failures are per message."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

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
        written = dict(zip(batch.groups, pool.map(batch.put, batch.groups), strict=True))
        unwritten = {key: node.failed for key, node in written.items() if node.failed}
        # Marked only after the write: a trace that sees the mark sees the record.
        roots = {root_id for root_id, node_id in batch.groups if (root_id, node_id) not in unwritten}
        unmarked = dict(zip(roots, pool.map(partial(batch.mark, day=day), roots), strict=True))
    result = batch.result
    for message_id, keys in keys_of.items():
        reasons = (unwritten.get(key) or unmarked.get(key[0]) for key in keys)
        if reason := next(filter(None, reasons), None):
            result.failed[message_id] = reason
            # A record refused for good is among the dead letters already.
            result.passing.add(message_id)
    result.loaded = len(batch.groups) - len(unwritten)
    result.displaced = sum(node.displaced for node in written.values())
    result.refused += sum(node.refused for node in written.values())
    return result


@dataclass(slots=True)
class _Node:
    """The result of a node's records: the reason of a failure, empty without, and counts of dead letters."""

    failed: str = ""
    displaced: int = 0
    refused: int = 0


class _Batch:
    """A batch under way: its records by node, and the result so far."""

    def __init__(self, stores: LoadStores, now_s: int) -> None:
        self.stores = stores
        self.now_s = now_s
        self.result = RecordLoad()
        self.groups: dict[Key, dict[LineageRecord, None]] = {}
        self._throttled: set[str] = set()

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
        if content.refused:
            self.result.refused += self.stores.dead_letters.put_refused(content.refused)
        return [enrich(record, self.stores.enrichers) for record in content.records]

    def put(self, key: Key) -> _Node:
        """Write the records of one node."""
        root_id, _ = key
        node = _Node()
        if root_id in self._throttled:
            return _Node("the root is throttled")
        for record in self.groups[key]:
            try:
                self._put(record, node)
            except (BotoCoreError, ClientError, Unavailable) as error:
                # A partition takes about 1,000 writes a second: the rest of the root waits for a later batch.
                if isinstance(error, ClientError) and is_throttle(error):
                    self._throttled.add(root_id)
                node.failed = str(error)
                break
        return node

    def _put(self, record: LineageRecord, node: _Node) -> None:
        def displace(records: Iterable[LineageRecord]) -> None:
            node.displaced += self.stores.dead_letters.put_displaced(records)

        try:
            self.stores.table.put(record, ttl_s=self.stores.ttl_s, loaded_at=self.now_s, save=displace)
        except ClientError as error:
            if not is_refused(error):
                raise
            node.refused += self.stores.dead_letters.put_refused([Refused(render_message(record), str(error))])

    def mark(self, root_id: str, *, day: str) -> str:
        """Mark the root dirty; return the reason of a failure, empty without."""
        try:
            self.stores.dirty_roots.mark(root_id, day)
        except (BotoCoreError, ClientError, Unavailable) as error:
            return f"the root could not be marked: {error}"
        return ""
