"""Relations of Spark Connect's protocol, as the operators that the rules of the driver's plans read.

The relation of a program is unresolved: names, stars and keys of joins mean what Spark's analyzer makes of them. What
it makes is done here for the kinds that have a rule, and left to the server (its schema) where only that knows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Protocol

from spark_client.capturing.connect.columns import groups, projections
from spark_client.capturing.connect.columns.expressions import ExpressionReader
from spark_client.capturing.connect.columns.frames import Frame, Nodes, Typed
from spark_client.capturing.connect.columns.plan_context import PlanContext, Rule
from spark_client.capturing.connect.columns.scopes import Scope, Steps
from spark_client.capturing.connect.reads import relations_in
from spark_client.capturing.connect.snapshots import Column, Snapshot, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.operators import RowsLineage
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import TooLarge, Value
from spark_client.capturing.plans.walk import PlanWalk

_SUBQUERIES_MAX = 20
_LEAVES = frozenset(
    {
        "read",
        "sql",
        "local_relation",
        "cached_local_relation",
        "chunked_cached_local_relation",
        "cached_remote_relation",
        "range",
        "catalog",
        "unresolved_table_valued_function",
        "common_inline_user_defined_table_function",
        "common_inline_user_defined_data_source",
    }
)
_RULES: Mapping[str, Rule] = {**projections.RULES, **groups.RULES}


class Sources(Protocol):
    """Sources of a plan, as the session knows them."""

    def leaf(self, relation: Any, references: Sequence[Any]) -> Snapshot:
        """Return the columns of a leaf; `references` are the frames that a query names."""

    def schema(self, relation: Any) -> tuple[SchemaField, ...]:
        """Return the server's schema of a relation."""

    def expression(self, text: str, columns: Sequence[Column], nodes: Nodes) -> Typed:
        """Return an expression in SQL over these columns."""

    def variables(self) -> Mapping[str, Value]:
        """Return the session's variables by their keys."""


class _Entry(NamedTuple):
    """Relation to read, the indexes of its inputs, its distance from the root."""

    relation: Any
    kind: str
    inputs: list[int]
    depth: int


