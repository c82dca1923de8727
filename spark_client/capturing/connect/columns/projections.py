"""Steps that make or choose columns: projections, and what renames, sets, fills or drops columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from spark_client.capturing.connect.columns.frames import Frame, Typed, find_column
from spark_client.capturing.connect.columns.generators import generate, is_generator
from spark_client.capturing.connect.columns.plan_context import PlanContext, Rule
from spark_client.capturing.connect.columns.scopes import Scope
from spark_client.capturing.connect.reads import table_read
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node

_NUMBERS = ("byte", "short", "integer", "long", "float", "double")


def _project(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    """Return the columns of a SELECT, which may refer to each other's aliases, and its one generator's."""
    child = inputs[0] if inputs else Frame(reading.nodes.node("OneRowRelation"), ())
    del relation
    scope = reading.scope(child, reaches="hidden")
    items: list[Typed] = []
    step = child
    for expression in message.expressions:
        if expression.WhichOneof("expr_type") in ("unresolved_star", "unresolved_regex"):
            items += _several(reading, expression, scope)
        elif is_generator(expression):
            is_alias = expression.WhichOneof("expr_type") == "alias"
            called, names = (expression.alias.expr, expression.alias.name) if is_alias else (expression, ())
            step, generated = generate(reading, step, scope, called, names)
            items += generated
        else:
            items.append(_reusable(reading.read_column(expression, scope), scope))
    return reading.project(reading.reached(step, scope), items)


def _reusable(item: Typed, scope: Scope) -> Typed:
    """Return an item, whose alias the items after it may use."""
    if item.node is not None and item.node.kind == "Alias" and item.name is not None:
        scope.aliases[item.name] = item
    return item


def _several(reading: PlanContext, message: Any, scope: Scope) -> list[Typed]:
    if message.WhichOneof("expr_type") == "unresolved_star":
        return reading.expressions.star(message.unresolved_star, scope)
    raise Unreadable("columns by a pattern of names")


def _with_columns(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    (child,) = inputs
    scope = reading.scope(child, reaches="hidden")
    step = child
    put: dict[str, Typed] = {}
    for alias in message.aliases:
        if is_generator(alias.expr):
            step, (put[alias.name[0].lower()],) = generate(reading, step, scope, alias.expr, alias.name)
            continue
        try:
            value = reading.read(alias.expr, scope)
        except Unreadable as reason:
            value = reading.nodes.unknown(str(reason))
        inner = reading.nodes.node("Alias", child=value.node, exprId="", name=alias.name[0])
        put[alias.name[0].lower()] = Typed(inner, alias.name[0], value.type)
    return reading.project(reading.reached(step, scope), _replaced(reading, child, put))


def _replaced(reading: PlanContext, child: Frame, put: Mapping[str, Typed]) -> list[Typed]:
    """Return the child's columns with these in the place of those of their names, and the rest behind them."""
    columns = child.columns
    if any(column.name is None for column in columns):
        columns = reading.steps.columns(child)
    names = {(column.name or "").lower() for column in columns}
    items = [put.get((column.name or "").lower()) or reading.nodes.reference(column) for column in columns]
    return [*items, *(item for name, item in put.items() if name not in names)]


