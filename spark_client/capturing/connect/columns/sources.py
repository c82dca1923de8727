"""Sources of a plan's columns: its tables, files, views and queries, as known to the session."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from headwater_model.columns import ColumnSource
from spark_client.capturing.connect.columns import queries
from spark_client.capturing.connect.columns.query_leaves import PlanReads, QueryLeaves
from spark_client.capturing.connect.literal_risks import all_risks, risks_of
from spark_client.capturing.connect.plan_texts import PlanText, has_ctes, parse_plan_text, reads_in, schema_in
from spark_client.capturing.connect.reads import (
    FrameRead,
    QueryRead,
    Read,
    SourceRead,
    TableRead,
    is_frame,
    kinds_in,
    reads_of,
)
from spark_client.capturing.connect.server import NoResponse
from spark_client.capturing.connect.snapshots import Column, Snapshot, Unreadable
from spark_client.capturing.connect.sql_statements import is_recursive
from spark_client.capturing.connect.tables import Session
from spark_client.capturing.model import Dataset, SchemaField
from spark_client.capturing.plans.values import IDENTITY, Dependency, Value, unknown

_MERGES = ("spark.sql.parquet.mergeSchema", "spark.sql.orc.mergeSchema")
# Relations with inputs in a different order in a plan's text.
_TURNED = frozenset({"lateral_join", "with_relations"})


class SessionSources:
    """Sources of plans in a session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def of_read(self, read: Read, names: Sequence[str]) -> Snapshot:
        """Read the columns of a table, of files or of a kept frame; `names` are the plan's."""
        if isinstance(read, FrameRead):
            return self._session.snapshot(read) or _of_names(names, "CommandResult: the result of a command")
        if not isinstance(read, TableRead | SourceRead):
            raise Unreadable("a source of a query")
        resolved = self._session.find([read])
        datasets = resolved.datasets
        if resolved.unknown:
            return _of_names(names, "; ".join(resolved.unknown))
        known = datasets[0].schema if len(datasets) == 1 else ()
        schema = known or tuple(SchemaField(name, "") for name in names)
        merged = len(datasets) > 1 and self._is_merged(read)
        return _of_datasets(schema, datasets, typed=bool(known), merged=merged)

    def _is_merged(self, read: TableRead | SourceRead) -> bool:
        """True if the datasets of a single read may differ in their columns."""
        if isinstance(read, SourceRead) and "mergeschema" in read.options:
            return read.options["mergeschema"].lower() == "true"
        try:
            return any((self._session.server.conf(key) or "").lower() == "true" for key in _MERGES)
        except NoResponse:
            return True

    def full_name(self, read: TableRead) -> tuple[str, ...]:
        """Complete a table's name by catalog and database."""
        return self._session.qualifier(read)

    def temporary(self, name: tuple[str, ...]) -> Snapshot | None:
        """Find the columns of a temporary view, of this session or global."""
        return self._session.snapshot(TableRead(name))

    def frame(self, relation: Any) -> Snapshot:
        """Read the columns of a program's frame.

        Raises:
            Unreadable: the columns cannot be read without guessing, or the server does not explain the frame.
        """
        try:
            explained = self._session.explained_frame(relation)
        except NoResponse as reason:
            raise Unreadable(f"the plan: {reason}") from reason
        tree = queries.parse_analyzed(explained.text)
        inside = [read for read in reads_of(relation) if isinstance(read, QueryRead)]
        texts = [text_of(read.message) for read in inside]
        texts += map(self._session.view_text, queries.views_in(tree))
        risks = all_risks([explained.risks, *map(risks_of, texts)])
        frames = frozenset(name.lower() for read in inside for name in read.frames)
        stand_ins = {name: self._stood_for(read) for name, read in explained.stand_ins.items()}
        reads = self._reads(relation, set(explained.stand_ins.values()))
        leaves = QueryLeaves(self, reads, frames, stand_ins)
        snapshot = queries.read_query(tree, risks, leaves, self._session.variable_values)
        return snapshot._replace(schema=schema_in(explained.text, [column.name or "" for column in snapshot.columns]))

    def _stood_for(self, read: Read) -> Snapshot:
        snapshot = self._session.snapshot(read)
        if snapshot is None:
            raise Unreadable("a frame that is gone")
        return snapshot

    def _reads(self, relation: Any, left_out: Collection[Read]) -> PlanReads:
        """List the reads of a frame; the reads of a query take its place."""
        reads: list[Read] = []
        is_ordered = _TURNED.isdisjoint(kinds_in(relation))
        for read in reads_of(relation):
            if not isinstance(read, QueryRead):
                reads += [read] if read not in left_out else []
                continue
            inside = _of_plan(self._session.plan(read.message), read.message.query, read.frames)
            is_ordered = is_ordered and inside.is_ordered
            reads += inside.reads
        return PlanReads(reads, is_ordered)

    def statement(self, explained: str, message: Any, root: PlanText) -> Snapshot:
        """Read the columns of the query in a statement (`root`), by Spark's plans of the statement.

        Raises:
            Unreadable: the columns cannot be read without guessing.
        """
        texts = [text_of(message), *map(self._session.view_text, queries.views_in(root))]
        leaves = QueryLeaves(self, _of_plan(parse_plan_text(explained), message.query))
        return queries.read_query(root, risks_of("\n".join(texts)), leaves, self._session.variable_values)


def _of_plan(parsed: PlanText | None, sql: str, frames: frozenset[str] = frozenset()) -> PlanReads:
    """List the reads of a parsed plan; the analyzer may turn the order of CTEs."""
    if parsed is None:
        return PlanReads((), is_ordered=False)
    reads = reads_in(parsed, recursive=is_recursive(sql))
    return PlanReads([read for read in reads if not is_frame(read, frames)], not has_ctes(parsed))


def text_of(message: Any) -> str:
    """Join a statement's text and its arguments: all places of literals."""
    bare = type(message)()
    bare.CopyFrom(message)
    bare.query = ""
    return f"{message.query}\n{bare}"


def _of_names(names: Sequence[str], reason: str) -> Snapshot:
    return Snapshot(tuple(Column(name, "") for name in names), tuple(unknown(reason) for _ in names))


def _of_datasets(schema: Sequence[SchemaField], datasets: Sequence[Dataset], *, typed: bool, merged: bool) -> Snapshot:
    columns = tuple(Column(field.name, "", type=field if typed else None) for field in schema)
    if merged:
        return Snapshot(columns, tuple(unknown("HadoopFsRelation: files of several schemas") for _ in columns))
    values = (
        Value(frozenset(Dependency(ColumnSource(dataset.id, (field.name,)), IDENTITY) for dataset in datasets))
        for field in schema
    )
    return Snapshot(columns, tuple(values))
