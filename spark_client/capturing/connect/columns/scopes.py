"""Scopes of names: the columns that an expression sees, and how Spark's analyzer finds the one that is meant."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from spark_client.capturing.connect.columns.frames import Frame, Nodes, Typed, field_of, find_column
from spark_client.capturing.connect.reads import table_read
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import kinds

# Steps through which Spark reaches for a column that was left out (`ResolveReferencesInSort` and its like).
_REACHED_THROUGH = kinds("Project Filter Sort GlobalLimit Repartition SubqueryAlias Deduplicate Hint Sample")

# How far an expression reaches for columns that are not there: not at all, to those that the step hides, or below it.
Reach: TypeAlias = Literal["hidden", "below"] | None


class Steps:
    """Steps of one plan that are read so far, and what the server's schemas have of their columns."""

    def __init__(self, nodes: Nodes, schema: Callable[[Any], tuple[SchemaField, ...]]) -> None:
        self.nodes = nodes
        self.schema = schema
        self._known: dict[str, SchemaField] = {}
        self._by_plan: dict[int, list[Frame]] = {}

    def add(self, frame: Frame) -> None:
        """Add a step, which columns of the program's frames may name."""
        if frame.plan_id is not None:
            self._by_plan.setdefault(frame.plan_id, []).append(frame)

    def of_plan(self, plan_id: int, inputs: Sequence[Frame]) -> list[Frame]:
        """Return the steps with this id at or below some steps."""
        return [
            frame
            for frame in self._by_plan.get(plan_id, ())
            if any(step.first <= frame.first <= step.last for step in inputs)
        ]

    def columns(self, frame: Frame, *, typed: bool = False) -> tuple[Column, ...]:
        """Return the columns of a step, with their names (and types) from the server where they are unknown.

        Raises:
            Unreadable: the server does not return them, or has other columns.
        """
        columns = tuple(map(self._completed, frame.columns))
        if all(column.name is not None and (column.type is not None or not typed) for column in columns):
            return columns
        self.learn(frame)
        return tuple(map(self._completed, frame.columns))

    def learn(self, frame: Frame) -> None:
        """Fetch the server's schema of a step."""
        if frame.relation is None:
            raise Unreadable("the names of columns that Spark makes up")
        schema = self.schema(frame.relation)
        if len(schema) != len(frame.columns):
            raise Unreadable(f"{len(frame.columns)} columns, where Spark has {len(schema)}")
        for column, field in zip(frame.columns, schema, strict=True):
            if column.name is not None and column.name.lower() != field.name.lower():
                raise Unreadable(f"the column {column.name}, where Spark has {field.name}")
            self._known[column.id] = field

    def _completed(self, column: Column) -> Column:
        known = self._known.get(column.id)
        if known is None:
            return column
        return replace(column, name=column.name if column.name is not None else known.name, type=column.type or known)


