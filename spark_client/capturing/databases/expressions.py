"""Resolved expressions of a database's query; a part without known sources is unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from spark_client.capturing.databases.names import Ctes, NodeFactory, Scope, Unresolvable, plain
from spark_client.capturing.plans.functions import FUNCTIONS, Effect, Function, classes
from spark_client.capturing.plans.plan import Node, kinds

_DEPTH_MAX = 150
# Functions of databases beside Spark's, or with a simpler meaning.
_OF_DATABASES = {
    "group_concat": Function("group_concat", "", Effect.CHANGES, aggregates=True),
    "json_agg": Function("json_agg", "", Effect.CHANGES, aggregates=True),
    "convert": Function("convert", "", Effect.CHANGES),
    "nullif": Function("nullif", "", Effect.CHANGES),
    "right": Function("right", "", Effect.CHANGES),
}
_FUNCTIONS: Mapping[str, Function] = {**FUNCTIONS, **_OF_DATABASES}
_RANKS = classes(Effect.NOTHING)
# Effects alike in a database; effects of higher functions and structs may differ.
_ALIKE = (Effect.CHANGES, Effect.COMPARES, Effect.KEEPS, Effect.NOTHING)
# Values of the database in some databases, not columns; there a column of such a name needs quotes.
_PSEUDO = kinds("rownum rowid sysdate systimestamp user uid current_user session_user system_user current_role")
_NOW = kinds("current_date current_timestamp current_time localtime localtimestamp")


class ExpressionResolver:
    """Resolver of expressions; `query` resolves a subquery in the scope around it."""

    def __init__(self, factory: NodeFactory, query: Callable[[Node, Scope, Ctes], Node]) -> None:
        self._factory = factory
        self._query = query
        self._depth = 0

    def value(self, expression: Node, scope: Scope, ctes: Ctes) -> Node:
        """Resolve an expression; unknown without known sources."""
        self._depth += 1
        try:
            if self._depth > _DEPTH_MAX:
                raise Unresolvable("too deep")
            return self._resolved(expression, scope, ctes)
        except Unresolvable:
            return self._factory.attribute()
        finally:
            self._depth -= 1

    def column(self, scope: Scope, parts: Sequence[str]) -> Node:
        """Find the column of a name; an unknown column where the name is ambiguous or unknown."""
        try:
            return scope.find(parts)
        except Unresolvable:
            return self._factory.attribute()

    def _resolved(self, expression: Node, scope: Scope, ctes: Ctes) -> Node:
        if expression.kind == "UnresolvedAttribute":
            return self._attribute([str(part) for part in expression.values.get("nameParts") or ()], scope)
        if expression.kind == "UnresolvedFunction":
            return self._function(expression, scope, ctes)
        if expression.kind in ("UnresolvedAlias", "Alias") and (child := expression.node("child")) is not None:
            return self.value(child, scope, ctes)
        if expression.kind == "References" or (
            expression.kind.startswith("Unresolved") and expression.kind != "UnresolvedExtractValue"
        ):
            raise Unresolvable(expression.kind)
        if (plan := expression.node("plan")) is not None:
            return self._factory.node(expression.kind, plan=self._query(plan, scope, ctes))
        values = {name: self._each(value, scope, ctes) for name, value in expression.values.items()}
        return self._factory.node("Changed" if expression.kind == "Cast" else expression.kind, **values)

    def _each(self, value: object, scope: Scope, ctes: Ctes) -> object:
        if isinstance(value, list):
            return [self._each(item, scope, ctes) for item in value]
        return self.value(value, scope, ctes) if isinstance(value, Node) else value

    def _attribute(self, parts: Sequence[str], scope: Scope) -> Node:
        if len(parts) == 1 and parts[0].lower() in _NOW:
            return self._factory.node("Changed")
        if not parts or (len(parts) == 1 and parts[0].lower() in _PSEUDO):
            raise Unresolvable(".".join(parts))
        return scope.find(parts)

    def _function(self, call: Node, scope: Scope, ctes: Ctes) -> Node:
        parts = call.values.get("nameParts") or [""]
        name = plain(str(parts[-1]))
        arguments = self._each(call.values.get("arguments") or [], scope, ctes)
        known = _FUNCTIONS.get(name) if len(parts) == 1 else None
        if known is not None and known.aggregates:
            function = self._factory.node("Count" if name == "count" else "Changed", children=arguments)
            kept = self._each(call.values.get("filter"), scope, ctes)
            return self._factory.node("AggregateExpression", aggregateFunction=function, filter=kept)
        if known is not None and (known.masks or known.kind == "Coalesce" or known.kind in _RANKS):
            return self._factory.node(known.kind, children=arguments)
        is_alike = known is not None and known.effect in _ALIKE
        return self._factory.node("Changed" if is_alike else "DatabaseFunction", children=arguments)
