"""Steps that choose, order, group or join rows, and functions of the program over whole rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spark_client.capturing.connect.columns.frames import Frame, Typed
from spark_client.capturing.connect.columns.plan_context import PlanContext, Rule
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node

# Kinds of functions over whole rows, by the client's number for them (PythonEvalType), as Spark's classes.
_OVER_ROWS = {205: "MapInPandas", 207: "MapInArrow"}
_OVER_GROUPS = {
    201: "FlatMapGroupsInPandas",
    208: "FlatMapGroupsInPandasWithState",
    209: "FlatMapGroupsInArrow",
    215: "FlatMapGroupsInArrow",
    216: "FlatMapGroupsInPandas",
}
_OVER_TWO = {206: "FlatMapCoGroupsInPandas", 210: "FlatMapCoGroupsInArrow"}


def _pass(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del message, relation
    return reading.passing(inputs[0], hidden=inputs[0].hidden)


def _filter(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    scope = reading.scope(inputs[0], reaches="below")
    condition = reading.read(message.condition, scope)
    return reading.over(inputs[0], "Filter", scope, condition=condition.node)


def _sort(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    scope = reading.scope(inputs[0], reaches="below")
    orders = [reading.read(order.child, scope).node for order in message.order]
    return reading.over(inputs[0], "Sort", scope, order=orders)


def _deduplicate(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    (child,) = inputs
    names = {name.lower() for name in message.column_names}
    columns = reading.steps.columns(child)
    keys = [column for column in columns if message.all_columns_as_keys or (column.name or "").lower() in names]
    return reading.over(child, "Deduplicate", keys=reading.outputs(keys))


def _sample_by(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    chosen = reading.read(message.col, reading.scope(inputs[0]))
    return reading.over(inputs[0], "Filter", condition=chosen.node)


def _aggregate(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    """Return groups: by expressions, rollups, cubes, sets, or with the values of a pivot as columns."""
    (child,) = inputs
    scope = reading.scope(child)
    sets = [key for each in getattr(message, "grouping_sets", ()) for key in each.grouping_set]
    keys = reading.expressions.read_all(
        [*message.grouping_expressions, *([] if message.grouping_expressions else sets)], scope
    )
    aggregates = [reading.read_column(expression, scope) for expression in message.aggregate_expressions]
    if message.HasField("pivot"):
        return _pivot(reading, message, child, keys, aggregates, relation)
    frame = reading.project(child, [*keys, *aggregates])
    grouping = [key.node for key in keys]
    node = reading.nodes.node(
        "Aggregate",
        child=child.node,
        aggregateExpressions=frame.node.nodes("projectList"),
        groupingExpressions=grouping,
    )
    window = [key for key in keys if key.name == "window" and key.node and key.node.kind == "CreateNamedStruct"]
    if window:  # Spark drops rows without a time
        below = reading.nodes.node("Filter", child=child.node, condition=window[0].node)
        node.values = {**node.values, "child": below}
    return Frame(node, frame.columns, inputs=(child,))


def _pivot(
    reading: PlanContext, message: Any, child: Frame, keys: Sequence[Typed], aggregates: Sequence[Typed], relation: Any
) -> Frame:
    """Return a pivot: for each value the aggregates, on condition of the pivot's column, by which rows are grouped."""
    by = reading.read(message.pivot.col, reading.scope(child))
    schema = reading.schema(relation)
    count = len(schema) - len(keys)
    if not aggregates or count % len(aggregates):
        raise Unreadable("the columns of a pivot")
    inner = reading.project(child, [*keys, *aggregates])
    items = inner.node.nodes("projectList")
    values = [
        reading.nodes.node("PivotFirst", pivotColumn=by.node, valueColumn=items[len(keys) + index % len(aggregates)])
        for index in range(count)
    ]
    columns = reading.schema_columns(schema)
    outputs = [
        reading.nodes.node("Alias", child=item, exprId=column.id, name=column.name)
        for item, column in zip([*items[: len(keys)], *values], columns, strict=True)
    ]
    grouping = [*(key.node for key in keys), by.node]
    node = reading.nodes.node("Aggregate", child=child.node, aggregateExpressions=outputs, groupingExpressions=grouping)
    return Frame(node, columns, inputs=(child,))