class Scope:
    """Columns that an expression sees: those of the steps it is over, and of the query around a subquery.

    `missing` are the columns found below a step that does not have them any more: those that it hides, and, if the
    expression `reaches` below it, those that it left out.
    """

    def __init__(
        self,
        steps: Steps,
        frames: Sequence[Frame],
        outer: Scope | None = None,
        *,
        reaches: Reach = None,
    ) -> None:
        self.steps = steps
        self.frames = frames
        self.outer = outer
        self.reaches = reaches
        self.aliases: dict[str, Typed] = {}
        self.missing: list[Column] = []

    def resolve(self, name: str, plan_id: int | None = None) -> Typed:
        """Return the column or field with a name, as it is written in a program.

        Raises:
            Unreadable: there is none, or several.
        """
        parts = table_read(name).name
        match = self._found(parts, plan_id)
        if match is None:
            raise Unreadable(f"the name {name}")
        column, fields = match
        reference = self.steps.nodes.reference(column)
        if not fields:
            return Typed(reference.node, parts[-1], column.type)
        item = Typed(reference.node, column.name, self.type_of(column))
        for field in fields:
            item = field_of(self.steps.nodes, item, field)
        return Typed(item.node, fields[-1], item.type)

    def type_of(self, column: Column) -> SchemaField | None:
        """Return a column's type, from the server where it is unknown."""
        for frame in self.frames:
            if column.type is None and column.id in frame.ids:
                columns = self.steps.columns(frame, typed=True)
                return next(candidate.type for candidate in columns if candidate.id == column.id)
        return column.type

    def type_of_item(self, item: Typed) -> SchemaField | None:
        """Return an expression's type; of a column that of the server where it is unknown.

        Raises:
            Unreadable: there is no such column.
        """
        if item.type is not None or item.node is None or item.node.kind != "AttributeReference":
            return item.type
        id_ = item.node.text("exprId")
        column = next((candidate for candidate in self.columns() if candidate.id == id_), None)
        if column is None:
            raise Unreadable(f"the type of {item.node.text('name')}")
        return self.type_of(column)

    def columns(self) -> Iterator[Column]:
        """Yield all columns."""
        for frame in self.frames:
            yield from self.steps.columns(frame)

    def _found(self, parts: Sequence[str], plan_id: int | None) -> tuple[Column, Sequence[str]] | None:
        match = self._by_plan(parts, plan_id) if plan_id is not None else self._by_name(parts)
        if match is None and self.outer is not None:
            return self.outer._found(parts, plan_id)
        return match

    def _by_name(self, parts: Sequence[str]) -> tuple[Column, Sequence[str]] | None:
        known = [column for frame in self.frames for column in frame.columns]
        match = find_column(known, parts) or find_column(list(self.columns()), parts)
        if match is None and self._is_unambiguous(parts):
            match = self._left_out(lambda frame: find_column((*frame.columns, *frame.hidden), parts))
        return match

    def _is_unambiguous(self, parts: Sequence[str]) -> bool:
        small = {part.lower() for part in parts}
        return not any(column.name and column.name.lower() in small for column in self.columns())

    def _by_plan(self, parts: Sequence[str], plan_id: int) -> tuple[Column, Sequence[str]] | None:
        """Return the column of the step with an id: of several the one that is nearest above."""
        candidates: dict[str, tuple[int, Column, Sequence[str]]] = {}
        for frame in self.steps.of_plan(plan_id, self.frames):
            match = find_column((*self.steps.columns(frame), *frame.hidden), parts)
            if match is not None:
                candidates.setdefault(match[0].id, (frame.depth, *match))
        here = {
            id_: candidate for id_, candidate in candidates.items() if any(id_ in frame.ids for frame in self.frames)
        }
        nearest = sorted((here or candidates).values(), key=lambda candidate: candidate[0])
        if not nearest or (len(nearest) > 1 and nearest[0][0] == nearest[1][0]):
            return None
        _, column, fields = nearest[0]
        if here:
            return column, fields
        same = self._left_out(lambda frame: (column, fields) if _has(frame, column) else None)
        return same and (column, fields)

    def _left_out(
        self, find: Callable[[Frame], tuple[Column, Sequence[str]] | None]
    ) -> tuple[Column, Sequence[str]] | None:
        """Return a column that a step above left out, as Spark finds those that a filter or a sort needs."""
        if len(self.frames) != 1 or self.reaches is None:
            return None
        frame = self.frames[0]
        match = find(frame)
        while (
            match is None and self.reaches == "below" and len(frame.inputs) == 1 and frame.node.kind in _REACHED_THROUGH
        ):
            frame = frame.inputs[0]
            match = find(frame)
        if match is not None:
            self.missing.append(match[0])
        return match


def _has(frame: Frame, column: Column) -> bool:
    return any(known.id == column.id for known in (*frame.columns, *frame.hidden))


def with_missing(nodes: Nodes, frame: Frame, missing: Sequence[Column]) -> Frame:
    """Return a step that also has columns left out there; see `Scope.missing`."""
    chain = [frame]
    while not _can_have(chain[-1], missing):
        chain.append(chain[-1].inputs[0])
    top = chain.pop()
    if not all(column.id in top.ids for column in missing):
        top = _wider(nodes, top, top.inputs[0], missing)
    for step in reversed(chain):
        top = _wider(nodes, step, top, missing)
    return top


def _can_have(frame: Frame, missing: Sequence[Column]) -> bool:
    """True if the columns are among the step's own, or the step is the projection that hides them."""
    of_projection = frame.hidden if frame.node.kind == "Project" else ()
    known = frame.ids | {column.id for column in of_projection}
    return all(column.id in known for column in missing)


def _wider(nodes: Nodes, frame: Frame, child: Frame, missing: Sequence[Column]) -> Frame:
    """Return a copy of a step over another child; a projection also has the missing columns."""
    values = {**frame.node.values, "child": child.node}
    more = [column for column in missing if column.id not in frame.ids]
    if frame.node.kind == "Project":
        values["projectList"] = [*frame.node.nodes("projectList"), *(nodes.reference(column).node for column in more)]
    return replace(frame, node=nodes.node(frame.node.kind, **values), columns=(*frame.columns, *more), inputs=(child,))
