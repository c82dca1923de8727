"""State of reading one plan: what the rules of all kinds of relations have at hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from spark_client.capturing.connect.columns.expressions import ExpressionReader
from spark_client.capturing.connect.columns.frames import Frame, Nodes, Typed
from spark_client.capturing.connect.columns.scopes import Reach, Scope, Steps, with_missing
from spark_client.capturing.connect.snapshots import Column, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.plan import Node

_PASSING = "SubqueryAlias"


class PlanContext:
    """State of reading one plan; `outer` is the query around it, if it is a subquery."""

    def __init__(self, nodes: Nodes, steps: Steps, expressions: ExpressionReader, outer: Scope | None = None) -> None:
        self.nodes = nodes
        self.steps = steps
        self.expressions = expressions
        self.outer = outer

    def scope(self, *inputs: Frame, reaches: Reach = None) -> Scope:
        """Return the scope of expressions over some steps."""
        return Scope(self.steps, inputs, self.outer, reaches=reaches)

    def reached(self, child: Frame, scope: Scope) -> Frame:
        """Return the child with the columns that expressions over it found below it."""
        return with_missing(self.nodes, child, scope.missing) if scope.missing else child

    def read(self, message: Any, scope: Scope) -> Typed:
        """Return an expression that decides about rows; it has to be readable."""
        return self.expressions.read(message, scope)

    def read_column(self, message: Any, scope: Scope) -> Typed:
        """Return an expression of a column, which is unknown where it cannot be read."""
        try:
            return self.expressions.read(message, scope)
        except Unreadable as reason:
            name = message.alias.name[0] if message.WhichOneof("expr_type") == "alias" else None
            return self.nodes.unknown(str(reason))._replace(name=name)

    def passing(self, child: Frame, columns: Sequence[Column] | None = None, hidden: Sequence[Column] = ()) -> Frame:
        """Return a step that changes neither rows nor values."""
        node = self.nodes.node(_PASSING, child=child.node)
        return Frame(node, child.columns if columns is None else tuple(columns), tuple(hidden), inputs=(child,))

    def over(self, child: Frame, kind: str, scope: Scope | None = None, **values: Any) -> Frame:
        """Return a step with the columns of its child, which reaches for those that are left out there."""
        below = child if scope is None else self.reached(child, scope)
        step = Frame(self.nodes.node(kind, child=below.node, **values), below.columns, child.hidden, inputs=(below,))
        if below is child:
            return step
        outputs = self.outputs(child.columns)
        return Frame(self.nodes.node("Project", child=step.node, projectList=outputs), child.columns, inputs=(step,))

    def project(self, child: Frame, items: Iterable[Typed]) -> Frame:
        """Return a projection: columns stay themselves, other expressions become new columns."""
        nodes: list[Node] = []
        columns: list[Column] = []
        known = {column.id: column for column in (*child.columns, *child.hidden)}
        for item in items:
            inner, column = self._as_column(item, known)
            nodes.append(inner)
            columns.append(column)
        return Frame(self.nodes.node("Project", child=child.node, projectList=nodes), tuple(columns), inputs=(child,))

    def _as_column(self, item: Typed, known: dict[str, Column]) -> tuple[Node, Column]:
        id_ = item.node.text("exprId") if item.node is not None and item.node.kind == "AttributeReference" else None
        column = known.get(id_ or "")
        if item.node is not None and id_ is not None:
            qualifier = column.qualifier if column else ()
            return item.node, Column(item.name, id_, qualifier, item.type or (column.type if column else None))
        return self.nodes.alias(item)

    def schema_columns(self, schema: Sequence[SchemaField]) -> tuple[Column, ...]:
        """Return new columns for a schema."""
        return tuple(Column(field.name, self.nodes.new_id(), type=field) for field in schema)

    def outputs(self, columns: Iterable[Column]) -> list[Node]:
        """Return the attributes of columns."""
        return [self.nodes.reference(column).node for column in columns]  # type: ignore[misc]

    def schema(self, relation: Any) -> tuple[SchemaField, ...]:
        """Return the server's schema of a relation."""
        return self.steps.schema(relation)


Rule = Callable[[PlanContext, Any, list[Frame], Any], Frame]
