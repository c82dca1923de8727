"""Functions of Spark by their names in SQL, made into nodes for the rules of expressions.

A function outside of the table is the job's own, and may aggregate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from spark_client.capturing.connect.columns.frames import Nodes, Typed
from spark_client.capturing.plans.functions import FUNCTIONS, Effect
from spark_client.capturing.plans.plan import Node

_OF_GENERATORS = ("Explode", "PosExplode", "Inline", "Stack", "JsonTuple")
GENERATORS: Mapping[str, str] = {name: each.kind for name, each in FUNCTIONS.items() if each.kind in _OF_GENERATORS}
# Functions with a meaning for each place of an argument.
BY_PLACE = frozenset(name for name, each in FUNCTIONS.items() if each.effect in (Effect.OWN, Effect.KEEPS_FIRST))
# Functions whose result has the type of their first argument.
_OF_FIRST_TYPE = frozenset(
    {"array_compact", "array_distinct", "array_except", "array_remove", "array_sort", "filter", "map_filter"}
    | {"reverse", "shuffle", "slice", "sort_array"}
)
CASTS: Mapping[str, str] = {
    "bigint": "long",
    "binary": "binary",
    "boolean": "boolean",
    "date": "date",
    "double": "double",
    "float": "float",
    "int": "integer",
    "smallint": "short",
    "string": "string",
    "timestamp": "timestamp",
    "tinyint": "byte",
}


Part: TypeAlias = "Node | None"
Rule: TypeAlias = Callable[[Nodes, Sequence[Part]], Part]


def function(nodes: Nodes, name: str, arguments: Sequence[Typed]) -> Typed:
    """Make the node of a function's call."""
    small = name.lower()
    call = _called(nodes, small, arguments)
    return call._replace(type=arguments[0].type) if small in _OF_FIRST_TYPE and arguments else call


def _called(nodes: Nodes, small: str, arguments: Sequence[Typed]) -> Typed:
    if small in _NAMING:
        return _NAMING[small](nodes, arguments)
    parts = [argument.node for argument in arguments]
    if small in _RULES:
        return Typed(_RULES[small](nodes, parts))
    known = FUNCTIONS.get(small)
    if known is None:
        return Typed(nodes.node("DatabaseFunction", children=parts))
    if known.aggregates:
        return Typed(_aggregate(nodes, known.kind or "Function", parts))
    if known.effect is Effect.NOTHING and not known.kind:
        return Typed(None)
    return Typed(nodes.node(known.kind or "Function", children=parts))


def _aggregate(nodes: Nodes, kind: str, parts: Sequence[Node | None]) -> Node:
    return nodes.node("AggregateExpression", aggregateFunction=nodes.node(kind, children=list(parts)))


def _when(nodes: Nodes, parts: Sequence[Part]) -> Part:
    pairs = len(parts) // 2 * 2
    branches = [[parts[index], parts[index + 1]] for index in range(0, pairs, 2)]
    return nodes.node("CaseWhen", branches=branches, elseValue=parts[-1] if len(parts) % 2 else None)


def _if(nodes: Nodes, parts: Sequence[Part]) -> Part:
    predicate, yes, no = parts
    return nodes.node("If", predicate=predicate, trueValue=yes, falseValue=no)


def _call(nodes: Nodes, *parts: Part) -> Node:
    return nodes.node("Function", children=list(parts))


def _null_if(nodes: Nodes, parts: Sequence[Part]) -> Part:
    return _if(nodes, [_call(nodes, *parts), None, parts[0]])


def _part_or_null(nodes: Nodes, parts: Sequence[Part]) -> Part:
    """Make `regexp_substr`: null for an empty part."""
    part = _call(nodes, *parts)
    return _if(nodes, [part, None, part])


def _right(nodes: Nodes, parts: Sequence[Part]) -> Part:
    text, length = parts
    return _if(nodes, [text, None, _if(nodes, [length, None, _call(nodes, text, length)])])


