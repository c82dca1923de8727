"""Rules of steps with rows of their own in a plan's text: CTEs, rows of a statement, functions over whole rows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spark_client.capturing.connect.columns.frames import TextFrame
from spark_client.capturing.connect.columns.text_reading import (
    LONG,
    Rule,
    Step,
    TextReading,
    listed_columns,
    new_columns,
    split_list,
)
from spark_client.capturing.connect.columns.texts import MARK
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.plans.plan import kinds

_CTE = re.compile(r"(?:CTERelationDef|UnionLoop) (\d+)\b")
_CTE_REFERENCE = re.compile(r"(?:CTERelationRef|UnionLoopRef) (\d+), (?:true, |false, )?\[(.*?)\]")
_FUNCTION = re.compile(
    r"(?P<kind>\w+) (?P<keys>(?:\[.*?\], |\d+, \d+, )?)(?P<name>[^\s(]+)\(.*\)#\d+, "
    r"(?:\[(?P<more_keys>[^\[\]]*)\], )?\[(?P<outputs>[^\[\]]*)\](?:, .*)?"
)
_COUNTS = re.compile(r"(?<!#)\b\d+(?=, )")
_OVER_ROWS = kinds(
    """
    MapInPandas MapInArrow PythonMapInArrow FlatMapGroupsInPandas FlatMapGroupsInArrow FlatMapGroupsInPandasWithState
    FlatMapCoGroupsInPandas FlatMapCoGroupsInArrow
    """
)


def _as_of(reader: TextReading, step: Step) -> TextFrame:
    """Read `AsOfJoin (a#1 >= b#2), Inner` and `NearestByJoin ...`, by their references alone."""
    left, right = step.below
    kind, _, on = step.text.partition(" ")
    condition = reader.texts.references(reader.texts.marked(on), ()).node
    names = {"rankingExpression": condition} if kind == "NearestByJoin" else {"condition": condition}
    node = reader.nodes.node(kind, left=left.node, right=right.node, **names)
    return TextFrame(node, left.ids + right.ids, left.columns + right.columns)


def _kept(kind: str) -> Rule:
    """Make the rule of a step with the columns of its child: `Distinct`, `Sample 0.0, 0.5, false, 3`."""
    return lambda reader, step: reader.over(step.child, kind)


def _numbered(reader: TextReading, step: Step) -> TextFrame:
    """Read `AttachDistributedSequence[n#1L, a#2] Index: n#1L`."""
    [(name, id_, is_long)] = listed_columns(step.text.rpartition("Index: ")[2])
    (column,) = new_columns(reader, [(name, id_, is_long)])
    attribute = reader.nodes.reference(column).node
    node = reader.nodes.node("AttachDistributedSequence", child=step.child.node, sequenceAttr=attribute)
    return TextFrame(node, (id_, *step.child.ids), (column, *step.child.columns))


def _over_rows(reader: TextReading, step: Step) -> TextFrame:
    """Read a program's function over whole rows; each column may be made of all columns below.

    `MapInPandas f(a#1)#2, [b#3], false`; of groups by keys (`FlatMapGroupsInPandas [a#1], f(...)`, and with a state
    `f(...)#2, [a#1], [b#3]`), or of the first columns of two sides (`FlatMapCoGroupsInPandas 1, 1, f(...)`).
    """
    match = _FUNCTION.match(step.text)
    if match is None:
        raise Unreadable("a function over rows")
    listed_keys = match["more_keys"] or match["keys"].partition("[")[2].rpartition("]")[0]
    marks = [MARK.match(item) for item in split_list(reader.texts.marked(listed_keys))]
    keys = [reader.texts.columns[mark["id"]] for mark in marks if mark is not None]
    for frame, count in zip(step.below, _COUNTS.findall(match["keys"]), strict=False):
        keys += frame.columns[: int(count)]
    listed = listed_columns(match["outputs"])
    columns = new_columns(reader, listed)
    node = reader.nodes.node(
        match["kind"],
        functionExpr=reader.nodes.node("PythonUDF", name=match["name"]),
        output=[reader.nodes.reference(column).node for column in columns],
        groupingAttributes=[reader.nodes.reference(key).node for key in keys],
        children=[frame.node for frame in step.below],
    )
    return TextFrame(node, tuple(id_ for _, id_, _ in listed), columns)


def _ctes(reader: TextReading, step: Step) -> TextFrame:
    """Read a query with CTEs: the steps before the last."""
    *definitions, plan = step.below
    node = reader.nodes.node("WithCTE", cteDefs=[definition.node for definition in definitions], plan=plan.node)
    return plan._replace(node=node)


def _cte(reader: TextReading, step: Step) -> TextFrame:
    """Read `CTERelationDef 0, false`."""
    match = _CTE.match(step.text)
    return reader.over(step.child, "CTERelationDef", id=f"text {match[1]}" if match else "")


def _cte_reference(reader: TextReading, step: Step) -> TextFrame:
    """Read `CTERelationRef 0, true, [a#1]`."""
    match = _CTE_REFERENCE.match(step.text)
    if match is None:
        raise Unreadable("a reference to a CTE")
    listed = listed_columns(match[2])
    columns = new_columns(reader, listed)
    outputs = [reader.nodes.reference(column).node for column in columns]
    kind = step.text.split(" ")[0]
    node = reader.nodes.node(kind, cteId=f"text {match[1]}", loopId=f"loop {match[1]}", output=outputs)
    if kind == "UnionLoopRef":
        node.values = {"loopId": f"loop {match[1]}", "output": outputs}
    return TextFrame(node, tuple(id_ for _, id_, _ in listed), columns)


def _loop(reader: TextReading, step: Step) -> TextFrame:
    """Read `UnionLoop 0`, the rows of a recursive CTE: its first rows, and rows made of the rows so far."""
    match = _CTE.match(step.text)
    if match is None or len(step.below) != 2:
        raise Unreadable("a recursive CTE")
    anchor, recursion = step.below
    columns = tuple(Column(column.name, reader.nodes.new_id()) for column in anchor.columns)
    node = reader.nodes.node(
        "UnionLoop",
        id=f"loop {match[1]}",
        anchor=anchor.node,
        recursion=recursion.node,
        outputAttrIds=[column.id for column in columns],
    )
    return TextFrame(node, anchor.ids, columns)


def _range(reader: TextReading, _: Step) -> TextFrame:
    """Read `Range (0, 3, step=1)`; its only column is made of nothing, without an id in the text."""
    column = Column("id", reader.nodes.new_id(), type=LONG)
    alias = reader.nodes.node("Alias", child=None, exprId=column.id, name="id")
    node = reader.nodes.node("Project", child=reader.nodes.node("OneRowRelation"), projectList=[alias])
    return TextFrame(node, ("0",), (column,))


def _rows(reader: TextReading, step: Step) -> TextFrame:
    """Read `LocalRelation [a#1]`: rows in the statement."""
    listed = listed_columns(step.text.partition("[")[2].removesuffix("]"))
    return reader.rows([(name, id_) for name, id_, _ in listed])


RULES: Mapping[str, Rule] = {
    "WithCTE": _ctes,
    "CTERelationDef": _cte,
    "CTERelationRef": _cte_reference,
    "UnionLoopRef": _cte_reference,
    "UnionLoop": _loop,
    "OneRowRelation": lambda reader, _: TextFrame(reader.nodes.node("OneRowRelation")),
    "LocalRelation": _rows,
    "Range": _range,
    "Distinct": _kept("Distinct"),
    "Sample": _kept("Sample"),
    "AsOfJoin": _as_of,
    "NearestByJoin": _as_of,
    "AttachDistributedSequence": _numbered,
    **dict.fromkeys(_OVER_ROWS, _over_rows),
}
