"""Printed analyzed plans, made into nodes for the rules of the driver's plans.

Only Spark's own parser and analyzer know its SQL, so reading begins with their plan. A plan with an operator outside
of the rules is not read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from spark_client.capturing.connect.columns.frames import TextFrame
from spark_client.capturing.connect.columns.query_leaves import QueryLeaves
from spark_client.capturing.connect.columns.text_operators import RULES
from spark_client.capturing.connect.columns.text_reading import LISTING, Step, TextReading, listed_columns
from spark_client.capturing.connect.columns.texts import Texts
from spark_client.capturing.connect.literal_risks import LiteralRisks
from spark_client.capturing.connect.plan_texts import PlanText
from spark_client.capturing.connect.snapshots import Column, Snapshot, Unreadable
from spark_client.capturing.plans.plan import kinds

_RELATION = re.compile(r"Relation (?P<name>\S*)\[(?P<columns>.*)\] \S+")
_V2 = re.compile(r"RelationV2\[(?P<columns>.*?)\] (?P<name>\S+)")
_VIEW = re.compile(r"View \((?P<name>`.*`), \[(?P<columns>.*)\]\)")
_RDD = re.compile(r"(?P<name>)LogicalRDD \[(?P<columns>.*)\]")
_STREAM = re.compile(r"(?P<name>)StreamingRelation(?:V2)? .*, \[(?P<columns>[^\[\]]*)\](?:, name=.*)?")
# A source of streams without data outside of Spark.
_MADE_UP = re.compile(r"StreamingRelationV2 \S+, rate\b")
_RELATIONS = {
    "Relation": _RELATION,
    "RelationV2": _V2,
    "LogicalRDD": _RDD,
    "StreamingRelation": _STREAM,
    "StreamingRelationV2": _STREAM,
}
_KEPT = "LogicalRDD"
_CUT = re.compile(r"\.\.\. \d+ more fields")
_PASSING = kinds(
    """
    SubqueryAlias GlobalLimit LocalLimit Offset Tail Repartition RepartitionByExpression RebalancePartitions
    ResolvedHint PipeOperator LimitAll CollectMetrics EventTimeWatermark
    """
)


class _Step(NamedTuple):
    """Step of a plan's text, with the places of steps around it: `owner`, `below` and `inside`.

    `owner` has the step in an expression; `alias` is the step's name in a `SubqueryAlias` above.
    """

    text: PlanText
    owner: int | None
    below: list[int]
    inside: list[int]
    in_view: bool
    alias: str = ""


class AnalyzedReader(TextReading):
    """Reader of an analyzed plan's text; `risks` are of the literals there.

    Raises:
        Unreadable: for an unknown form, and for literals like ids.
    """

    def __init__(self, leaves: QueryLeaves, risks: LiteralRisks) -> None:
        if risks.ids:
            raise Unreadable("a statement with # or \\ in it")
        super().__init__(leaves.nodes, Texts(leaves.nodes, risks), leaves.rows)
        self._risks = risks
        self.leaves = leaves

    def read(self, root: PlanText) -> TextFrame:
        """Read a plan; it may be arbitrarily deep."""
        steps = self._steps(root)
        self._nameless = [step for step in steps if _is_nameless(step)]
        done: dict[int, TextFrame] = {}
        # Backwards, as the steps below and inside a step come behind it.
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
        left: list[tuple[PlanText, int | None, list[int] | None, bool, str]] = [(root, None, None, False, "")]
        while left:
            text, owner, siblings, in_view, above = left.pop()
            index = len(steps)
            if siblings is not None:
                siblings.append(index)
            step = _Step(text, owner, [], [], in_view, above)
            steps.append(step)
            if self._is_replaced(text):
                continue
            within = in_view or text.kind == "View"
            alias = text.text.partition(" ")[2] if text.kind == "SubqueryAlias" else ""
            left += [(child, owner, step.below, within, alias) for child in reversed(text.below)]
            left += [(child, index, step.inside, within, "") for child in reversed(text.inside)]
        return steps

    def _is_replaced(self, text: PlanText) -> bool:
        """True for a temporary view or a stand-in: the columns are known from an earlier moment."""
        if text.kind == "SubqueryAlias":
            return self.leaves.alias(text.text.partition(" ")[2]) is not None
        match = _VIEW.match(text.text) if text.kind == "View" else None
        return match is not None and self.leaves.view(match["name"]) is not None

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
            return self.over(below[0], "SubqueryAlias") if below else self._stood_for(step.text)
        if kind == "View":
            return self._view(step, below)
        if kind in _RELATIONS:
            return self._relation(step)
        rule = RULES.get(kind)
        if rule is None or (self._risks.brackets and kind in LISTING):
            raise Unreadable(f"the operator {kind}")
        return rule(self, Step(step.text.text, below, inside))

    def _stood_for(self, text: PlanText) -> TextFrame:
        """Read the frame behind a stand-in, with the ids of the stand-in's columns."""
        snapshot = self.leaves.alias(text.text.partition(" ")[2])
        if snapshot is None or not text.below:
            raise Unreadable("a step without another below it")
        listed = listed_columns(text.below[0].text.partition("[")[2].removesuffix("]"))
        return self._as_it_was(snapshot, [(name, id_) for name, id_, _ in listed])

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
        """Place the columns behind a name; a text of a later moment may know a new view of the name."""
        names = [(column.name or "").lower() for column in snapshot.columns]
        if names != [name.lower() for name, _ in outputs]:
            raise Unreadable("a view that has changed")
        return self.placed(snapshot, [id_ for _, id_ in outputs])

    def _relation(self, step: _Step) -> TextFrame:
        match = _RELATIONS[step.text.kind].match(step.text.text)
        if match is None:
            raise Unreadable("a relation")
        listed = listed_columns(match["columns"])
        if _MADE_UP.match(step.text.text):
            return self.leaves.rows([(name, id_) for name, id_, _ in listed])
        snapshot = self._source(step, match["name"], [name for name, _, _ in listed])
        by_name = {(column.name or "").lower(): at for at, column in enumerate(snapshot.columns)}
        try:
            indexes = [by_name[name.lower()] for name, _, _ in listed]
        except KeyError as name:
            raise Unreadable(f"the column {name} of a table") from name
        columns = tuple(snapshot.columns[at] for at in indexes)
        chosen = Snapshot(columns, tuple(snapshot.values[at] for at in indexes), snapshot.rows)
        return self.placed(chosen, [id_ for _, id_, _ in listed])

    def _source(self, step: _Step, name: str, names: Sequence[str]) -> Snapshot:
        if name := name or _name_of_stream(step):
            return self.leaves.table(name, names, in_view=step.in_view)
        if step.in_view:
            raise Unreadable("files without a name")
        is_kept = step.text.kind == _KEPT
        places = [other for other in self._nameless if (other.text.kind == _KEPT) == is_kept]
        return self.leaves.nameless(places.index(step), len(places), names, is_kept=is_kept)

    def placed(self, snapshot: Snapshot, ids: Sequence[str]) -> TextFrame:
        """Make a leaf for columns, by their ids in the text."""
        if len(ids) != len(snapshot.columns):
            raise Unreadable("a source with other columns")
        node, columns = self.leaves.placed(snapshot)
        return TextFrame(node, tuple(ids), tuple(columns))


def _is_nameless(step: _Step) -> bool:
    match = _RELATIONS[step.text.kind].match(step.text.text) if step.text.kind in _RELATIONS else None
    named = step.in_view or _name_of_stream(step) or _MADE_UP.match(step.text.text)
    return match is not None and not match["name"] and not named


def _name_of_stream(step: _Step) -> str:
    """Find the name of a table read as a stream, by its alias; a program's own alias has no catalog."""
    return step.alias if step.text.kind.startswith("StreamingRelation") and step.alias.count(".") > 1 else ""
