"""The schema of a table, as moto has it: keys, indexes, and the attribute of its TTL."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any

from moto.dynamodb.exceptions import InvalidIndexNameError, MockValidationException, ProvidedKeyDoesNotExist
from moto.dynamodb.models.table import Table

Item = Mapping[str, Mapping[str, Any]]
"""An item on the wire: attribute name -> {type: value}."""

Column = bytes | int | float
"""A key in SQLite, in the order of DynamoDB: a string in UTF-8, a number, or bytes."""

Row = dict[str, Column | None]
"""The columns of an item's keys."""

_REPEATED = "One or more parameter values were invalid: "
_SORT_KEY_BYTES_MAX = 1024
_EMPTY = (
    "One or more parameter values are not valid. "
    "The AttributeValue for a key attribute cannot contain an empty string value."
)


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """An index, or the table itself: its key attributes, and SQLite's columns of them."""

    attributes: tuple[str, ...]
    columns: tuple[str, ...]
    key_schema: list[dict[str, str]]
    is_global: bool = False

    @property
    def order(self) -> list[str]:
        """The columns that order the items of a partition."""
        return [column for column in dict.fromkeys((*self.columns[1:], "pk", "sk")) if column != self.columns[0]]


@dataclass(frozen=True)
class Schema:
    """A table's schema, with its columns in SQLite: `pk` and `sk` for its key, `key action_taken` for an index."""

    table: Table

    @cached_property
    def key(self) -> tuple[str, ...]:
        """The attributes of the primary key: `("root_id", "node_id")`, or the partition's alone."""
        return tuple(self.table.table_key_attrs)

    @cached_property
    def columns(self) -> Mapping[str, str]:
        """The columns by attribute: `{"root_id": "pk", "node_id": "sk", "action_taken": '"key action_taken"'}`."""
        of_key = dict(zip(self.key, ("pk", "sk"), strict=False))
        return {attribute: quoted(f"key {attribute}") for attribute in self._types} | of_key

    @cached_property
    def indexes(self) -> Mapping[str | None, Index]:
        """The indexes by their names; under None the table itself."""
        indexes: dict[str | None, Index] = {None: self._index(self.table.schema)}
        for index in [*self.table.indexes, *self.table.global_indexes]:
            if index.projection.get("ProjectionType") != "ALL":
                raise MockValidationException(f"the local stack's indexes project all attributes, unlike {index.name}")
            indexes[index.name] = self._index(index.schema, is_global=index in self.table.global_indexes)
        return indexes

    @cached_property
    def ttl(self) -> str | None:
        """The attribute of the TTL, if it is on."""
        return self.table.ttl.get("AttributeName") if self.table.ttl.get("TimeToLiveStatus") == "ENABLED" else None

    @cached_property
    def _types(self) -> Mapping[str, str]:
        return {attribute["AttributeName"]: attribute["AttributeType"] for attribute in self.table.attr}

    @cached_property
    def _local_keys(self) -> frozenset[str]:
        keys = (key for index in self.table.indexes for key in index.schema)
        return frozenset(key["AttributeName"] for key in keys if key["KeyType"] == "RANGE")

    def _index(self, key_schema: list[dict[str, str]], *, is_global: bool = False) -> Index:
        attributes = tuple(key["AttributeName"] for key in key_schema)
        columns = tuple(self.columns[attribute] for attribute in attributes)
        return Index(attributes, columns, key_schema, is_global)

    def index(self, name: str | None) -> Index:
        """Get the index of a name, or the table itself.

        Raises:
            InvalidIndexNameError: the table has no such index.
        """
        if name not in self.indexes:
            raise InvalidIndexNameError(f"The table does not have the specified index: {name}")
        return self.indexes[name]

    def column(self, attribute: str, value: Mapping[str, Any]) -> Column:
        """Convert the value of a key attribute.

        Raises:
            MockValidationException: the value has a wrong type, is empty, or is too large.
        """
        [(kind, content)] = value.items()
        if kind != (expected := self._types[attribute]):
            rule = f"key {attribute} expected: {expected} actual: {kind}"
            if attribute not in self.key:
                rule = f"Index Key {attribute} Expected: {expected} Actual: {kind}"
            raise MockValidationException(f"{_REPEATED}Type mismatch for {rule}")
        if content == "":
            raise MockValidationException(f"{_EMPTY} Key: {attribute}")
        if kind == "S":
            column = str(content).encode()
            if len(column) > _SORT_KEY_BYTES_MAX and attribute in self._local_keys:
                rule = f"Aggregated size of all range keys has exceeded the size limit of {_SORT_KEY_BYTES_MAX} bytes"
                raise MockValidationException(_REPEATED + rule)
            return column
        if kind == "B":
            return b64decode(content)
        number = Decimal(content)
        return int(number) if number == int(number) and abs(number) < 2**63 else float(number)

    def key_of(self, key: Item) -> tuple[Column, Column]:
        """Convert a primary key.

        Raises:
            MockValidationException: an attribute is missing, superfluous or of a wrong type.
        """
        if key.keys() != set(self.key):
            raise ProvidedKeyDoesNotExist
        partition, *sort = (self.column(attribute, key[attribute]) for attribute in self.key)
        return partition, sort[0] if sort else b""

    def row_of(self, item: Item) -> Row:
        """Convert the key attributes of an item to columns; an index leaves out an item without its attributes.

        Raises:
            MockValidationException: an attribute of the primary key is missing, or of a wrong type.
        """
        self.key_in(item)
        row: Row = {"pk": b"", "sk": b""}
        for attribute, column in self.columns.items():
            row[column] = self.column(attribute, item[attribute]) if attribute in item else None
        return row

    def key_in(self, item: Item) -> Item:
        """Select the primary key of an item.

        Raises:
            MockValidationException: an attribute of the key is missing.
        """
        for attribute in self.key:
            if attribute not in item:
                raise MockValidationException(f"{_REPEATED}Missing the key {attribute} in the item")
        return {attribute: item[attribute] for attribute in self.key}

    def keys_in(self, item: Item, index: Index) -> dict[str, Mapping[str, Any]]:
        """Select the attributes of a page's last key: of the table, and of the index."""
        return {attribute: item[attribute] for attribute in dict.fromkeys((*self.key, *index.attributes))}


def quoted(name: str) -> str:
    """Quote a name for SQLite.

    >>> quoted("key action_taken")
    '"key action_taken"'
    """
    return '"' + name.replace('"', '""') + '"'
