"""Queries in SQL: their columns, by the analyzed plan that the server prints."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from spark_client.capturing.connect.columns.analyzed import AnalyzedReader
from spark_client.capturing.connect.columns.frames import Nodes, TextFrame, Typed
from spark_client.capturing.connect.columns.texts import risks_of
from spark_client.capturing.connect.plan_texts import PlanText, parse_analyzed_text
from spark_client.capturing.connect.reads import Read, SourceRead, TableRead, table_read
from spark_client.capturing.connect.snapshots import Column, Snapshot, Unreadable
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.operators import RowsLineage
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import NOTHING

# Text of one plan.
_TEXT_MAX_CHARS = 2_000_000


class Tables(Protocol):
    """Tables and views that a query's text names."""

    def of_read(self, read: Read) -> Snapshot:
        """Return the columns of a table or a source."""

    def full_name(self, read: TableRead) -> tuple[str, ...]:
        """Return a table's name with its catalog and database."""

    def temporary(self, name: tuple[str, ...]) -> Snapshot | None:
        """Return the columns of a temporary view."""


class QueryLeaves:
    """Leaves of one query's text; `reads` are those of its parsed plan, `frames` the program's that it names."""

    def __init__(
        self,
        tables: Tables,
        placed: Callable[[Snapshot], tuple[Node, Sequence[Column]]],
        reads: Sequence[Read],
        frames: Mapping[str, Snapshot],
    ) -> None:
        self._tables = tables
        self._placed = placed
        self._sources = [read for read in reads if isinstance(read, SourceRead)]
        named = [read for read in reads if isinstance(read, TableRead)]
        self._named = {".".join(tables.full_name(read)).lower(): read for read in named}
        self._frames = {name.lower(): frame for name, frame in frames.items()}

    def table(self, name: str, *, in_view: bool) -> Snapshot:
        """Return a table's columns.

        Raises:
            Unreadable: the plan names another table than the statement did then, or files that it cannot name.
        """
        if not name:
            if in_view or len(self._sources) != 1:
                raise Unreadable("files without a name")
            return self._tables.of_read(self._sources[0])
        if in_view:
            return self._tables.of_read(table_read(name))
        read = self._named.get(name.lower())
        if read is None:
            raise Unreadable(f"the table {name}, which the statement does not name")
        return self._tables.of_read(TableRead(self._tables.full_name(read)))

    def view(self, name: str) -> Snapshot | None:
        """Return the columns of a temporary view; None for a view of the catalog."""
        parts = table_read(name).name
        if len(parts) > 2:
            return None
        snapshot = self._tables.temporary(parts)
        if snapshot is None:
            raise Unreadable(f"the view {parts[-1]}")
        return snapshot

    def alias(self, name: str) -> Snapshot | None:
        """Return the columns of a program's frame that a query names."""
        return self._frames.get(name.lower())

    def rows(self, outputs: Sequence[tuple[str, str]]) -> TextFrame:
        """Return rows in the statement, which are made of nothing."""
        snapshot = Snapshot(tuple(Column(name, "") for name, _ in outputs), tuple(NOTHING for _ in outputs))
        node, columns = self._placed(snapshot)
        return TextFrame(node, tuple(id_ for _, id_ in outputs), tuple(columns))

    def placed(self, snapshot: Snapshot) -> tuple[Node, Sequence[Column]]:
        """Return a leaf for columns, and its own columns."""
        return self._placed(snapshot)


class GivenRows(QueryLeaves):
    """Leaves of the text of an expression alone, which is over columns that are known."""

    def __init__(self, columns: Sequence[Column], nodes: Nodes) -> None:
        self._columns = list(columns)
        self._node = nodes.node("OneRowRelation")

    def table(self, name: str, *, in_view: bool) -> Snapshot:
        """Refuse tables, which only a subquery has."""
        del in_view
        raise Unreadable(f"the table {name} in an expression")

    def view(self, name: str) -> Snapshot | None:
        """Refuse views."""
        raise Unreadable(f"the view {name} in an expression")

    def alias(self, name: str) -> Snapshot | None:
        """Return None: an expression names no frame."""
        del name
        return None

    def rows(self, outputs: Sequence[tuple[str, str]]) -> TextFrame:
        """Return the last of the known columns that are not taken yet."""
        first = len(self._columns) - len(outputs)  # the last rows of a text are read first
        taken, self._columns = self._columns[first:], self._columns[:first]
        if [column.name for column in taken] != [name for name, _ in outputs]:
            raise Unreadable("an expression over other columns")
        return TextFrame(self._node, tuple(id_ for _, id_ in outputs), tuple(taken))


