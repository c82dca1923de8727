"""Rules of the operators in the text of an analyzed plan; for a new operator, add a rule to `RULES`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from spark_client.capturing.connect.columns import text_rows
from spark_client.capturing.connect.columns.frames import TextFrame, Typed
from spark_client.capturing.connect.columns.functions import GENERATORS
from spark_client.capturing.connect.columns.text_expressions import own_ids, read_expression
from spark_client.capturing.connect.columns.text_reading import (
    LONG,
    Rule,
    Step,
    TextReading,
    bracketed,
    listed_columns,
    new_columns,
    split_list,
)
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.plans.plan import Node

_HINTS = re.compile(r", (?:left|right)Hint=\(.*\)$")


def _project(reader: TextReading, step: Step) -> TextFrame:
    """Read `Project [a#1, b#2 AS c#3]`."""
    items, frame = _listed(reader, reader.texts.marked(step.text).partition("[")[2], step.inside)
    return frame._replace(node=reader.nodes.node("Project", child=step.child.node, projectList=items))


def _listed(reader: TextReading, marked: str, inside: list[TextFrame], end: str = "") -> tuple[list[Node], TextFrame]:
    """Read the items of a list, and a frame of their columns, with a placeholder for its node."""
    named, rest = reader.texts.named(marked)
    if not rest.startswith(end) or (not end and rest):
        raise Unreadable("a list in the text of a plan")
    plans = iter([frame.node for frame in inside])
    items: list[Node] = []
    ids: list[str] = []
    columns: list[Column] = []
    for entry in named:
        # A reference: the column of a step below, under the name written here.
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
            type_ = LONG
        node, column = reader.nodes.alias(Typed(item.node, entry.name, type_))
        ids.append(entry.id or "")
        columns.append(column)
        items.append(node)
    return items, TextFrame(reader.nodes.node("OneRowRelation"), tuple(ids), tuple(columns))


def _filter(reader: TextReading, step: Step) -> TextFrame:
    """Read `Filter (a#1 > 2)`."""
    marked = reader.texts.marked(step.text).removeprefix("Filter ")
    condition = read_expression(reader.texts, marked, [frame.node for frame in step.inside])
    return reader.over(step.child, "Filter", condition=condition.node)


def _sort(reader: TextReading, step: Step) -> TextFrame:
    """Read `Sort [a#1 ASC NULLS FIRST], true`."""
    listed, rest = bracketed(reader.texts.marked(step.text).partition("[")[2])
    orders = _each(reader, listed, step.inside)
    return reader.over(step.child, "Sort", order=orders, **{"global": rest.endswith("true")})


def _each(reader: TextReading, listed: str, inside: Sequence[TextFrame]) -> list[Node | None]:
    plans = iter([frame.node for frame in inside])
    items = split_list(listed)
    own = [[next(plans) for _ in range(item.count("\x02"))] for item in items]
    return [
        read_expression(reader.texts, _renumbered(item), of_item).node for item, of_item in zip(items, own, strict=True)
    ]


def _aggregate(reader: TextReading, step: Step) -> TextFrame:
    """Read `Aggregate [a#1], [a#1, sum(b#2) AS c#3]`; without groups it has one list."""
    first, rest = bracketed(reader.texts.marked(step.text).partition("[")[2])
    grouped = rest.startswith(", [")
    count = first.count("\x02") if grouped else 0
    groups = _each(reader, first, step.inside[:count]) if grouped else []
    marked = rest.removeprefix(", [") if grouped else reader.texts.marked(step.text).partition("[")[2]
    reader.texts.keys = frozenset(own_ids(first) if grouped else ())
    items, frame = _listed(reader, marked, step.inside[count:])
    reader.texts.keys = None
    node = reader.nodes.node("Aggregate", child=step.child.node, aggregateExpressions=items, groupingExpressions=groups)
    return frame._replace(node=node)


def _window(reader: TextReading, step: Step) -> TextFrame:
    """Read `Window [f(a#1) windowspecdefinition(...) AS b#2], [partitions], [orders]`."""
    items, listed = _listed(reader, reader.texts.marked(step.text).partition("[")[2], step.inside, end=", [")
    node = reader.nodes.node("Window", child=step.child.node, windowExpressions=items)
    return TextFrame(node, step.child.ids + listed.ids, step.child.columns + listed.columns)


def _join(reader: TextReading, step: Step) -> TextFrame:
    """Read `Join Inner, (a#1 = b#2)`."""
    kind, _, on = _HINTS.sub("", reader.texts.marked(step.text).removeprefix("Join ")).partition(", ")
    if step.inside:
        raise Unreadable("a join on a subquery")
    left, right = step.below
    condition = read_expression(reader.texts, on, ()).node if on else None
    node = reader.nodes.node("Join", left=left.node, right=right.node, joinType=kind, condition=condition)
    if kind in ("LeftSemi", "LeftAnti"):
        return left._replace(node=node)
    return TextFrame(node, left.ids + right.ids, left.columns + right.columns)


def _lateral(reader: TextReading, step: Step) -> TextFrame:
    """Read `LateralJoin lateral-subquery#1 [a#2], Inner`; the right side is the subquery."""
    if len(step.inside) != 1:
        raise Unreadable("a lateral join of several subqueries")
    left, right = step.child, step.inside[0]
    reader.texts.columns.update(zip(right.ids, right.columns, strict=True))
    rest = reader.texts.marked(step.text).partition(";, ")[2].partition(", ")[2]
    condition = read_expression(reader.texts, rest, ()).node if rest else None
    subquery = reader.nodes.node("LateralSubquery", plan=right.node)
    node = reader.nodes.node("LateralJoin", left=left.node, right=subquery, condition=condition)
    return TextFrame(node, left.ids + right.ids, left.columns + right.columns)


def _union(reader: TextReading, step: Step) -> TextFrame:
    """Read `Union false, false`."""
    if len({len(frame.ids) for frame in step.below}) != 1:
        raise Unreadable("a union of other numbers of columns")
    node = reader.nodes.node("Union", children=[frame.node for frame in step.below])
    columns = tuple(
        column if len({repr(frame.columns[at].type) for frame in step.below}) == 1 else replace(column, type=None)
        for at, column in enumerate(step.child.columns)
    )
    return TextFrame(node, step.child.ids, columns)


def _both(reader: TextReading, step: Step) -> TextFrame:
    """Read `Intersect false` and `Except false`."""
    node = reader.nodes.node(step.text.split(" ")[0], left=step.child.node, right=step.below[1].node)
    return step.child._replace(node=node)


def _deduplicate(reader: TextReading, step: Step) -> TextFrame:
    """Read `Deduplicate [a#1]`."""
    keys = reader.texts.references(reader.texts.marked(step.text), ()).node
    return reader.over(step.child, "Deduplicate", keys=[keys])


def _generate(reader: TextReading, step: Step) -> TextFrame:
    """Read `Generate explode(a#1), false, t, [b#2]`."""
    if step.inside:
        raise Unreadable("a generator of a subquery")
    marked, _, listed = reader.texts.marked(step.text).removeprefix("Generate ").rpartition("[")
    called = re.match(r"(\w+)\(", marked)
    arguments, _ = bracketed(marked[called.end() :], "()") if called else ("", "")
    outputs = listed_columns(listed.removesuffix("]"))
    if called is None or not outputs:
        raise Unreadable("a generator")
    columns = new_columns(reader, outputs)
    generator = _generator(reader, called[1], arguments)
    outputs_of = [reader.nodes.reference(column).node for column in columns]
    node = reader.nodes.node("Generate", child=step.child.node, generator=generator, generatorOutput=outputs_of)
    return TextFrame(node, step.child.ids + tuple(output[1] for output in outputs), step.child.columns + columns)


def _generator(reader: TextReading, name: str, arguments: str) -> Node | None:
    """Make a generator; its columns alone are unknown where literals hide the places of its arguments."""
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


def _expand(reader: TextReading, step: Step) -> TextFrame:
    """Read `Expand [[a#1, null], [b#2, 1]], [c#3, d#4]`."""
    if step.inside:
        raise Unreadable("an expansion of a subquery")
    marked = reader.texts.marked(step.text).partition("[")[2]
    rows, rest = bracketed(marked)
    outputs = _outputs(rest.removeprefix(", [").removesuffix("]"), reader.texts.columns)
    projections = []
    while rows:
        row, rows = bracketed(rows.partition("[")[2])
        items = split_list(row)
        if len(items) != len(outputs):
            raise Unreadable("the rows of an expansion")
        projections.append([read_expression(reader.texts, item, ()).node for item in items])
    columns = tuple(Column(name, reader.nodes.new_id()) for name, _ in outputs)
    node = reader.nodes.node(
        "Expand",
        child=step.child.node,
        projections=projections,
        output=[reader.nodes.reference(column).node for column in columns],
    )
    return TextFrame(node, tuple(id_ for _, id_ in outputs), columns)


def _renumbered(text: str) -> str:
    """Count the subqueries of a text from 0."""
    count = -1

    def again(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"\x02{match[1]}{count};"

    return re.sub("\x02([a-z]+)\\d+;", again, text)


def _outputs(text: str, known: Mapping[str, Column]) -> list[tuple[str, str]]:
    """Read names and ids of a marked list; its columns may be of the step below."""
    outputs: list[tuple[str, str]] = []
    for item in split_list(text):
        if item.startswith("\x01"):
            id_ = item[1:].partition("~")[0]
            outputs.append((known[id_].name or "", id_))
        else:
            name, _, id_ = item.rpartition("#")
            outputs.append((name, id_.removesuffix("L")))
    return outputs


RULES: Mapping[str, Rule] = {
    **text_rows.RULES,
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
    "Deduplicate": _deduplicate,
    "Generate": _generate,
    "Expand": _expand,
}
