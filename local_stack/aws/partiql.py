"""The statements of `headwater.aws.versioned_puts`, read back: the stores in memory need no further PartiQL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple

_INSERT = re.compile(r'INSERT INTO "([\w.-]+)" VALUE \{((?:\'\w+\': \?(?:, )?)+)\}')
_UPDATE = re.compile(r'UPDATE "([\w.-]+)" (.*) WHERE "pk" = \? AND "sk" = \? AND "version" (= \?|IS MISSING)')
_SET = re.compile(r'SET "(\w+)" = \?')
_REMOVE = re.compile(r'REMOVE "(\w+)"')
# In an item, the place of the required stored version.
_STORED = " stored"


class VersionedPut(NamedTuple):
    """A statement's put; `version` is the required stored version: empty for a missing version, None for a new item."""

    table: str
    item: Mapping[str, Any]
    version: Mapping[str, str] | None


def parse_put(statement: Mapping[str, Any]) -> VersionedPut | None:
    r"""Parse a statement into a put; None for a different statement.

    >>> parse_put({"Statement": 'INSERT INTO "t" VALUE {\'pk\': ?}', "Parameters": [{"S": "P"}]}).item
    {'pk': {'S': 'P'}}
    """
    if (form := _parse_text(statement["Statement"])) is None:
        return None
    table, names, is_new = form
    item = dict(zip(names, statement.get("Parameters", ()), strict=True))
    return VersionedPut(table, item, None if is_new else item.pop(_STORED, {}))


@lru_cache
def _parse_text(text: str) -> tuple[str, list[str], bool] | None:
    """Parse a statement's text into a table, the names of its parameters, and whether the item is new."""
    if match := _INSERT.fullmatch(text):
        return match[1], re.findall(r"'(\w+)': \?", match[2]), True
    if match := _UPDATE.fullmatch(text):
        names, removed = _SET.findall(match[2]), _REMOVE.findall(match[2])
        if {*names, *removed} - {"expires_at"} == {"version", "json", "body", "s3", "noted"}:
            return match[1], [*names, "pk", "sk", *([_STORED] if match[3] == "= ?" else [])], False
    return None
