"""Values of expressions: a walk over their parts, at any depth, by the rule of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import NOTHING, Dependency, TooLarge, Value, faulty


class Subqueries(Protocol):
    """Plans inside expressions."""

    def outputs(self, plan: Node) -> list[Value]:
        """List the columns of a subquery."""

    def rows(self, plan: Node) -> frozenset[Dependency]:
        """Collect the dependencies of a subquery's rows, as in its filters."""


class Rules(Protocol):
    """Rules of all kinds of expressions: `expression_rules` has Spark's."""

    def parts_of(self, node: Node, /) -> Sequence[Node]:
        """List the parts to evaluate before the node."""

    def value_of(self, node: Node, of: Expressions, /) -> Value:
        """Evaluate a node by the rule of its kind."""


class Expressions:
    """Values of expressions by `rules`; `scope` has the values of attributes by expression id."""

    def __init__(
        self, scope: Mapping[str, Value], subqueries: Subqueries, spend: Callable[[int], None], rules: Rules
    ) -> None:
        self.scope = scope
        self.subqueries = subqueries
        self._rules = rules
        self._spend = spend
        self._known: dict[int, Value] = {}

    def value(self, expression: object) -> Value:
        """Evaluate an expression; NOTHING for a literal (None), and for any value beside nodes."""
        if not isinstance(expression, Node):
            return NOTHING
        # A stack, not recursion: parts wait on top of their node.
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
        """Evaluate a list of expressions, and the lists inside; NOTHING for literals."""
        if isinstance(expressions, list):
            return [value for expression in expressions for value in self.values(expression)]
        return [self.value(expressions)]

    def with_variables(self, variables: Mapping[str, Value]) -> Expressions:
        """Add the variables of a lambda to the scope."""
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
