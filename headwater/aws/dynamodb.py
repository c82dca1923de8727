"""The functions' client of DynamoDB: boto3's calls, results, errors and retries, with a fraction of boto3's CPU.

botocore finds credentials, region and endpoint, and decides on retries; orjson writes and reads the bodies. Figures are
in docs/benchmarks.json, rejected clients in docs/decisions/0001-own-dynamodb-client.md.
"""

from __future__ import annotations

import json
import time
import zlib
from binascii import a2b_base64, b2a_base64
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from http import HTTPStatus
from itertools import count
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast
from uuid import uuid4

import orjson
from botocore.exceptions import BotoCoreError, ClientError, ResponseStreamingError

from headwater.aws.botocore_internals import add_recursion_detection_header, create_parser
from headwater.aws.connections import Connections, Response
from headwater.aws.signing import Signer
from headwater.aws.standard_retries import StandardRetries

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import type_defs
    from typing_extensions import Unpack

_TARGET = "DynamoDB_20120810"
# Unsigned headers. DynamoDB's checksum is of the body as sent, so the body is not compressed.
_HEADERS = {"user-agent": "headwater", "accept-encoding": "identity"}
# Codes of refusals for a signature at a wrong time.
_SKEWED = frozenset({"InvalidSignatureException", "RequestExpired", "RequestTimeTooSkewed"})


class ConditionalCheckFailedException(ClientError):
    """A refusal of a write because its condition does not hold."""


class TransactionCanceledException(ClientError):
    """A refusal of a transaction; `response["CancellationReasons"]` has a reason for each of its items."""


_ERRORS: dict[str, type[ClientError]] = {
    error.__name__: error for error in (ConditionalCheckFailedException, TransactionCanceledException)
}


