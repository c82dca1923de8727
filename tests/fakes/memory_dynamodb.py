"""The graph table's DynamoDB in memory, with the cost of every call: requests, items, bytes, billed units.

It supports the requests of `headwater.facts.table.GraphTable` alone, within DynamoDB's limits: 1 MB a page of a
query, 16 MB a batch of gets, 100 items and 4 MB a transaction. moto would take minutes for a table of a million items.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from threading import Lock
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from botocore.exceptions import ClientError

from local_stack.aws.item_sizes import item_bytes, transaction_refusal_of
from local_stack.aws.partiql import VersionedPut, parse_put
from tests.fakes.capacity import read_units, write_units, writes

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Json: TypeAlias = Mapping[str, Any]
# DynamoDB quotas ("Constraints": Query, BatchGetItem, BatchExecuteStatement).
_STATEMENTS = 25
_PAGE_BYTES = 1_000_000
_BATCH_BYTES = 16_000_000
_READS = frozenset({"BatchGetItem", "Query"})
_REFUSED = "ConditionalCheckFailed"


class ConditionalCheckFailedException(ClientError):
    """Failed condition of a put or an update."""


class TransactionCanceledException(ClientError):
    """Failed condition in a transaction."""


@dataclass(slots=True)
class Calls:
    """Counts of calls: requests by operation, items and bytes read, partitions read, units."""

    requests: Counter[str] = field(default_factory=Counter)
    items: int = 0
    item_bytes: int = 0
    partitions: set[str] = field(default_factory=set)
    read_units: float = 0
    write_units: float = 0

    @property
    def reads(self) -> int:
        """Number of requests that read."""
        return sum(number for operation, number in self.requests.items() if operation in _READS)


@dataclass(slots=True)
class _Partition:
    """Items by sort key, without their keys; `order` has the sort keys in the order of UTF-8, as in DynamoDB."""

    items: dict[str, Json] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def put(self, sk: str, rest: Json) -> None:
        if sk not in self.items:
            insort(self.order, sk)
        self.items[sk] = rest

    def delete(self, sk: str) -> None:
        if self.items.pop(sk, None) is not None:
            del self.order[bisect_left(self.order, sk)]


# Most rows are keys alone: they share this value.
_NOTHING: Json = {}


class MemoryDynamo:
    """A table. Calls from several threads run one after the other."""

    exceptions = SimpleNamespace(
        ConditionalCheckFailedException=ConditionalCheckFailedException,
        TransactionCanceledException=TransactionCanceledException,
    )

    def __init__(self) -> None:
        self.calls = Calls()
        self._partitions: dict[str, _Partition] = defaultdict(_Partition)
        self._lock = Lock()

    def client(self) -> DynamoDBClient:
        """Return itself, typed as the client that it replaces."""
        return cast("DynamoDBClient", self)

    def respond(self, operation: str, request: Json) -> Json:
        """Respond to a call of the API, or raise boto3's error."""
        with self._lock:
            self.calls.requests[operation] += 1
            self.calls.write_units += write_units(operation, request, {})
            response: Json = _OPERATIONS[operation](self, request)
            self.calls.read_units += read_units(operation, request, response)
            return response

    def batch_get_item(self, **request: Any) -> Json:
        return self.respond("BatchGetItem", request)

    def query(self, **request: Any) -> Json:
        return self.respond("Query", request)

    def batch_write_item(self, **request: Any) -> Json:
        return self.respond("BatchWriteItem", request)

    def batch_execute_statement(self, **request: Any) -> Json:
        return self.respond("BatchExecuteStatement", request)

    def put_item(self, **request: Any) -> Json:
        return self.respond("PutItem", request)

    def transact_write_items(self, **request: Any) -> Json:
        return self.respond("TransactWriteItems", request)

    def update_item(self, **request: Any) -> Json:
        return self.respond("UpdateItem", request)

    @property
    def partitions(self) -> frozenset[str]:
        """Partition keys of all items."""
        return frozenset(pk for pk, partition in self._partitions.items() if partition.items)

    def items(self) -> Iterator[Json]:
        """Yield every item, by partition and sort key."""
        for pk in sorted(self._partitions):
            for sk in self._partitions[pk].order:
                yield self._item(pk, sk)

    def item(self, pk: str, sk: str) -> Json | None:
        """Return the item of a key, if it exists."""
        there = pk in self._partitions and sk in self._partitions[pk].items
        return self._item(pk, sk) if there else None

    def _batch_get(self, request: Json) -> Json:
        """Read items by key; keys beyond 16 MB are returned as unprocessed."""
        [(table, keys)] = request["RequestItems"].items()
        read: list[Json] = []
        size = 0
        for number, key in enumerate(keys["Keys"]):
            pk, sk = key["pk"]["S"], key["sk"]["S"]
            self.calls.partitions.add(pk)
            if pk not in self._partitions or sk not in self._partitions[pk].items:
                continue
            if size >= _BATCH_BYTES:
                unread = {**keys, "Keys": keys["Keys"][number:]}
                return {"Responses": {table: read}, "UnprocessedKeys": {table: unread}}
            item, item_size = self._read(pk, sk)
            read.append(item)
            size += item_size
        return {"Responses": {table: read}, "UnprocessedKeys": {}}

    def _get_item(self, request: Json) -> Json:
        pk, sk = request["Key"]["pk"]["S"], request["Key"]["sk"]["S"]
        return {} if self.item(pk, sk) is None else {"Item": self._read(pk, sk)[0]}

    def _query(self, request: Json) -> Json:
        """Read a page of a partition: up to the limit, or to 1 MB."""
        pk = request["ExpressionAttributeValues"][":pk"]["S"]
        self.calls.partitions.add(pk)
        order = self._partitions[pk].order if pk in self._partitions else []
        sort_keys = _wanted(order, request)
        read: list[Json] = []
        size = 0
        for sk in sort_keys[: request.get("Limit")]:
            item, item_size = self._read(pk, sk)
            read.append(item)
            size += item_size
            if size >= _PAGE_BYTES:
                break
        if len(read) == len(sort_keys):
            return {"Items": read, "Count": len(read)}
        last = {"pk": {"S": pk}, "sk": {"S": sort_keys[len(read) - 1]}}
        return {"Items": read, "Count": len(read), "LastEvaluatedKey": last}

    def _batch_write(self, request: Json) -> Json:
        for write in chain.from_iterable(request["RequestItems"].values()):
            if "PutRequest" in write:
                self._put(write["PutRequest"]["Item"])
            else:
                self._delete(write["DeleteRequest"])
        return {"UnprocessedItems": {}}

    def _batch_execute(self, request: Json) -> Json:
        """Put each item whose condition holds."""
        puts = [parse_put(statement) for statement in request["Statements"]]
        if None in puts or len(puts) > _STATEMENTS:
            raise NotImplementedError(request["Statements"])
        return {"Responses": [self._put_version(put) for put in puts if put]}

    def _put_version(self, put: VersionedPut) -> Json:
        current = self._partitions[put.item["pk"]["S"]].items.get(put.item["sk"]["S"])
        if put.version is None and current is not None:
            return {"Error": {"Code": "DuplicateItem"}}
        if put.version is not None and (current is None or current.get("version", {}) != put.version):
            return {"Error": {"Code": _REFUSED}}
        self._put(put.item)
        return {}

    def _put_item(self, request: Json) -> Json:
        if not self._holds(request):
            raise ConditionalCheckFailedException(_error(f"{_REFUSED}Exception"), "PutItem")
        self._put(request["Item"])
        return {}

    def _update_item(self, request: Json) -> Json:
        """Set a number unless it is as great already, or set or remove the end of an existing item."""
        if request["ConditionExpression"] == "attribute_exists(pk)":
            return self._expire(request)
        if request["UpdateExpression"] != "SET #name = :number":
            raise NotImplementedError(request["UpdateExpression"])
        if request["ConditionExpression"] != "attribute_not_exists(#name) OR #name < :number":
            raise NotImplementedError(request["ConditionExpression"])
        pk, sk = request["Key"]["pk"]["S"], request["Key"]["sk"]["S"]
        name, number = request["ExpressionAttributeNames"]["#name"], request["ExpressionAttributeValues"][":number"]
        current = self._partitions[pk].items.get(sk, _NOTHING)
        if name in current and int(current[name]["N"]) >= int(number["N"]):
            raise ConditionalCheckFailedException(_error(f"{_REFUSED}Exception"), "UpdateItem")
        self._partitions[pk].put(sk, {**current, name: number})
        return {}

    def _expire(self, request: Json) -> Json:
        items = self._partitions[request["Key"]["pk"]["S"]].items
        sk, name = request["Key"]["sk"]["S"], request["ExpressionAttributeNames"]["#expires"]
        if sk not in items:
            raise ConditionalCheckFailedException(_error(f"{_REFUSED}Exception"), "UpdateItem")
        rest = {other: value for other, value in items[sk].items() if other != name}
        values = request.get("ExpressionAttributeValues", {})
        items[sk] = {**rest, name: values[":at"]} if values else rest
        return {}

    def _transact(self, request: Json) -> Json:
        """Write all items or none; the error lists the failed conditions."""
        if refusal := transaction_refusal_of(request["TransactItems"]):
            error_of = {"Code": refusal[0], "Message": refusal[1]}
            raise ClientError({"Error": error_of}, "TransactWriteItems")  # type: ignore[typeddict-item]
        actions = [next(iter(action.items())) for action in request["TransactItems"]]
        codes = ["None" if self._holds(action) else _REFUSED for _, action in actions]
        if _REFUSED in codes:
            error = _error("TransactionCanceledException")
            reasons = [{"Code": code} for code in codes]
            raise TransactionCanceledException({**error, "CancellationReasons": reasons}, "TransactWriteItems")  # type: ignore[typeddict-item]
        for kind, action in actions:
            _ACTIONS[kind](self, action)
        return {}

    def _holds(self, action: Json) -> bool:
        """True if the condition of a put holds: none, no such item, or this version."""
        condition = action.get("ConditionExpression")
        if condition is None:
            return True
        pk, sk = action["Item"]["pk"]["S"], action["Item"]["sk"]["S"]
        current = self._partitions[pk].items.get(sk)
        if condition == "attribute_not_exists(pk)":
            return current is None
        if condition != "version = :version":
            raise NotImplementedError(condition)
        return current is not None and current.get("version") == action["ExpressionAttributeValues"][":version"]

    def _put(self, item: Json) -> None:
        rest = {name: value for name, value in item.items() if name not in {"pk", "sk"}}
        self._partitions[item["pk"]["S"]].put(item["sk"]["S"], rest or _NOTHING)

    def _delete(self, action: Json) -> None:
        self._partitions[action["Key"]["pk"]["S"]].delete(action["Key"]["sk"]["S"])

    def _add(self, action: Json) -> None:
        if action["UpdateExpression"] != "ADD #name :by":
            raise NotImplementedError(action["UpdateExpression"])
        pk, sk = action["Key"]["pk"]["S"], action["Key"]["sk"]["S"]
        name = action["ExpressionAttributeNames"]["#name"]
        current = self._partitions[pk].items.get(sk, _NOTHING)
        number = int(current.get(name, {"N": "0"})["N"]) + int(action["ExpressionAttributeValues"][":by"]["N"])
        self._partitions[pk].put(sk, {**current, name: {"N": str(number)}})

    def _read(self, pk: str, sk: str) -> tuple[Json, int]:
        """Return an item that exists, and its size; count both."""
        item = self._item(pk, sk)
        size = item_bytes(item)
        self.calls.items += 1
        self.calls.item_bytes += size
        return item, size

    def _item(self, pk: str, sk: str) -> Json:
        return {"pk": {"S": pk}, "sk": {"S": sk}, **self._partitions[pk].items[sk]}


