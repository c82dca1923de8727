"""The graph table: rows of JSON under two keys, swapped by version.

Each method is a round of parallel requests, so a caller's rounds are its calls; contents apart (`contents`) take
another round. Reads are strongly consistent, unless a caller may miss the last writes (`eventually`).
"""

from __future__ import annotations

import hashlib
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, TypeVar, cast

import orjson

from headwater.attempts import attempts
from headwater.aws.clients import CONCURRENCY
from headwater.aws.items import GET_KEYS_MAX, WRITES_MAX, batch_get, batch_write, chunks
from headwater.aws.versioned_puts import STATEMENTS_MAX, put_unversioned, put_versions
from headwater.facts.contents import StoredContent, content_hashes, content_key, put_back, split_contents
from headwater.facts.kept import Days, expiry_of
from headwater.facts.value import value
from headwater.settings import EXPIRES_AT, FACTS_PREFIX
from headwater_model.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import PutTypeDef, QueryInputTypeDef, TransactWriteItemTypeDef
    from mypy_boto3_s3 import S3Client

    from headwater.aws.items import Item, Value

Key: TypeAlias = tuple[str, str]
T = TypeVar("T")
R = TypeVar("R")

# Rows in memory while they are put.
_PUT_TOGETHER = 1_000
# A query cuts its page here, and sets `more`.
QUERY_ROWS_MAX = 10_000
# DynamoDB quotas: 100 items of a transaction, 400 KB an item; the rest of the item is small.
SIDES_MAX = 99
_INLINE_BYTES_MAX = 300_000
# A body up to this size is text, which the console shows; a larger one is compressed.
_READABLE_BYTES_MAX = 512
# Swaps in a transaction of 4 MB, of full items each.
_SHARING_MAX = 12
_TRIES = 10
# Reasons to try a refused transaction again.
_PASSING = frozenset({"None", "TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"})
_LOST = "ConditionalCheckFailed"
_OURS = frozenset({"pk", "sk", "version", "json", "body", "s3", EXPIRES_AT})


@value(frozen=True, slots=True)
class Row:
    """A row; `version` counts its swaps, and is 0 for a row without swaps.

    A row may expire: TTL removes it at `expires_s` (seconds since 1970), or up to two days later. A row to write
    `once` is a function of its key: where it is already, it is not put again. A swap may leave ids `noted`.
    """

    pk: str
    sk: str
    data: Mapping[str, Any] = field(default_factory=dict)
    version: int = 0
    expires_s: int | None = None
    once: bool = field(default=False, compare=False)
    noted: tuple[str, ...] = ()

    @property
    def key(self) -> Key:
        """The partition and sort key."""
        return self.pk, self.sk


@dataclass(frozen=True, slots=True)
class RowQuery:
    """Rows of a partition whose sort key begins with `prefix`, or lies from `low` to `high`, both included."""

    pk: str
    prefix: str = ""
    low: str = ""
    high: str = ""
    newest_first: bool = False
    limit: int = QUERY_ROWS_MAX


@dataclass(frozen=True, slots=True)
class RowPage:
    """The rows of a query; `more` if its limit cut the rest."""

    rows: Sequence[Row]
    more: bool = False


@dataclass(frozen=True, slots=True)
class Increment:
    """A number to add to a counter."""

    key: Key
    name: str
    by: int


@dataclass(frozen=True, slots=True)
class Swap:
    """A row to write if its version is still `row.version` (0: if there is none), with its sides, all or none.

    Puts, deletes and adds are `SIDES_MAX` at most, together, and all rows take less than a transaction's 4 MB. Such a
    group must not be cut: a repeated addition would count twice, and readers believe its rows without the facts. So the
    maker of a swap bounds it, and leaves the rest to rows that readers check (`run_reports`, and `extra` of a job's
    node).
    """

    row: Row
    puts: tuple[Row, ...] = ()
    deletes: tuple[Key, ...] = ()
    adds: tuple[Increment, ...] = ()


