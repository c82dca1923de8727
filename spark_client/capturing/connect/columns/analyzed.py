"""Analyzed plans as Spark prints them, as the nodes that the rules of the driver's plans read.

For queries in SQL, which only Spark's own parser and analyzer understand. The rules here know the operators that the
analyzer makes of a query; a plan with another one is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from spark_client.capturing.connect.columns.frames import Nodes, TextFrame
from spark_client.capturing.connect.columns.text_operators import LISTING, RULES, TextReading, listed_columns
from spark_client.capturing.connect.columns.texts import LiteralRisks, Texts
from spark_client.capturing.connect.plan_texts import PlanText
from spark_client.capturing.connect.snapshots import Column, Snapshot, Unreadable
from spark_client.capturing.plans.plan import Node, kinds

_RELATION = re.compile(r"Relation (?P<name>\S*)\[(?P<columns>.*)\] \S+")
_V2 = re.compile(r"RelationV2\[(?P<columns>.*?)\] (?P<name>\S+)")
_VIEW = re.compile(r"View \((?P<name>`.*`), \[(?P<columns>.*)\]\)")
_OUTPUT = re.compile(r"(.*?)#(\d+)L?(?:, ?|$)")
_CUT = re.compile(r"\.\.\. \d+ more fields")
_PASSING = kinds(
    """
    SubqueryAlias GlobalLimit LocalLimit Offset Tail Repartition RepartitionByExpression RebalancePartitions
    ResolvedHint PipeOperator Sample LimitAll
    """
)


class Leaves(Protocol):
    """Leaves of a plan's text: tables, views, and frames of the program."""

    def table(self, name: str, *, in_view: bool) -> Snapshot:
        """Return a table's columns; a name is empty for files."""

    def view(self, name: str) -> Snapshot | None:
        """Return the columns of a temporary view; None for a view of the catalog."""

    def alias(self, name: str) -> Snapshot | None:
        """Return the columns of a program's frame that a query names."""

    def rows(self, outputs: Sequence[tuple[str, str]]) -> TextFrame:
        """Return rows in the statement, by the names and ids of their columns."""

    def placed(self, snapshot: Snapshot) -> tuple[Node, Sequence[Column]]:
        """Return a leaf for columns, and its own columns."""


class _Step(NamedTuple):
    """Step of a text, the step in whose expressions it is, and the places of the steps below and inside it."""

    text: PlanText
    owner: int | None
    below: list[int]
    inside: list[int]
    in_view: bool


