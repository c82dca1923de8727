"""Rules of expressions on structs, arrays and maps: where a field's path goes on, and where it ends.

An array has the structure of its elements, a map of its values: `employees.name` are the names of all employees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from spark_client.capturing.plans.functions import Effect, classes
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import (
    CHANGED,
    CONDITIONAL,
    NOTHING,
    Value,
    change,
    decided_by,
    get_field,
    keep,
    merge_values,
    unknown,
)

if TYPE_CHECKING:
    from spark_client.capturing.plans.expressions import Expressions

Rule: TypeAlias = "Callable[[Node, Expressions], Value]"
# Names of a struct's fields, each with the names inside.
_Names: TypeAlias = "Sequence[tuple[str, _Names]] | None"

_OF_BODIES = ("ArrayTransform", "TransformValues", "ZipWith", "MapZipWith")
_OF_SOME_ELEMENTS = ("ArrayFilter", "MapFilter", "ArraySort")
_ENTRY = ("key", "value")


def keeping(node: Node, of: Expressions) -> Value:
    """Merge all parts, with their structure."""
    return merge_values(keep(CHANGED, of.value(part)) for part in node.below)


def _first_keeping(node: Node, of: Expressions) -> Value:
    # Literals count as parameters, and so do the elements of lists.
    parts = [part for value in node.values.values() for part in (value if isinstance(value, list) else [value])]
    first, *others = list(map(of.value, parts)) or [NOTHING]
    return merge_values([keep(CHANGED, first), change(CHANGED, others)])


def _comparing(node: Node, of: Expressions) -> Value:
    value = keeping(node, of)
    if not value.fields:
        return value
    # The first field of a struct decides; later fields, for equal first fields, are left out.
    (name, first), *others = value.fields.items()
    deciding = change(CONDITIONAL, [first])
    fields = {name: first, **{other: decided_by(field, deciding) for other, field in others}}
    return Value(value.made_of, fields, value.unknown)


def _inserted(node: Node, of: Expressions) -> Value:
    into, place, item = (of.value(node.values.get(name)) for name in ("srcArrayExpr", "posExpr", "itemExpr"))
    return merge_values([keep(CHANGED, into), keep(CHANGED, item), change(CHANGED, [place])])


def _cast(node: Node, of: Expressions) -> Value:
    """Evaluate a cast: unchanged for the same type; fields of structs are matched by position."""
    child = of.value(node.node("child"))
    if node.values.get("same") is True:
        return child
    # Spark's own cast to the type of a written column changes no value.
    if node.values.get("inserted") is True:
        return _renamed(child, node.values.get("from"), node.values.get("to"))
    if node.values.get("flat") is True:
        return change(CHANGED, [child])
    return keep(CHANGED, _renamed(child, node.values.get("from"), node.values.get("to")))


def _renamed(value: Value, before: _Names, after: _Names) -> Value:
    if before is None or after is None or before == after:
        return value
    pairs = zip(before, after, strict=False)
    fields = {name: _renamed(get_field(value, old), inside, within) for (old, inside), (name, within) in pairs}
    return Value(fields=fields, unknown=value.unknown)


def _zip(node: Node, of: Expressions) -> Value:
    names = node.values.get("dataType.elementType.names") or []
    values = of.values(node.values.get("children") or [])
    return Value(fields={str(name): keep(CHANGED, value) for name, value in zip(names, values, strict=False)})


def _struct_field(node: Node, of: Expressions) -> Value:
    name = node.text("field") or node.text("field.name")
    child = of.value(node.node("child"))
    return change(CHANGED, [child]) if name is None else get_field(child, name)


def _struct(node: Node, of: Expressions) -> Value:
    names, children = node.values.get("names") or [], node.values.get("children") or []
    values = map(of.value, children[1::2])
    return Value(fields={str(name): value for name, value in zip(names, values, strict=False)})


def _with_fields(node: Node, of: Expressions) -> Value:
    # withField and dropFields: new fields, and the remaining old fields.
    old = of.value(node.node("structExpr"))
    put = {change_of.text("name"): change_of for change_of in node.nodes("fieldOps") if change_of.kind == "WithField"}
    names = node.values.get("dataType.names") or [*old.fields, *put]
    return Value(fields={name: of.value(put[name]) if name in put else get_field(old, name) for name in names})


def _entries(node: Node | None, of: Expressions) -> tuple[Value, Value]:
    """Evaluate the keys and the values of a map, separately where the expression makes the map."""
    if node is not None and node.kind == "CreateMap":
        children = of.values(node.values.get("children") or [])
        keys, values = children[::2], children[1::2]
    elif node is not None and node.kind == "MapFromArrays":
        keys, values = [of.value(node.values.get("left"))], [of.value(node.values.get("right"))]
    elif node is not None and node.kind == "MapFromEntries":
        keys, values = _pairs(of.value(node.node("child")))
    else:
        keys = values = [of.value(node)]
    return change(CHANGED, keys), merge_values(keep(CHANGED, value) for value in values)


def _pairs(entries: Value) -> tuple[list[Value], list[Value]]:
    fields = list(entries.fields.values())  # key and value, under any names
    return (fields[:1], fields[1:]) if fields else ([entries], [change(CHANGED, [entries])])


def generated(generator: Node, count: int, of: Expressions) -> list[Value]:
    """Evaluate the columns of a generator, such as `explode`."""
    value = keep(CHANGED, of.value(generator))
    if generator.kind == "Inline":
        fields = [get_field(value, str(name)) for name in generator.values.get("elementSchema.names") or value.fields]
        return fields if len(fields) == count else [unknown("Inline: structs of unknown fields")] * count
    # stack(2, a, b, c, d): the first column has a and c, the second b and d.
    if generator.kind == "Stack":
        parts = [of.value(child) for child in generator.values.get("children") or []][1:]
        return [merge_values(keep(CHANGED, part) for part in parts[place::count]) for place in range(count)]
    positions = 1 if generator.kind == "PosExplode" else 0
    if generator.kind in ("Explode", "PosExplode") and count - positions == len(_ENTRY):
        return [*[change(CHANGED, [value])] * positions, *_entries(generator.node("child"), of)]
    return [value] * count


def higher_order(node: Node, of: Expressions) -> Value:
    """Evaluate a function with lambdas; their variables are elements of the function's collections."""
    functions = [part for part in node.below if part.kind == "LambdaFunction"]
    taken = [of.value(part) for part in node.below if part.kind != "LambdaFunction"]
    bodies = [_body(node, function, taken, of) for function in functions]
    if node.kind in _OF_BODIES:
        return merge_values(keep(CHANGED, body) for body in bodies)
    elements = merge_values(keep(CHANGED, value) for value in taken)
    if node.kind in _OF_SOME_ELEMENTS:
        return decided_by(elements, change(CHANGED, bodies))
    if node.kind == "TransformKeys":
        return merge_values([elements, change(CHANGED, bodies)])
    return change(CHANGED, [*taken, *bodies])