def _decode(nodes: Nodes, parts: Sequence[Part]) -> Part:
    """Make `decode`: of a character set with two arguments, else a choice."""
    if len(parts) < 3:
        return _call(nodes, *parts)
    value, *rest = parts
    pairs = len(rest) // 2 * 2
    return _when(
        nodes, [_call(nodes, value, part) if at < pairs and at % 2 == 0 else part for at, part in enumerate(rest)]
    )


def _regression(value: int) -> Rule:
    """Make the rule of `regr_avgx(y, x)`: an aggregate of the argument at `value`, over rows with both arguments."""
    return lambda nodes, parts: _aggregate(nodes, "Function", [_if(nodes, [_call(nodes, *parts), parts[value], None])])


def _assert(nodes: Nodes, parts: Sequence[Part]) -> Part:
    """Make `assert_true`: by its condition, null or an error."""
    condition, *message = parts
    return _if(nodes, [condition, None, _call(nodes, *message)])


def _inserted(nodes: Nodes, parts: Sequence[Part]) -> Part:
    into, index, item = parts
    return nodes.node("ArrayInsert", srcArrayExpr=into, posExpr=index, itemExpr=item)


def _sorted(nodes: Nodes, parts: Sequence[Part]) -> Part:
    """Make `array_sort`; without a function of the job, the elements decide the order."""
    if len(parts) == 1:
        variables = [nodes.node("NamedLambdaVariable", exprId=nodes.new_id(), name="element") for _ in range(2)]
        compared = nodes.node("LambdaFunction", function=_call(nodes, *variables), arguments=variables)
        parts = [*parts, compared]
    return nodes.node("ArraySort", children=list(parts))


def _fold(nodes: Nodes, parts: Sequence[Part]) -> Part:
    array, zero, merge, *finish = parts
    if not finish:
        variable = nodes.node("NamedLambdaVariable", exprId=nodes.new_id(), name="total")
        finish = [nodes.node("LambdaFunction", function=variable, arguments=[variable])]
    return nodes.node("ArrayAggregate", argument=array, zero=zero, merge=merge, finish=finish[0])


def _of_child(kind: str) -> Rule:
    return lambda nodes, parts: nodes.node(kind, child=parts[0])


def _of_two(kind: str) -> Rule:
    return lambda nodes, parts: nodes.node(kind, left=parts[0], right=parts[1])


def _zip(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    names = [argument.name or str(index) for index, argument in enumerate(arguments)]
    parts = [argument.node for argument in arguments]
    return Typed(nodes.node("ArraysZip", **{"dataType.elementType.names": names}, children=parts))


def _window_of_time(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    bounds = [part for _ in range(2) for part in (None, _call(nodes, arguments[0].node))]
    return Typed(nodes.node("CreateNamedStruct", names=["start", "end"], children=bounds), "window")


# Rules with names in their results, and rules of nodes alone.
_NAMING: Mapping[str, Callable[[Nodes, Sequence[Typed]], Typed]] = {
    "arrays_zip": _zip,
    "window": _window_of_time,
}
_RULES: Mapping[str, Rule] = {
    "when": _when,
    "if": _if,
    "nvl2": _if,
    "nullif": _null_if,
    "nullifzero": _null_if,
    "zeroifnull": lambda nodes, parts: nodes.node("Coalesce", children=[parts[0], None]),
    "regexp_substr": _part_or_null,
    "right": _right,
    "decode": _decode,
    "nanvl": _of_two("NaNvl"),
    "count_if": lambda nodes, parts: _aggregate(nodes, "Count", [_null_if(nodes, parts)]),
    "assert_true": _assert,
    "regr_avgx": _regression(1),
    "regr_avgy": _regression(0),
    "regr_sxx": _regression(1),
    "regr_syy": _regression(0),
    "map_from_arrays": _of_two("MapFromArrays"),
    "map_from_entries": _of_child("MapFromEntries"),
    "map_entries": _of_child("MapEntries"),
    "map_keys": _of_child("MapKeys"),
    "map_values": _of_child("MapValues"),
    "array_insert": _inserted,
    "array_sort": _sorted,
    "aggregate": _fold,
    "reduce": _fold,
    "positive": lambda _, parts: parts[0],
}
