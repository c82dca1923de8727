"""Rules of a plan's operators: the effect of each kind of node on columns and rows.

A rule gets the node, and `Inputs` with the relations of the node's inputs; it returns a `RowsLineage`. For a new
operator, add a rule to `RULES`, or its name to `_PASSING`. Without a rule, each column depends on all input columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest

from headwater_model.columns import Transformation
from spark_client.capturing.plans.collection_rules import generated
from spark_client.capturing.plans.expressions import Expressions
from spark_client.capturing.plans.plan import Node, kinds
from spark_client.capturing.plans.values import (
    FILTER,
    GROUP_BY,
    JOIN,
    NOTHING,
    SORT,
    Dependency,
    Value,
    change,
    merge_values,
    named_as,
)

# Operators without effect on columns and rows.
_PASSING = kinds(
    """
    SubqueryAlias View PipeOperator SQLFunctionNode Repartition RepartitionByExpression RebalancePartitions
    GlobalLimit LocalLimit Tail Offset ResolvedHint ReturnAnswer EventTimeWatermark CollectMetrics CTERelationDef
    Subquery LimitAll UpdateEventTimeWatermarkColumn SequentialStreamingUnion
    """
)
_SEMI = ("LeftSemi", "LeftAnti")
_CONDITIONS = ("condition", "asOfCondition", "rankingExpression")


@dataclass(frozen=True, slots=True)
class RowsLineage:
    """Relation of a plan: its columns in order, each with its expression id, and the dependencies of its rows."""

    columns: tuple[tuple[str, Value], ...] = ()
    rows: frozenset[Dependency] = frozenset()

    @property
    def values(self) -> list[Value]:
        """Columns without their ids."""
        return [value for _, value in self.columns]


class Inputs:
    """Inputs of a rule: the relations of a node's inputs, and the values of its expressions over them."""

    def __init__(
        self,
        relation: Callable[[Node], RowsLineage],
        expressions: Callable[[Mapping[str, Value]], Expressions],
        subquery: Callable[[Node, Mapping[str, Value]], RowsLineage],
        leaf: Callable[[Node], RowsLineage],
        ctes: Mapping[str, RowsLineage],
    ) -> None:
        self.relation = relation
        self.expressions = expressions
        self.subquery = subquery
        self.leaf = leaf
        self.ctes = ctes

    def one(self, node: Node, name: str = "child") -> RowsLineage:
        """Find the relation of the input under this name."""
        child = node.node(name)
        return RowsLineage() if child is None else self.relation(child)

    def over(self, *relations: RowsLineage) -> Expressions:
        """Make expressions over the columns of relations."""
        return self.expressions({name: value for relation in relations for name, value in relation.columns})


Rule = Callable[[Node, Inputs], RowsLineage]


def relate(node: Node, inputs: Inputs) -> RowsLineage:
    """Relate a plan to its inputs, by the rule of its kind."""
    if node.kind in _PASSING:
        return inputs.one(node)
    rule = RULES.get(node.kind)
    if rule is not None:
        return rule(node, inputs)
    if "schema" in node.values and not plans_of(node):
        return inputs.leaf(node)
    return _opaque(node, inputs) if _outputs(node) and _function(node) else _unknown(node, inputs)


def plans_of(node: Node) -> list[Node]:
    """List the inputs of a plan, in the order of relation: CTEs before the plan with their references."""
    if node.kind == "WithCTE":
        return node.nodes("cteDefs", "plan")
    if node.kind == "UnionLoop":
        return node.nodes("anchor")
    return [plan for name in ("child", "left", "right", "children", "query") for plan in node.nodes(name)]


def _decided(relation: RowsLineage, how: Transformation, values: Iterable[Value]) -> RowsLineage:
    return RowsLineage(relation.columns, relation.rows | change(how, values).made_of)


def _named(expressions: Iterable[Node], of: Expressions) -> tuple[tuple[str, Value], ...]:
    return tuple((expression.text("exprId") or "", of.value(expression)) for expression in expressions)


def _project(node: Node, inputs: Inputs) -> RowsLineage:
    child = inputs.one(node)
    columns = _named(node.nodes("projectList"), inputs.over(child))
    return RowsLineage(columns, child.rows)


