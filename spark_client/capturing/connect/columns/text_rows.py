"""Rules of steps with rows of their own in a plan's text: CTEs, rows of a statement, functions over whole rows."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spark_client.capturing.connect.columns.frames import TextFrame
from spark_client.capturing.connect.columns.text_reading import (
    LONG,
    Rule,
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


def _as_of(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read `AsOfJoin (a#1 >= b#2), Inner` and `NearestByJoin ...`, by their references alone."""
    del inside
    left, right = below
    kind, _, on = text.partition(" ")
    condition = reader.texts.references(reader.texts.marked(on), ()).node
    names = {"rankingExpression": condition} if kind == "NearestByJoin" else {"condition": condition}
    node = reader.nodes.node(kind, left=left.node, right=right.node, **names)
    return TextFrame(node, left.ids + right.ids, left.columns + right.columns)


def _sample(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read `Sample 0.0, 0.5, false, 3`; Spark may add a sort below."""
    del text, inside
    return reader.over(below[0], "Sample")


def _numbered(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read `AttachDistributedSequence[n#1L, a#2] Index: n#1L`."""
    del inside
    [(name, id_, is_long)] = listed_columns(text.rpartition("Index: ")[2])
    (column,) = new_columns(reader, [(name, id_, is_long)])
    attribute = reader.nodes.reference(column).node
    node = reader.nodes.node("AttachDistributedSequence", child=below[0].node, sequenceAttr=attribute)
    return TextFrame(node, (id_, *below[0].ids), (column, *below[0].columns))


def _over_rows(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read a program's function over whole rows; each column may be made of all columns below.

    `MapInPandas f(a#1)#2, [b#3], false`; of groups by keys (`FlatMapGroupsInPandas [a#1], f(...)`, and with a state
    `f(...)#2, [a#1], [b#3]`), or of the first columns of two sides (`FlatMapCoGroupsInPandas 1, 1, f(...)`).
    """
    del inside
    match = _FUNCTION.match(text)
    if match is None:
        raise Unreadable("a function over rows")
    listed_keys = match["more_keys"] or match["keys"].partition("[")[2].rpartition("]")[0]
    marks = [MARK.match(item) for item in split_list(reader.texts.marked(listed_keys))]
    keys = [reader.texts.columns[mark["id"]] for mark in marks if mark is not None]
    for frame, count in zip(below, _COUNTS.findall(match["keys"]), strict=False):
        keys += frame.columns[: int(count)]
    listed = listed_columns(match["outputs"])
    columns = new_columns(reader, listed)
    node = reader.nodes.node(
        match["kind"],
        functionExpr=reader.nodes.node("PythonUDF", name=match["name"]),
        output=[reader.nodes.reference(column).node for column in columns],
        groupingAttributes=[reader.nodes.reference(key).node for key in keys],
        children=[frame.node for frame in below],
    )
    return TextFrame(node, tuple(id_ for _, id_, _ in listed), columns)


def _ctes(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read a query with CTEs: the steps before the last."""
    del text, inside
    *definitions, plan = below
    node = reader.nodes.node("WithCTE", cteDefs=[definition.node for definition in definitions], plan=plan.node)
    return plan._replace(node=node)


def _cte(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read `CTERelationDef 0, false`."""
    del inside
    match = _CTE.match(text)
    return reader.over(below[0], "CTERelationDef", id=f"text {match[1]}" if match else "")


def _cte_reference(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read `CTERelationRef 0, true, [a#1]`."""
    del below, inside
    match = _CTE_REFERENCE.match(text)
    if match is None:
        raise Unreadable("a reference to a CTE")
    listed = listed_columns(match[2])
    columns = new_columns(reader, listed)
    outputs = [reader.nodes.reference(column).node for column in columns]
    kind = text.split(" ")[0]
    node = reader.nodes.node(kind, cteId=f"text {match[1]}", loopId=f"loop {match[1]}", output=outputs)
    if kind == "UnionLoopRef":
        node.values = {"loopId": f"loop {match[1]}", "output": outputs}
    return TextFrame(node, tuple(id_ for _, id_, _ in listed), columns)


def _loop(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read `UnionLoop 0`, the rows of a recursive CTE: its first rows, and rows made of the rows so far."""
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
    del text, below, inside
    return TextFrame(reader.nodes.node("OneRowRelation"))


def _range(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read `Range (0, 3, step=1)`; its only column is made of nothing, without an id in the text."""
    del text, below, inside
    column = Column("id", reader.nodes.new_id(), type=LONG)
    alias = reader.nodes.node("Alias", child=None, exprId=column.id, name="id")
    node = reader.nodes.node("Project", child=reader.nodes.node("OneRowRelation"), projectList=[alias])
    return TextFrame(node, ("0",), (column,))


def _rows(reader: TextReading, text: str, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
    """Read `LocalRelation [a#1]`: rows in the statement."""
    del below, inside
    listed = listed_columns(text.partition("[")[2].removesuffix("]"))
    return reader.rows([(name, id_) for name, id_, _ in listed])


RULES: Mapping[str, Rule] = {
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
