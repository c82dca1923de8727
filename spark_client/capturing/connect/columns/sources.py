"""Sources of a plan's columns: what its tables, files, views and queries are, as the session knows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from headwater_model.columns import ColumnSource
from spark_client.capturing.connect.columns import queries
from spark_client.capturing.connect.columns.frames import Nodes, Typed
from spark_client.capturing.connect.columns.relations import PlanReader
from spark_client.capturing.connect.plan_texts import PlanText, parse_plan_text, reads_in
from spark_client.capturing.connect.reads import Read, SourceRead, TableRead, UnknownRead, reads_of
from spark_client.capturing.connect.server import NoResponse
from spark_client.capturing.connect.snapshots import Column, Snapshot, Unreadable
from spark_client.capturing.connect.sql_statements import is_recursive
from spark_client.capturing.connect.tables import Session
from spark_client.capturing.model import Dataset, SchemaField
from spark_client.capturing.plans.values import IDENTITY, NOTHING, Dependency, Value, unknown

# Requests to the server for one write's columns.
_REQUESTS_MAX = 20
_PLAN_MAX_BYTES = 1_000_000
_MERGES = ("spark.sql.parquet.mergeSchema", "spark.sql.orc.mergeSchema")


class SessionSources:
    """Sources of one write's plan, in a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._requests = 0

    def variables(self) -> Mapping[str, Value]:
        """Return the session's variables by their keys."""
        return self._session.variable_values

    def schema(self, relation: Any) -> tuple[SchemaField, ...]:
        """Return the server's schema of a relation.

        Raises:
            Unreadable: it does not respond, or was queried too often.
        """
        self._count_request(relation)
        try:
            return self._session.server.schema(relation)
        except NoResponse as reason:
            raise Unreadable(f"the schema: {reason}") from reason

    def _count_request(self, relation: Any) -> None:
        if relation.ByteSize() > _PLAN_MAX_BYTES:
            raise Unreadable("the schema of so large a plan")
        self._requests += 1
        if self._requests > _REQUESTS_MAX:
            raise Unreadable(f"more than {_REQUESTS_MAX} requests to the server")

    def expression(self, text: str, columns: Sequence[Column], nodes: Nodes) -> Typed:
        """Return an expression in SQL over these columns, by the server's plan of it.

        Raises:
            Unreadable: it is more than an expression, or cannot be read without guessing.
        """
        from pyspark.sql.connect import proto

        return queries.item_of(self._explained(queries.relation_of(text, columns, proto)), text, columns, nodes)

    def _explained(self, relation: Any) -> PlanText:
        self._count_request(relation)
        try:
            return queries.parse_analyzed(self._session.server.explain_relation(relation))
        except NoResponse as reason:
            raise Unreadable(f"the plan: {reason}") from reason

    def leaf(self, relation: Any, references: Sequence[Any]) -> Snapshot:
        """Return the columns of a leaf; `references` are the program's frames that a query may name.

        Raises:
            Unreadable: its columns' names are unknown.
        """
        if relation.WhichOneof("rel_type") == "sql":
            return self._query(relation.sql, references)
        read = next(reads_of(relation), None)
        return _of_schema(self.schema(relation), NOTHING) if read is None else self._of_read(read, relation)

    def _of_read(self, read: Read, relation: Any) -> Snapshot:
        snapshot = self._session.snapshot(read)
        if snapshot is not None:
            return snapshot
        if isinstance(read, TableRead | SourceRead):
            return self._named(read, relation)
        reason = read.reason if isinstance(read, UnknownRead) else "CommandResult: the result of a command"
        return _of_schema(self.schema(relation), unknown(reason))

    def _named(self, read: TableRead | SourceRead, relation: Any = None) -> Snapshot:
        resolved = self._session.find([read])
        datasets = resolved.datasets
        schema = datasets[0].schema if len(datasets) == 1 else ()
        if not schema and relation is None:
            raise Unreadable("the schema of a source")
        known = schema or self.schema(relation)
        if resolved.unknown:
            return _of_schema(known, unknown("; ".join(resolved.unknown)))
        qualifier = self._session.qualifier(read) if isinstance(read, TableRead) else ()
        return _of_datasets(known, datasets, qualifier, merged=len(datasets) > 1 and self._is_merged(read))

    def _is_merged(self, read: TableRead | SourceRead) -> bool:
        """True if datasets that are read as one may have other columns than each other."""
        if isinstance(read, SourceRead) and "mergeschema" in read.options:
            return read.options["mergeschema"].lower() == "true"
        try:
            return any((self._session.server.conf(key) or "").lower() == "true" for key in _MERGES)
        except NoResponse:
            return True

    # Queries in SQL.

    def of_read(self, read: Read) -> Snapshot:
        """Return the columns of a table, or of files, that a query's plan names."""
        if not isinstance(read, TableRead | SourceRead):
            raise Unreadable("a source of a query")
        return self._named(read)

    def full_name(self, read: TableRead) -> tuple[str, ...]:
        """Return a table's name with its catalog and database."""
        return self._session.qualifier(read)

    def temporary(self, name: tuple[str, ...]) -> Snapshot | None:
        """Return the columns of a temporary view, which this session or another one made."""
        return self._session.snapshot(TableRead(name))

    def _query(self, message: Any, references: Sequence[Any]) -> Snapshot:
        named = [reference for reference in references if reference.WhichOneof("rel_type") == "subquery_alias"]
        if named:
            return self._with_frames(message, named)
        return self.read_text(self._session.explained(message), text_of(message))

    def _with_frames(self, message: Any, named: Sequence[Any]) -> Snapshot:
        from pyspark.sql.connect import proto

        whole = proto.Relation()
        whole.with_relations.root.sql.CopyFrom(message)
        whole.with_relations.references.extend(named)
        self._count_request(whole)
        try:
            explained = self._session.server.explain_relation(whole)
        except NoResponse as reason:
            raise Unreadable(f"the plan: {reason}") from reason
        frames = {
            reference.subquery_alias.alias: snapshot_of(self, reference.subquery_alias.input) for reference in named
        }
        return self.read_text(explained, text_of(message), frames)

    def read_text(
        self, explained: str, sql: str, frames: dict[str, Snapshot] | None = None, root: PlanText | None = None
    ) -> Snapshot:
        """Return the columns of a statement, or of the query in it (`root`), by Spark's plans of it.

        Raises:
            Unreadable: they cannot be read without guessing.
        """
        parsed = parse_plan_text(explained)
        reads = list(reads_in(parsed, recursive=is_recursive(sql))) if parsed else []
        shown = [read for read in reads if not _is_frame(read, frames or {})]
        reader = PlanReader(self)

        def placed(snapshot: Snapshot) -> Any:
            frame = reader.placed(snapshot)
            return frame.node, frame.columns

        tree = root or queries.parse_analyzed(explained)
        sql = "\n".join([sql, *map(self._session.view_text, queries.views_in(tree))])
        leaves = queries.QueryLeaves(self, placed, shown, frames or {})
        frame = queries.read_query(tree, sql, leaves, reader.nodes)
        return queries.of_columns(frame, reader.related_node(frame.node))


