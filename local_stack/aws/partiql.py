"""The statements of `headwater.aws.versioned_puts`, read back: the stores in memory need no further PartiQL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_INSERT = re.compile(r'INSERT INTO "([\w.-]+)" VALUE \{((?:\'\w+\': \?(?:, )?)+)\}')
_UPDATE = re.compile(r'UPDATE "([\w.-]+)" (.*) WHERE "pk" = \? AND "sk" = \? AND "version" (= \?|IS MISSING)')
_SET = re.compile(r'SET "(\w+)" = \?')
_REMOVE = re.compile(r'REMOVE "(\w+)"')


@dataclass(frozen=True, slots=True)
class VersionedPut:
    """A statement's put; `version` is the required stored version: empty for a missing version, None for a new item."""

    table: str
    item: Mapping[str, Any]
    version: Mapping[str, str] | None


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
        if {*names, *removed} - {"expires_at"} != {"version", "json", "body", "s3", "noted"}:
            return None
        *values, pk, sk, version = parameters if match[3] == "= ?" else [*parameters, {}]
        item = {"pk": pk, "sk": sk, **dict(zip(names, values, strict=True))}
        return VersionedPut(match[1], item, version)
    return None
