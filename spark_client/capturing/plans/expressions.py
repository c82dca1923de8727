"""Values of expressions: a walk over their parts, as deep as they are, by the rule of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import NOTHING, Dependency, TooLarge, Value, faulty


class Subqueries(Protocol):
    """Plans inside expressions."""

    def outputs(self, plan: Node) -> list[Value]:
        """Return the columns of a subquery."""

    def rows(self, plan: Node) -> frozenset[Dependency]:
        """Return the dependencies that decide which rows it has."""


class Rules(Protocol):
    """Rules of all kinds of expressions: `expression_rules` has Spark's."""

    def parts_of(self, node: Node, /) -> Sequence[Node]:
        """Return the parts whose values are known before the node's own."""

    def value_of(self, node: Node, of: Expressions, /) -> Value:
        """Return the value of a node by the rule of its kind."""


class Expressions:
    """Values of expressions by `rules`; `scope` has the attributes that they refer to, by expression id."""

    def __init__(
        self, scope: Mapping[str, Value], subqueries: Subqueries, spend: Callable[[int], None], rules: Rules
    ) -> None:
        self.scope = scope
        self.subqueries = subqueries
        self._rules = rules
        self._spend = spend
        self._known: dict[int, Value] = {}

    def value(self, expression: object) -> Value:
        """Return the value of an expression; NOTHING for a literal (None) and for what is no expression."""
        if not isinstance(expression, Node):
            return NOTHING
        known, left = self._known, [expression]
        while left:
            node = left[-1]
            waiting = (
                [part for part in self._rules.parts_of(node) if part.number not in known]
                if node.number not in known
                else ()
            )
            if waiting:
                left.extend(waiting)
                continue
            left.pop()
            if node.number not in known:
                known[node.number] = self._made(node)
        return known[expression.number]

    def values(self, expressions: object) -> list[Value]:
        """Return the values of a list of expressions, and of lists in it; NOTHING for literals."""
        if isinstance(expressions, list):
            return [value for expression in expressions for value in self.values(expression)]
        return [self.value(expressions)]

    def with_variables(self, variables: Mapping[str, Value]) -> Expressions:
        """Return expressions that also know the variables of a lambda."""
        return Expressions({**self.scope, **variables}, self.subqueries, self._spend, self._rules)

    def _made(self, node: Node) -> Value:
        try:
            value = self._rules.value_of(node, self)
        except TooLarge:
            raise
        except Exception as error:  # noqa: BLE001 - a fault in a rule costs a column, never the write
            value = faulty(node.kind, error)
        self._spend(len(value.made_of))
        return value
