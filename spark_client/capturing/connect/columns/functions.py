"""Functions of Spark by their names in SQL, made into nodes for the rules of expressions.

A function outside of the table is the job's own, and may aggregate.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

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


def function(nodes: Nodes, name: str, arguments: Sequence[Typed]) -> Typed:
    """Make the node of a function's call."""
    small = name.lower()
    call = _called(nodes, small, arguments)
    return call._replace(type=arguments[0].type) if small in _OF_FIRST_TYPE and arguments else call


def _called(nodes: Nodes, small: str, arguments: Sequence[Typed]) -> Typed:
    if small in _RULES:
        return _RULES[small](nodes, arguments)
    parts = [argument.node for argument in arguments]
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


def _when(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    parts = [argument.node for argument in arguments]
    pairs = len(parts) // 2 * 2
    branches = [[parts[index], parts[index + 1]] for index in range(0, pairs, 2)]
    otherwise = parts[-1] if len(parts) % 2 else None
    return Typed(nodes.node("CaseWhen", branches=branches, elseValue=otherwise))


def _if(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    predicate, yes, no = (argument.node for argument in arguments)
    return Typed(nodes.node("If", predicate=predicate, trueValue=yes, falseValue=no))


def _null_if(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    predicate = nodes.node("Function", children=[argument.node for argument in arguments])
    return Typed(nodes.node("If", predicate=predicate, trueValue=None, falseValue=arguments[0].node))


def _part_or_null(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    """Make `regexp_substr`: null for an empty part."""
    part = nodes.node("Function", children=[argument.node for argument in arguments])
    return Typed(nodes.node("If", predicate=part, trueValue=None, falseValue=part))


def _right(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    text, length = (argument.node for argument in arguments)
    cut = nodes.node("Function", children=[text, length])
    inner = nodes.node("If", predicate=length, trueValue=None, falseValue=cut)
    return Typed(nodes.node("If", predicate=text, trueValue=None, falseValue=inner))


def _decode(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    """Make `decode`: of a character set with two arguments, else a choice."""
    if len(arguments) < 3:
        return Typed(nodes.node("Function", children=[argument.node for argument in arguments]))
    value, *rest = (argument.node for argument in arguments)
    pairs = len(rest) // 2 * 2
    branches = [[nodes.node("Function", children=[value, rest[at]]), rest[at + 1]] for at in range(0, pairs, 2)]
    return Typed(nodes.node("CaseWhen", branches=branches, elseValue=rest[-1] if len(rest) % 2 else None))


def _nan_or(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    return Typed(nodes.node("NaNvl", left=arguments[0].node, right=arguments[1].node))


def _regression(value: int) -> Callable[[Nodes, Sequence[Typed]], Typed]:
    """Make the rule of `regr_avgx(y, x)`: an aggregate of the argument at `value`, over rows with both arguments."""

    def rule(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
        both = nodes.node("Function", children=[argument.node for argument in arguments])
        chosen = nodes.node("If", predicate=both, trueValue=arguments[value].node, falseValue=None)
        return Typed(_aggregate(nodes, "Function", [chosen]))

    return rule


def _assert(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    """Make `assert_true`: by its condition, null or an error."""
    condition, *message = (argument.node for argument in arguments)
    error = nodes.node("Function", children=message)
    return Typed(nodes.node("If", predicate=condition, trueValue=None, falseValue=error))


def _count_if(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    return Typed(_aggregate(nodes, "Count", [_null_if(nodes, arguments).node]))


def _struct(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    names = [argument.name or f"col{index}" for index, argument in enumerate(arguments, 1)]
    children = [part for argument in arguments for part in (None, argument.node)]
    return Typed(nodes.node("CreateNamedStruct", names=names, children=children))


def _map_of_two(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    return Typed(nodes.node("MapFromArrays", left=arguments[0].node, right=arguments[1].node))


def _of_child(kind: str) -> Callable[[Nodes, Sequence[Typed]], Typed]:
    return lambda nodes, arguments: Typed(nodes.node(kind, child=arguments[0].node))


def _zip(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    names = [argument.name or str(index) for index, argument in enumerate(arguments)]
    parts = [argument.node for argument in arguments]
    return Typed(nodes.node("ArraysZip", **{"dataType.elementType.names": names}, children=parts))


def _inserted(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    into, index, item = (argument.node for argument in arguments)
    return Typed(nodes.node("ArrayInsert", srcArrayExpr=into, posExpr=index, itemExpr=item))


def _sorted(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    """Make `array_sort`; without a function of the job, the elements decide the order."""
    parts = [argument.node for argument in arguments]
    if len(parts) == 1:
        variables = [nodes.node("NamedLambdaVariable", exprId=nodes.new_id(), name="element") for _ in range(2)]
        compared = nodes.node("Function", children=variables)
        parts.append(nodes.node("LambdaFunction", function=compared, arguments=variables))
    return Typed(nodes.node("ArraySort", children=parts))


def _fold(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    array, zero, merge, *finish = (argument.node for argument in arguments)
    if not finish:
        variable = nodes.node("NamedLambdaVariable", exprId=nodes.new_id(), name="total")
        finish = [nodes.node("LambdaFunction", function=variable, arguments=[variable])]
    return Typed(nodes.node("ArrayAggregate", argument=array, zero=zero, merge=merge, finish=finish[0]))


def _window_of_time(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:
    bounds = [part for _ in range(2) for part in (None, nodes.node("Function", children=[arguments[0].node]))]
    return Typed(nodes.node("CreateNamedStruct", names=["start", "end"], children=bounds), "window")


def _same(nodes: Nodes, arguments: Sequence[Typed]) -> Typed:  # noqa: ARG001 - a rule takes both
    return Typed(arguments[0].node)


_RULES: Mapping[str, Callable[[Nodes, Sequence[Typed]], Typed]] = {
    "when": _when,
    "if": _if,
    "nvl2": _if,
    "nullif": _null_if,
    "nullifzero": _null_if,
    "zeroifnull": lambda nodes, arguments: Typed(nodes.node("Coalesce", children=[arguments[0].node, None])),
    "regexp_substr": _part_or_null,
    "right": _right,
    "decode": _decode,
    "nanvl": _nan_or,
    "count_if": _count_if,
    "assert_true": _assert,
    "regr_avgx": _regression(1),
    "regr_avgy": _regression(0),
    "regr_sxx": _regression(1),
    "regr_syy": _regression(0),
    "struct": _struct,
    "map_from_arrays": _map_of_two,
    "map_from_entries": _of_child("MapFromEntries"),
    "map_entries": _of_child("MapEntries"),
    "map_keys": _of_child("MapKeys"),
    "map_values": _of_child("MapValues"),
    "arrays_zip": _zip,
    "array_insert": _inserted,
    "array_sort": _sorted,
    "aggregate": _fold,
    "reduce": _fold,
    "positive": _same,
    "window": _window_of_time,
}