def parse_analyzed(explained: str) -> PlanText:
    """Return the analyzed plan in the output of an EXPLAIN.

    Raises:
        Unreadable: there is none, or it is too large.
    """
    root = parse_analyzed_text(explained) if len(explained) <= _TEXT_MAX_CHARS else None
    if root is None:
        raise Unreadable("a statement that Spark does not analyze")
    return root


def views_in(root: PlanText) -> list[tuple[str, ...]]:
    """Return the names of the catalog's views in a plan."""
    names: dict[tuple[str, ...], None] = {}
    left = [root]
    while left:
        node = left.pop()
        left += [*node.inside, *node.below]
        if node.kind == "View" and len(name := table_read(node.text.partition("(")[2].partition(", [")[0]).name) > 2:
            names[name] = None
    return list(names)


def read_query(root: PlanText, sql: str, leaves: QueryLeaves, nodes: Nodes) -> TextFrame:
    """Return a query's plan.

    Raises:
        Unreadable: it has a form that is unknown, or literals that can be taken for something else.
    """
    return AnalyzedReader(nodes, leaves, risks_of(sql)).read(root)


def relation_of(text: str, columns: Sequence[Column], proto: Any) -> Any:
    """Return a relation of the protocol that has an expression over columns without rows.

    Raises:
        Unreadable: a column's type is unknown.
    """
    parts: list[Any] = []
    for qualifier, group in _runs(columns):
        relation = proto.Relation()
        relation.local_relation.schema = ", ".join(f"{_quoted(column.name)} {_ddl(column.type)}" for column in group)
        if qualifier:
            alias = proto.Relation()
            alias.subquery_alias.input.CopyFrom(relation)
            alias.subquery_alias.alias = qualifier[-1]
            alias.subquery_alias.qualifier.extend(qualifier[:-1])
            relation = alias
        parts.append(relation)
    over = parts[0] if parts else None
    for part in parts[1:]:
        joined = proto.Relation()
        joined.join.left.CopyFrom(over)
        joined.join.right.CopyFrom(part)
        joined.join.join_type = proto.Join.JOIN_TYPE_CROSS
        over = joined
    projection = proto.Relation()
    if over is not None:
        projection.project.input.CopyFrom(over)
    projection.project.expressions.add().expression_string.expression = text
    return projection


def item_of(root: PlanText, text: str, columns: Sequence[Column], nodes: Nodes) -> Typed:
    """Return the expression in the plan of such a relation; a generator has the `names` of its columns."""
    if root.kind not in ("Project", "Aggregate") or root.inside:
        raise Unreadable(f"the expression {text}")
    frame = read_query(root, text, GivenRows(columns, nodes), nodes)
    items = frame.node.nodes("projectList") or frame.node.nodes("aggregateExpressions")
    below = frame.node.node("child")
    generator = below.node("generator") if below is not None else None
    if generator is not None:
        generator.values = {**generator.values, "names": [column.name for column in frame.columns]}
    elif len(items) != 1:
        raise Unreadable(f"the expression {text}")
    if any(node.kind not in _SIMPLE for node in _below(root)[generator is not None :]):
        raise Unreadable(f"the expression {text}")
    return Typed(generator or items[0], frame.columns[0].name, frame.columns[0].type)


_SIMPLE = ("Join", "SubqueryAlias", "LocalRelation", "OneRowRelation")


def _below(root: PlanText) -> list[PlanText]:
    nodes, left = [], list(root.below)
    while left:
        node = left.pop()
        nodes.append(node)
        left += node.below
    return nodes


def _runs(columns: Sequence[Column]) -> list[tuple[tuple[str, ...], list[Column]]]:
    runs: list[tuple[tuple[str, ...], list[Column]]] = []
    for column in columns:
        if not runs or runs[-1][0] != column.qualifier:
            runs.append((column.qualifier, []))
        runs[-1][1].append(column)
    return runs


def _quoted(name: str | None) -> str:
    if name is None:
        raise Unreadable("the name of a column")
    return f"`{name.replace('`', '``')}`"


def _ddl(type_: SchemaField | None) -> str:
    """Return a type as SQL has it."""
    if type_ is None:
        raise Unreadable("the type of a column")
    if not type_.fields:
        return type_.type
    inside = ", ".join(f"{_quoted(field.name)}: {_ddl(field)}" for field in type_.fields)
    return type_.type.replace("struct", f"struct<{inside}>", 1)


def of_columns(frame: TextFrame, related: RowsLineage) -> Snapshot:
    """Return what the columns of a plan are made of."""
    if [column.id for column in frame.columns] != [id_ for id_, _ in related.columns]:
        raise Unreadable("columns in another order")
    return Snapshot(frame.columns, tuple(related.values), related.rows)
