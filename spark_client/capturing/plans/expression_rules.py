"""Rules of expressions: aggregates, windows, conditions, subqueries, functions of Python.

A rule gets the node, and an `Expressions` with the values of the node's parts. For a new expression, add a rule to
`RULES`, or a word to the table in `functions`; rules of structs, arrays and maps are in `collection_rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from headwater_model.columns import Transformation
from spark_client.capturing.plans import collection_rules
from spark_client.capturing.plans.collection_rules import Rule, higher_order
from spark_client.capturing.plans.functions import MASKING, Effect, classes
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import (
    AGGREGATED,
    CHANGED,
    CONDITIONAL,
    FILTER,
    NOTHING,
    SOMEHOW,
    WINDOW,
    Value,
    change,
    decided_by,
    keep,
    merge_values,
    unknown,
)

if TYPE_CHECKING:
    from spark_client.capturing.plans.expressions import Expressions

# Expressions equal to their first part.
_SAME = classes(Effect.IS_FIRST)
# Ranks: made of the window's order, not of arguments.
_RANKS = classes(Effect.NOTHING)
_MASKED = Transformation("DIRECT", "IDENTITY", masking=True)
# Methods of `CharVarcharCodegenUtils`, put by Spark around values of CHAR and VARCHAR columns.
_OF_CHAR_TYPES = ("charTypeWriteSideCheck", "varcharTypeWriteSideCheck", "readSidePadding")


def parts_of(node: Node) -> Sequence[Node]:
    """List the parts of a node to evaluate before the node: no plans of subqueries, no bodies of lambdas."""
    if "replacement" in node.values:
        return node.nodes("replacement")
    if node.kind in _OWN_WALK:
        return ()
    if "plan" in node.values:
        return node.nodes(*(name for name in node.values if name != "plan"))
    return node.below


def value_of(node: Node, of: Expressions) -> Value:
    """Evaluate a node by the rule of its kind."""
    value = _find_rule(node)(node, of)
    return keep(_MASKED, value) if node.kind in MASKING else value


def _find_rule(node: Node) -> Rule:
    if "replacement" in node.values:
        return lambda item, of: of.value(item.values["replacement"])
    if node.kind in RULES:
        return RULES[node.kind]
    if any(part.kind == "LambdaFunction" for part in node.below):
        return higher_order
    if "exprId" in node.values and "child" not in node.values:
        return _attribute
    if node.kind in _SAME:
        return lambda item, of: of.value(next(iter(item.below), None))
    return _changing


def _attribute(node: Node, of: Expressions) -> Value:
    value = of.scope.get(node.text("exprId") or "")
    return unknown(f"{node.kind}: {node.text('name')} is nowhere in the plan") if value is None else value


def _changing(node: Node, of: Expressions) -> Value:
    return change(CHANGED, map(of.value, parts_of(node)))


def _case(node: Node, of: Expressions) -> Value:
    branches = [branch for branch in node.values.get("branches") or () if isinstance(branch, list)]
    return _chosen(
        of, [branch[0] for branch in branches], [*(branch[1] for branch in branches), node.values.get("elseValue")]
    )


def _if(node: Node, of: Expressions) -> Value:
    if _rebuilt(node) is not None:
        return of.value(node.node("falseValue"))
    return _chosen(of, [node.values.get("predicate")], [node.values.get("trueValue"), node.values.get("falseValue")])


def _rebuilt(node: Node) -> tuple[str, ...] | None:
    """Find the path of a struct fitted by Spark to a schema: `if(isnull(s), null, struct(s.b, s.a))`, in an INSERT."""
    predicate, struct = node.node("predicate"), node.node("falseValue")
    if predicate is None or predicate.kind != "IsNull" or struct is None or struct.kind != "CreateNamedStruct":
        return None
    old = _place(predicate.node("child"))
    fields = [field for field in (struct.values.get("children") or [])[1::2] if isinstance(field, Node)]
    inside = old is not None and all((_place(field) or ())[: len(old)] == old for field in fields)
    return old if inside and fields and node.node("trueValue") is None else None


def _place(node: Node | None) -> tuple[str, ...] | None:
    """Find an attribute's id and the path of a field in it, as in `("7", "address", "city")`; else None."""
    path: list[str] = []
    while node is not None and (node.kind in _SAME or node.kind in ("GetStructField", "Cast")):
        path = [node.text("field") or "", *path] if node.kind == "GetStructField" else path
        node = node.node("child")
    if node is None or node.kind == "If":
        root = None if node is None else _rebuilt(node)
        return None if root is None else (*root, *path)
    root_id = node.text("exprId")
    return None if root_id is None else (root_id, *path)


def _coalesce(node: Node, of: Expressions) -> Value:
    children = node.values.get("children") or []
    return _chosen(of, children[:-1], children)


def _chosen(of: Expressions, conditions: Iterable[object], choices: Iterable[object]) -> Value:
    deciding = change(CONDITIONAL, map(of.value, conditions))
    return decided_by(merge_values(keep(CHANGED, of.value(choice)) for choice in choices), deciding)


def _aggregate(node: Node, of: Expressions) -> Value:
    function = node.node("aggregateFunction")
    if function is None:
        return NOTHING
    filtered = change(FILTER, [of.value(node.values.get("filter"))])
    return decided_by(keep(AGGREGATED, of.value(function)), filtered)


def _pivot_first(node: Node, of: Expressions) -> Value:
    deciding = change(CONDITIONAL, [of.value(node.node("pivotColumn"))])
    return decided_by(of.value(node.node("valueColumn")), deciding)