class PlanReader:
    """Reader of the relation that one command writes.

    Raises:
        Unreadable: from every method, when not even the columns' names can be read.
    """

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self.nodes = Nodes()
        self.steps = Steps(self.nodes, sources.schema)
        self._expressions = ExpressionReader(self.nodes, self._subquery, self._text)
        self._leaves: dict[int, RowsLineage] = {}
        self._references: dict[int, Any] = {}
        self._around: list[Any] = []
        self._count = 0
        self._depth = 0

    def read(self, relation: Any, outer: Scope | None = None) -> Frame:
        """Return a relation as a frame; it may be arbitrarily deep."""
        entries = self._entries(relation)
        reading = PlanContext(self.nodes, self.steps, self._expressions, outer)
        done: dict[int, Frame] = {}
        base, self._count = self._count, self._count + len(entries)
        for index in range(len(entries) - 1, -1, -1):
            entry = entries[index]
            inputs = [done.pop(index) for index in entry.inputs]
            frame = self._made(reading, entry, inputs)
            last = max([base + index, *(child.last for child in inputs)])
            done[index] = replace(
                frame,
                relation=entry.relation,
                plan_id=_plan_id(entry.relation),
                first=base + index,
                last=last,
                depth=entry.depth,
            )
            self.steps.add(done[index])
        return done[0]

    def related_node(self, node: Node) -> RowsLineage:
        """Return what the columns of a plan are made of.

        Raises:
            Unreadable: they are too many.
        """
        try:
            return PlanWalk(self.leaf, self._sources.variables()).relation(node)
        except TooLarge as reason:
            raise Unreadable(str(reason)) from reason

    def leaf(self, node: Node) -> RowsLineage:
        """Return what a leaf gives."""
        return self._leaves[node.number]

    def _entries(self, relation: Any) -> list[_Entry]:
        entries: list[_Entry] = []
        left: list[tuple[Any, int | None, int]] = [(relation, None, 0)]
        while left:
            message, above, depth = left.pop()
            kind = message.WhichOneof("rel_type") or "relation"
            while kind == "with_relations":
                self._note(message.with_relations)
                message = message.with_relations.root
                kind = message.WhichOneof("rel_type") or "relation"
            if above is not None:
                entries[above].inputs.append(len(entries))
            entries.append(_Entry(message, kind, [], depth))
            inputs = [] if kind in _LEAVES or kind == "relation" else list(relations_in(getattr(message, kind)))
            below = inputs[:1] if kind == "lateral_join" else inputs
            left += [(child, len(entries) - 1, depth + 1) for child in reversed(below)]
        return entries

    def _note(self, message: Any) -> None:
        for reference in message.references:
            self._around.append(reference)
            plan_id = _plan_id(reference)
            if plan_id is not None:
                self._references[plan_id] = reference

    def _made(self, reading: PlanContext, entry: _Entry, inputs: list[Frame]) -> Frame:
        if entry.kind in _LEAVES:
            return self.placed(self._sources.leaf(entry.relation, self._around))
        message = getattr(entry.relation, entry.kind, None)
        rule = self._lateral if entry.kind == "lateral_join" else _RULES.get(entry.kind)
        if rule is None:
            return groups.unknown_step(reading, entry.kind, inputs, self._sources.schema(entry.relation))
        try:
            return rule(reading, message, inputs, entry.relation)
        except Unreadable as reason:
            return self._unread(reading, entry, inputs, str(reason))

    def placed(self, snapshot: Snapshot) -> Frame:
        """Return a leaf with what is known about it."""
        columns = tuple(replace(column, id=self.nodes.new_id()) for column in snapshot.columns)
        leaf = self.nodes.node("SparkConnectLeaf", schema=True)
        pairs = zip(columns, snapshot.values, strict=True)
        self._leaves[leaf.number] = RowsLineage(tuple((column.id, value) for column, value in pairs), snapshot.rows)
        return Frame(leaf, columns)

    def _unread(self, reading: PlanContext, entry: _Entry, inputs: Sequence[Frame], reason: str) -> Frame:
        """Return a step whose columns are unknown, with the rows of what is below."""
        schema = self._sources.schema(entry.relation)
        items = [self.nodes.unknown(reason)._replace(name=field.name, type=field) for field in schema]
        below = Frame(self.nodes.node("Union", children=[frame.node for frame in inputs]), ())
        projection = reading.project(below, [Typed(self._named(item), item.name, item.type) for item in items])
        return replace(projection, inputs=())

    def _named(self, item: Typed) -> Node:
        return self.nodes.node("Alias", child=item.node, exprId="", name=item.name)

    def _lateral(self, reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
        """Return a lateral join, whose right side sees the columns of the left."""
        del relation
        (left,) = inputs
        right = self._nested(message.right, Scope(self.steps, [left], reading.outer))
        scope = reading.scope(left, right)
        condition = reading.read(message.join_condition, scope).node if message.HasField("join_condition") else None
        subquery = self.nodes.node("LateralSubquery", plan=right.node)
        node = self.nodes.node("LateralJoin", left=left.node, right=subquery, condition=condition)
        return Frame(node, (*left.columns, *right.columns), inputs=(left, right))

    def _nested(self, relation: Any, outer: Scope) -> Frame:
        if self._depth >= _SUBQUERIES_MAX:
            raise Unreadable("subqueries in subqueries")
        self._depth += 1
        try:
            return self.read(relation, outer)
        finally:
            self._depth -= 1

    def _subquery(self, plan_id: int, scope: Scope) -> Node:
        relation = self._references.get(plan_id)
        if relation is None:
            raise Unreadable("a subquery that is not there")
        return self._nested(relation, scope).node

    def _text(self, text: str, scope: Scope) -> Typed:
        """Return an expression in SQL: a plain name here, anything else by the server."""
        if text.isidentifier() and text.lower() not in _WORDS:
            return scope.resolve(text)
        columns = [column for frame in scope.frames for column in self.steps.columns(frame, typed=True)]
        return self._sources.expression(text, columns, self.nodes)


# Names that are words of SQL, too.
_WORDS = frozenset({"null", "true", "false", "current_date", "current_timestamp", "current_user", "user", "all"})


def _plan_id(relation: Any) -> int | None:
    common = relation.common
    return int(common.plan_id) if common.HasField("plan_id") else None