def _deciding(how: Transformation, name: str) -> Rule:
    """Make the rule of an operator with the columns of its child, whose rows depend on the expressions under a name."""

    def rule(node: Node, inputs: Inputs) -> RowsLineage:
        child = inputs.one(node)
        return _decided(child, how, map(inputs.over(child).value, node.nodes(name)))

    return rule


def _aggregate(node: Node, inputs: Inputs) -> RowsLineage:
    child = inputs.one(node)
    of = inputs.over(child)
    columns = _named(node.nodes("aggregateExpressions"), of)
    grouped = RowsLineage(columns, child.rows)
    return _decided(grouped, GROUP_BY, of.values(node.values.get("groupingExpressions") or []))


def _distinct(node: Node, inputs: Inputs) -> RowsLineage:
    child = inputs.one(node)
    return _decided(child, GROUP_BY, child.values)


def _windows(node: Node, inputs: Inputs) -> RowsLineage:
    child = inputs.one(node)
    columns = _named(node.nodes("windowExpressions"), inputs.over(child))
    return RowsLineage(child.columns + columns, child.rows)


def _join(node: Node, inputs: Inputs) -> RowsLineage:
    left, right = inputs.one(node, "left"), inputs.one(node, "right")
    columns = left.columns if node.text("joinType") in _SEMI else left.columns + right.columns
    joined = RowsLineage(columns, left.rows | right.rows)
    return _decided(joined, JOIN, map(inputs.over(left, right).value, node.nodes(*_CONDITIONS)))


def _sample(node: Node, inputs: Inputs) -> RowsLineage:
    # Skip the sort added by Spark for `randomSplit`: it decides about no rows.
    child = node.node("child")
    own_sort = child is not None and child.kind == "Sort" and child.values.get("global") is False
    return inputs.one(child) if child is not None and own_sort else inputs.one(node)


def _lateral_join(node: Node, inputs: Inputs) -> RowsLineage:
    left, subquery = inputs.one(node, "left"), node.node("right")
    plan = next(iter(subquery.nodes("plan", "plans")), None) if subquery is not None else None
    if plan is None:
        return _unknown(node, inputs)
    right = inputs.subquery(plan, dict(left.columns))
    joined = RowsLineage(left.columns + right.columns, left.rows | right.rows)
    return _decided(joined, JOIN, [inputs.over(left, right).value(node.node("condition"))])


def _union(node: Node, inputs: Inputs) -> RowsLineage:
    parts = [inputs.relation(child) for child in node.nodes("children")]
    return merge_relations(parts) if parts else RowsLineage()


def merge_relations(parts: list[RowsLineage]) -> RowsLineage:
    """Merge the rows of all relations, column by column, under the ids of the first relation."""
    ids = [name for name, _ in parts[0].columns]
    columns = zip_longest(*(part.values for part in parts), fillvalue=NOTHING)
    values = [merge_values(named_as(each[0], value) for value in each) for each in columns]
    rows = frozenset().union(*(part.rows for part in parts))
    return RowsLineage(tuple(zip(ids, values, strict=False)), rows)


def _set_operation(node: Node, inputs: Inputs) -> RowsLineage:
    left, right = inputs.one(node, "left"), inputs.one(node, "right")
    return _decided(RowsLineage(left.columns, left.rows | right.rows), JOIN, [*left.values, *right.values])


def _expand(node: Node, inputs: Inputs) -> RowsLineage:
    # Rollup, cube, grouping sets, unpivot: each row becomes several, a row a projection.
    child = inputs.one(node)
    of = inputs.over(child)
    rows = [of.values(projection) for projection in node.values.get("projections") or ()]
    values = [merge_values(each) for each in zip_longest(*rows, fillvalue=NOTHING)]
    ids = [output.text("exprId") or "" for output in node.nodes("output")]
    return RowsLineage(tuple(zip(ids, values, strict=False)), child.rows)


