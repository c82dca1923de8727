"""Expressions of Spark Connect's protocol, as the nodes that the rules of the driver's expressions read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from spark_client.capturing.connect.columns.frames import Nodes, Typed, field_of, is_nested
from spark_client.capturing.connect.columns.functions import CASTS, function
from spark_client.capturing.connect.columns.scopes import Scope
from spark_client.capturing.connect.reads import table_read
from spark_client.capturing.connect.snapshots import Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node

_EXPRESSION = "spark.connect.Expression"
_NESTED = frozenset({"spark.connect.Expression.SortOrder", "spark.connect.Expression.LambdaFunction"})
# Kinds of PythonUDF that aggregate: SQL_GROUPED_AGG_PANDAS_UDF, SQL_WINDOW_AGG_PANDAS_UDF, and theirs of Arrow.
_AGGREGATING = frozenset({202, 203, 216, 217, 252, 253, 254})
_TYPE_NAMES = {"byte": "byte", "short": "short", "integer": "integer", "long": "long", "null": "void"}

Subquery = Callable[[int, Scope], Node]
Text = Callable[[str, Scope], Typed]


class _Entry(NamedTuple):
    """Expression to translate, the indexes of its parts, and the variables of the lambdas around it."""

    message: Any
    parts: list[int]
    variables: Mapping[str, Typed]


class ExpressionReader:
    """Reader of expressions; `subquery` reads a plan that the protocol refers to, `text` an expression in SQL."""

    def __init__(self, nodes: Nodes, subquery: Subquery, text: Text) -> None:
        self._nodes = nodes
        self._subquery = subquery
        self._text = text

    def read(self, message: Any, scope: Scope) -> Typed:
        """Return an expression over a scope; it may be arbitrarily deep.

        Raises:
            Unreadable: a part of it is unknown to this reader.
        """
        entries = self._entries(message)
        done: dict[int, Typed] = {}
        for index in range(len(entries) - 1, -1, -1):
            entry = entries[index]
            done[index] = self._translated(entry, [done.pop(part) for part in entry.parts], scope)
        return done[0]

    def read_all(self, messages: Sequence[Any], scope: Scope) -> list[Typed]:
        """Return several expressions, with the columns of stars in their places."""
        items: list[Typed] = []
        for message in messages:
            kind = message.WhichOneof("expr_type")
            if kind == "unresolved_star":
                items += self.star(message.unresolved_star, scope)
            else:
                items.append(self.read(message, scope))
        return items

    def star(self, star: Any, scope: Scope) -> list[Typed]:
        """Return the columns of a star: all, those of a table's name, or the fields of a struct."""
        if _given(star, "plan_id"):
            frames = scope.steps.of_plan(star.plan_id, scope.frames)
            if len(frames) != 1:
                raise Unreadable("a star of a frame that is there twice")
            return [self._nodes.reference(column) for column in scope.steps.columns(frames[0])]
        columns = list(scope.columns())
        if not _given(star, "unparsed_target"):
            return [self._nodes.reference(column) for column in columns]
        target = [part.lower() for part in table_read(star.unparsed_target.removesuffix(".*")).name]
        named = [column for column in columns if [part.lower() for part in column.qualifier[-len(target) :]] == target]
        if named:
            return [self._nodes.reference(column) for column in named]
        item = scope.resolve(star.unparsed_target.removesuffix(".*"))
        if item.type is None or item.type.type != "struct":
            raise Unreadable(f"the star {star.unparsed_target}")
        return [field_of(self._nodes, item, field.name) for field in item.type.fields]

    def _entries(self, message: Any) -> list[_Entry]:
        entries: list[_Entry] = []
        left: list[tuple[Any, int | None, Mapping[str, Typed]]] = [(message, None, {})]
        while left:
            expression, above, variables = left.pop()
            if above is not None:
                entries[above].parts.insert(0, len(entries))
            kind = expression.WhichOneof("expr_type")
            if kind is None:
                raise Unreadable("an expression without a kind")
            if kind == "lambda_function":
                variables = {
                    **variables,
                    **{_name(item): self._variable(item) for item in expression.lambda_function.arguments},
                }
            entries.append(_Entry(expression, [], variables))
            index = len(entries) - 1
            left += [(part, index, variables) for part in _parts(kind, getattr(expression, kind))]
        return entries

    def _variable(self, message: Any) -> Typed:
        name = _name(message)
        return Typed(self._nodes.node("NamedLambdaVariable", exprId=self._nodes.new_id(), name=name), name)

    def _translated(self, entry: _Entry, parts: list[Typed], scope: Scope) -> Typed:
        kind = entry.message.WhichOneof("expr_type")
        message = getattr(entry.message, kind)
        if kind == "unresolved_named_lambda_variable":
            return self._variable_or_field(message, entry.variables)
        if kind == "lambda_function":
            arguments = [entry.variables[_name(item)].node for item in message.arguments]
            return Typed(self._nodes.node("LambdaFunction", function=parts[0].node, arguments=arguments))
        if kind == "subquery_expression":
            return self._of_subquery(message, parts, scope)
        if kind == "expression_string":
            return self._text(message.expression, scope)
        rule = _RULES.get(kind)
        if rule is None:
            raise Unreadable(f"an expression of the kind {kind}")
        return rule(self, message, parts, scope)

    def _variable_or_field(self, message: Any, variables: Mapping[str, Typed]) -> Typed:
        name, *fields = (part for whole in message.name_parts for part in whole.split("."))
        item = variables.get(name)
        if item is None:
            raise Unreadable(f"the variable {name}")
        for field in fields:
            item = Typed(self._nodes.node("GetStructField", child=item.node, field=field), field)
        return item

    def attribute(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return a column by its name."""
        del parts
        if getattr(message, "is_metadata_column", False):  # PySpark 3.5 does not have it
            raise Unreadable(f"the metadata column {message.unparsed_identifier}")
        name = message.unparsed_identifier
        if name in scope.aliases and not _given(message, "plan_id"):
            try:
                return scope.resolve(name)
            except Unreadable:
                return scope.aliases[name]
        return scope.resolve(name, message.plan_id if _given(message, "plan_id") else None)

    def call(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return a call of a function by its name."""
        stars = [
            item.unresolved_star for item in message.arguments if item.WhichOneof("expr_type") == "unresolved_star"
        ]
        given = iter(parts)
        arguments: list[Typed] = []
        name = message.function_name
        for argument in message.arguments:
            if argument.WhichOneof("expr_type") != "unresolved_star":
                arguments.append(next(given))
            elif name.lower() != "count":
                arguments += self.star(argument.unresolved_star, scope)
        if stars and name.lower() == "count" and not _given(stars[0], "unparsed_target"):
            return Typed(function(self._nodes, "count", []).node)
        if getattr(message, "is_user_defined_function", False):
            return Typed(self._nodes.node("DatabaseFunction", children=[part.node for part in arguments]))
        if name.lower() == "named_struct":
            return self._named_struct(message, arguments)
        if name.lower() in CASTS and len(arguments) == 1:
            return self._cast_to(SchemaField("", CASTS[name.lower()]), arguments[0], scope)
        return function(self._nodes, name, arguments)

    def _named_struct(self, message: Any, arguments: Sequence[Typed]) -> Typed:
        names = [entry.literal.string for entry in list(message.arguments)[::2]]
        children = [part.node for part in arguments]
        return Typed(self._nodes.node("CreateNamedStruct", names=names, children=children))

    def alias(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return an expression under a name."""
        del scope
        names = list(message.name)
        if len(names) != 1:
            raise Unreadable("several names of one expression")
        return Typed(self._nodes.node("Alias", child=parts[0].node, exprId="", name=names[0]), names[0], parts[0].type)

    def literal(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return a literal, which is made of nothing."""
        del parts, scope
        kind = message.WhichOneof("literal_type")
        return Typed(None, None, SchemaField("", _TYPE_NAMES[kind]) if kind in _TYPE_NAMES else None)

    def cast(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return a cast, which keeps the name of a column."""
        result = self._cast_to(type_of(message), parts[0], scope)
        return Typed(result.node, None, result.type)

    def _cast_to(self, to: SchemaField | None, item: Typed, scope: Scope) -> Typed:
        before = scope.type_of_item(item)
        same = to is not None and before is not None and before.type == to.type and not before.fields
        flat = not same and (to is None or "struct" in to.type or bool(before and before.fields) or not is_nested(to))
        return Typed(self._nodes.node("Cast", child=item.node, same=same, flat=flat), item.name, to)

    def sort_order(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return what rows are sorted by."""
        del message, scope
        return Typed(self._nodes.node("SortOrder", child=parts[0].node))

    def window(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return a function over a window."""
        del scope
        called, *rest = (part.node for part in parts)
        count = len(message.partition_spec)
        spec = self._nodes.node("WindowSpecDefinition", partitionSpec=rest[:count], orderSpec=rest[count:])
        return Typed(self._nodes.node("WindowExpression", windowFunction=called, windowSpec=spec))

    def extract(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return a field, an element, or the value of a key."""
        child, extraction = parts
        literal = message.extraction.literal if message.extraction.WhichOneof("expr_type") == "literal" else None
        child = child._replace(type=scope.type_of_item(child))
        is_name = literal is not None and literal.WhichOneof("literal_type") == "string"
        name = literal.string if literal is not None and is_name else None
        if name is not None and child.type is not None and not child.type.type.startswith("map<"):
            return field_of(self._nodes, child, name)._replace(name=None)
        if name is not None and child.type is None:
            return Typed(self._nodes.node("GetStructField", child=child.node, field=name))
        return Typed(self._nodes.node("GetArrayItem", child=child.node, ordinal=extraction.node))

    def update_fields(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return a struct with one field set, or dropped."""
        old = parts[0]._replace(type=scope.type_of_item(parts[0]))
        if old.type is None or old.type.type != "struct" or "." in message.field_name:
            raise Unreadable("the fields of a struct")
        names = [field.name for field in old.type.fields]
        is_put = len(parts) > 1
        same = next((name for name in names if name.lower() == message.field_name.lower()), None)
        if not is_put:
            names = [name for name in names if name != same]
        elif same is None:
            names.append(message.field_name)
        put = self._nodes.node("WithField", name=same or message.field_name, valExpr=parts[-1].node)
        operations = [put] if is_put else []
        values = {"structExpr": old.node, "fieldOps": operations, "dataType.names": names}
        fields = tuple(self._field(old.type, name, message.field_name, parts) for name in names)
        return Typed(self._nodes.node("UpdateFields", **values), None, SchemaField("", "struct", fields))

    def _field(self, old: SchemaField, name: str, put: str, parts: list[Typed]) -> SchemaField:
        if name.lower() == put.lower():
            new = parts[-1].type
            return SchemaField(name, new.type, new.fields) if new else SchemaField(name, "unknown")
        return next(field for field in old.fields if field.name == name)

    def user_defined(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return a function of the program."""
        del scope
        children = [part.node for part in parts]
        if message.WhichOneof("function") != "python_udf":
            return Typed(self._nodes.node("ScalaUDF", children=children))
        name = message.function_name
        if message.python_udf.eval_type not in _AGGREGATING:
            return Typed(self._nodes.node("PythonUDF", name=name, children=children))
        called = self._nodes.node("PythonUDAF", name=name, children=children)
        return Typed(self._nodes.node("AggregateExpression", aggregateFunction=called))

    def same(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        """Return the one part of a wrapper."""
        del message, scope
        return parts[0]

    def _of_subquery(self, message: Any, parts: list[Typed], scope: Scope) -> Typed:
        kind = message.SubqueryType.Name(message.subquery_type)
        plan = self._subquery(message.plan_id, scope)
        if kind.endswith("SCALAR"):
            return Typed(self._nodes.node("ScalarSubquery", plan=plan))
        if kind.endswith("EXISTS"):
            return Typed(self._nodes.node("Exists", plan=plan))
        if kind.endswith("IN"):
            query = self._nodes.node("ListQuery", plan=plan)
            return Typed(self._nodes.node("InSubquery", values=[part.node for part in parts], query=query))
        raise Unreadable(f"a subquery of the kind {kind}")


def type_of(cast: Any) -> SchemaField | None:
    """Return the type that a cast names, None if it is not a simple one."""
    if cast.WhichOneof("cast_to_type") == "type":
        kind = cast.type.WhichOneof("kind")
        if kind == "decimal":
            return SchemaField("", f"decimal({cast.type.decimal.precision},{cast.type.decimal.scale})")
        return SchemaField("", kind) if kind in CASTS.values() else None
    text = cast.type_str.lower().replace(" ", "")
    simple = CASTS.get(text) or {"integer": "integer", "long": "long", "short": "short", "byte": "byte"}.get(text)
    return SchemaField("", simple or text)


def _given(message: Any, name: str) -> bool:
    return name in message.DESCRIPTOR.fields_by_name and message.HasField(name)


def _name(variable: Any) -> str:
    return ".".join(variable.name_parts)


def _parts(kind: str, message: Any) -> list[Any]:
    """Return the expressions right below one, in the order of the protocol's fields."""
    if kind == "lambda_function":
        return [message.function]
    if kind == "window":
        return [message.window_function, *message.partition_spec, *(order.child for order in message.order_spec)]
    if kind in ("unresolved_function", "call_function"):
        return [argument for argument in message.arguments if argument.WhichOneof("expr_type") != "unresolved_star"]
    parts = _PARTS.get(kind, ())
    expressions: list[Any] = []
    for name in parts:
        value = getattr(message, name)
        if not hasattr(value, "DESCRIPTOR"):
            expressions += value
        elif message.HasField(name):
            expressions.append(value)
    return expressions


_PARTS: Mapping[str, tuple[str, ...]] = {
    "alias": ("expr",),
    "cast": ("expr",),
    "sort_order": ("child",),
    "unresolved_extract_value": ("child", "extraction"),
    "update_fields": ("struct_expression", "value_expression"),
    "common_inline_user_defined_function": ("arguments",),
    "named_argument_expression": ("value",),
    "subquery_expression": ("in_subquery_values",),
}
_Rule = Callable[[ExpressionReader, Any, list[Typed], Scope], Typed]
_RULES: Mapping[str, _Rule] = {
    "unresolved_attribute": ExpressionReader.attribute,
    "unresolved_function": ExpressionReader.call,
    "call_function": ExpressionReader.call,
    "alias": ExpressionReader.alias,
    "literal": ExpressionReader.literal,
    "cast": ExpressionReader.cast,
    "sort_order": ExpressionReader.sort_order,
    "window": ExpressionReader.window,
    "unresolved_extract_value": ExpressionReader.extract,
    "update_fields": ExpressionReader.update_fields,
    "common_inline_user_defined_function": ExpressionReader.user_defined,
    "named_argument_expression": ExpressionReader.same,
}