class GraphReader(Protocol):
    """The reads of the graph table, each a round of requests."""

    def get(self, keys: Iterable[Key]) -> dict[Key, Row]:
        """Read the existing rows by key."""
        return self.read(keys, ())[0]

    def query(self, queries: Sequence[RowQuery]) -> list[RowPage]:
        """Read a page for each query, in the order of the sort keys' bytes, or backwards."""
        return self.read((), queries)[1]

    def read(self, keys: Iterable[Key], queries: Sequence[RowQuery]) -> tuple[dict[Key, Row], list[RowPage]]:
        """Get and query in a single round."""

    def expect(self, keys: Iterable[Key] = (), queries: Iterable[RowQuery] = ()) -> None:  # noqa: ARG002
        """Announce possible further reads: a reader ahead of its caller adds the reads to its next round."""
        return  # By default, a table that reads nothing ahead


@dataclass(frozen=True)
class GraphTable(GraphReader):
    """The table, and the bucket for bodies too large for an item (`FACTS_PREFIX`, named by content)."""

    dynamodb: DynamoDBClient
    table: str
    s3: S3Client
    bucket: str
    sleep: Callable[[float], None] = time.sleep
    # Requests at once: a reader waits for the network, a loader for its CPU.
    concurrency: int = CONCURRENCY
    # Days after which rows expire, by kind (`kept`).
    kept: Days = field(default_factory=dict)
    _pool: ThreadPoolExecutor = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pool", ThreadPoolExecutor(self.concurrency))

    def get(self, keys: Iterable[Key], *, eventually: bool = False) -> dict[Key, Row]:
        """Read the existing rows by key; `eventually`: at half the price, perhaps without the last writes."""
        return self._read(keys, (), consistent=not eventually)[0]

    def query(self, queries: Sequence[RowQuery]) -> list[RowPage]:
        """See `GraphReader`."""
        return self._read((), queries)[1]

    def read(self, keys: Iterable[Key], queries: Sequence[RowQuery]) -> tuple[dict[Key, Row], list[RowPage]]:
        """See `GraphReader`."""
        return self._read(keys, queries)

    def _read(
        self, keys: Iterable[Key], queries: Sequence[RowQuery], *, consistent: bool = True
    ) -> tuple[dict[Key, Row], list[RowPage]]:
        batches = list(chunks([_key(key) for key in dict.fromkeys(keys)], GET_KEYS_MAX))
        gets = [partial(self._batch, batch, consistent=consistent) for batch in batches]
        pages = self._each(lambda part: part(), [*gets, *(partial(self._page, query) for query in queries)])
        self._put_back([row for page in pages for row in page.rows])
        rows = {row.key: row for page in pages[: len(batches)] for row in page.rows}
        return rows, pages[len(batches) :]

    def _put_back(self, rows: Sequence[Row]) -> None:
        """Read the contents set apart from these rows; no request without such contents."""
        documents = [cast("dict[str, Any]", row.data) for row in rows if content_hashes(row.data)]
        hashes = {content for document in documents for content in content_hashes(document)}
        keys = [_key(content_key(content)) for content in sorted(hashes)]
        pages = self._each_batch(self._batch, keys, GET_KEYS_MAX)
        stored = {row.pk: row.data["content"] for page in pages for row in page.rows}
        contents = {content: stored[pk] for content in hashes if (pk := content_key(content)[0]) in stored}
        if missing := hashes - contents.keys():
            raise Unavailable(f"{len(missing)} contents of {self.table} are missing, among them {min(missing)}")
        for document in documents:
            put_back(document, contents)

    def _batch(self, keys: Sequence[Item], *, consistent: bool = True) -> RowPage:
        items = batch_get(self.dynamodb, self.table, keys, self.sleep, consistent=consistent)
        return RowPage(list(map(self._row, items)))

    def put(self, rows: Iterable[Row]) -> None:
        """Write rows, the same whoever writes them; raise `Unavailable` if the table refused any."""
        self._put(rows)

    def put_late(self, rows: Sequence[Row]) -> None:
        """Write rows after their facts, but over no row with a version; a row with a predecessor has version 2."""
        put = partial(put_unversioned, self.dynamodb, self.table, sleep=self.sleep)
        self._each_batch(put, [self._versioned(row) for row in rows], STATEMENTS_MAX)

    def _put(self, rows: Iterable[Row]) -> None:
        for group in chunks(rows, _PUT_TOGETHER):
            rows_by_key = {row.key: row for row in group}
            keys = [_key(row.key) for row in rows_by_key.values() if row.once]
            pages = self._each_batch(self._batch, keys, GET_KEYS_MAX)
            for row in (row for page in pages for row in page.rows):
                del rows_by_key[row.key]
            self._write_batches([{"PutRequest": {"Item": self._versioned(row)}} for row in rows_by_key.values()])

    def _write_batches(self, writes: Sequence[Any]) -> None:
        self._each_batch(partial(batch_write, self.dynamodb, self.table, sleep=self.sleep), writes, WRITES_MAX)

    def remove(self, keys: Iterable[Key]) -> None:
        """Delete rows without readers; raise `Unavailable` if the table refused any."""
        self._write_batches([{"DeleteRequest": {"Key": _key(key)}} for key in keys])

    def swap(self, swaps: Sequence[Swap]) -> list[bool]:
        """Write each swap whose row's version is as it was read; list True for each written swap.

        The rows of a call differ. Rows swapped alone share requests, but not their fate; swaps that add to the same
        number share a transaction, without the lost swaps.
        """
        swaps = self._split_contents(swaps)
        alone, together = list[int](), list[int]()
        for number, swap in enumerate(swaps):
            (together if swap.puts or swap.deletes or swap.adds else alone).append(number)
        groups = [*chunks(alone, STATEMENTS_MAX), *_sharing_counts(swaps, together)]
        results = self._each(lambda group: self._swap_some([swaps[number] for number in group]), groups)
        written = dict(zip(chain.from_iterable(groups), chain.from_iterable(results), strict=True))
        return [written[number] for number in range(len(swaps))]

    def _split_contents(self, swaps: Sequence[Swap]) -> list[Swap]:
        """Set contents of the swaps apart, and write the contents that no row of them had before."""
        documents, contents = list[Mapping[str, Any]](), list[tuple[str, Any]]()
        for swap in swaps:
            document, split = split_contents(swap.row.data)
            documents.append(document)
            contents += split.items()
        stored = {content for content, body in contents if isinstance(body, StoredContent)}
        self._put(Row(*content_key(content), {"content": body}) for content, body in contents if content not in stored)
        return [
            replace(swap, row=replace(swap.row, data=document)) for swap, document in zip(swaps, documents, strict=True)
        ]

    def advance(self, key: Key, name: str, number: int) -> None:
        """Raise a number of a row, which may be missing; a greater number stays."""
        self._update(
            key,
            UpdateExpression="SET #name = :number",
            ConditionExpression="attribute_not_exists(#name) OR #name < :number",
            ExpressionAttributeNames={"#name": name},
            ExpressionAttributeValues={":number": {"N": str(number)}},
        )

    def expire(self, keys: Iterable[Key], at_s: int | None) -> None:
        """Let existing rows expire at a time (seconds since 1970), or stay (None); a missing row stays missing."""
        values: dict[str, Any] = {} if at_s is None else {"ExpressionAttributeValues": {":at": {"N": str(at_s)}}}
        update = partial(
            self._update,
            UpdateExpression="SET #expires = :at" if values else "REMOVE #expires",
            ConditionExpression="attribute_exists(pk)",
            ExpressionAttributeNames={"#expires": EXPIRES_AT},
            **values,
        )
        self._each(update, list(keys))

    def spend(self, key: Key, name: str, number: int, *, budget: int, expires_s: int) -> bool:
        """Add to a number of a row, which may be missing; return False if the sum would be above the budget.

        The row expires at `expires_s` (seconds since 1970), or up to two days later.
        """
        return self._update(
            key,
            UpdateExpression="ADD #name :number SET #expires = :expires",
            ConditionExpression="attribute_not_exists(#name) OR #name <= :room",
            ExpressionAttributeNames={"#name": name, "#expires": EXPIRES_AT},
            ExpressionAttributeValues={
                ":number": {"N": str(number)},
                ":room": {"N": str(budget - number)},
                ":expires": {"N": str(expires_s)},
            },
        )

    def _update(self, key: Key, **request: Any) -> bool:
        try:
            self.dynamodb.update_item(TableName=self.table, Key=_key(key), **request)
        except self.dynamodb.exceptions.ConditionalCheckFailedException:
            return False
        return True

    def _each(self, act: Callable[[T], R], things: Sequence[T]) -> list[R]:
        if len(things) == 1 or self.concurrency == 1:
            return [act(thing) for thing in things]
        return list(self._pool.map(act, things))

    def _each_batch(self, act: Callable[[Sequence[T]], R], things: Iterable[T], size: int) -> list[R]:
        return self._each(act, list(chunks(things, size)))

    def _page(self, query: RowQuery) -> RowPage:
        """Read pages of DynamoDB until the limit, and a further row to show a cut."""
        request = _query(self.table, query)
        items: list[Item] = []
        while True:
            request["Limit"] = query.limit + 1 - len(items)
            response = self.dynamodb.query(**request)
            items += response["Items"]
            last = response.get("LastEvaluatedKey")
            if last is None or len(items) > query.limit:
                return RowPage(list(map(self._row, items[: query.limit])), more=len(items) > query.limit)
            request["ExclusiveStartKey"] = last

    def _swap_some(self, swaps: Sequence[Swap]) -> list[bool]:
        if len(swaps) == 1 or swaps[0].adds:
            return self._write(swaps)
        items = [self._next_version(swap.row) for swap in swaps]
        return put_versions(self.dynamodb, self.table, items, self.sleep)

    def _next_version(self, row: Row) -> dict[str, Value]:
        return self._versioned(replace(row, version=row.version + 1))

    def _versioned(self, row: Row) -> dict[str, Value]:
        noted: dict[str, Value] = {"noted": {"B": zlib.compress(" ".join(row.noted).encode())}} if row.noted else {}
        return {**self._item(row), **noted, **({"version": {"N": str(row.version)}} if row.version else {})}

    def _condition(self, row: Row) -> TransactWriteItemTypeDef:
        put: PutTypeDef = {"TableName": self.table, "Item": self._next_version(row)}
        if row.version == 0:
            return {"Put": {**put, "ConditionExpression": "attribute_not_exists(pk)"}}
        values: dict[str, Value] = {":version": {"N": str(row.version)}}
        return {"Put": {**put, "ConditionExpression": "version = :version", "ExpressionAttributeValues": values}}

    def _actions(self, swaps: Iterable[Swap]) -> Iterator[TransactWriteItemTypeDef]:
        """Yield the conditional puts of swaps, then their sides, with an update for each number."""
        sums: dict[tuple[Key, str], int] = {}
        for swap in swaps:
            yield self._condition(swap.row)
        for swap in swaps:
            for row in swap.puts:
                yield {"Put": {"TableName": self.table, "Item": self._versioned(row)}}
            for key in swap.deletes:
                yield {"Delete": {"TableName": self.table, "Key": _key(key)}}
            for add in swap.adds:
                sums[add.key, add.name] = sums.get((add.key, add.name), 0) + add.by
        for (key, name), by in sums.items():
            yield {
                "Update": {
                    "TableName": self.table,
                    "Key": _key(key),
                    "UpdateExpression": "ADD #name :by",
                    "ExpressionAttributeNames": {"#name": name},
                    "ExpressionAttributeValues": {":by": {"N": str(by)}},
                }
            }

    def _write(self, swaps: Sequence[Swap]) -> list[bool]:
        """Write an item conditionally, or a transaction, without its lost swaps; try again after a conflict."""
        left = swaps
        for _ in attempts(_TRIES, self.sleep):
            actions = list(self._actions(left))
            try:
                if len(actions) == 1:
                    self.dynamodb.put_item(**actions[0]["Put"])
                else:
                    self.dynamodb.transact_write_items(TransactItems=actions)
            except self.dynamodb.exceptions.ConditionalCheckFailedException:
                left = []
            except self.dynamodb.exceptions.TransactionCanceledException as cancelled:
                reasons: Sequence[Mapping[str, Any]] = cancelled.response.get("CancellationReasons", [])
                codes = [reason.get("Code", "None") for reason in reasons]
                if not {*codes} - {_LOST} <= _PASSING:
                    raise
                lost = {number for number, code in enumerate(codes) if code == _LOST}
                left = [swap for number, swap in enumerate(left) if number not in lost]
                if left:
                    continue
            written = set(map(id, left))
            return [id(swap) in written for swap in swaps]
        raise Unavailable(f"a transaction on {self.table} kept conflicting with other writers")

    def _item(self, row: Row) -> dict[str, Value]:
        """Render a row as an item: a small body as text, a larger body compressed, a huge body in the bucket."""
        item: dict[str, Value] = _key(row.key)
        expires_s = row.expires_s if row.expires_s is not None else expiry_of(row.pk, row.sk, self.kept)
        if expires_s is not None:
            item[EXPIRES_AT] = {"N": str(expires_s)}
        if not row.data:
            return item
        body = orjson.dumps(row.data)
        if len(body) <= _READABLE_BYTES_MAX:
            return {**item, "json": {"S": body.decode()}}
        body = zlib.compress(body, 6)
        if len(body) <= _INLINE_BYTES_MAX:
            return {**item, "body": {"B": body}}
        key = f"{FACTS_PREFIX}{hashlib.sha256(body).hexdigest()}"
        self.s3.put_object(Bucket=self.bucket, Key=key, Body=body)
        return {**item, "s3": {"S": key}}

    def _row(self, item: Item) -> Row:
        body = bytes(item["body"]["B"]) if "body" in item else b""
        if "s3" in item:
            body = self.s3.get_object(Bucket=self.bucket, Key=item["s3"]["S"])["Body"].read()
        text = zlib.decompress(body) if body else item["json"]["S"] if "json" in item else "{}"
        data = orjson.loads(text)
        data.update({name: int(item[name]["N"]) for name in item.keys() - _OURS if "N" in item[name]})
        version = int(item["version"]["N"]) if "version" in item else 0
        expires_s = int(item[EXPIRES_AT]["N"]) if EXPIRES_AT in item else None
        noted = tuple(zlib.decompress(bytes(item["noted"]["B"])).decode().split()) if "noted" in item else ()
        return Row(item["pk"]["S"], item["sk"]["S"], data, version, expires_s, noted=noted)


