"""Causes of alerts: the trouble of a job or a dataset, its beginning, and its identity.

A cause is a function of the stored facts, and facts are a function of the set of events. So whatever the order of
events, and however often they come, all looks after the last event see the same causes, and send each once.
A look between two events sees the causes of the earlier events. An alert sent then stays sent, and a late event may
change the identity of its cause. These orders make two alerts of a single cause:
    sent first                            comes late                              sent again, because
    RunFailed                             a good run before the failure           the last good run names the cause
    RunFailed of a DAG                    the failure of its task                 the task is the cause
    TestFailed                            a result before it: the test passed     the last pass names the cause
    ColumnDropped, -Retyped, SchemaChanged    a version between the two           the change is two changes
    DatasetLate                           the version, written in time            the version after it is late
    all of a dataset                      its other name, which is primary        the primary name names the cause

The rest of the orders, and all events at once, make a single alert (`tests/features/alerts/test_causes.py`).
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
# The detail type of a message with the number of causes of a namespace in an hour.
MANY = "ManyAlerts"
Node: TypeAlias = DatasetId | JobId
_ID_DIGITS = 32


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A cause to alert.

    Two causes of the same kind, node and `identity` are the same cause. `time` is the beginning, normalized. `detail`
    is JSON for the alert. The alert lists the downstream of `columns` of the node, as the graph was before `before`
    (None: now); without columns, the downstream of the whole node.
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
        """The id of the cause: a hash, equal in each look."""
        content = [self.kind, type(self.node).__name__, self.node.namespace, self.node.name, *self.identity]
        return hashlib.sha256(orjson.dumps(content)).hexdigest()[:_ID_DIGITS]
