"""Rules of the operators in the text of an analyzed plan; for a new operator, add a rule to `RULES`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from spark_client.capturing.connect.columns.frames import Nodes, TextFrame, Typed
from spark_client.capturing.connect.columns.functions import GENERATORS
from spark_client.capturing.connect.columns.text_expressions import own_ids, read_expression
from spark_client.capturing.connect.columns.texts import MARK, Texts
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node, kinds

Rule: TypeAlias = "Callable[[TextReading, str, list[TextFrame], list[TextFrame]], TextFrame]"
_COLUMN = re.compile(r"(.*?)#(\d+)(L?)(?:, ?|$)")
_CTE = re.compile(r"(?:CTERelationDef|UnionLoop) (\d+)\b")
_CTE_REFERENCE = re.compile(r"(?:CTERelationRef|UnionLoopRef) (\d+), (?:true, |false, )?\[(.*?)\]")
_HINTS = re.compile(r", (?:left|right)Hint=\(.*\)$")
_FUNCTION = re.compile(
    r"(?P<kind>\w+) (?P<keys>(?:\[.*?\], |\d+, \d+, )?)(?P<name>[^\s(]+)\(.*\)#\d+, "
    r"(?:\[(?P<more_keys>[^\[\]]*)\], )?\[(?P<outputs>[^\[\]]*)\](?:, .*)?"
)
_COUNTS = re.compile(r"(?<!#)\b\d+(?=, )")
_LONG = SchemaField("", "long")
_OVER_ROWS = kinds(
    """
    MapInPandas MapInArrow PythonMapInArrow FlatMapGroupsInPandas FlatMapGroupsInArrow FlatMapGroupsInPandasWithState
    FlatMapCoGroupsInPandas FlatMapCoGroupsInArrow
    """
)
# Operators with lists that only their brackets end.
LISTING = kinds("Aggregate Generate Expand Window Sort")


class TextReading:
    """State of reading one plan's text; `rows` returns rows in the statement by names and ids of their columns."""

    def __init__(self, nodes: Nodes, texts: Texts, rows: Callable[[Sequence[tuple[str, str]]], TextFrame]) -> None:
        self.nodes = nodes
        self.texts = texts
        self.rows = rows

    def over(self, child: TextFrame, kind: str, **values: Any) -> TextFrame:
        """Return a step with the columns of its child."""
        return child._replace(node=self.nodes.node(kind, child=child.node, **values))


def listed_columns(text: str) -> list[tuple[str, str, str]]:
    """Return names, ids and `L` (of a long) of columns in a list.

    >>> listed_columns("a#1,b, c#2L")
    [('a', '1', ''), ('b, c', '2', 'L')]
    """
    return _COLUMN.findall(text)


