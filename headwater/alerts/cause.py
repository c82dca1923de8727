"""Causes of alerts: what is wrong with a job or a dataset, since when, and what makes the cause this one and no other.

A cause is a function of the stored facts, and facts are a function of the set of events. So the order of events and
their repetition never make a second cause.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

import orjson

from headwater_model.ids import DatasetId, JobId

# The detail types of the alerts' events, as rules of EventBridge name them.
Kind: TypeAlias = Literal[
    "RunFailed",
    "DatasetLate",
    "SchemaChanged",
    "ColumnDropped",
    "ColumnRetyped",
    "TestFailed",
    "TaggedColumnReached",
]
KINDS: Sequence[Kind] = get_args(Kind)
Node: TypeAlias = DatasetId | JobId
_ID_DIGITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A cause to alert.

    Two causes of one kind, node and `identity` are the same cause. `time` is when the cause began, normalized. `detail`
    is JSON for the alert. `columns` of the node are those whose downstream the alert names, as the graph was before
    `before` (None: now); without columns, the alert names the downstream of the whole node.
    """

    kind: Kind
    node: Node
    identity: Sequence[str]
    time: str
    detail: Mapping[str, Any] = field(default_factory=dict)
    columns: Sequence[str] = ()
    before: str | None = None

    @property
    def id(self) -> str:
        """The id of the cause: a hash, equal whoever finds the cause, and whenever."""
        content = [self.kind, type(self.node).__name__, self.node.namespace, self.node.name, *self.identity]
        return hashlib.sha256(orjson.dumps(content)).hexdigest()[:_ID_DIGITS]