def text_of(message: Any) -> str:
    """Return a statement's text, and its arguments', for what may be in literals."""
    bare = type(message)()
    bare.CopyFrom(message)
    bare.query = ""
    return f"{message.query}\n{bare}"


def snapshot_of(sources: SessionSources, relation: Any) -> Snapshot:
    """Return the columns of a relation, as they are now.

    Raises:
        Unreadable: they cannot be read without guessing, or cost too much.
    """
    reader = PlanReader(sources)
    frame = reader.read(relation)
    related = reader.related_node(frame.node)
    columns = reader.steps.columns(frame)
    if [column.id for column in columns] != [id_ for id_, _ in related.columns]:
        raise Unreadable("columns in another order")
    return Snapshot(tuple(replace(column, qualifier=()) for column in columns), tuple(related.values), related.rows)


def _is_frame(read: Read, frames: dict[str, Snapshot]) -> bool:
    names = {name.lower() for name in frames}
    return isinstance(read, TableRead) and len(read.name) == 1 and read.name[0].lower() in names


def _of_schema(schema: Sequence[SchemaField], value: Value) -> Snapshot:
    columns = tuple(Column(field.name, "", type=field) for field in schema)
    return Snapshot(columns, tuple(value for _ in columns))


def _of_datasets(
    schema: Sequence[SchemaField], datasets: Sequence[Dataset], qualifier: tuple[str, ...], *, merged: bool
) -> Snapshot:
    columns = tuple(Column(field.name, "", qualifier, field) for field in schema)
    if merged:
        return Snapshot(columns, tuple(unknown("HadoopFsRelation: files of several schemas") for _ in columns))
    values = (
        Value(frozenset(Dependency(ColumnSource(dataset.id, (column.name or "",)), IDENTITY) for dataset in datasets))
        for column in columns
    )
    return Snapshot(columns, tuple(values))