def _fold(node: Node, of: Expressions) -> Value:
    """Evaluate `aggregate`: the sum of the elements, then the last lambda."""
    element = keep(CHANGED, of.value(node.values.get("argument")))
    total = of.value(node.values.get("zero"))
    for _ in range(2):  # a sum goes into the next sum
        total = merge_values([total, _called(node.node("merge"), [total, element], of)])
    return keep(CHANGED, _called(node.node("finish"), [total], of))


def _called(function: Node | None, arguments: Sequence[Value], of: Expressions) -> Value:
    if function is None or function.kind != "LambdaFunction":
        return of.value(function)
    variables = zip(function.nodes("arguments"), arguments, strict=False)
    bound = {variable.text("exprId") or "": value for variable, value in variables}
    return of.with_variables(bound).value(function.node("function"))


def _body(node: Node, function: Node, taken: list[Value], of: Expressions) -> Value:
    elements = [keep(CHANGED, value) for value in taken]
    count = len(function.nodes("arguments"))
    return _called(function, [_variable(node.kind, place, elements) for place in range(count)], of)


def _variable(kind: str, place: int, elements: list[Value]) -> Value:
    """Evaluate a lambda's variable by its position: an element, an index, a key or a value."""
    if kind in ("ArrayTransform", "ArrayFilter") and place == 1:
        return NOTHING
    if kind == "ZipWith":
        return elements[place]
    if kind == "MapZipWith" and place > 0:
        return elements[place - 1]
    return merge_values(elements)


RULES: Mapping[str, Rule] = {
    **dict.fromkeys(classes(Effect.KEEPS), keeping),
    **dict.fromkeys(classes(Effect.KEEPS_FIRST), _first_keeping),
    **dict.fromkeys(classes(Effect.COMPARES), _comparing),
    "ArrayInsert": _inserted,
    "GetStructField": _struct_field,
    "GetArrayStructFields": _struct_field,
    "CreateNamedStruct": _struct,
    "UpdateFields": _with_fields,
    "WithField": lambda node, of: of.value(node.node("valExpr")),
    "Cast": _cast,
    "ArraysZip": _zip,
    **dict.fromkeys(
        ("CreateMap", "MapFromArrays", "MapFromEntries"), lambda node, of: merge_values(_entries(node, of))
    ),
    "MapEntries": lambda node, of: Value(fields=dict(zip(_ENTRY, _entries(node.node("child"), of), strict=True))),
    "MapKeys": lambda node, of: _entries(node.node("child"), of)[0],
    "MapValues": lambda node, of: _entries(node.node("child"), of)[1],
    "ArrayAggregate": _fold,
}
