"""Generators of a frame: the rows that a function makes of each row, and the columns that they add."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from spark_client.capturing.connect.columns.frames import Frame, Typed
from spark_client.capturing.connect.columns.functions import GENERATORS
from spark_client.capturing.connect.columns.plan_context import PlanContext
from spark_client.capturing.connect.columns.scopes import Scope
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node

_CALLED = re.compile(r"\s*(\w+)\s*\(")
# Generators whose columns follow from their other arguments.
_WITHOUT_TYPE = ("JsonTuple", "Stack")


def is_generator(message: Any) -> bool:
    """Return True for a generator, as a call or in SQL, under a name or without."""
    kind = message.WhichOneof("expr_type")
    if kind == "alias":
        return is_generator(message.alias.expr)
    if kind == "expression_string":
        match = _CALLED.match(message.expression_string.expression)
        return match is not None and match[1].lower() in GENERATORS
    return kind == "unresolved_function" and message.unresolved_function.function_name.lower() in GENERATORS


def generate(
    reading: PlanContext, child: Frame, scope: Scope, called: Any, names: Sequence[str]
) -> tuple[Frame, list[Typed]]:
    """Return the rows that a generator makes of each row of a step, and its columns, under these names or its own.

    Columns of given names are unknown where the generator cannot be read.

    Raises:
        Unreadable: not even the names of its columns can be read.
    """
    try:
        in_sql = called.WhichOneof("expr_type") == "expression_string"
        generator, columns = (_in_sql if in_sql else _called)(reading, child, scope, called)
    except Unreadable as reason:
        if not names:
            raise
        generator, columns = reading.nodes.unknown(str(reason)).node, _untyped(reading, names)
    if names and len(names) == len(columns):
        columns = [replace(column, name=name) for column, name in zip(columns, names, strict=True)]
    values = {"generator": generator, "generatorOutput": reading.outputs(columns)}
    node = reading.nodes.node("Generate", child=child.node, **values)
    frame = Frame(node, (*child.columns, *columns), child.hidden, inputs=(child,))
    return frame, [reading.nodes.reference(column) for column in columns]


def _untyped(reading: PlanContext, names: Sequence[str]) -> list[Column]:
    return [Column(name, reading.nodes.new_id()) for name in names]


def _in_sql(reading: PlanContext, child: Frame, scope: Scope, message: Any) -> tuple[Node | None, list[Column]]:
    """Return a generator in SQL, which has the names of its columns."""
    del child
    generator = reading.read(message, scope).node
    names = generator.values.get("names") if generator is not None else None
    if not names:
        raise Unreadable(f"the generator {message.expression_string.expression}")
    return generator, _untyped(reading, names)


def _called(reading: PlanContext, child: Frame, scope: Scope, message: Any) -> tuple[Node | None, list[Column]]:
    """Return a generator that a function of PySpark makes."""
    call = message.unresolved_function
    kind = GENERATORS[call.function_name.lower()]
    arguments = reading.expressions.read_all(list(call.arguments), scope)
    values: dict[str, Any] = {"children": [argument.node for argument in arguments]}
    if kind in _WITHOUT_TYPE:
        return reading.nodes.node(kind, **values), _untyped(reading, _numbered(kind, call.arguments))
    type_ = scope.type_of_item(arguments[0]) or _type_by_server(reading, child, call.arguments[0])
    columns = _columns_of(reading, kind, type_)
    if kind == "Inline":
        values["elementSchema.names"] = [column.name for column in columns]
    else:
        values["child"] = values.pop("children")[0]
    return reading.nodes.node(kind, **values), columns


def _numbered(kind: str, arguments: Sequence[Any]) -> list[str]:
    """Return Spark's names of columns: `c0` of each field, `col0` of each of the values in one of so many rows."""
    if kind == "JsonTuple":
        return [f"c{index}" for index in range(len(arguments) - 1)]
    rows = arguments[0].literal.integer
    if rows < 1:
        raise Unreadable("the number of rows of a stack")
    return [f"col{index}" for index in range(-(-(len(arguments) - 1) // rows))]


def _type_by_server(reading: PlanContext, child: Frame, argument: Any) -> SchemaField:
    """Return the type of an expression over a step, by the server's schema of a projection of it alone."""
    from pyspark.sql.connect import proto

    projection = proto.Relation()
    if child.relation is not None:
        projection.project.input.CopyFrom(child.relation)
    projection.project.expressions.add().CopyFrom(argument)
    return reading.schema(projection)[0]


def _columns_of(reading: PlanContext, kind: str, type_: SchemaField) -> list[Column]:
    """Return the columns of a generator by the type of its argument, an array or a map."""
    if kind == "Inline":
        return list(reading.schema_columns(type_.fields))
    position = reading.schema_columns([SchemaField("pos", "integer")] if kind == "PosExplode" else [])
    if type_.type.startswith("map<"):
        return [*position, *_untyped(reading, ("key", "value"))]
    element = "struct" if type_.fields else type_.type.removeprefix("array<").removesuffix(">")
    return [*position, *reading.schema_columns([SchemaField("col", element, type_.fields)])]