def _window(node: Node, of: Expressions) -> Value:
    function, spec = node.node("windowFunction"), node.node("windowSpec")
    value = NOTHING if function is None or function.kind in _RANKS else of.value(function)
    parts = spec.nodes("partitionSpec", "orderSpec") if spec is not None else []
    return decided_by(value, change(WINDOW, map(of.value, parts)))


def _invoked(node: Node, of: Expressions) -> Value:
    arguments = node.values.get("arguments")
    if node.text("functionName") in _OF_CHAR_TYPES and isinstance(arguments, list) and arguments:
        return of.value(arguments[0])
    return _changing(node, of)


def _time_conversion(node: Node, of: Expressions) -> Value:
    """Evaluate a bound of `window` or `session_window`: its source is the converted time, not Spark's CASE."""
    times, left = [], list(node.below)
    while left:
        inside = left.pop()
        if inside.kind == node.kind:
            times.append(inside)
        else:
            left.extend(inside.below)
    return change(CHANGED, map(of.value, times)) if times else _changing(node, of)


def _python_function(node: Node, of: Expressions) -> Value:
    kind = "udtf" if node.kind == "PythonUDTF" else "udf"
    how = Transformation("DIRECT", "TRANSFORMATION", f"python {kind} {node.text('name') or ''}".strip(), masking=False)
    return change(how, of.values(node.values.get("children")))


def _in_subquery(node: Node, of: Expressions) -> Value:
    outer = change(CHANGED, of.values(node.values.get("values")))
    return decided_by(outer, of.value(node.node("query")))


def _subquery(of_outputs: Callable[[Iterable[Value]], Value]) -> Rule:
    """Make the rule of a subquery: a value of its output columns, decided by its rows."""

    def rule(node: Node, of: Expressions) -> Value:
        plan = node.node("plan")
        if plan is None:
            return NOTHING
        return decided_by(of_outputs(of.subqueries.outputs(plan)), Value(of.subqueries.rows(plan)))

    return rule


def _references(node: Node, of: Expressions) -> Value:
    """Evaluate an expression read without kinds (tier `sources`): only its references are known."""
    values = [of.scope[reference] for reference in node.values.get("references") or () if reference in of.scope]
    for plan in node.nodes("plans"):
        if plan.kind == "VariableReference":
            values.append(_variable(plan, of))
            continue
        values += of.subqueries.outputs(plan)
        values.append(Value(of.subqueries.rows(plan)))
    return change(SOMEHOW, values)


def _with(node: Node, of: Expressions) -> Value:
    defined = {_common(definition): of.value(definition.node("child")) for definition in node.nodes("defs")}
    return of.with_variables(defined).value(node.node("child"))


def _common_reference(node: Node, of: Expressions) -> Value:
    value = of.scope.get(_common(node))
    return unknown(f"{node.kind}: is nowhere in the plan") if value is None else value


def _common(node: Node) -> str:
    return f"common {node.at('id', 'id')}"


def variable_key(node: Node) -> str:
    """Render the key of a variable in scopes and sessions, from its catalog and identifier.

    >>> node = Node(0, "VariableReference")
    >>> node.values = {"catalog": {"name": "system"}, "identifier": {"namespace": ["session"], "name": "Day"}}
    >>> variable_key(node)
    'variable system.session.day'
    """
    catalog, identifier = node.object("catalog"), node.object("identifier")
    parts = [catalog.get("name")] if catalog else []
    if identifier:
        parts += [*(identifier.get("namespace") or ()), identifier.get("name")]
    return f"variable {'.'.join(map(str, parts)).lower()}"


def _variable(node: Node, of: Expressions) -> Value:
    value = of.scope.get(variable_key(node))
    return unknown(f"{node.kind}: is nowhere in the session") if value is None else value


RULES: Mapping[str, Rule] = {
    **collection_rules.RULES,
    "SQLScalarFunction": lambda node, of: of.value(node.values.get("child")),
    "CaseWhen": _case,
    "If": _if,
    "Coalesce": _coalesce,
    "NaNvl": lambda node, of: _chosen(of, node.nodes("left"), node.nodes("left", "right")),
    "AggregateExpression": _aggregate,
    "PivotFirst": _pivot_first,
    "WindowExpression": _window,
    "StaticInvoke": _invoked,
    "PreciseTimestampConversion": _time_conversion,
    "PythonUDF": _python_function,
    "PythonUDAF": _python_function,
    "PythonUDTF": _python_function,
    "ScalarSubquery": _subquery(merge_values),
    "LateralSubquery": _subquery(partial(change, CHANGED)),
    "ListQuery": _subquery(partial(change, CHANGED)),
    "InSubquery": _in_subquery,
    "Exists": _subquery(lambda _: NOTHING),
    "References": _references,
    "VariableReference": _variable,
    # A database's own function: it may aggregate, or not.
    "DatabaseFunction": lambda node, of: change(SOMEHOW, map(of.value, parts_of(node))),
    "UnreadExpression": lambda node, _: unknown(f"{node.kind}: {node.text('name')}"),
    # The function around the lambda evaluates its body, with variables.
    "LambdaFunction": lambda *_: NOTHING,
    "With": _with,
    "CommonExpressionRef": _common_reference,
}
# Kinds with rules for their own parts: lambdas have variables of their own.
_OWN_WALK: frozenset[str] = frozenset({"LambdaFunction", "References", "With"})