def _key(key: Key) -> dict[str, Value]:
    return {"pk": {"S": key[0]}, "sk": {"S": key[1]}}


def _sharing_counts(swaps: Sequence[Swap], numbers: Iterable[int]) -> Iterator[Sequence[int]]:
    """Group swaps by the numbers to which they add: a group is a transaction of few items."""
    groups: dict[object, list[int]] = {}
    for number in numbers:
        swap = swaps[number]
        shares = swap.adds and not swap.puts and not swap.deletes
        groups.setdefault(tuple((add.key, add.name) for add in swap.adds) if shares else number, []).append(number)
    for group in groups.values():
        yield from chunks(group, _SHARING_MAX)


def _query(table: str, query: RowQuery) -> QueryInputTypeDef:
    condition, values = "pk = :pk", {":pk": {"S": query.pk}}
    if query.low or query.high:
        condition += " AND sk BETWEEN :low AND :high"
        values |= {":low": {"S": query.low}, ":high": {"S": query.high}}
    elif query.prefix:
        condition += " AND begins_with(sk, :prefix)"
        values |= {":prefix": {"S": query.prefix}}
    return {
        "TableName": table,
        "KeyConditionExpression": condition,
        "ExpressionAttributeValues": values,
        "ScanIndexForward": not query.newest_first,
        "ConsistentRead": True,
    }
