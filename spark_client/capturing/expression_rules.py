"""What each kind of expression makes of columns, where it does more than change what goes in.

A rule takes the node and an `Expressions`, of which it asks the values of the node's parts. To teach a new expression,
add a rule to `RULES`, or its name to one of the sets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from lineage.fields.columns import Transformation
from spark_client.capturing.plan import Node, kinds
from spark_client.capturing.values import (
    AGGREGATED,
    CHANGED,
    CONDITIONAL,
    FILTER,
    NOTHING,
    SOMEHOW,
    WINDOW,
    Value,
    change,
    get_field,
    keep,
    unite,
    unknown,
)

if TYPE_CHECKING:
    from spark_client.capturing.expressions import Expressions

# The value of the first part, as it is.
_SAME = kinds(
    """
    Alias OuterReference PromotePrecision CheckOverflow KnownNotNull KnownNullable KnownNotContainsNull
    AssertNotNull KnownFloatingPointNormalized NormalizeNaNAndZero SortOrder TempResolvedColumn InheritAnalysisRules
    OuterScopeReference GetViewColumnByNameAndOrdinal ReferenceToExpressions WithField
    """
)
# What these give has the structure of what they take: an element, or a collection with the same elements.
_KEEPING = kinds(
    """
    GetArrayItem GetMapValue ElementAt TryElementAt Explode PosExplode Stack Inline Slice Reverse SortArray
    ArrayDistinct ArrayExcept ArrayUnion ArrayIntersect ArrayRemove ArrayRepeat ArrayCompact ArrayInsert ArrayAppend
    ArrayPrepend Flatten Concat CreateArray MapValues MapConcat Shuffle Get UpCast
    AnsiCast TryCast CollectList CollectSet First Last AnyValue Max Min Greatest Least Collate ArrayMax
    ArrayMin ReplicateRows Mode ListAgg
    """
)
# Functions of OpenLineage's list (TransformationInfo, 1.2x) whose result does not show what went in.
MASKING = kinds(
    """
    Crc32 HiveHash Md5 Murmur3Hash Sha1 Sha2 XxHash64 CollationAwareMurmur3Hash Mask Count
    """
)
# Ranks: they are made of the window's order, not of arguments.
_RANKS = kinds(
    """
    Rank DenseRank PercentRank RowNumber NTile CumeDist
    """
)

Rule: TypeAlias = "Callable[[Node, Expressions], Value]"


def parts_of(node: Node) -> Sequence[Node]:
    """The expressions that a node's rule asks for: not the plans of subqueries, not the bodies of lambdas."""
    if "replacement" in node.values:
        return node.nodes("replacement")
    if node.kind in _OWN_WALK:
        return ()
    if "plan" in node.values:
        return node.nodes(*(name for name in node.values if name != "plan"))
    return node.below


def find_rule(node: Node) -> Rule:
    """What is to be done with a node of its kind."""
    if node.kind in RULES:
        return RULES[node.kind]
    if "replacement" in node.values:
        return lambda one, of: of.value(one.values["replacement"])
    if any(part.kind == "LambdaFunction" for part in node.below):
        return _higher_order
    if "exprId" in node.values and "child" not in node.values:
        return _attribute
    if node.kind in _SAME:
        return lambda one, of: of.value(next(iter(one.below), None))
    return _keeping if node.kind in _KEEPING else _changing


def _attribute(node: Node, of: Expressions) -> Value:
    found = of.scope.get(node.text("exprId") or "")
    return unknown(f"{node.kind}: {node.text('name')} is nowhere in the plan") if found is None else found


def _changing(node: Node, of: Expressions) -> Value:
    return change(CHANGED, map(of.value, parts_of(node)))


def _keeping(node: Node, of: Expressions) -> Value:
    return unite(keep(CHANGED, of.value(part)) for part in parts_of(node))


def _cast(node: Node, of: Expressions) -> Value:
    """To the same type nothing happens; fields of structs go by their place, whatever they are called."""
    child = of.value(node.node("child"))
    if node.values.get("same") is True:
        return child
    before, after = node.values.get("from") or [], node.values.get("to") or []
    if before == after:
        return keep(CHANGED, child)
    fields = zip(after, before, strict=False)
    return Value(fields={name: keep(CHANGED, get_field(child, old)) for name, old in fields}, unknown=child.unknown)


def _zip(node: Node, of: Expressions) -> Value:
    names = node.values.get("dataType.elementType.names") or []
    values = of.values(node.values.get("children") or [])
    return Value(fields={str(name): keep(CHANGED, value) for name, value in zip(names, values, strict=False)})