def _join(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    """Return a join, by a condition or by columns of equal names, of which one is left."""
    del relation
    left, right = inputs
    kind = message.JoinType.Name(message.join_type).removeprefix("JOIN_TYPE_")
    is_half = kind in ("LEFT_SEMI", "LEFT_ANTI")
    join_type = {"LEFT_SEMI": "LeftSemi", "LEFT_ANTI": "LeftAnti"}.get(kind, "Inner")
    scope = reading.scope(left, right)
    if message.using_columns:
        return _using(reading, list(message.using_columns), left, right, kind)
    condition = reading.read(message.join_condition, scope).node if message.HasField("join_condition") else None
    node = reading.nodes.node("Join", left=left.node, right=right.node, joinType=join_type, condition=condition)
    columns = left.columns if is_half else (*left.columns, *right.columns)
    return Frame(node, columns, (*left.hidden, *(() if is_half else right.hidden)), inputs=(left, right))


def _using(reading: PlanContext, names: Sequence[str], left: Frame, right: Frame, kind: str) -> Frame:
    sides = [{(column.name or "").lower(): column for column in reading.steps.columns(side)} for side in (left, right)]
    try:
        pairs = [(sides[0][name.lower()], sides[1][name.lower()]) for name in names]
    except KeyError as name:
        raise Unreadable(f"the join's column {name}") from name
    references = [reading.nodes.reference(column).node for pair in pairs for column in pair]
    condition = reading.nodes.node("Function", children=references)
    is_half = kind in ("LEFT_SEMI", "LEFT_ANTI")
    join_type = {"LEFT_SEMI": "LeftSemi", "LEFT_ANTI": "LeftAnti"}.get(kind, "Inner")
    node = reading.nodes.node("Join", left=left.node, right=right.node, joinType=join_type, condition=condition)
    joined = Frame(node, left.columns if is_half else (*left.columns, *right.columns), inputs=(left, right))
    if is_half:
        return joined
    taken = {column.id for pair in pairs for column in pair}
    keys = [_key(reading, *pair, kind=kind) for pair in pairs]
    rest = [reading.nodes.reference(column) for column in joined.columns if column.id not in taken]
    frame = reading.project(joined, [*keys, *rest])
    hidden = [column for pair in pairs for column in pair if column.id not in frame.ids]
    return Frame(frame.node, frame.columns, tuple(hidden), inputs=(joined,))


def _key(reading: PlanContext, left: Column, right: Column, *, kind: str) -> Typed:
    """Return the one column of a join's two keys: of an outer join the side that has all rows, or either."""
    if kind != "FULL_OUTER":
        return reading.nodes.reference(right if kind == "RIGHT_OUTER" else left)
    parts = [reading.nodes.reference(column).node for column in (left, right)]
    chosen = reading.nodes.node("Coalesce", children=parts)
    return Typed(reading.nodes.node("Alias", child=chosen, exprId="", name=left.name), left.name, left.type)


def _zip(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    """Return frames of the same rows side by side."""
    del message, relation
    left, right = inputs
    node = reading.nodes.node("Join", left=left.node, right=right.node)
    return Frame(node, (*left.columns, *right.columns), inputs=(left, right))


def _nearest(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    left, right = inputs
    ranking = reading.read(message.ranking_expression, reading.scope(left, right))
    node = reading.nodes.node("NearestByJoin", left=left.node, right=right.node, rankingExpression=ranking.node)
    return Frame(node, (*left.columns, *right.columns), inputs=(left, right))


def _set_operation(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    left, right = inputs
    kind = message.SetOpType.Name(message.set_op_type).removeprefix("SET_OP_TYPE_")
    if message.by_name:
        return _union_by_name(reading, message, left, right, relation)
    if len(left.columns) != len(right.columns):
        raise Unreadable("a union of other numbers of columns")
    if kind == "UNION":
        node = reading.nodes.node("Union", children=[left.node, right.node])
        return Frame(node, left.columns, inputs=(left, right))
    node = reading.nodes.node(kind.capitalize(), left=left.node, right=right.node)
    return Frame(node, left.columns, inputs=(left, right))


def _union_by_name(reading: PlanContext, message: Any, left: Frame, right: Frame, relation: Any) -> Frame:
    ours, theirs = reading.steps.columns(left, typed=True), reading.steps.columns(right, typed=True)
    by_name = {(column.name or "").lower(): column for column in theirs}
    names = {(column.name or "").lower() for column in ours}
    more = (
        [column for column in theirs if (column.name or "").lower() not in names]
        if message.allow_missing_columns
        else []
    )
    if any(_structure(column) != _structure(by_name.get((column.name or "").lower(), column)) for column in ours):
        raise Unreadable("a union by name of structs with other fields")
    refer = reading.nodes.reference
    padded = reading.project(left, [*map(refer, ours), *(Typed(None, column.name) for column in more)])
    same = ((column, by_name.get((column.name or "").lower())) for column in ours)
    items = [Typed(None, column.name) if other is None else refer(other) for column, other in same]
    ordered = reading.project(right, [*items, *map(refer, more)])
    node = reading.nodes.node("Union", children=[padded.node, ordered.node])
    del relation
    return Frame(node, padded.columns, inputs=(left, right))


def _structure(column: Column) -> list[str]:
    return [field.name.lower() for field in column.type.fields] if column.type else []


def _map(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    return _opaque(reading, message.func, _OVER_ROWS, inputs, [], relation)


def _map_groups(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    keys = reading.expressions.read_all(list(message.grouping_expressions), reading.scope(inputs[0]))
    return _opaque(reading, message.func, _OVER_GROUPS, inputs[:1], keys, relation)


def _map_two(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    left = reading.expressions.read_all(list(message.input_grouping_expressions), reading.scope(inputs[0]))
    right = reading.expressions.read_all(list(message.other_grouping_expressions), reading.scope(inputs[1]))
    return _opaque(reading, message.func, _OVER_TWO, inputs, [*left, *right], relation)


def _opaque(
    reading: PlanContext,
    function: Any,
    classes: Mapping[int, str],
    inputs: Sequence[Frame],
    keys: Sequence[Typed],
    relation: Any,
) -> Frame:
    """Return a function over whole rows, whose columns may be made of all that goes in."""
    kind = classes.get(function.python_udf.eval_type)
    if kind is None:
        raise Unreadable(f"a function of the kind {function.python_udf.eval_type} over rows")
    columns = reading.schema_columns(reading.schema(relation))
    called = reading.nodes.node("PythonUDF", name=function.function_name)
    children: list[Node] = [frame.node for frame in inputs]
    node = reading.nodes.node(
        kind,
        functionExpr=called,
        output=reading.outputs(columns),
        groupingAttributes=[key.node for key in keys],
        children=children,
    )
    return Frame(node, columns, inputs=tuple(inputs))


def unknown_step(reading: PlanContext, kind: str, inputs: Sequence[Frame], schema: Sequence[SchemaField]) -> Frame:
    """Return a step of a kind without a rule: each column may be made of all of its inputs."""
    columns = reading.schema_columns(schema)
    children = [frame.node for frame in inputs]
    node = reading.nodes.node(kind, output=reading.outputs(columns), children=children)
    return Frame(node, columns, inputs=tuple(inputs))


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(
        (
            "limit",
            "offset",
            "tail",
            "repartition",
            "repartition_by_expression",
            "hint",
            "collect_metrics",
            "with_watermark",
            "sample",
        ),
        _pass,
    ),
    "filter": _filter,
    "sort": _sort,
    "deduplicate": _deduplicate,
    "sample_by": _sample_by,
    "aggregate": _aggregate,
    "join": _join,
    "nearest_by_join": _nearest,
    "zip": _zip,
    "set_op": _set_operation,
    "map_partitions": _map,
    "apply_in_pandas_with_state": _map_groups,
    "group_map": _map_groups,
    "co_group_map": _map_two,
}
