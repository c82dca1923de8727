"""Targets of an erasure, and their tombstones in the graph table.

    ERASED    TOMBSTONES    salt, hashes: a salted SHA-256 of each target; is_open: an erasure has not ended

A tombstone keeps the target out for ever, and names it to nobody without the salt. An item of 400 KB holds about 8,000.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import b64encode
from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from headwater.features.erase.settings import PARTITION
from headwater_model.ids import DatasetId, JobId

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import UpdateItemInputTypeDef

    from headwater.aws.items import Item, Value

Kind: TypeAlias = Literal["root", "namespace", "dataset", "job"]
_KEY: Item = {"pk": {"S": PARTITION}, "sk": {"S": "TOMBSTONES"}}
_SALT_BYTES = 32


@dataclass(frozen=True, slots=True)
class Target:
    """A root, a namespace, or a dataset or job in a namespace; a root has no namespace, a namespace no name."""

    kind: Kind
    namespace: str = ""
    name: str = ""

    @property
    def names(self) -> Sequence[str]:
        """The texts that name the target."""
        return [text for text in (self.namespace, self.name) if text]


@dataclass(frozen=True, slots=True)
class Erased:
    """The tombstones: does a name belong to a target?"""

    salt: bytes = b""
    hashes: Set[str] = frozenset()
    _known: dict[Target, bool] = field(default_factory=dict, compare=False, repr=False)

    @property
    def mark(self) -> str:
        """A hash of all tombstones."""
        return hashlib.sha256("".join(sorted(self.hashes)).encode()).hexdigest()

    def hash_of(self, target: Target) -> str:
        """Hash a target with the salt, as base64."""
        text = "\0".join((target.kind, target.namespace, target.name))
        return b64encode(hmac.new(self.salt, text.encode(), hashlib.sha256).digest()).decode()

    def has_root(self, root_id: str) -> bool:
        """True if the root is a target."""
        return self._has(Target("root", name=root_id))

    def has_namespace(self, namespace: str) -> bool:
        """True if the namespace is a target."""
        return self._has(Target("namespace", namespace))

    def has(self, thing: JobId | DatasetId) -> bool:
        """True if the job or dataset, or its namespace, is a target."""
        kind: Kind = "job" if isinstance(thing, JobId) else "dataset"
        return self.has_namespace(thing.namespace) or self._has(Target(kind, thing.namespace, thing.name))

    def _has(self, target: Target) -> bool:
        # An event repeats its names.
        if target not in self._known:
            self._known[target] = bool(self.hashes) and self.hash_of(target) in self.hashes
        return self._known[target]


def only(targets: Sequence[Target]) -> Erased:
    """Make the tombstones of these targets alone, to look for their data."""
    unsalted = Erased()
    return Erased(hashes=frozenset(map(unsalted.hash_of, targets)))


@dataclass(frozen=True, slots=True)
class Tombstones:
    """The item of the tombstones in the graph table."""

    dynamodb: DynamoDBClient
    table: str

    def read(self) -> Erased:
        """Read all tombstones, strongly consistent: a single request."""
        item = self.dynamodb.get_item(TableName=self.table, Key=_KEY, ConsistentRead=True).get("Item")
        return _parse(item) if item else Erased()

    def begin(self, targets: Sequence[Target]) -> bool:
        """Add the tombstones of the targets; return True if an earlier erasure did not end."""
        item = self._salted()
        values: Item = {":open": {"BOOL": True}, ":hashes": _hashes(_parse(item), targets)}
        self._update("SET is_open = :open ADD hashes :hashes", values)
        return "is_open" in item

    def end(self) -> None:
        """Note the end of an erasure."""
        self._update("REMOVE is_open")

    def lift(self, targets: Sequence[Target]) -> None:
        """Remove the tombstones of the targets: their data may come in again."""
        self._update("DELETE hashes :hashes", {":hashes": _hashes(_parse(self._salted()), targets)})

    def _salted(self) -> Item:
        """Read the item; the first caller of a deployment chooses the salt."""
        salt: Item = {":salt": {"B": secrets.token_bytes(_SALT_BYTES)}}
        return self._update("SET salt = if_not_exists(salt, :salt)", salt)

    def _update(self, expression: str, values: Item | None = None) -> Item:
        request: UpdateItemInputTypeDef = {
            "TableName": self.table,
            "Key": _KEY,
            "UpdateExpression": expression,
            "ReturnValues": "ALL_NEW",
        }
        if values:
            request["ExpressionAttributeValues"] = values
        return self.dynamodb.update_item(**request)["Attributes"]


def _hashes(erased: Erased, targets: Sequence[Target]) -> Value:
    return {"SS": [erased.hash_of(target) for target in targets]}


def _parse(item: Item) -> Erased:
    return Erased(bytes(item["salt"]["B"]), frozenset(item["hashes"]["SS"]) if "hashes" in item else frozenset())