def _map(node: Node, of: Expressions) -> Value:
    """A map has the structure of its values; keys only decide which one it is."""
    if node.kind == "CreateMap":
        children = node.values.get("children") or []
        keys, values = children[::2], children[1::2]
    else:
        keys, values = [node.values.get("left")], [node.values.get("right")]
    return unite([change(CHANGED, map(of.value, keys)), *(keep(CHANGED, of.value(value)) for value in values)])


def _child(node: Node, of: Expressions) -> Value:
    return of.value(node.values.get("child"))


def _struct_field(node: Node, of: Expressions) -> Value:
    name = node.text("field") or node.text("field.name")
    child = of.value(node.node("child"))
    return change(CHANGED, [child]) if name is None else get_field(child, name)


def _struct(node: Node, of: Expressions) -> Value:
    names, children = node.values.get("names") or [], node.values.get("children") or []
    values = map(of.value, children[1::2])
    return Value(fields={str(name): value for name, value in zip(names, values, strict=False)})


def _with_fields(node: Node, of: Expressions) -> Value:
    """`withField` and `dropFields`: the fields that are put into a struct, and those of the old one that are left."""
    old = of.value(node.node("structExpr"))
    put = {change_of.text("name"): change_of for change_of in node.nodes("fieldOps") if change_of.kind == "WithField"}
    names = node.values.get("dataType.names") or [*old.fields, *put]
    return Value(fields={name: of.value(put[name]) if name in put else get_field(old, name) for name in names})


def _case(node: Node, of: Expressions) -> Value:
    branches = [branch for branch in node.values.get("branches") or () if isinstance(branch, list)]
    return _chosen(
        of, [branch[0] for branch in branches], [*(branch[1] for branch in branches), node.values.get("elseValue")]
    )


def _if(node: Node, of: Expressions) -> Value:
    return _chosen(of, [node.values.get("predicate")], [node.values.get("trueValue"), node.values.get("falseValue")])


def _coalesce(node: Node, of: Expressions) -> Value:
    children = node.values.get("children") or []
    return _chosen(of, children[:-1], children)


def _nan_or(node: Node, of: Expressions) -> Value:
    return _chosen(of, [node.values.get("left")], [node.values.get("left"), node.values.get("right")])


def _chosen(of: Expressions, conditions: Iterable[object], choices: Iterable[object]) -> Value:
    """One of several values, by conditions."""
    deciding = change(CONDITIONAL, map(of.value, conditions))
    return _beside(unite(keep(CHANGED, of.value(choice)) for choice in choices), deciding)


def _beside(value: Value, deciding: Value) -> Value:
    """A value, and what decides about it; where the value is a struct, about each of its fields."""
    if deciding == NOTHING:
        return value
    if value.fields and not value.made_of:
        return Value(
            fields={name: _beside(field, deciding) for name, field in value.fields.items()}, unknown=value.unknown
        )
    return Value(value.made_of | deciding.made_of, value.fields, value.unknown | deciding.unknown)


def _aggregate(node: Node, of: Expressions) -> Value:
    function = node.node("aggregateFunction")
    if function is None:
        return NOTHING
    filtered = change(FILTER, [of.value(node.values.get("filter"))])
    return _beside(keep(AGGREGATED, of.value(function)), filtered)


def _pivot_first(node: Node, of: Expressions) -> Value:
    deciding = change(CONDITIONAL, [of.value(node.node("pivotColumn"))])
    return _beside(of.value(node.node("valueColumn")), deciding)


def _window(node: Node, of: Expressions) -> Value:
    function, spec = node.node("windowFunction"), node.node("windowSpec")
    value = NOTHING if function is None or function.kind in _RANKS else of.value(function)
    parts = spec.nodes("partitionSpec", "orderSpec") if spec is not None else []
    return _beside(value, change(WINDOW, map(of.value, parts)))


def _python_function(node: Node, of: Expressions) -> Value:
    kind = "udtf" if node.kind == "PythonUDTF" else "udf"
    how = Transformation("DIRECT", "TRANSFORMATION", f"python {kind} {node.text('name') or ''}".strip(), masking=False)
    return change(how, of.values(node.values.get("children")))


def _scalar_subquery(node: Node, of: Expressions) -> Value:
    plan = node.node("plan")
    if plan is None:
        return NOTHING
    value = unite(of.subqueries.outputs(plan))
    return _beside(value, Value(of.subqueries.rows(plan)))


def _in_subquery(node: Node, of: Expressions) -> Value:
    outer = change(CHANGED, of.values(node.values.get("values")))
    return _beside(outer, of.value(node.node("query")))


def _listed(node: Node, of: Expressions) -> Value:
    """What `IN` looks into: the subquery's columns, and what decides about its rows."""
    plan = node.node("plan")
    if plan is None:
        return NOTHING
    return _beside(change(CHANGED, of.subqueries.outputs(plan)), Value(of.subqueries.rows(plan)))