class DynamoDB:
    """A client for any number of threads, with those methods of boto3's client that are in use.

    Results are boto3's without `ResponseMetadata`. Raises botocore's errors: `ClientError`, with subclasses in
    `exceptions`, and `BotoCoreError`. Replace `connections` to listen, or to simulate AWS.
    """

    exceptions = SimpleNamespace(ClientError=ClientError, **_ERRORS)

    def __init__(
        self,
        connections: Connections,
        signer: Signer,
        retries: StandardRetries,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.connections = connections
        self._signer, self._retries, self._sleep = signer, retries, sleep

    def batch_execute_statement(  # noqa: D102 - boto3's
        self, **request: Unpack[type_defs.BatchExecuteStatementInputTypeDef]
    ) -> type_defs.BatchExecuteStatementOutputTypeDef:
        return cast("type_defs.BatchExecuteStatementOutputTypeDef", self.call("BatchExecuteStatement", request))

    def batch_get_item(  # noqa: D102 - boto3's
        self, **request: Unpack[type_defs.BatchGetItemInputTypeDef]
    ) -> type_defs.BatchGetItemOutputTypeDef:
        return cast("type_defs.BatchGetItemOutputTypeDef", self.call("BatchGetItem", request))

    def batch_write_item(  # noqa: D102 - boto3's
        self, **request: Unpack[type_defs.BatchWriteItemInputTypeDef]
    ) -> type_defs.BatchWriteItemOutputTypeDef:
        return cast("type_defs.BatchWriteItemOutputTypeDef", self.call("BatchWriteItem", request))

    def delete_item(  # noqa: D102 - boto3's
        self, **request: Unpack[type_defs.DeleteItemInputTypeDef]
    ) -> type_defs.DeleteItemOutputTypeDef:
        return cast("type_defs.DeleteItemOutputTypeDef", self.call("DeleteItem", request))

    def get_item(  # noqa: D102 - boto3's
        self, **request: Unpack[type_defs.GetItemInputTypeDef]
    ) -> type_defs.GetItemOutputTypeDef:
        return cast("type_defs.GetItemOutputTypeDef", self.call("GetItem", request))

    def put_item(  # noqa: D102 - boto3's
        self, **request: Unpack[type_defs.PutItemInputTypeDef]
    ) -> type_defs.PutItemOutputTypeDef:
        return cast("type_defs.PutItemOutputTypeDef", self.call("PutItem", request))

    def query(self, **request: Unpack[type_defs.QueryInputTypeDef]) -> type_defs.QueryOutputTypeDef:  # noqa: D102
        return cast("type_defs.QueryOutputTypeDef", self.call("Query", request))

    def transact_write_items(  # noqa: D102 - boto3's
        self, **request: Unpack[type_defs.TransactWriteItemsInputTypeDef]
    ) -> type_defs.TransactWriteItemsOutputTypeDef:
        # By the token DynamoDB recognizes a repeated transaction, and does it once.
        request.setdefault("ClientRequestToken", str(uuid4()))
        return cast("type_defs.TransactWriteItemsOutputTypeDef", self.call("TransactWriteItems", request))

    def update_item(  # noqa: D102 - boto3's
        self, **request: Unpack[type_defs.UpdateItemInputTypeDef]
    ) -> type_defs.UpdateItemOutputTypeDef:
        return cast("type_defs.UpdateItemOutputTypeDef", self.call("UpdateItem", request))

    def call(self, operation: str, request: Mapping[str, Any]) -> dict[str, Any]:
        """Call the API, with the retries of botocore's standard mode; return the result."""
        body = _render(request)
        context: dict[str, Any] = {}
        for attempt in count(1):
            headers = self._signer.headers(f"{_TARGET}.{operation}", body) | _HEADERS
            add_recursion_detection_header({"headers": headers})  # X-Ray's, where it is on
            try:
                response = self._send(headers, body)
                if response.status_code == HTTPStatus.OK:
                    result = _parse(response.content)
                    self._retries.return_quota(context, response)
                    return result
            except BotoCoreError as error:
                if not self._wait(attempt, context, None, error):
                    raise
                continue
            refusal = _parse_refusal(response, attempt)
            code = refusal["Error"]["Code"]
            if attempt == 1 and code in _SKEWED and self._signer.adjust(headers, response.headers.get("date")):
                continue
            if not self._wait(attempt, context, (response, refusal), None):
                raise _ERRORS.get(code, ClientError)(cast("Any", refusal), operation)
        raise AssertionError("count has no end")

    def _send(self, headers: Mapping[str, str], body: bytes) -> Response:
        """Exchange a request for a whole response, by DynamoDB's checksum."""
        response = self.connections.post(headers, body)
        checksum = response.headers.get("x-amz-crc32")
        if checksum is not None and checksum != str(zlib.crc32(response.content)):
            raise ResponseStreamingError(error=f"the body's CRC32 is not {checksum}, as its header has it")
        return response

    def _wait(
        self,
        attempt: int,
        context: dict[str, Any],
        refused: tuple[Response, dict[str, Any]] | None,
        error: BotoCoreError | None,
    ) -> bool:
        """Wait for the next attempt; False after the last. botocore adds the reason to the refusal."""
        delay_s = self._retries.delay_s(attempt, context, refused, error)
        if delay_s is not None:
            self._sleep(delay_s)
        return delay_s is not None


def _render(request: Mapping[str, Any]) -> bytes:
    try:
        return orjson.dumps(request, default=_base64)
    except orjson.JSONEncodeError:
        # A lone surrogate is no Unicode: DynamoDB refuses it by name.
        return json.dumps(request, default=_base64).encode()


def _base64(value: object) -> str:
    if isinstance(value, (bytes, bytearray)):
        return b2a_base64(value, newline=False).decode()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def _parse(content: bytes) -> dict[str, Any]:
    """Parse a result, with the binary values of items as bytes.

    Unprocessed items stay as they are, to be sent again.
    """
    try:
        result: dict[str, Any] = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ResponseStreamingError(error=error) from error
    if b'"B' in content:
        read = result.get("Responses", {})
        # For BatchExecuteStatement they are a list, for writes without items.
        for items in (result.get("Items", ()), *(read.values() if isinstance(read, dict) else ())):
            _decode_items(items)
        _decode_items(result[name] for name in ("Item", "Attributes") if name in result)
        _decode_items(reason["Item"] for reason in result.get("CancellationReasons", ()) if "Item" in reason)
    return result


def _decode_items(items: Iterable[dict[str, Any]]) -> None:
    for item in items:
        for value in item.values():
            if "S" not in value and "N" not in value:
                _decode(value)


def _decode(value: dict[str, Any]) -> None:
    """Replace the base64 of binary values, inner values too, by bytes."""
    for kind, content in value.items():
        if kind == "B":
            value[kind] = a2b_base64(content)
        elif kind == "BS":
            value[kind] = [a2b_base64(part) for part in content]
        elif kind == "L":
            for member in content:
                _decode(member)
        elif kind == "M":
            _decode_items((content,))


def _parse_refusal(response: Response, attempt: int) -> dict[str, Any]:
    """Parse a refusal as botocore does, with the additional fields of two errors."""
    parts = {"status_code": response.status_code, "headers": response.headers, "body": response.content}
    refusal: dict[str, Any] = create_parser("json").parse(parts, cast("Any", None))
    refusal["ResponseMetadata"]["RetryAttempts"] = attempt - 1
    with suppress(ResponseStreamingError):
        document = _parse(response.content)
        refusal |= {name: document[name] for name in ("CancellationReasons", "Item") if name in document}
    return refusal
