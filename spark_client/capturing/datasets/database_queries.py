"""The columns of a query that a database runs: its parsed plan, resolved as far as only one answer is possible.

The plan that comes out is one like Spark's analyzed ones, so that the rules of operators and expressions hold for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from spark_client.capturing.datasets.database_names import Column, Made, Scope, Table, Unresolvable, plain
from spark_client.capturing.plans.plan import Node, kinds

_DEPTH_MAX = 150
_PASSING = kinds("GlobalLimit LocalLimit Offset Sample UnresolvedHint")
_DECIDING = kinds("Sort Distinct UnresolvedHaving")
_SETS = kinds("Union Except Intersect")
# As Spark 4 prints it, and as Spark 3.5 does: `UsingJoin(Inner, [id])`, `UsingJoin(Inner,List(id))`.
_USING = re.compile(r"UsingJoin\((\w+),\s*(?:\w+\(|\[)(.*)[])]\)")
_AGGREGATES = kinds(
    """
    sum avg mean min max count stddev stddev_pop stddev_samp variance var_pop var_samp median mode
    any_value bool_and bool_or every string_agg listagg group_concat array_agg json_agg collect_list collect_set
    percentile_cont percentile_disc corr covar_pop covar_samp
    """
)
# By what they are called, the kinds whose rules are others than that of a function which changes what goes in.
_OWN = {
    "coalesce": "Coalesce",
    "nvl": "Coalesce",
    "ifnull": "Coalesce",
    "row_number": "RowNumber",
    "rank": "Rank",
    "dense_rank": "DenseRank",
    "percent_rank": "PercentRank",
    "cume_dist": "CumeDist",
    "ntile": "NTile",
    "md5": "Md5",
    "sha1": "Sha1",
    "sha2": "Sha2",
    "crc32": "Crc32",
}
_SCALARS = kinds(
    """
    upper lower trim ltrim rtrim btrim concat concat_ws substr substring left right length char_length replace lpad
    rpad reverse abs round floor ceil ceiling sqrt power mod sign exp ln log log10 nullif greatest least extract
    date_part date_trunc trunc to_char to_date to_number to_timestamp year month day hour minute second date dateadd
    date_add datediff date_diff date_sub add_months cast convert split_part position instr locate initcap lag lead
    """
)
# What is a value of the database's own, not a column, in some databases; such a column is quoted in those.
_PSEUDO = kinds("rownum rowid sysdate systimestamp user uid current_user session_user system_user current_role")
_NOW = kinds("current_date current_timestamp current_time localtime localtimestamp")


# By name, the query of a WITH and those that it knows; None inside itself, where it may be recursive, or a table.
_Ctes: TypeAlias = "Mapping[str, tuple[Node, _Ctes] | None]"


@dataclass(slots=True)
class _Query:
    """A SELECT, or several: its columns in their order, None for those of a table of which nobody knows how many.

    Attributes:
        node: resolved.
        select: the Project or Aggregate in it, below which there is room for what decides about rows.
        scope, aliases: of that.
        parts: the queries of a UNION and its like.
    """

    node: Node
    columns: list[Column | Table]
    select: Node | None = None
    scope: Scope | None = None
    aliases: Mapping[str, Node] = field(default_factory=dict)
    parts: tuple[_Query, ...] = ()


def resolve(asked: Node, names: Sequence[str], table: Callable[[Sequence[str]], Node]) -> Node | None:
    """Resolve the plan of `SELECT * FROM` a query, whose columns have these names; `table` makes a table's leaf.

    None if what it is made of cannot be known.
    """
    inside = asked.node("child")
    top = inside if asked.kind == "Project" and inside is not None and inside.kind == "SubqueryAlias" else asked
    try:
        resolver = _Resolver(table)
        query = resolver.query(top, None, {})
        return resolver.close(query, names).node
    except Unresolvable:
        return None


def _is_closed(query: _Query) -> bool:
    """True if the number of its columns is known, as it is of those that it unites."""
    return all(isinstance(one, Column) for one in query.columns) and all(map(_is_closed, query.parts))


class _Resolver:
    """Resolves one query; a query in it resolves in the scope of those around it."""

    def __init__(self, table: Callable[[Sequence[str]], Node]) -> None:
        self._made = Made()
        self._table = table
        self._depth = 0

    def query(self, plan: Node, outer: Scope | None, ctes: _Ctes) -> _Query:
        """Resolve a query."""
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
        """Give a query exactly so many columns; a table's that are in none but its star have these names."""
        if query.parts:
            for number, part in enumerate(query.parts):
                self.close(part, names if number == 0 else [""] * len(names))
            return query
        columns = self._all_of(query, names)
        for column, name in zip(columns, names, strict=True):
            if name and column.name is not None and plain(column.name) != plain(name):
                raise Unresolvable(column.name)
        self._set_list(query, [one.node for one in columns])
        return query

    def _all_of(self, query: _Query, names: Sequence[str]) -> list[Column]:
        """Return so many columns: of several stars nobody knows which column is whose, nor of what is between them."""
        stars = [number for number, one in enumerate(query.columns) if isinstance(one, Table)]
        first, last = (stars[0], stars[-1] + 1) if stars else (len(query.columns), len(query.columns))
        before, behind = query.columns[:first], query.columns[last:]
        between = names[len(before) : len(names) - len(behind)]
        if len(before) + len(between) + len(behind) != len(names) or (between and not stars):
            raise Unresolvable("columns")
        star = query.columns[first] if len(stars) == 1 else None
        found = [*before, *(self._of_star(star, name) for name in between), *behind]
        return [one for one in found if isinstance(one, Column)]

    def _of_star(self, star: Column | Table | None, name: str) -> Column:
        found = None
        if name and isinstance(star, Table):
            try:
                found = star.find(f'"{name}"')
            except Unresolvable:
                found = None
        return Column(name or None, found or self._made.attribute(name))

    def _set_list(self, query: _Query, columns: Sequence[Node]) -> None:
        if query.select is None:
            raise Unresolvable("columns")
        name = "projectList" if query.select.kind == "Project" else "aggregateExpressions"
        told = query.select.values[name]
        by_id = {one.text("exprId"): one for one in told}
        told[:] = [by_id.get(one.text("exprId"), one) for one in columns]

    def _select(self, plan: Node, outer: Scope | None, ctes: _Ctes) -> _Query:
        child = plan.node("child")
        if child is None:
            raise Unresolvable(plan.kind)
        listed = plan.nodes("projectList" if plan.kind == "Project" else "aggregateExpressions")
        named = frozenset(plain(one.text("name") or "") for one in listed if one.kind == "Alias")
        below, scope = self._from(child, outer, ctes, named)
        found: dict[str, Node] = {}
        columns: list[Column | Table] = []
        told: list[Node] = []
        for one in listed:
            for column, made in self._listed(one, scope, ctes, frozenset(found)):
                columns.append(column)
                if made is not None:
                    told.append(made)
                if isinstance(column, Column) and column.name and made is not None and one.kind == "Alias":
                    found[plain(column.name)] = made
        if plan.kind == "Project":
            select = self._made.node("Project", projectList=told, child=below)
        else:
            keys = [self._value(one, scope, ctes) for one in plan.nodes("groupingExpressions")]
            select = self._made.node("Aggregate", groupingExpressions=keys, aggregateExpressions=told, child=below)
        return _Query(select, columns, select, scope, found)

    def _listed(
        self, one: Node, scope: Scope, ctes: _Ctes, earlier: frozenset[str]
    ) -> list[tuple[Column | Table, Node | None]]:
        """Resolve an item of a SELECT's list: a column, or a star; some databases know `earlier` aliases."""
        if one.kind == "UnresolvedStar":
            return self._star(one, scope)
        name = one.text("name") if one.kind == "Alias" else None
        inner = one.node("child") if one.kind in ("Alias", "UnresolvedAlias") else one
        if inner is not None and inner.kind == "UnresolvedAttribute" and name is None:
            name = str((inner.values.get("nameParts") or [""])[-1])
        listing = Scope(scope.tables, scope.merged, scope.natural, scope.outer, earlier)
        seen = self._made.attribute(name)
        value = None if inner is None else self._value(inner, listing, ctes)
        made = self._made.node("Alias", child=value, name=name, exprId=seen.text("exprId"))
        return [(Column(name, seen), made)]

    def _star(self, star: Node, scope: Scope) -> list[tuple[Column | Table, Node | None]]:
        target = tuple(plain(str(part)) for part in star.values.get("target") or ())
        tables = [one for one in scope.tables if not target or one.alias[-len(target) :] == target]
        if not tables or (not target and (scope.merged or scope.natural)) or (target and len(tables) > 1):
            raise Unresolvable("*")
        found: list[tuple[Column | Table, Node | None]] = []
        for table in tables:
            if table.closed:
                found += [(Column(one.name, one.node), one.node) for one in table.columns]
            else:
                found.append((table, None))
        return found

    def _set(self, plan: Node, outer: Scope | None, ctes: _Ctes) -> _Query:
        children = plan.nodes("children") or plan.nodes("left", "right")
        parts = tuple(self.query(child, outer, ctes) for child in children)
        nodes = [part.node for part in parts]
        below = {"children": nodes} if plan.kind == "Union" else {"left": nodes[0], "right": nodes[1]}
        return _Query(self._made.node(plan.kind, **below), parts[0].columns, parts=parts)

    def _decide(self, query: _Query, plan: Node, ctes: _Ctes) -> None:
        """Put what decides about rows below the SELECT: there are columns that it does not give."""
        if plan.kind == "Distinct":
            query.node = self._made.node("Distinct", child=query.node)
            return
        if query.select is None:
            return
        values = [self._decisive(query, one, ctes) for one in plan.nodes("order", "havingCondition")]
        told = {"order": values} if plan.kind == "Sort" else {"condition": values[0] if values else None}
        kind = "Sort" if plan.kind == "Sort" else "Filter"
        below = self._made.node(kind, **told, child=query.select.values["child"])
        query.select.values = {**query.select.values, "child": below}

    def _decisive(self, query: _Query, one: Node, ctes: _Ctes) -> Node:
        inner = one.node("child") if one.kind == "SortOrder" else one
        parts = [str(part) for part in (inner.values.get("nameParts") or ())] if inner is not None else []
        if len(parts) == 1 and one.kind == "SortOrder" and plain(parts[0]) in query.aliases:
            return query.aliases[plain(parts[0])]
        return self._made.attribute() if query.scope is None else self._value(one, query.scope, ctes)

    def _from(self, plan: Node, outer: Scope | None, ctes: _Ctes, aliases: frozenset[str]) -> tuple[Node, Scope]:
        child = plan.node("child")
        if plan.kind == "Filter" and child is not None:
            below, scope = self._from(child, outer, ctes, aliases)
            condition = plan.node("condition")
            value = None if condition is None else self._value(condition, scope, ctes)
            return self._made.node("Filter", condition=value, child=below), scope
        if plan.kind in _PASSING and child is not None:
            return self._from(child, outer, ctes, aliases)
        if plan.kind == "Join":
            return self._join(plan, outer, ctes, aliases)
        if plan.kind == "OneRowRelation":
            return self._made.node("OneRowRelation"), Scope((), outer=outer)
        node, table = self._item(plan, outer, ctes)
        return node, Scope((table,), outer=outer, hidden=aliases)

    def _join(self, plan: Node, outer: Scope | None, ctes: _Ctes, aliases: frozenset[str]) -> tuple[Node, Scope]:
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
        conditions = []
        if using:
            merged = dict(both.merged)
            for name in using[2].split(", "):
                pair = [self._found(side, [name]) for side in (in_left, in_right)]
                conditions += pair
                full = self._made.node("Coalesce", children=pair)
                merged[plain(name)] = full if "Full" in using[1] else pair[using[1].startswith("Right")]
            both.merged = merged
        if (condition := plan.node("condition")) is not None:
            conditions.append(self._value(condition, both, ctes))
        on = self._made.node("And", children=conditions) if conditions else None
        return self._made.node("Join", left=left, right=right, joinType="Inner", condition=on), both

    def _item(self, plan: Node, outer: Scope | None, ctes: _Ctes) -> tuple[Node, Table]:
        """Resolve an item of a FROM: a table, or a query in parentheses or of a WITH."""
        alias: tuple[str, ...] = ()
        while plan.kind == "SubqueryAlias" and (child := plan.node("child")) is not None:
            told = plan.values.get("identifier")
            alias = alias or (plain(str(told.get("name"))) if isinstance(told, Mapping) else "",)
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
        made = self._made.node(leaf.kind, **leaf.values, output=[])
        known: dict[str, Node] = {}

        def find(name: str) -> Node:
            if plain(name) not in known:
                known[plain(name)] = self._made.attribute(name)
                made.values["output"].append(known[plain(name)])
            return known[plain(name)]

        return made, Table(alias, rest=find, closed=False)

    def _derived(self, query: _Query, alias: tuple[str, ...]) -> tuple[Node, Table]:
        if query.parts and not _is_closed(query):
            return query.node, Table(alias, closed=False)
        known = [one for one in query.columns if isinstance(one, Column)]
        opened = [one for one in query.columns if isinstance(one, Table)]
        select = query.select

        def find(name: str) -> Node:
            column = opened[0].find(name)
            if column is None or select is None:
                raise Unresolvable(name)
            select.values["projectList"].append(column)
            return column

        passes = len(opened) == 1 and select is not None and select.kind == "Project"
        return query.node, Table(alias, known, find if passes else None, closed=not opened)

    def _value(self, one: Node, scope: Scope, ctes: _Ctes) -> Node:
        """Resolve an expression; what it may not be known to be made of is unknown."""
        self._depth += 1
        try:
            if self._depth > _DEPTH_MAX:
                raise Unresolvable("too deep")
            return self._resolved(one, scope, ctes)
        except Unresolvable:
            return self._made.attribute()
        finally:
            self._depth -= 1

    def _found(self, scope: Scope, parts: Sequence[str]) -> Node:
        try:
            return scope.find(parts)
        except Unresolvable:
            return self._made.attribute()

    def _resolved(self, one: Node, scope: Scope, ctes: _Ctes) -> Node:
        if one.kind == "UnresolvedAttribute":
            return self._attribute([str(part) for part in one.values.get("nameParts") or ()], scope)
        if one.kind == "UnresolvedFunction":
            return self._function(one, scope, ctes)
        if one.kind in ("UnresolvedAlias", "Alias") and (child := one.node("child")) is not None:
            return self._value(child, scope, ctes)
        if one.kind == "References" or (one.kind.startswith("Unresolved") and one.kind != "UnresolvedExtractValue"):
            raise Unresolvable(one.kind)
        if (plan := one.node("plan")) is not None:
            inner = self.query(plan, scope, ctes)
            return self._made.node(one.kind, plan=inner.node)
        values = {name: self._each(value, scope, ctes) for name, value in one.values.items()}
        return self._made.node("Changed" if one.kind == "Cast" else one.kind, **values)

    def _each(self, value: object, scope: Scope, ctes: _Ctes) -> object:
        if isinstance(value, list):
            return [self._each(one, scope, ctes) for one in value]
        return self._value(value, scope, ctes) if isinstance(value, Node) else value

    def _attribute(self, parts: Sequence[str], scope: Scope) -> Node:
        if len(parts) == 1 and parts[0].lower() in _NOW:
            return self._made.node("Changed")
        if not parts or (len(parts) == 1 and parts[0].lower() in _PSEUDO):
            raise Unresolvable(".".join(parts))
        return scope.find(parts)

    def _function(self, one: Node, scope: Scope, ctes: _Ctes) -> Node:
        parts = one.values.get("nameParts") or [""]
        name = plain(str(parts[-1]))
        arguments = self._each(one.values.get("arguments") or [], scope, ctes)
        if len(parts) == 1 and name in _AGGREGATES:
            function = self._made.node("Count" if name == "count" else "Changed", children=arguments)
            kept = self._each(one.values.get("filter"), scope, ctes)
            return self._made.node("AggregateExpression", aggregateFunction=function, filter=kept)
        known = len(parts) == 1 and (name in _OWN or name in _SCALARS)
        return self._made.node(_OWN.get(name, "Changed") if known else "DatabaseFunction", children=arguments)