def _exists(node: Node, of: Expressions) -> Value:
    plan = node.node("plan")
    return NOTHING if plan is None else Value(of.subqueries.rows(plan))


def _references(node: Node, of: Expressions) -> Value:
    """An expression of which only the references were read."""
    values = [of.scope[one] for one in node.values.get("references") or () if one in of.scope]
    for plan in node.nodes("plans"):
        values += of.subqueries.outputs(plan)
        values.append(Value(of.subqueries.rows(plan)))
    return change(SOMEHOW, values)


def _with(node: Node, of: Expressions) -> Value:
    """An expression in which others, that stand in it more than once, have names."""
    defined = {_common(one): of.value(one.node("child")) for one in node.nodes("defs")}
    return of.with_variables(defined).value(node.node("child"))


def _common_reference(node: Node, of: Expressions) -> Value:
    found = of.scope.get(_common(node))
    return unknown(f"{node.kind}: is nowhere in the plan") if found is None else found


def _common(node: Node) -> str:
    """What the name of a common expression is in a scope."""
    name = node.values.get("id")
    return f"common {name.get('id')}" if isinstance(name, Mapping) else "common"


def _higher_order(node: Node, of: Expressions) -> Value:
    """Lambdas over collections: their variables are the elements of what the function takes."""
    functions = [part for part in node.below if part.kind == "LambdaFunction"]
    taken = [of.value(part) for part in node.below if part.kind != "LambdaFunction"]
    bodies = [_body(node, function, taken, of) for function in functions]
    if node.kind in ("ArrayTransform", "TransformValues", "ZipWith", "MapZipWith"):
        return unite(keep(CHANGED, body) for body in bodies)
    if node.kind in ("ArrayFilter", "MapFilter", "ArraySort"):
        return _beside(unite(keep(CHANGED, one) for one in taken), change(CHANGED, bodies))
    return change(CHANGED, [*taken, *bodies])


def _fold(node: Node, of: Expressions) -> Value:
    """`aggregate`: what the elements are added up to, and what is made of that in the end."""
    element = keep(CHANGED, of.value(node.values.get("argument")))
    total = of.value(node.values.get("zero"))
    for _ in range(2):  # what was added up goes into the next sum
        total = unite([total, _called(node.node("merge"), [total, element], of)])
    return keep(CHANGED, _called(node.node("finish"), [total], of))


def _called(function: Node | None, arguments: Sequence[Value], of: Expressions) -> Value:
    """A lambda's value with these arguments."""
    if function is None or function.kind != "LambdaFunction":
        return of.value(function)
    variables = zip(function.nodes("arguments"), arguments, strict=False)
    bound = {one.text("exprId") or "": value for one, value in variables}
    return of.with_variables(bound).value(function.node("function"))


def _body(node: Node, function: Node, taken: list[Value], of: Expressions) -> Value:
    elements = [keep(CHANGED, value) for value in taken]
    count = len(function.nodes("arguments"))
    return _called(function, [_variable(node.kind, place, elements) for place in range(count)], of)


def _variable(kind: str, place: int, elements: list[Value]) -> Value:
    """What a lambda's variable is, by its place: an element, an index, a key or a value."""
    if kind in ("ArrayTransform", "ArrayFilter") and place == 1:
        return NOTHING
    if kind == "ZipWith":
        return elements[place]
    if kind == "MapZipWith" and place > 0:
        return elements[place - 1]
    return unite(elements)


def _lambda(node: Node, of: Expressions) -> Value:  # noqa: ARG001 - a rule takes both
    """Nothing by itself: its function asks for its body, with variables."""
    return NOTHING


RULES: Mapping[str, Rule] = {
    "GetStructField": _struct_field,
    "GetArrayStructFields": _struct_field,
    "CreateNamedStruct": _struct,
    "Cast": _cast,
    "ArraysZip": _zip,
    "CreateMap": _map,
    "MapFromArrays": _map,
    "SQLScalarFunction": _child,
    "ArrayAggregate": _fold,
    "UpdateFields": _with_fields,
    "CaseWhen": _case,
    "If": _if,
    "Coalesce": _coalesce,
    "NaNvl": _nan_or,
    "AggregateExpression": _aggregate,
    "PivotFirst": _pivot_first,
    "WindowExpression": _window,
    "PythonUDF": _python_function,
    "PythonUDAF": _python_function,
    "PythonUDTF": _python_function,
    "ScalarSubquery": _scalar_subquery,
    "LateralSubquery": _listed,
    "ListQuery": _listed,
    "InSubquery": _in_subquery,
    "Exists": _exists,
    "References": _references,
    "LambdaFunction": _lambda,
    "With": _with,
    "CommonExpressionRef": _common_reference,
}
# Their rules ask for what they need: lambdas have variables of their own.
_OWN_WALK: frozenset[str] = frozenset({"LambdaFunction", "References", "With"})
