"""The values of expressions: a walk over their parts, as deep as they are, by the rule of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

from lineage.fields.columns import Transformation
from spark_client.capturing.expression_rules import MASKING, find_rule, parts_of
from spark_client.capturing.plan import Node
from spark_client.capturing.values import NOTHING, Dependency, Value, keep

_MASKED = Transformation("DIRECT", "IDENTITY", masking=True)


class Subqueries(Protocol):
    """The plans inside expressions."""

    def outputs(self, plan: Node) -> list[Value]:
        """The columns of a subquery."""

    def rows(self, plan: Node) -> frozenset[Dependency]:
        """What decides which rows it has."""


class Expressions:
    """The values of expressions, where `scope` has those of the attributes that they refer to, by expression id."""

    def __init__(self, scope: Mapping[str, Value], subqueries: Subqueries, spend: Callable[[int], None]) -> None:
        self.scope = scope
        self.subqueries = subqueries
        self._spend = spend
        self._known: dict[int, Value] = {}

    def value(self, expression: object) -> Value:
        """The value of an expression; of a literal (None), and of what is no expression, nothing."""
        if not isinstance(expression, Node):
            return NOTHING
        known, left = self._known, [expression]
        while left:
            node = left[-1]
            waiting = [part for part in parts_of(node) if part.number not in known] if node.number not in known else ()
            if waiting:
                left.extend(waiting)
                continue
            left.pop()
            if node.number not in known:
                known[node.number] = self._made(node)
        return known[expression.number]

    def values(self, expressions: object) -> list[Value]:
        """The values of a list of expressions, and of lists in it; literals among them are nothing."""
        if isinstance(expressions, list):
            return [value for one in expressions for value in self.values(one)]
        return [self.value(expressions)]

    def with_variables(self, variables: Mapping[str, Value]) -> Expressions:
        """The same where variables of a lambda are known too."""
        return Expressions({**self.scope, **variables}, self.subqueries, self._spend)

    def _made(self, node: Node) -> Value:
        value = find_rule(node)(node, self)
        if node.kind in MASKING:
            value = keep(_MASKED, value)
        self._spend(len(value.made_of))
        return value
