"""DynamoDB's operations on items, of the forms in use; a request of a different form is refused by name.

    tables = Tables(Disk())
    tables.respond("DynamoDB_20120810.GetItem", b'{"TableName": "records", "Key": {...}}')
    # -> 200, b'{"Item": {...}}', {}

Limits are DynamoDB's: a page has 1 MB of items, and a BatchGetItem 16 MB. Sources: DynamoDB API reference, and for the
texts of errors moto, whose exceptions are raised.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import orjson
from moto.dynamodb.exceptions import (
    ConditionalCheckFailed,
    DynamodbException,
    MockValidationException,
    MultipleTransactionsException,
    ResourceNotFoundException,
    TransactionCanceledException,
)
from moto.dynamodb.models import DynamoDBBackend, dynamodb_backends
from werkzeug.exceptions import HTTPException

from local_stack.aws.disk import Disk
from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.aws.item_sizes import item_bytes
from local_stack.aws.limits import parse_request, refusal_of, render_refusal
from local_stack.aws.partiql import VersionedPut, parse_put
from local_stack.aws.tables.expressions import (
    Request,
    as_item,
    parse_condition,
    parse_key_condition,
    parse_projection,
    update,
)
from local_stack.aws.tables.rows import Rows, Stored
from local_stack.aws.tables.schema import Item, Row, Schema

_SERVICE = "DynamoDB_20120810."
_ITEM_BYTES_MAX, _PAGE_BYTES_MAX, _BATCH_BYTES_MAX = 400 * 1024, 1024 * 1024, 16 * 1024 * 1024
_GETS_MAX = 100
# An expiry longer ago is taken for a mistake (developer guide, "Time to Live").
_EXPIRED_S_MAX = 5 * 365 * 86_400

_EXPRESSION = {"ExpressionAttributeNames", "ExpressionAttributeValues"}
_CONDITION = _EXPRESSION | {"ConditionExpression", "ReturnValuesOnConditionCheckFailure"}
_READ = {"ConsistentRead", "ProjectionExpression", "ExpressionAttributeNames"}
_PAGE = _READ | _EXPRESSION | {"TableName", "FilterExpression", "Limit", "ExclusiveStartKey"}
# Members of requests that the operations know.
_MEMBERS: Mapping[str, set[str]] = {
    "BatchExecuteStatement": {"Statements"},
    "BatchGetItem": {"RequestItems"},
    "BatchWriteItem": {"RequestItems"},
    "DeleteItem": _CONDITION | {"TableName", "Key", "ReturnValues"},
    "GetItem": _READ | {"TableName", "Key"},
    "PutItem": _CONDITION | {"TableName", "Item", "ReturnValues"},
    "Query": _PAGE | {"IndexName", "KeyConditionExpression", "ScanIndexForward"},
    "Scan": _PAGE,
    "TransactWriteItems": {"TransactItems", "ClientRequestToken"},
    "UpdateItem": _CONDITION | {"TableName", "Key", "UpdateExpression", "ReturnValues"},
}
_AT_ONCE = {"DeleteItem", "PutItem", "UpdateItem"}
_UNKNOWN = {"ExecuteStatement", "ExecuteTransaction", "ExportTableToPointInTime", "TransactGetItems"}


class Tables:
    """The items of the account's tables in a database.

    A single write is on the disk before its response. Batches and transactions, of functions alone, may be later: then
    all changes that follow from them are later, too, or sync the disk before (`Queues`, `Objects`).
    """

    def __init__(self, disk: Disk) -> None:
        self._disk, self._lock = disk, threading.Lock()
        self._rows = Rows(disk)
        self._schemas: dict[str, Schema] = {}
        self._acts: Mapping[str, Callable[[Request], bytes]] = {
            "BatchExecuteStatement": self._execute_statements,
            "BatchGetItem": self._get_batch,
            "BatchWriteItem": self._write_batch,
            "DeleteItem": self._write_single("Delete"),
            "GetItem": self._get,
            "PutItem": self._write_single("Put"),
            "Query": self._query,
            "Scan": self._scan,
            "TransactWriteItems": self._transact,
            "UpdateItem": self._write_single("Update"),
        }

    def respond(self, target: str, body: bytes) -> tuple[int, bytes, Mapping[str, str]] | None:
        """Respond with a status, a body and headers; None for a request that is no operation on items.

        `target` is the X-Amz-Target header, `DynamoDB_20120810.PutItem`.
        """
        operation = target.removeprefix(_SERVICE)
        if operation == target or operation not in _MEMBERS.keys() | _UNKNOWN:
            return None
        try:
            request = parse_request(body)
            if refusal := refusal_of(operation, request):
                return render_refusal(refusal)
            if operation in _UNKNOWN or (unknown := request.keys() - _MEMBERS[operation]):
                what = operation if operation in _UNKNOWN else f"{operation} with {', '.join(sorted(unknown))}"
                raise MockValidationException(f"the local stack does not know {what}")
            with self._lock:
                result = self._acts[operation](request)
            if operation in _AT_ONCE:
                self._disk.sync()
            return 200, result, {}
        except HTTPException as error:
            return error.code or 500, (error.description or "").encode(), {}

    def expire(self, now: float) -> list[Mapping[str, Any]]:
        """Remove all items whose TTL is over, as `{"table", "keys", "image"}`; forget the removals of the last call."""
        with self._lock:
            return list(self._expire(now))

    def _expire(self, now: float) -> Iterator[Mapping[str, Any]]:
        self._rows.forget_expired()
        for name in list(self._moto.tables):
            schema = self._schema(name)
            if schema.ttl:
                for image in self._rows.expire(schema, now - _EXPIRED_S_MAX, now):
                    keys = {attribute: image[attribute] for attribute in schema.key}
                    yield {"table": name, "keys": keys, "image": image}

    def restore(self) -> None:
        """Put items back whose removal may not have arrived at its function: they expire again."""
        self._rows.restore_expired({name: self._schema(name) for name in self._moto.tables})

    @cached_property
    def _moto(self) -> DynamoDBBackend:
        return dynamodb_backends[ACCOUNT][REGION]

    def _schema(self, name: str) -> Schema:
        table = self._moto.tables.get(name)
        if table is None:
            raise ResourceNotFoundException
        known = self._schemas.get(name)
        if known is None or known.table is not table:
            known = self._schemas[name] = Schema(table)
            self._rows.open(known)
        return known

    # -- reads

    def _get(self, request: Request) -> bytes:
        schema = self._schema(request["TableName"])
        stored = self._rows.get(schema, schema.key_of(request["Key"]))
        item = _projected([stored] if stored else [], request)
        return b'{"Item":%b}' % item if stored else b"{}"

    def _get_batch(self, request: Request) -> bytes:
        if sum(len(of_table["Keys"]) for of_table in request["RequestItems"].values()) > _GETS_MAX:
            raise MockValidationException("Too many items requested for the BatchGetItem call")
        responses, left, size = list[bytes](), dict[str, Any](), 0
        for name, of_table in request["RequestItems"].items():
            schema = self._schema(name)
            keys = [schema.key_of(key) for key in of_table["Keys"]]
            if len(set(keys)) < len(keys):
                raise MockValidationException("Provided list of item keys contains duplicates")
            there, stored_items = list[Stored](), self._rows.get_all(schema, keys)
            for number, key in enumerate(keys):
                stored = stored_items.get(key)
                size += stored[1] if stored else 0
                if size > _BATCH_BYTES_MAX:
                    left[name] = {**of_table, "Keys": of_table["Keys"][number:]}
                    break
                there += [stored] if stored else []
            responses.append(b"%b:[%b]" % (orjson.dumps(name), _projected(there, of_table)))
        return b'{"Responses":{%b},"UnprocessedKeys":%b}' % (b",".join(responses), orjson.dumps(left))

    def _query(self, request: Request) -> bytes:
        schema = self._schema(request["TableName"])
        index = schema.index(request.get("IndexName"))
        if index.is_global and request.get("ConsistentRead"):
            raise MockValidationException("Consistent reads are not supported on global secondary indexes")
        where, values = parse_key_condition(request, schema, index)
        where += [f"{column} IS NOT NULL" for column in index.columns]
        newest = not request.get("ScanIndexForward", True)
        if start := request.get("ExclusiveStartKey"):
            where.append(f"({', '.join(index.order)}) {'<' if newest else '>'} ({', '.join('?' * len(index.order))})")
            row = schema.row_of(start)
            values += [value for column in index.order if (value := row[column]) is not None]
        order = ", ".join(f"{column} DESC" if newest else column for column in index.order)
        return self._page(request, schema, self._rows.select(schema, where, values, order, request.get("Limit")))

    def _scan(self, request: Request) -> bytes:
        schema = self._schema(request["TableName"])
        start = request.get("ExclusiveStartKey")
        where, values = (["(pk, sk) > (?, ?)"], schema.key_of(start)) if start else ([], ())
        return self._page(request, schema, self._rows.select(schema, where, values, "pk, sk"))

    def _page(self, request: Request, schema: Schema, rows: Iterable[Stored]) -> bytes:
        """Render a page: it ends at the limit, or with the item that makes a megabyte full."""
        limit, test = request.get("Limit"), parse_condition(request, "FilterExpression")
        scanned = size = 0
        kept, last = list[Stored](), b""
        for stored in rows:
            scanned, size = scanned + 1, size + stored[1]
            if test is None or test(as_item(stored[0])):
                kept.append(stored)
            if scanned == limit or size >= _PAGE_BYTES_MAX:
                keys = schema.keys_in(as_item(stored[0]), schema.index(request.get("IndexName")))
                last = b',"LastEvaluatedKey":' + orjson.dumps(keys)
                break
        counts = b'"Count":%d,"ScannedCount":%d' % (len(kept), scanned)
        return b'{"Items":[%b],%b%b}' % (_projected(kept, request), counts, last)

    # -- writes

    def _write_single(self, kind: str) -> Callable[[Request], bytes]:
        def write(request: Request) -> bytes:
            self._schema(request["TableName"])  # Created outside of the transaction
            with self._disk.transaction():
                old, new = self._write(kind, request)
            returned = {"ALL_OLD": old, "ALL_NEW": new}
            values = request.get("ReturnValues", "NONE")
            if values not in {*returned, "NONE"} or (values == "ALL_NEW" and kind != "Update"):
                raise MockValidationException("Return values set to invalid value")
            attributes = returned.get(values)
            return b"{}" if attributes is None else orjson.dumps({"Attributes": attributes})

        return write

    def _write(self, kind: str, request: Request) -> tuple[Item | None, Item | None]:
        """Write an item if its condition holds; return the item before and after."""
        schema = self._schema(request["TableName"])
        item = request.get("Item")
        key = request["Key"] if item is None else schema.key_in(item)
        columns = schema.key_of(key)
        test = parse_condition(request)
        old: Item | None = None
        if test or kind == "Update" or "ReturnValues" in request:
            stored = self._rows.get(schema, columns)
            old = as_item(stored[0]) if stored else None
        if test and not test(old):
            shown = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            raise ConditionalCheckFailed(item=dict(old) if shown and old else None)
        if kind == "Delete":
            self._rows.delete(schema, columns)
            return old, None
        if kind == "Update":
            item = update(old, key, request)
        if kind != "ConditionCheck":
            self._put(schema, item or {}, schema.row_of(item or {}))
        return old, item

    def _put(self, schema: Schema, item: Item, row: Row) -> None:
        schema.table._validate_item_types(dict(item))
        if (size_bytes := item_bytes(item)) > _ITEM_BYTES_MAX:
            raise MockValidationException("Item size has exceeded the maximum allowed size")
        self._rows.put(schema, item, row, size_bytes)

    def _write_batch(self, request: Request) -> bytes:
        schemas = {name: self._schema(name) for name in request["RequestItems"]}
        with self._disk.transaction():
            for name, writes in request["RequestItems"].items():
                schema = schemas[name]
                items = [write["PutRequest"]["Item"] if "PutRequest" in write else None for write in writes]
                rows = [schema.row_of(item) if item else None for item in items]
                keys: list[tuple[Any, Any]] = [
                    (row["pk"], row["sk"]) if row else schema.key_of(write["DeleteRequest"]["Key"])
                    for row, write in zip(rows, writes, strict=True)
                ]
                if len(set(keys)) < len(keys):
                    raise MockValidationException("Provided list of item keys contains duplicates")
                for item, row, key in zip(items, rows, keys, strict=True):
                    if item and row:
                        self._put(schema, item, row)
                    else:
                        self._rows.delete(schema, key)
        return b'{"UnprocessedItems":{}}'

    def _transact(self, request: Request) -> bytes:
        actions = [next(iter(action.items())) for action in request["TransactItems"]]
        touched = [self._place_of(kind, action) for kind, action in actions]
        if len(set(touched)) < len(touched):
            raise MultipleTransactionsException
        reasons = list[tuple[str | None, str | None, Item | None]]()
        with self._disk.transaction():
            for kind, action in actions:
                reasons.append(self._reason(kind, action))
            if any(code for code, _, _ in reasons):
                raise TransactionCanceledException(reasons)
        return b"{}"

    def _place_of(self, kind: str, action: Request) -> tuple[Any, ...]:
        schema = self._schema(action["TableName"])
        key = schema.key_in(action["Item"]) if kind == "Put" else action["Key"]
        return (schema.table.name, *schema.key_of(key))

    def _reason(self, kind: str, action: Request) -> tuple[str | None, str | None, Item | None]:
        """Write a part of a transaction; find the reason why it cannot be written."""
        try:
            self._write(kind, action)
        except ConditionalCheckFailed as failed:
            item = orjson.loads(failed.description or b"{}").get("Item")
            return "ConditionalCheckFailed", str(failed.message), item
        return None, None, None

    def _execute_statements(self, request: Request) -> bytes:
        puts = [(statement, parse_put(statement)) for statement in request["Statements"]]
        for statement, put in puts:
            if put is None:
                raise MockValidationException(f"the local stack does not know the statement {statement['Statement']}")
            self._schema(put.table)
        with self._disk.transaction():
            return orjson.dumps({"Responses": [self._put_version(put) for _, put in puts if put]})

    def _put_version(self, put: VersionedPut) -> Mapping[str, Any]:
        """Put a statement's item; return the statement's response."""
        condition, values = "attribute_not_exists(pk)", {}
        if put.version is not None:
            condition, values = "version = :version", {":version": put.version}
        if put.version == {}:
            condition, values = "attribute_exists(pk) AND attribute_not_exists(version)", {}
        expressions = {"ConditionExpression": condition, "ExpressionAttributeValues": values}
        try:
            self._write("Put", {"TableName": put.table, "Item": put.item, **expressions})
        except ConditionalCheckFailed as error:
            code = "DuplicateItem" if put.version is None else "ConditionalCheckFailed"
            return {"Error": {"Code": code, "Message": error.message}, "TableName": put.table}
        except DynamodbException as error:
            return {"Error": {"Code": "ValidationError", "Message": error.message}, "TableName": put.table}
        return {"TableName": put.table}


def _projected(stored: Iterable[Stored], request: Request) -> bytes:
    """Join stored items, with the attributes of the request's projection."""
    project = parse_projection(request)
    return b",".join(item if project is None else orjson.dumps(project(as_item(item))) for item, _ in stored)