def _project(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Project [a#1, b#2 AS c#3]`."""
    items, frame = _listed(reader, reader.texts.marked(text).partition("[")[2], inside)
    return frame._replace(node=reader.nodes.node("Project", child=below[0].node, projectList=items))


def _listed(reader: TextReading, marked: str, inside: list[TextFrame], end: str = "") -> tuple[list[Node], TextFrame]:
    """Return the items of a list, and the columns that they make; the node of the latter is none."""
    named, rest = reader.texts.named(marked)
    if not rest.startswith(end) or (not end and rest):
        raise Unreadable("a list in the text of a plan")
    plans = iter([frame.node for frame in inside])
    items: list[Node] = []
    ids: list[str] = []
    columns: list[Column] = []
    for entry in named:
        if entry.id is None:
            id_, reference = reader.texts.bare(entry.text)
            ids.append(id_)
            columns.append(replace(reader.texts.columns[id_], name=reference.name))
            items += [reference.node] if reference.node else []
            continue
        own = [next(plans) for _ in range(entry.text.count("\x02"))]
        item = read_expression(reader.texts, _renumbered(entry.text), own)
        type_ = item.type
        if entry.is_long and type_ is None:
            type_ = _LONG
        node, column = reader.nodes.alias(Typed(item.node, entry.name, type_))
        ids.append(entry.id or "")
        columns.append(column)
        items.append(node)
    return items, TextFrame(reader.nodes.node("OneRowRelation"), tuple(ids), tuple(columns))


def _filter(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Filter (a#1 > 2)`."""
    marked = reader.texts.marked(text).removeprefix("Filter ")
    condition = read_expression(reader.texts, marked, [frame.node for frame in inside])
    return reader.over(below[0], "Filter", condition=condition.node)


def _sort(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Sort [a#1 ASC NULLS FIRST], true`."""
    listed, rest = _bracketed(reader.texts.marked(text).partition("[")[2])
    orders = _each(reader, listed, inside)
    return reader.over(below[0], "Sort", order=orders, **{"global": rest.endswith("true")})


def _each(reader: TextReading, listed: str, inside: Sequence[TextFrame]) -> list[Node | None]:
    """Return the expressions of a list without aliases."""
    plans = iter([frame.node for frame in inside])
    items = _split(listed)
    own = [[next(plans) for _ in range(item.count("\x02"))] for item in items]
    return [
        read_expression(reader.texts, _renumbered(item), of_item).node for item, of_item in zip(items, own, strict=True)
    ]


def _aggregate(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Aggregate [a#1], [a#1, sum(b#2) AS c#3]`; without groups it has one list."""
    first, rest = _bracketed(reader.texts.marked(text).partition("[")[2])
    grouped = rest.startswith(", [")
    count = first.count("\x02") if grouped else 0
    groups = _each(reader, first, inside[:count]) if grouped else []
    marked = rest.removeprefix(", [") if grouped else reader.texts.marked(text).partition("[")[2]
    reader.texts.keys = frozenset(own_ids(first) if grouped else ())
    items, frame = _listed(reader, marked, inside[count:])
    reader.texts.keys = None
    node = reader.nodes.node("Aggregate", child=below[0].node, aggregateExpressions=items, groupingExpressions=groups)
    return frame._replace(node=node)


def _window(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Window [f(a#1) windowspecdefinition(...) AS b#2], [partitions], [orders]`."""
    items, listed = _listed(reader, reader.texts.marked(text).partition("[")[2], inside, end=", [")
    node = reader.nodes.node("Window", child=below[0].node, windowExpressions=items)
    return TextFrame(node, below[0].ids + listed.ids, below[0].columns + listed.columns)


def _join(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Join Inner, (a#1 = b#2)`."""
    kind, _, on = _HINTS.sub("", reader.texts.marked(text).removeprefix("Join ")).partition(", ")
    if inside:
        raise Unreadable("a join on a subquery")
    left, right = below
    condition = read_expression(reader.texts, on, ()).node if on else None
    node = reader.nodes.node("Join", left=left.node, right=right.node, joinType=kind, condition=condition)
    if kind in ("LeftSemi", "LeftAnti"):
        return left._replace(node=node)
    return TextFrame(node, left.ids + right.ids, left.columns + right.columns)


def _lateral(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `LateralJoin lateral-subquery#1 [a#2], Inner`, whose right side is the subquery."""
    if len(inside) != 1:
        raise Unreadable("a lateral join of several subqueries")
    left, right = below[0], inside[0]
    reader.texts.columns.update(zip(right.ids, right.columns, strict=True))
    rest = reader.texts.marked(text).partition(";, ")[2].partition(", ")[2]
    condition = read_expression(reader.texts, rest, ()).node if rest else None
    subquery = reader.nodes.node("LateralSubquery", plan=right.node)
    node = reader.nodes.node("LateralJoin", left=left.node, right=subquery, condition=condition)
    return TextFrame(node, left.ids + right.ids, left.columns + right.columns)


def _union(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Union false, false`."""
    del text, inside
    if len({len(frame.ids) for frame in below}) != 1:
        raise Unreadable("a union of other numbers of columns")
    node = reader.nodes.node("Union", children=[frame.node for frame in below])
    columns = tuple(
        column if len({repr(frame.columns[at].type) for frame in below}) == 1 else replace(column, type=None)
        for at, column in enumerate(below[0].columns)
    )
    return TextFrame(node, below[0].ids, columns)


def _as_of(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `AsOfJoin (a#1 >= b#2), Inner` and `NearestByJoin ...`, of which only the references are read."""
    del inside
    left, right = below
    kind, _, on = text.partition(" ")
    condition = reader.texts.references(reader.texts.marked(on), ()).node
    names = {"rankingExpression": condition} if kind == "NearestByJoin" else {"condition": condition}
    node = reader.nodes.node(kind, left=left.node, right=right.node, **names)
    return TextFrame(node, left.ids + right.ids, left.columns + right.columns)


def _sample(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Sample 0.0, 0.5, false, 3`, below which Spark may add a sort of its own."""
    del text, inside
    return reader.over(below[0], "Sample")


def _numbered(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `AttachDistributedSequence[n#1L, a#2] Index: n#1L`."""
    del inside
    [(name, id_, is_long)] = listed_columns(text.rpartition("Index: ")[2])
    (column,) = _listed_columns(reader, [(name, id_, is_long)])
    attribute = reader.nodes.reference(column).node
    node = reader.nodes.node("AttachDistributedSequence", child=below[0].node, sequenceAttr=attribute)
    return TextFrame(node, (id_, *below[0].ids), (column, *below[0].columns))


def _over_rows(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return a function of the program over whole rows, which may make each column of all that goes in.

    `MapInPandas f(a#1)#2, [b#3], false`; of groups by keys (`FlatMapGroupsInPandas [a#1], f(...)`, and with a state
    `f(...)#2, [a#1], [b#3]`), or of the first columns of two sides (`FlatMapCoGroupsInPandas 1, 1, f(...)`).
    """
    del inside
    match = _FUNCTION.match(text)
    if match is None:
        raise Unreadable("a function over rows")
    listed_keys = match["more_keys"] or match["keys"].partition("[")[2].rpartition("]")[0]
    marks = [MARK.match(item) for item in _split(reader.texts.marked(listed_keys))]
    keys = [reader.texts.columns[mark["id"]] for mark in marks if mark is not None]
    for frame, count in zip(below, _COUNTS.findall(match["keys"]), strict=False):
        keys += frame.columns[: int(count)]
    listed = listed_columns(match["outputs"])
    columns = _listed_columns(reader, listed)
    node = reader.nodes.node(
        match["kind"],
        functionExpr=reader.nodes.node("PythonUDF", name=match["name"]),
        output=[reader.nodes.reference(column).node for column in columns],
        groupingAttributes=[reader.nodes.reference(key).node for key in keys],
        children=[frame.node for frame in below],
    )
    return TextFrame(node, tuple(id_ for _, id_, _ in listed), columns)


def _both(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Intersect false` and `Except false`."""
    del inside
    node = reader.nodes.node(text.split(" ")[0], left=below[0].node, right=below[1].node)
    return below[0]._replace(node=node)


def _distinct(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Distinct`."""
    del text, inside
    return reader.over(below[0], "Distinct")


def _deduplicate(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Deduplicate [a#1]`."""
    del inside
    keys = reader.texts.references(reader.texts.marked(text), ()).node
    return reader.over(below[0], "Deduplicate", keys=[keys])


def _generate(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Generate explode(a#1), false, t, [b#2]`."""
    if inside:
        raise Unreadable("a generator of a subquery")
    marked, _, listed = reader.texts.marked(text).removeprefix("Generate ").rpartition("[")
    called = re.match(r"(\w+)\(", marked)
    arguments, _ = _bracketed(marked[called.end() :], "()") if called else ("", "")
    outputs = listed_columns(listed.removesuffix("]"))
    if called is None or not outputs:
        raise Unreadable("a generator")
    columns = _listed_columns(reader, outputs)
    generator = _generator(reader, called[1], arguments)
    outputs_of = [reader.nodes.reference(column).node for column in columns]
    node = reader.nodes.node("Generate", child=below[0].node, generator=generator, generatorOutput=outputs_of)
    return TextFrame(node, below[0].ids + tuple(output[1] for output in outputs), below[0].columns + columns)


def _listed_columns(reader: TextReading, listed: Sequence[tuple[str, str, str]]) -> tuple[Column, ...]:
    """Return new columns by names, ids, and whether they are long."""
    return tuple(Column(name, reader.nodes.new_id(), type=_LONG if is_long else None) for name, _, is_long in listed)


def _generator(reader: TextReading, name: str, arguments: str) -> Node | None:
    """Return a generator; its columns alone are unknown where its arguments may be taken for others."""
    kind = GENERATORS.get(name)
    if kind is None:
        raise Unreadable(f"the generator {name}")
    if kind == "JsonTuple":
        return reader.nodes.node(kind, children=[reader.texts.references(arguments, ()).node])
    if kind == "Stack":
        if reader.texts.risks.parts or reader.texts.risks.commas:
            return reader.nodes.unknown("the places of a function's arguments").node
        return reader.nodes.node(kind, children=_each(reader, arguments, ()))
    item = read_expression(reader.texts, arguments, ())
    if kind == "Inline":
        names = [field.name for field in item.type.fields] if item.type else []
        return reader.nodes.node(kind, children=[item.node], **{"elementSchema.names": names})
    return reader.nodes.node(kind, child=item.node)


def _expand(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Expand [[a#1, null], [b#2, 1]], [c#3, d#4]`."""
    if inside:
        raise Unreadable("an expansion of a subquery")
    marked = reader.texts.marked(text).partition("[")[2]
    rows, rest = _bracketed(marked)
    outputs = _outputs(rest.removeprefix(", [").removesuffix("]"), reader.texts.columns)
    projections = []
    while rows:
        row, rows = _bracketed(rows.partition("[")[2])
        items = _split(row)
        if len(items) != len(outputs):
            raise Unreadable("the rows of an expansion")
        projections.append([read_expression(reader.texts, item, ()).node for item in items])
    columns = tuple(Column(name, reader.nodes.new_id()) for name, _ in outputs)
    node = reader.nodes.node(
        "Expand",
        child=below[0].node,
        projections=projections,
        output=[reader.nodes.reference(column).node for column in columns],
    )
    return TextFrame(node, tuple(id_ for _, id_ in outputs), columns)


def _ctes(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return a query with CTEs, which are the steps before the last."""
    del text, inside
    *definitions, plan = below
    node = reader.nodes.node("WithCTE", cteDefs=[definition.node for definition in definitions], plan=plan.node)
    return plan._replace(node=node)


def _cte(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `CTERelationDef 0, false`."""
    del inside
    match = _CTE.match(text)
    return reader.over(below[0], "CTERelationDef", id=f"text {match[1]}" if match else "")


def _cte_reference(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `CTERelationRef 0, true, [a#1]`."""
    del below, inside
    match = _CTE_REFERENCE.match(text)
    if match is None:
        raise Unreadable("a reference to a CTE")
    listed = listed_columns(match[2])
    columns = _listed_columns(reader, listed)
    outputs = [reader.nodes.reference(column).node for column in columns]
    kind = text.split(" ")[0]
    node = reader.nodes.node(kind, cteId=f"text {match[1]}", loopId=f"loop {match[1]}", output=outputs)
    if kind == "UnionLoopRef":
        node.values = {"loopId": f"loop {match[1]}", "output": outputs}
    return TextFrame(node, tuple(id_ for _, id_, _ in listed), columns)


def _loop(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `UnionLoop 0`, the rows of a recursive CTE: those it begins with, and those made of rows so far."""
    del inside
    match = _CTE.match(text)
    if match is None or len(below) != 2:
        raise Unreadable("a recursive CTE")
    anchor, recursion = below
    columns = tuple(Column(column.name, reader.nodes.new_id()) for column in anchor.columns)
    node = reader.nodes.node(
        "UnionLoop",
        id=f"loop {match[1]}",
        anchor=anchor.node,
        recursion=recursion.node,
        outputAttrIds=[column.id for column in columns],
    )
    return TextFrame(node, anchor.ids, columns)


def _one_row(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `OneRowRelation`."""
    del text, below, inside
    return TextFrame(reader.nodes.node("OneRowRelation"))


def _range(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `Range (0, 3, step=1)`, whose one column is made of nothing, and has no id here."""
    del text, below, inside
    column = Column("id", reader.nodes.new_id(), type=_LONG)
    alias = reader.nodes.node("Alias", child=None, exprId=column.id, name="id")
    node = reader.nodes.node("Project", child=reader.nodes.node("OneRowRelation"), projectList=[alias])
    return TextFrame(node, ("0",), (column,))


def _rows(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Return `LocalRelation [a#1]`: rows in the statement."""
    del below, inside
    listed = listed_columns(text.partition("[")[2].removesuffix("]"))
    return reader.rows([(name, id_) for name, id_, _ in listed])


def _renumbered(text: str) -> str:
    """Return the text with its own subqueries counted from 0."""
    count = -1

    def again(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"\x02{match[1]}{count};"

    return re.sub("\x02([a-z]+)\\d+;", again, text)


def _outputs(text: str, known: Mapping[str, Column]) -> list[tuple[str, str]]:
    """Return names and ids of a marked list of columns, which may be those of the step below."""
    outputs: list[tuple[str, str]] = []
    for item in _split(text):
        if item.startswith("\x01"):
            id_ = item[1:].partition("~")[0]
            outputs.append((known[id_].name or "", id_))
        else:
            name, _, id_ = item.rpartition("#")
            outputs.append((name, id_.removesuffix("L")))
    return outputs


def _bracketed(text: str, pair: str = "[]") -> tuple[str, str]:
    """Return the text up to the bracket that closes one before it, and the text behind it.

    >>> _bracketed("a[1], b], [c]")
    ('a[1], b', ', [c]')
    """
    depth = 1
    for at, letter in enumerate(text):
        depth += (letter == pair[0]) - (letter == pair[1])
        if depth == 0:
            return text[:at], text[at + 1 :]
    raise Unreadable("a list in the text of a plan")


def _split(text: str) -> list[str]:
    """Return the items of a list without aliases.

    >>> _split("a, f(b, c), d[0, 1]")
    ['a', 'f(b, c)', 'd[0, 1]']
    """
    items, depth, began = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and text.startswith(", ", at):
            items.append(text[began:at])
            began = at + 2
    return [*items, text[began:]] if text else []


RULES: Mapping[str, Rule] = {
    "Project": _project,
    "Filter": _filter,
    "Sort": _sort,
    "Aggregate": _aggregate,
    "Window": _window,
    "Join": _join,
    "LateralJoin": _lateral,
    "Union": _union,
    "Intersect": _both,
    "Except": _both,
    "Distinct": _distinct,
    "Deduplicate": _deduplicate,
    "Generate": _generate,
    "Expand": _expand,
    "WithCTE": _ctes,
    "CTERelationDef": _cte,
    "CTERelationRef": _cte_reference,
    "UnionLoopRef": _cte_reference,
    "UnionLoop": _loop,
    "OneRowRelation": _one_row,
    "LocalRelation": _rows,
    "Range": _range,
    "Sample": _sample,
    "AsOfJoin": _as_of,
    "NearestByJoin": _as_of,
    "AttachDistributedSequence": _numbered,
    **dict.fromkeys(_OVER_ROWS, _over_rows),
}
