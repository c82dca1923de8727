"""Columns of a database's query: its parsed plan, resolved wherever a single meaning is possible.

The resolved plan is like Spark's analyzed plans, so the rules of operators and expressions hold for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from spark_client.capturing.databases.expressions import ExpressionResolver
from spark_client.capturing.databases.names import Column, Ctes, NodeFactory, Scope, Table, Unresolvable, plain
from spark_client.capturing.plans.plan import Node, kinds

_PASSING = kinds("GlobalLimit LocalLimit Offset Sample UnresolvedHint")
_DECIDING = kinds("Sort Distinct UnresolvedHaving")
_SETS = kinds("Union Except Intersect")
# As Spark 4 prints it, and as Spark 3.5 does: `UsingJoin(Inner, [id])`, `UsingJoin(Inner,List(id))`.
_USING = re.compile(r"UsingJoin\((\w+),\s*(?:\w+\(|\[)(.*)[])]\)")


@dataclass(slots=True)
class _Query:
    """SELECT, or several: its columns in their order, with the table itself in place of an unknown number of columns.

    Attributes:
        node: resolved.
        select: its Project or Aggregate; conditions and orders go below.
        scope, aliases: of `select`.
        parts: the queries of a UNION and its like.
    """

    node: Node
    columns: list[Column | Table]
    select: Node | None = None
    scope: Scope | None = None
    aliases: Mapping[str, Node] = field(default_factory=dict)
    parts: tuple[_Query, ...] = ()


def resolve(parsed: Node, names: Sequence[str], table: Callable[[Sequence[str]], Node]) -> Node | None:
    """Resolve the plan of `SELECT * FROM (query)`; `names` are the query's columns, `table` makes a table's leaf.

    None for a query of unknown sources.
    """
    inside = parsed.node("child")
    top = inside if parsed.kind == "Project" and inside is not None and inside.kind == "SubqueryAlias" else parsed
    try:
        resolver = _Resolver(table)
        query = resolver.query(top, None, {})
        return resolver.close(query, names).node
    except Unresolvable:
        return None


def _is_closed(query: _Query) -> bool:
    """True if the number of columns is known, also in each query of a UNION."""
    return all(isinstance(column, Column) for column in query.columns) and all(map(_is_closed, query.parts))


class _Resolver:
    """Resolver of a query; a query inside resolves in the scope of the queries around it."""

    def __init__(self, table: Callable[[Sequence[str]], Node]) -> None:
        self._factory = NodeFactory()
        self._table = table
        self._expressions = ExpressionResolver(
            self._factory, lambda plan, scope, ctes: self.query(plan, scope, ctes).node
        )

    def query(self, plan: Node, outer: Scope | None, ctes: Ctes) -> _Query:
        child = plan.node("child")
        if plan.kind == "UnresolvedWith" and child is not None:
            known = ctes
            for name, query, *_ in plan.values.get("cteRelations") or ():
                known = {**known, plain(str(name)): (query, known)}
            return self.query(child, outer, known)
        if plan.kind in ("Project", "Aggregate"):
            return self._select(plan, outer, ctes)
        if plan.kind in _SETS:
            return self._set(plan, outer, ctes)
        if child is None or plan.kind not in {*_PASSING, *_DECIDING, "SubqueryAlias"}:
            raise Unresolvable(plan.kind)
        query = self.query(child, outer, ctes)
        if plan.kind in _DECIDING:
            self._decide(query, plan, ctes)
        return query

    def close(self, query: _Query, names: Sequence[str]) -> _Query:
        """Give a query exactly the columns of `names`; a star's columns take their names from there."""
        if query.parts:
            for number, part in enumerate(query.parts):
                self.close(part, names if number == 0 else [""] * len(names))
            return query
        columns = self._all_of(query, names)
        for column, name in zip(columns, names, strict=True):
            if name and column.name is not None and plain(column.name) != plain(name):
                raise Unresolvable(column.name)
        self._set_list(query, [item.node for item in columns])
        return query

    def _all_of(self, query: _Query, names: Sequence[str]) -> list[Column]:
        """List a column for each name; between several stars, columns are unknown."""
        stars = [number for number, item in enumerate(query.columns) if isinstance(item, Table)]
        first, last = (stars[0], stars[-1] + 1) if stars else (len(query.columns), len(query.columns))
        before, behind = query.columns[:first], query.columns[last:]
        between = names[len(before) : len(names) - len(behind)]
        if len(before) + len(between) + len(behind) != len(names) or (between and not stars):
            raise Unresolvable("columns")
        star = query.columns[first] if len(stars) == 1 else None
        columns = [*before, *(self._of_star(star, name) for name in between), *behind]
        return [item for item in columns if isinstance(item, Column)]

    def _of_star(self, star: Column | Table | None, name: str) -> Column:
        node = None
        if name and isinstance(star, Table):
            try:
                node = star.find(f'"{name}"')
            except Unresolvable:
                node = None
        return Column(name or None, node or self._factory.attribute(name))

    def _set_list(self, query: _Query, columns: Sequence[Node]) -> None:
        if query.select is None:
            raise Unresolvable("columns")
        name = "projectList" if query.select.kind == "Project" else "aggregateExpressions"
        listed = query.select.values[name]
        by_id = {item.text("exprId"): item for item in listed}
        listed[:] = [by_id.get(item.text("exprId"), item) for item in columns]

    def _select(self, plan: Node, outer: Scope | None, ctes: Ctes) -> _Query:
        child = plan.node("child")
        if child is None:
            raise Unresolvable(plan.kind)
        listed = plan.nodes("projectList" if plan.kind == "Project" else "aggregateExpressions")
        named = frozenset(plain(item.text("name") or "") for item in listed if item.kind == "Alias")
        below, scope = self._from(child, outer, ctes, named)
        columns, projected, aliases = self._list_of(listed, scope, ctes)
        if plan.kind == "Project":
            select = self._factory.node("Project", projectList=projected, child=below)
        else:
            keys = [self._expressions.value(item, scope, ctes) for item in plan.nodes("groupingExpressions")]
            select = self._factory.node(
                "Aggregate", groupingExpressions=keys, aggregateExpressions=projected, child=below
            )
        return _Query(select, columns, select, scope, aliases)

    def _list_of(
        self, listed: Sequence[Node], scope: Scope, ctes: Ctes
    ) -> tuple[list[Column | Table], list[Node], dict[str, Node]]:
        """Resolve a SELECT's list: its columns, projected nodes, and aliases for later items."""
        columns: list[Column | Table] = []
        projected: list[Node] = []
        aliases: dict[str, Node] = {}
        for item in listed:
            for column, alias in self._listed(item, scope, ctes, frozenset(aliases)):
                columns.append(column)
                if alias is not None:
                    projected.append(alias)
                if isinstance(column, Column) and column.name and alias is not None and item.kind == "Alias":
                    aliases[plain(column.name)] = alias
        return columns, projected, aliases

    def _listed(
        self, item: Node, scope: Scope, ctes: Ctes, earlier: frozenset[str]
    ) -> list[tuple[Column | Table, Node | None]]:
        """Resolve an item of a SELECT's list: a column, or a star; some databases know `earlier` aliases."""
        if item.kind == "UnresolvedStar":
            return self._star(item, scope)
        name = item.text("name") if item.kind == "Alias" else None
        inner = item.node("child") if item.kind in ("Alias", "UnresolvedAlias") else item
        if inner is not None and inner.kind == "UnresolvedAttribute" and name is None:
            name = str((inner.values.get("nameParts") or [""])[-1])
        listing = Scope(scope.tables, scope.merged, scope.natural, scope.outer, earlier)
        seen = self._factory.attribute(name)
        value = None if inner is None else self._expressions.value(inner, listing, ctes)
        alias = self._factory.node("Alias", child=value, name=name, exprId=seen.text("exprId"))
        return [(Column(name, seen), alias)]

    def _star(self, star: Node, scope: Scope) -> list[tuple[Column | Table, Node | None]]:
        target = tuple(plain(str(part)) for part in star.values.get("target") or ())
        tables = [item for item in scope.tables if not target or item.alias[-len(target) :] == target]
        if not tables or (not target and (scope.merged or scope.natural)) or (target and len(tables) > 1):
            raise Unresolvable("*")
        columns: list[tuple[Column | Table, Node | None]] = []
        for table in tables:
            if table.closed:
                columns += [(Column(item.name, item.node), item.node) for item in table.columns]
            else:
                columns.append((table, None))
        return columns

    def _set(self, plan: Node, outer: Scope | None, ctes: Ctes) -> _Query:
        children = plan.nodes("children") or plan.nodes("left", "right")
        parts = tuple(self.query(child, outer, ctes) for child in children)
        nodes = [part.node for part in parts]
        below = {"children": nodes} if plan.kind == "Union" else {"left": nodes[0], "right": nodes[1]}
        return _Query(self._factory.node(plan.kind, **below), parts[0].columns, parts=parts)

    def _decide(self, query: _Query, plan: Node, ctes: Ctes) -> None:
        """Put conditions and orders below the SELECT: they may use columns outside of its list."""
        if plan.kind == "Distinct":
            query.node = self._factory.node("Distinct", child=query.node)
            return
        if query.select is None:
            return
        values = [self._decisive(query, expression, ctes) for expression in plan.nodes("order", "havingCondition")]
        deciding = {"order": values} if plan.kind == "Sort" else {"condition": values[0] if values else None}
        kind = "Sort" if plan.kind == "Sort" else "Filter"
        below = self._factory.node(kind, **deciding, child=query.select.values["child"])
        query.select.values = {**query.select.values, "child": below}

    def _decisive(self, query: _Query, expression: Node, ctes: Ctes) -> Node:
        inner = expression.node("child") if expression.kind == "SortOrder" else expression
        parts = [str(part) for part in (inner.values.get("nameParts") or ())] if inner is not None else []
        if len(parts) == 1 and expression.kind == "SortOrder" and plain(parts[0]) in query.aliases:
            return query.aliases[plain(parts[0])]
        return (
            self._factory.attribute() if query.scope is None else self._expressions.value(expression, query.scope, ctes)
        )

    def _from(self, plan: Node, outer: Scope | None, ctes: Ctes, aliases: frozenset[str]) -> tuple[Node, Scope]:
        child = plan.node("child")
        if plan.kind == "Filter" and child is not None:
            below, scope = self._from(child, outer, ctes, aliases)
            condition = plan.node("condition")
            value = None if condition is None else self._expressions.value(condition, scope, ctes)
            return self._factory.node("Filter", condition=value, child=below), scope
        if plan.kind in _PASSING and child is not None:
            return self._from(child, outer, ctes, aliases)
        if plan.kind == "Join":
            return self._join(plan, outer, ctes, aliases)
        if plan.kind == "OneRowRelation":
            return self._factory.node("OneRowRelation"), Scope((), outer=outer)
        node, table = self._item(plan, outer, ctes)
        return node, Scope((table,), outer=outer, hidden=aliases)

    def _join(self, plan: Node, outer: Scope | None, ctes: Ctes, aliases: frozenset[str]) -> tuple[Node, Scope]:
        left_plan, right_plan, how = plan.node("left"), plan.node("right"), plan.text("joinType") or ""
        if left_plan is None or right_plan is None:
            raise Unresolvable(plan.kind)
        left, in_left = self._from(left_plan, outer, ctes, aliases)
        right, in_right = self._from(right_plan, outer, ctes, aliases)
        using = _USING.fullmatch(how)
        natural = (
            in_left.natural or in_right.natural or how.startswith("Natural") or (how.startswith("Using") > bool(using))
        )
        both = Scope((*in_left.tables, *in_right.tables), {**in_left.merged}, natural, outer, aliases)
        conditions = self._merge_using(both, in_left, in_right, using) if using else []
        if (condition := plan.node("condition")) is not None:
            conditions.append(self._expressions.value(condition, both, ctes))
        on = self._factory.node("And", children=conditions) if conditions else None
        return self._factory.node("Join", left=left, right=right, joinType="Inner", condition=on), both

    def _merge_using(self, both: Scope, in_left: Scope, in_right: Scope, using: re.Match[str]) -> list[Node]:
        """Merge the columns of a USING: left, right in a right join, both in a full join. Return the compared."""
        merged, compared = dict(both.merged), list[Node]()
        for name in using[2].split(", "):
            pair = [self._expressions.column(side, [name]) for side in (in_left, in_right)]
            compared += pair
            full = self._factory.node("Coalesce", children=pair)
            merged[plain(name)] = full if "Full" in using[1] else pair[using[1].startswith("Right")]
        both.merged = merged
        return compared

    def _item(self, plan: Node, outer: Scope | None, ctes: Ctes) -> tuple[Node, Table]:
        """Resolve an item of a FROM: a table, or a query in parentheses or of a WITH."""
        alias: tuple[str, ...] = ()
        while plan.kind == "SubqueryAlias" and (child := plan.node("child")) is not None:
            named = plan.at("identifier", "name")
            alias = alias or ("" if named is None else plain(str(named)),)
            plan = child
        if plan.kind != "UnresolvedRelation":
            return self._derived(self.query(plan, outer, ctes), alias)
        parts = [str(part) for part in plan.values.get("multipartIdentifier") or ()]
        alias = alias or tuple(map(plain, parts))
        if len(parts) == 1 and plain(parts[0]) in ctes:
            defined = ctes[plain(parts[0])]
            if defined is None:
                raise Unresolvable(parts[0])
            query, known = defined
            return self._derived(self.query(query, None, {**known, plain(parts[0]): None}), alias)
        return self._opened(self._table(parts), alias)

    def _opened(self, leaf: Node, alias: tuple[str, ...]) -> tuple[Node, Table]:
        opened = self._factory.node(leaf.kind, **leaf.values, output=[])
        known: dict[str, Node] = {}

        def find(name: str) -> Node:
            if plain(name) not in known:
                known[plain(name)] = self._factory.attribute(name)
                opened.values["output"].append(known[plain(name)])
            return known[plain(name)]

        return opened, Table(alias, rest=find, closed=False)

    def _derived(self, query: _Query, alias: tuple[str, ...]) -> tuple[Node, Table]:
        if query.parts and not _is_closed(query):
            return query.node, Table(alias, closed=False)
        known = [item for item in query.columns if isinstance(item, Column)]
        opened = [item for item in query.columns if isinstance(item, Table)]
        select = query.select

        def find(name: str) -> Node:
            column = opened[0].find(name)
            if column is None or select is None:
                raise Unresolvable(name)
            select.values["projectList"].append(column)
            return column

        passes = len(opened) == 1 and select is not None and select.kind == "Project"
        return query.node, Table(alias, known, find if passes else None, closed=not opened)