class AnalyzedReader(TextReading):
    """Reader of an analyzed plan's text, whose literals may be doubted.

    Raises:
        Unreadable: for a form that it does not know.
    """

    def __init__(self, nodes: Nodes, leaves: Leaves, risks: LiteralRisks) -> None:
        if risks.ids:
            raise Unreadable("a statement with # or \\ in it")
        super().__init__(nodes, Texts(nodes, risks), leaves.rows)
        self._risks = risks
        self.leaves = leaves

    def read(self, root: PlanText) -> TextFrame:
        """Return a plan; it may be arbitrarily deep."""
        steps = self._steps(root)
        done: dict[int, TextFrame] = {}
        for index in range(len(steps) - 1, -1, -1):
            step = steps[index]
            if _CUT.search(step.text.text):
                raise Unreadable("a plan whose text Spark cut (spark.sql.debug.maxToStringFields)")
            self.texts.columns = self._scope(steps, done, index)
            done[index] = self._made(
                step, [done[child] for child in step.below], [done[child] for child in step.inside]
            )
        return done[0]

    def _steps(self, root: PlanText) -> list[_Step]:
        steps: list[_Step] = []
        left: list[tuple[PlanText, int | None, list[int] | None, bool]] = [(root, None, None, False)]
        while left:
            text, owner, siblings, in_view = left.pop()
            index = len(steps)
            if siblings is not None:
                siblings.append(index)
            step = _Step(text, owner, [], [], in_view)
            steps.append(step)
            if self._is_replaced(text):
                continue
            within = in_view or text.kind == "View"
            left += [(child, owner, step.below, within) for child in reversed(text.below)]
            left += [(child, index, step.inside, within) for child in reversed(text.inside)]
        return steps

    def _is_replaced(self, text: PlanText) -> bool:
        """True for a view or frame of the program's, which is as it was when it was made."""
        if text.kind == "View" and (match := _VIEW.match(text.text)) is not None:
            return self.leaves.view(match["name"]) is not None
        return text.kind == "SubqueryAlias" and self.leaves.alias(_alias_of(text)) is not None

    def _scope(self, steps: Sequence[_Step], done: Mapping[int, TextFrame], index: int) -> dict[str, Column]:
        chain: list[int] = []
        at: int | None = index
        while at is not None:
            chain.append(at)
            at = steps[at].owner
        scope: dict[str, Column] = {}
        for place in reversed(chain):
            for below in steps[place].below:
                scope.update(zip(done[below].ids, done[below].columns, strict=True))
        return scope

    def _made(self, step: _Step, below: list[TextFrame], inside: list[TextFrame]) -> TextFrame:
        kind = step.text.kind
        if kind in _PASSING:
            return self._alias(step) if not below else self.over(below[0], "SubqueryAlias")
        if kind == "View":
            return self._view(step, below)
        if kind in ("Relation", "RelationV2"):
            return self._relation(step)
        rule = RULES.get(kind)
        if rule is None or (self._risks.brackets and kind in LISTING):
            raise Unreadable(f"the operator {kind}")
        return rule(self, step.text.text, below, inside)

    def _alias(self, step: _Step) -> TextFrame:
        """Return a frame of the program's; the ids of its columns in the text are those above it."""
        snapshot = self.leaves.alias(_alias_of(step.text))
        if snapshot is None:
            raise Unreadable("a step without another below it")
        return self._as_it_was(snapshot, _outputs_of(step.text))

    def _view(self, step: _Step, below: list[TextFrame]) -> TextFrame:
        match = _VIEW.match(step.text.text)
        if match is None:
            raise Unreadable("a view")
        if below:
            return self.over(below[0], "View")
        snapshot = self.leaves.view(match["name"])
        if snapshot is None:
            raise Unreadable("a view")
        return self._as_it_was(snapshot, [(name, id_) for name, id_, _ in listed_columns(match["columns"])])

    def _as_it_was(self, snapshot: Snapshot, outputs: Sequence[tuple[str, str]]) -> TextFrame:
        """Return what a name stood for, which may stand for something else where the text is of a later moment."""
        names = [(column.name or "").lower() for column in snapshot.columns]
        if names != [name.lower() for name, _ in outputs]:
            raise Unreadable("a view that has changed")
        return self.placed(snapshot, [id_ for _, id_ in outputs])

    def _relation(self, step: _Step) -> TextFrame:
        match = (_V2 if step.text.kind == "RelationV2" else _RELATION).match(step.text.text)
        if match is None:
            raise Unreadable("a relation")
        snapshot = self.leaves.table(match["name"], in_view=step.in_view)
        listed = listed_columns(match["columns"])
        by_name = {(column.name or "").lower(): at for at, column in enumerate(snapshot.columns)}
        try:
            indexes = [by_name[name.lower()] for name, _, _ in listed]
        except KeyError as name:
            raise Unreadable(f"the column {name} of a table") from name
        columns = tuple(snapshot.columns[at] for at in indexes)
        chosen = Snapshot(columns, tuple(snapshot.values[at] for at in indexes), snapshot.rows)
        return self.placed(chosen, [id_ for _, id_, _ in listed])

    def placed(self, snapshot: Snapshot, ids: Sequence[str]) -> TextFrame:
        """Return a leaf for columns of these ids."""
        if len(ids) != len(snapshot.columns):
            raise Unreadable("a source with other columns")
        node, columns = self.leaves.placed(snapshot)
        return TextFrame(node, tuple(ids), tuple(columns))


def _alias_of(text: PlanText) -> str:
    return text.text.partition(" ")[2]


def _outputs_of(text: PlanText) -> list[tuple[str, str]]:
    """Return names and ids of a plan's columns, by its first step that lists them."""
    node: PlanText | None = text
    while node is not None and node.kind in ("SubqueryAlias", "View") and node.below:
        node = node.below[0]
    if node is None or node.kind not in ("Project", "Relation", "LocalRelation"):
        raise Unreadable("the columns of a frame in a query")
    listed = node.text.partition("[")[2].rpartition("]")[0]
    return [(match[1].rpartition(" AS ")[2], match[2]) for match in _OUTPUT.finditer(listed)]