def _renamed(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    (child,) = inputs
    renames = [(rename.col_name, rename.new_col_name) for rename in getattr(message, "renames", ())] or list(
        message.rename_columns_map.items()
    )
    columns = reading.steps.columns(child)
    names = [column.name or "" for column in columns]
    for old, new in renames:
        names = [new if name.lower() == old.lower() else name for name in names]
    return _named(reading, child, columns, names)


def _to_df(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    if len(message.column_names) != len(inputs[0].columns):
        raise Unreadable("other names than columns")
    return _named(reading, inputs[0], inputs[0].columns, list(message.column_names))


def _named(reading: PlanContext, child: Frame, columns: Sequence[Column], names: Sequence[str]) -> Frame:
    items = []
    for column, name in zip(columns, names, strict=True):
        item = reading.nodes.reference(column)
        if name != column.name:
            item = Typed(reading.nodes.node("Alias", child=item.node, exprId="", name=name), name, column.type)
        items.append(item)
    return reading.project(child, items)


def _drop(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    """Return a frame without some columns; a name that is not there drops nothing."""
    del relation
    (child,) = inputs
    columns = reading.steps.columns(child)
    gone = {
        column.id for column in columns for name in message.column_names if (column.name or "").lower() == name.lower()
    }
    for expression in message.columns:
        gone |= _dropped(reading, expression, child, columns)
    return reading.project(child, [reading.nodes.reference(column) for column in columns if column.id not in gone])


def _dropped(reading: PlanContext, message: Any, child: Frame, columns: Sequence[Column]) -> set[str]:
    attribute = message.unresolved_attribute
    if message.WhichOneof("expr_type") != "unresolved_attribute":
        raise Unreadable("a dropped column that is an expression")
    if not attribute.HasField("plan_id"):
        match = find_column(columns, table_read(attribute.unparsed_identifier).name)
        return {match[0].id} if match else set()
    scope = reading.scope(child)
    item = reading.read(message, scope)
    if scope.missing or item.node is None or item.node.kind != "AttributeReference":
        raise Unreadable("a dropped column that is not there")
    return {item.node.text("exprId") or ""}


def _alias(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    (child,) = inputs
    qualifier = (*message.qualifier, message.alias)
    return reading.passing(child, [replace(column, qualifier=qualifier) for column in child.columns])


def _fill(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    """Return a frame with values in the place of missing ones, in columns of a type that fits."""
    del relation
    (child,) = inputs
    columns = reading.steps.columns(child, typed=True)
    put = {}
    names = list(message.cols)
    for column in columns:
        value = _value_for(column, names, list(message.values))
        if value is not None:
            filled = reading.nodes.node("Coalesce", children=[reading.nodes.reference(column).node, None])
            put[(column.name or "").lower()] = _again(reading, column, filled)
    return reading.project(child, _replaced(reading, child, put))


def _value_for(column: Column, names: Sequence[str], values: Sequence[Any]) -> Any:
    """Return the value that fills a column, None for none; one value is for all columns of its kind."""
    if names and (column.name or "").lower() not in [name.lower() for name in names]:
        return None
    if len(values) > 1:
        return values[[name.lower() for name in names].index((column.name or "").lower())]
    kind, type_ = values[0].WhichOneof("literal_type"), column.type.type if column.type else ""
    if kind == "string":
        return values[0] if type_ == "string" else None
    if kind == "boolean":
        return values[0] if type_ == "boolean" else None
    return values[0] if type_ in _NUMBERS or type_.startswith("decimal") else None


def _again(reading: PlanContext, column: Column, value: Node) -> Typed:
    name = column.name or ""
    return Typed(reading.nodes.node("Alias", child=value, exprId="", name=name), name, column.type)


def _replace(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    """Return a frame in which some values are others: a choice in columns of the values' kind."""
    del relation
    (child,) = inputs
    kind = message.replacements[0].old_value.WhichOneof("literal_type")
    names = [name.lower() for name in message.cols]
    put = {}
    for column in reading.steps.columns(child, typed=True):
        type_ = column.type.type if column.type else ""
        fits = type_ == kind if kind in ("string", "boolean") else type_ in _NUMBERS or type_.startswith("decimal")
        if (not names or (column.name or "").lower() in names) and fits:
            value = reading.nodes.reference(column).node
            chosen = reading.nodes.node("CaseWhen", branches=[[value, None]], elseValue=value)
            put[(column.name or "").lower()] = _again(reading, column, chosen)
    return reading.project(child, _replaced(reading, child, put))


def _drop_missing(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    del relation
    (child,) = inputs
    names = [name.lower() for name in message.cols]
    columns = [column for column in reading.steps.columns(child) if not names or (column.name or "").lower() in names]
    condition = reading.nodes.node("Function", children=reading.outputs(columns))
    return reading.over(child, "Filter", condition=condition)


def _unpivot(reading: PlanContext, message: Any, inputs: list[Frame], relation: Any) -> Frame:
    """Return a row for each of some columns, with its name and value."""
    (child,) = inputs
    scope = reading.scope(child)
    ids = reading.expressions.read_all(list(message.ids), scope)
    if message.HasField("values"):
        values = reading.expressions.read_all(list(message.values.values), scope)
    else:
        taken = {item.node.text("exprId") for item in ids if item.node}
        values = [reading.nodes.reference(column) for column in scope.columns() if column.id not in taken]
    schema = reading.schema(relation)
    casts = [_widened(reading, value, schema[-1], scope) for value in values]
    projections = [[*(item.node for item in ids), None, cast] for cast in casts]
    columns = reading.schema_columns(schema)
    if len(columns) != len(ids) + 2:
        raise Unreadable("an unpivot of several values")
    node = reading.nodes.node("Expand", child=child.node, projections=projections, output=reading.outputs(columns))
    return Frame(node, columns, inputs=(child,))


def _widened(reading: PlanContext, item: Typed, to: SchemaField, scope: Scope) -> Node | None:
    """Return a value as the type that Spark makes of all of them."""
    type_ = scope.type_of_item(item)
    if type_ is None:
        raise Unreadable("the type of a value that is unpivoted")
    return item.node if type_.type == to.type else reading.nodes.node("Cast", child=item.node, flat=True)


RULES: Mapping[str, Rule] = {
    "project": _project,
    "with_columns": _with_columns,
    "with_columns_renamed": _renamed,
    "to_df": _to_df,
    "drop": _drop,
    "subquery_alias": _alias,
    "fill_na": _fill,
    "replace": _replace,
    "drop_na": _drop_missing,
    "unpivot": _unpivot,
}