class CountedDynamo(MemoryDynamo):
    """A table with the write units of each kind of row, as `kind_of` names it by partition and sort key."""

    def __init__(self, kind_of: Callable[[str, str], str]) -> None:
        super().__init__()
        self.units: Counter[str] = Counter()
        self._kind_of = kind_of

    def respond(self, operation: str, request: Json) -> Json:
        """Respond to a call, and count it."""
        for item, units in writes(operation, request):
            self.units[self._kind_of(item["pk"]["S"], item["sk"]["S"])] += units
        return super().respond(operation, request)


def _wanted(order: Sequence[str], request: Json) -> Sequence[str]:
    """Return the sort keys of a query in its direction, after its start key."""
    values = request["ExpressionAttributeValues"]
    low, high = 0, len(order)
    if ":low" in values:
        low, high = bisect_left(order, values[":low"]["S"]), bisect_right(order, values[":high"]["S"])
    elif ":prefix" in values:
        prefix = values[":prefix"]["S"]
        low, high = bisect_left(order, prefix), bisect_left(order, f"{prefix}\U0010ffff")
    sort_keys = order[low:high]
    start = request.get("ExclusiveStartKey", {}).get("sk", {}).get("S")
    if not request.get("ScanIndexForward", True):
        sort_keys = sort_keys[::-1] if start is None else sort_keys[: bisect_left(sort_keys, start)][::-1]
    elif start is not None:
        sort_keys = sort_keys[bisect_right(sort_keys, start) :]
    return sort_keys


def _error(code: str) -> Any:
    return {"Error": {"Code": code, "Message": "the condition did not hold"}}


_OPERATIONS = {
    "GetItem": MemoryDynamo._get_item,
    "BatchGetItem": MemoryDynamo._batch_get,
    "Query": MemoryDynamo._query,
    "BatchWriteItem": MemoryDynamo._batch_write,
    "BatchExecuteStatement": MemoryDynamo._batch_execute,
    "PutItem": MemoryDynamo._put_item,
    "UpdateItem": MemoryDynamo._update_item,
    "TransactWriteItems": MemoryDynamo._transact,
}
_ACTIONS = {
    "Put": lambda table, action: table._put(action["Item"]),
    "Delete": MemoryDynamo._delete,
    "Update": MemoryDynamo._add,
}
