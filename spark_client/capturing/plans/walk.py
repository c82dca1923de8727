"""Columns of a plan: a walk over its operators, from the leaves up, within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TypeAlias

from spark_client.capturing.plans import expression_rules
from spark_client.capturing.plans.expressions import Expressions
from spark_client.capturing.plans.operators import Inputs, RowsLineage, merge_relations, plans_of, relate
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import Dependency, TooLarge, Value, faulty

# Bound on the dependencies of a walk; each takes about 100 bytes.
DEPENDENCIES_MAX = 1_000_000
# CPU time of the walking thread.
SECONDS_MAX = 1.0
_STEPS_A_LOOK = 64
# A recursive CTE reaches its fixed point after as many rounds as its columns feed each other.
_ROUNDS_MAX = 50
# An operator lists its own columns under these names.
_OUTPUTS = ("projectList", "aggregateExpressions", "output", "outputAttrs")

Leaf: TypeAlias = Callable[[Node], RowsLineage]


class PlanWalk:
    """Walk over the plans of a query; `leaf` relates a leaf, `variables` has values by their keys.

    Raises:
        TooLarge: from every method, when the budget is spent.
    """

    def __init__(
        self,
        leaf: Leaf,
        variables: Mapping[str, Value] | None = None,
        *,
        dependencies_max: int = DEPENDENCIES_MAX,
        seconds_max: float = SECONDS_MAX,
        clock: Callable[[], float] = time.thread_time,
    ) -> None:
        self._leaf = leaf
        self._variables = variables or {}
        self._left = dependencies_max
        self._limits = f"{dependencies_max} dependencies", f"{seconds_max:g} s"
        self._steps = 0
        self._clock = clock
        self._deadline = clock() + seconds_max
        self._ctes: dict[str, RowsLineage] = {}
        self._known: dict[int, RowsLineage] = {}

    def relation(self, plan: Node, outer: Mapping[str, Value] | None = None) -> RowsLineage:
        """Relate a plan; `outer` has the columns around a subquery."""
        outer = outer or {}
        inputs = Inputs(
            relation=lambda node: self._known[node.number],
            expressions=lambda scope: self._over({**outer, **scope}),
            subquery=lambda node, scope: self.relation(node, {**outer, **scope}),
            leaf=self._leaf,
            ctes=self._ctes,
        )
        # A stack, not recursion: inputs wait on top of their plan.
        left = [plan]
        while left:
            node = left[-1]
            waiting = [child for child in reversed(plans_of(node)) if child.number not in self._known]
            if node.number not in self._known and waiting:
                left.extend(waiting)
                continue
            left.pop()
            if node.number not in self._known:
                self._known[node.number] = self._related(node, inputs, outer)
        return self._known[plan.number]

    def over(self, *relations: RowsLineage) -> Expressions:
        """Make expressions over the columns of these relations."""
        return self._over({name: value for relation in relations for name, value in relation.columns})

    def _related(self, node: Node, inputs: Inputs, outer: Mapping[str, Value]) -> RowsLineage:
        self._spend(1)
        if node.kind == "UnionLoop":
            return self._loop(node, outer)
        try:
            relation = relate(node, inputs)
        except TooLarge:
            raise
        except Exception as error:  # noqa: BLE001 - a fault in a rule costs columns, never the write
            relation = self._faulty(node, error)
        if node.kind == "CTERelationDef":
            self._ctes[node.text("id") or ""] = relation
        return relation

    def _faulty(self, node: Node, error: Exception) -> RowsLineage:
        """Relate a plan after an error in its rule: unknown columns, and the rows of its inputs."""
        children = [self._known[child.number] for child in plans_of(node) if child.number in self._known]
        ids = [output.text("exprId") or "" for output in node.nodes(*_OUTPUTS)]
        ids = ids or [name for child in children for name, _ in child.columns]
        value = faulty(node.kind, error)
        return RowsLineage(tuple((name, value) for name in ids), frozenset().union(*(child.rows for child in children)))

    def _loop(self, node: Node, outer: Mapping[str, Value]) -> RowsLineage:
        """Compute the fixed point of a recursive CTE: its anchor, then the recursion over all rows so far."""
        anchor, recursion = node.node("anchor"), node.node("recursion")
        if anchor is None or recursion is None:
            return RowsLineage()
        relation = self._known[anchor.number]
        for _ in range(_ROUNDS_MAX):
            self._ctes[node.text("id") or ""] = relation
            before = dict(self._known)
            more = merge_relations([relation, self.relation(recursion, outer)])
            self._known = before
            if more == relation:
                break
            relation = more
        ids = node.values.get("outputAttrIds") or [name for name, _ in relation.columns]
        return RowsLineage(tuple(zip(map(str, ids), relation.values, strict=False)), relation.rows)

    def _over(self, scope: Mapping[str, Value]) -> Expressions:
        known = {**self._variables, **scope} if self._variables else scope
        return Expressions(known, _Subqueries(self, scope), self._spend, expression_rules)

    def _spend(self, dependencies: int) -> None:
        self._left -= dependencies
        self._steps += 1
        if self._left < 0:
            raise TooLarge(f"more than {self._limits[0]}")
        if self._steps % _STEPS_A_LOOK == 0 and self._clock() > self._deadline:
            raise TooLarge(f"more than {self._limits[1]}")


class _Subqueries:
    """Subqueries of expressions, with the columns around them."""

    def __init__(self, walk: PlanWalk, scope: Mapping[str, Value]) -> None:
        self._walk = walk
        self._scope = scope

    def outputs(self, plan: Node) -> list[Value]:
        return self._walk.relation(plan, self._scope).values

    def rows(self, plan: Node) -> frozenset[Dependency]:
        return self._walk.relation(plan, self._scope).rows
