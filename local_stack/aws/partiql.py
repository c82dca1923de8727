"""The statements of `headwater.aws.versioned_puts`, read back: the stores in memory need no further PartiQL."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from moto.dynamodb.exceptions import ConditionalCheckFailed, DynamodbException

_INSERT = re.compile(r'INSERT INTO "([\w.-]+)" VALUE \{((?:\'\w+\': \?(?:, )?)+)\}')
_UPDATE = re.compile(r'UPDATE "([\w.-]+)" (.*) WHERE "pk" = \? AND "sk" = \? AND "version" = \?')
_SET = re.compile(r'SET "(\w+)" = \?')
_REMOVE = re.compile(r'REMOVE "(\w+)"')


@dataclass(frozen=True, slots=True)
class VersionedPut:
    """A statement's put; `version` is the required stored version, None if the item must be new."""

    table: str
    item: Mapping[str, Any]
    version: Mapping[str, str] | None

    def write(self, put: Callable[[str, dict[str, Any]], object]) -> dict[str, Any]:
        """Put the item by a function of a condition and its values; return the statement's response."""
        condition, values = "attribute_not_exists(pk)", {}
        if self.version is not None:
            condition, values = "version = :version", {":version": self.version}
        try:
            put(condition, values)
        except ConditionalCheckFailed as error:
            code = "DuplicateItem" if self.version is None else "ConditionalCheckFailed"
            return {"Error": {"Code": code, "Message": error.message}, "TableName": self.table}
        except DynamodbException as error:
            return {"Error": {"Code": "ValidationError", "Message": error.message}, "TableName": self.table}
        return {"TableName": self.table}


def parse_put(statement: Mapping[str, Any]) -> VersionedPut | None:
    r"""Parse a statement into a put; None for a different statement.

    >>> parse_put({"Statement": 'INSERT INTO "t" VALUE {\'pk\': ?}', "Parameters": [{"S": "P"}]}).item
    {'pk': {'S': 'P'}}
    """
    text, parameters = statement["Statement"], statement.get("Parameters", [])
    if match := _INSERT.fullmatch(text):
        names = re.findall(r"'(\w+)': \?", match[2])
        return VersionedPut(match[1], dict(zip(names, parameters, strict=True)), None)
    if match := _UPDATE.fullmatch(text):
        names, removed = _SET.findall(match[2]), _REMOVE.findall(match[2])
        if {*names, *removed} != {"version", "json", "body", "s3"}:
            return None
        *values, pk, sk, version = parameters
        item = {"pk": pk, "sk": sk, **dict(zip(names, values, strict=True))}
        return VersionedPut(match[1], item, version)
    return None
