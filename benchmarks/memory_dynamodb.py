"""The graph table's DynamoDB in memory, with what every call costs: requests, items, bytes and billed units.

It answers what `lineage.graph.table.GraphTable` sends, and nothing else, under DynamoDB's bounds: 1 MB a page of a
query, 16 MB a batch of gets. moto would take minutes for a table of a million items.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from botocore.exceptions import ClientError

from benchmarks.capacity import item_bytes, read_units, write_units

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

Form: TypeAlias = Mapping[str, Any]
# DynamoDB quotas ("Constraints": Query, BatchGetItem).
_PAGE_BYTES = 1_000_000
_BATCH_BYTES = 16_000_000
_READS = frozenset({"BatchGetItem", "Query"})
_REFUSED = "ConditionalCheckFailed"


class ConditionalCheckFailedException(ClientError):
    """A condition of a put did not hold."""


class TransactionCanceledException(ClientError):
    """A condition in a transaction did not hold."""


@dataclass(slots=True)
class Calls:
    """What was asked since it was made: requests by operation, items and their bytes read, partitions read, units."""

    requests: Counter[str] = field(default_factory=Counter)
    items: int = 0
    item_bytes: int = 0
    partitions: set[str] = field(default_factory=set)
    read_units: float = 0
    write_units: float = 0

    @property
    def reads(self) -> int:
        """Requests that read."""
        return sum(number for operation, number in self.requests.items() if operation in _READS)


@dataclass(slots=True)
class _Partition:
    """Items by sort key, without their keys; `order` are the sort keys, sorted (as DynamoDB does, by UTF-8)."""

    items: dict[str, Form] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def put(self, sk: str, rest: Form) -> None:
        if sk not in self.items:
            insort(self.order, sk)
        self.items[sk] = rest

    def delete(self, sk: str) -> None:
        if self.items.pop(sk, None) is not None:
            del self.order[bisect_left(self.order, sk)]


# Most rows are keys alone: they share one value.
_NOTHING: Form = {}


class MemoryDynamo:
    """One table. Calls come from several threads, and one is answered after the other."""

    exceptions = SimpleNamespace(
        ConditionalCheckFailedException=ConditionalCheckFailedException,
        TransactionCanceledException=TransactionCanceledException,
    )

    def __init__(self) -> None:
        self.calls = Calls()
        self._partitions: dict[str, _Partition] = defaultdict(_Partition)
        self._lock = Lock()

    def client(self) -> DynamoDBClient:
        """Itself, as what it stands in for."""
        return cast("DynamoDBClient", self)

    def answer(self, operation: str, request: Form) -> Form:
        """The answer to a call of the API. Raises what boto3 would."""
        with self._lock:
            self.calls.requests[operation] += 1
            self.calls.write_units += write_units(operation, request, {})
            answer: Form = _OPERATIONS[operation](self, request)
            self.calls.read_units += read_units(operation, request, answer)
            return answer

    def batch_get_item(self, **request: Any) -> Form:  # noqa: D102 - boto3's
        return self.answer("BatchGetItem", request)

    def query(self, **request: Any) -> Form:  # noqa: D102 - boto3's
        return self.answer("Query", request)

    def batch_write_item(self, **request: Any) -> Form:  # noqa: D102 - boto3's
        return self.answer("BatchWriteItem", request)

    def put_item(self, **request: Any) -> Form:  # noqa: D102 - boto3's
        return self.answer("PutItem", request)

    def transact_write_items(self, **request: Any) -> Form:  # noqa: D102 - boto3's
        return self.answer("TransactWriteItems", request)

    def items(self) -> Iterator[Form]:
        """Every item, by partition and sort key."""
        for pk in sorted(self._partitions):
            for sk in self._partitions[pk].order:
                yield self._item(pk, sk)

    def item(self, pk: str, sk: str) -> Form | None:
        """The item of a key, if there is one."""
        there = pk in self._partitions and sk in self._partitions[pk].items
        return self._item(pk, sk) if there else None

    def _batch_get(self, request: Form) -> Form:
        [(table, asked)] = request["RequestItems"].items()
        found: list[Form] = []
        size = 0
        for number, key in enumerate(asked["Keys"]):
            pk, sk = key["pk"]["S"], key["sk"]["S"]
            self.calls.partitions.add(pk)
            if pk not in self._partitions or sk not in self._partitions[pk].items:
                continue
            if size >= _BATCH_BYTES:
                left = {**asked, "Keys": asked["Keys"][number:]}
                return {"Responses": {table: found}, "UnprocessedKeys": {table: left}}
            found.append(self._read(pk, sk))
            size += item_bytes(found[-1])
        return {"Responses": {table: found}, "UnprocessedKeys": {}}

    def _get_item(self, request: Form) -> Form:
        pk, sk = request["Key"]["pk"]["S"], request["Key"]["sk"]["S"]
        return {} if self.item(pk, sk) is None else {"Item": self._read(pk, sk)}

    def _query(self, request: Form) -> Form:
        pk = request["ExpressionAttributeValues"][":pk"]["S"]
        self.calls.partitions.add(pk)
        order = self._partitions[pk].order if pk in self._partitions else []
        wanted = _wanted(order, request)
        found: list[Form] = []
        size = 0
        for sk in wanted[: request.get("Limit")]:
            found.append(self._read(pk, sk))
            size += item_bytes(found[-1])
            if size >= _PAGE_BYTES:
                break
        if len(found) == len(wanted):
            return {"Items": found, "Count": len(found)}
        last = {"pk": {"S": pk}, "sk": {"S": wanted[len(found) - 1]}}
        return {"Items": found, "Count": len(found), "LastEvaluatedKey": last}

    def _batch_write(self, request: Form) -> Form:
        for writes in request["RequestItems"].values():
            for write in writes:
                self._put(write["PutRequest"]["Item"])
        return {"UnprocessedItems": {}}

    def _put_item(self, request: Form) -> Form:
        if not self._holds(request):
            raise ConditionalCheckFailedException(_error(f"{_REFUSED}Exception"), "PutItem")
        self._put(request["Item"])
        return {}

    def _transact(self, request: Form) -> Form:
        actions = [next(iter(action.items())) for action in request["TransactItems"]]
        codes = ["None" if self._holds(form) else _REFUSED for _, form in actions]
        if _REFUSED in codes:
            error = _error("TransactionCanceledException")
            reasons = [{"Code": code} for code in codes]
            raise TransactionCanceledException({**error, "CancellationReasons": reasons}, "TransactWriteItems")  # type: ignore[typeddict-item]
        for kind, form in actions:
            _ACTIONS[kind](self, form)
        return {}

    def _holds(self, form: Form) -> bool:
        condition = form.get("ConditionExpression")
        if condition is None:
            return True
        pk, sk = form["Item"]["pk"]["S"], form["Item"]["sk"]["S"]
        known = self._partitions[pk].items.get(sk)
        if condition == "attribute_not_exists(pk)":
            return known is None
        if condition != "version = :version":
            raise NotImplementedError(condition)
        return known is not None and known.get("version") == form["ExpressionAttributeValues"][":version"]

    def _put(self, item: Form) -> None:
        rest = {name: value for name, value in item.items() if name not in {"pk", "sk"}}
        self._partitions[item["pk"]["S"]].put(item["sk"]["S"], rest or _NOTHING)

    def _delete(self, form: Form) -> None:
        self._partitions[form["Key"]["pk"]["S"]].delete(form["Key"]["sk"]["S"])

    def _add(self, form: Form) -> None:
        if form["UpdateExpression"] != "ADD #name :by":
            raise NotImplementedError(form["UpdateExpression"])
        pk, sk = form["Key"]["pk"]["S"], form["Key"]["sk"]["S"]
        name = form["ExpressionAttributeNames"]["#name"]
        known = self._partitions[pk].items.get(sk, _NOTHING)
        number = int(known.get(name, {"N": "0"})["N"]) + int(form["ExpressionAttributeValues"][":by"]["N"])
        self._partitions[pk].put(sk, {**known, name: {"N": str(number)}})

    def _read(self, pk: str, sk: str) -> Form:
        item = self._item(pk, sk)
        self.calls.items += 1
        self.calls.item_bytes += item_bytes(item)
        return item

    def _item(self, pk: str, sk: str) -> Form:
        return {"pk": {"S": pk}, "sk": {"S": sk}, **self._partitions[pk].items[sk]}


def _wanted(order: Sequence[str], request: Form) -> Sequence[str]:
    """The sort keys that a query asks for, in its direction, behind its start."""
    values = request["ExpressionAttributeValues"]
    low, high = 0, len(order)
    if ":low" in values:
        low, high = bisect_left(order, values[":low"]["S"]), bisect_right(order, values[":high"]["S"])
    elif ":prefix" in values:
        prefix = values[":prefix"]["S"]
        low, high = bisect_left(order, prefix), bisect_left(order, f"{prefix}\U0010ffff")
    wanted = order[low:high]
    start = request.get("ExclusiveStartKey", {}).get("sk", {}).get("S")
    if not request.get("ScanIndexForward", True):
        wanted = wanted[::-1] if start is None else wanted[: bisect_left(wanted, start)][::-1]
    elif start is not None:
        wanted = wanted[bisect_right(wanted, start) :]
    return wanted


def _error(code: str) -> Any:
    return {"Error": {"Code": code, "Message": "the condition did not hold"}}


_OPERATIONS = {
    "GetItem": MemoryDynamo._get_item,
    "BatchGetItem": MemoryDynamo._batch_get,
    "Query": MemoryDynamo._query,
    "BatchWriteItem": MemoryDynamo._batch_write,
    "PutItem": MemoryDynamo._put_item,
    "TransactWriteItems": MemoryDynamo._transact,
}
_ACTIONS = {
    "Put": lambda table, form: table._put(form["Item"]),
    "Delete": MemoryDynamo._delete,
    "Update": MemoryDynamo._add,
}