def _generate(node: Node, inputs: Inputs) -> RowsLineage:
    child, generator = inputs.one(node), node.node("generator")
    ids = [output.text("exprId") or "" for output in node.nodes("generatorOutput")]
    values = [] if generator is None else generated(generator, len(ids), inputs.over(child))
    return RowsLineage(child.columns + tuple(zip(ids, values, strict=False)), child.rows)


def _numbered(node: Node, inputs: Inputs) -> RowsLineage:
    # Row numbers of pandas on Spark and `zipWithIndex` are made of nothing.
    child, number = inputs.one(node), node.node("sequenceAttr")
    return RowsLineage(((number.text("exprId") or "" if number else "", NOTHING), *child.columns), child.rows)


def _cte_reference(node: Node, inputs: Inputs) -> RowsLineage:
    # A reference to a CTE has column ids of its own.
    defined = inputs.ctes.get(node.text("cteId") or node.text("loopId") or "")
    if defined is None:
        return _unknown(node, inputs)
    ids = [output.text("exprId") or "" for output in node.nodes("output")]
    return RowsLineage(tuple(zip(ids, defined.values, strict=False)), defined.rows)


def _outputs(node: Node) -> list[Node]:
    # Functions with a state list their output under a name of their own.
    return node.nodes("output") or node.nodes("outputAttrs")


def _function(node: Node) -> Node | None:
    return node.node("functionExpr") or node.node("func") or node.node("function")


def _opaque(node: Node, inputs: Inputs) -> RowsLineage:
    # A Python function over whole rows: each output depends on all input columns.
    function = _function(node)
    name = function.text("name") if function is not None else None
    described = f"opaque: {node.kind.removeprefix('Python')} {name or ''}".strip()
    how = Transformation("DIRECT", "TRANSFORMATION", described, masking=False)
    return _decided(_all_of_all(node, inputs, how), GROUP_BY, _groups(node, inputs))


def _groups(node: Node, inputs: Inputs) -> list[Value]:
    """List the keys of a function's groups: by name, or by their count, as the first columns of each side."""
    children = [inputs.relation(child) for child in plans_of(node)]
    of = inputs.over(*children)
    lengths = ("leftGroupingLen", "rightGroupingLen")
    counts = [int(node.text(name) or 0) for name in (("groupingAttributesLen",) if len(children) == 1 else lengths)]
    first = [value for child, count in zip(children, counts, strict=False) for value in child.values[:count]]
    return [*map(of.value, node.nodes("groupingAttributes")), *first]


def _unknown(node: Node, inputs: Inputs) -> RowsLineage:
    return _all_of_all(
        node, inputs, Transformation("DIRECT", "UNKNOWN", f"unknown plan node {node.kind}", masking=False)
    )


def _all_of_all(node: Node, inputs: Inputs, how: Transformation) -> RowsLineage:
    children = [inputs.relation(child) for child in plans_of(node)]
    result = change(how, [value for child in children for value in child.values])
    if not children:
        result = Value(unknown=frozenset({f"{node.kind}: an unknown plan node"}))
    ids = [output.text("exprId") or "" for output in _outputs(node)]
    ids = ids or [name for child in children for name, _ in child.columns]
    rows = frozenset().union(*(child.rows for child in children))
    return RowsLineage(tuple((name, result) for name in ids), rows)


RULES: Mapping[str, Rule] = {
    "Project": _project,
    "Filter": _deciding(FILTER, "condition"),
    "Aggregate": _aggregate,
    "Sort": _deciding(SORT, "order"),
    "Distinct": _distinct,
    "Deduplicate": _deciding(GROUP_BY, "keys"),
    "DeduplicateWithinWatermark": _deciding(GROUP_BY, "keys"),
    "Window": _windows,
    "Join": _join,
    "AsOfJoin": _join,
    "NearestByJoin": _join,
    "Sample": _sample,
    "LateralJoin": _lateral_join,
    "Union": _union,
    "Intersect": _set_operation,
    "Except": _set_operation,
    "Expand": _expand,
    "Generate": _generate,
    "AttachDistributedSequence": _numbered,
    "WithCTE": lambda node, inputs: inputs.one(node, "plan"),
    "CTERelationRef": _cte_reference,
    "UnionLoopRef": _cte_reference,
    "OneRowRelation": lambda *_: RowsLineage(),
}
