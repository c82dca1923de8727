"""Columns written by a command: read from its plan, under the dataset's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from headwater_model.columns import ColumnLineage
from headwater_model.ids import FieldPath
from spark_client.capturing.connect.columns.queries import parse_analyzed
from spark_client.capturing.connect.columns.sources import SessionSources
from spark_client.capturing.connect.snapshots import Snapshot, Unreadable
from spark_client.capturing.connect.tables import Session
from spark_client.capturing.extract import OutputColumns, sources_of
from spark_client.capturing.model import SchemaField
from spark_client.capturing.plans.values import NOTHING, Value

# Where the columns of a write go: under their own names, or into columns of a table by name or by position.
Into: TypeAlias = Literal["new", "by name", "by position"]


def read_snapshot(session: Session, relation: Any) -> Snapshot:
    """Read the columns of a relation, as of now.

    Raises:
        Unreadable: the columns cannot be read without guessing, or cost too much.
    """
    return SessionSources(session).frame(relation)


def read_statements(session: Session, message: Any) -> list[tuple[Snapshot, Into]]:
    """Read the columns of a statement's queries, several where its INSERTs share a FROM.

    Raises:
        Unreadable: the columns cannot be read without guessing, or the statement has no query.
    """
    explained = session.explained(message)
    root = parse_analyzed(explained)
    commands = root.below if root.kind == "Union" and all(child.kind in _COMMANDS for child in root.below) else [root]
    sources = SessionSources(session)
    statements: list[tuple[Snapshot, Into]] = []
    for command in commands:
        inside = [*command.inside, *command.below]
        if command.kind not in _COMMANDS or not inside:
            raise Unreadable(f"the command {command.kind}")
        statements.append((sources.statement(explained, message, inside[-1]), _COMMANDS[command.kind]))
    return statements


# Commands of a query's rows; for `by name`, the analyzer has renamed the columns as in the table.
_COMMANDS: Mapping[str, Into] = {
    "InsertIntoHadoopFsRelationCommand": "by name",
    "InsertIntoHiveTable": "by name",
    "AppendData": "by name",
    "OverwriteByExpression": "by name",
    "OverwritePartitionsDynamic": "by name",
    "CreateDataSourceTableAsSelectCommand": "new",
    "CreateHiveTableAsSelectCommand": "new",
    "CreateTableAsSelect": "new",
    "ReplaceTableAsSelect": "new",
    "InsertIntoDataSourceDirCommand": "new",
    "CreateViewCommand": "new",
    "AlterViewAsCommand": "new",
    "CreateView": "new",
    "AlterViewAs": "new",
    "CacheTableAsSelect": "new",
    "SetVariable": "new",
}


def columns_of(
    snapshot: Snapshot, schema: Sequence[SchemaField], into: Into
) -> tuple[ColumnLineage, Mapping[FieldPath, str]]:
    """Name the columns of a query by the written dataset's schema (empty: unknown); return reasons of unknowns, too.

    Raises:
        Unreadable: the columns of query and dataset differ.
    """
    names = [column.name or "" for column in snapshot.columns]
    values: Sequence[Value] = snapshot.values
    if into == "by name":
        by_name = dict(zip(map(str.lower, names), values, strict=True))
        values = [by_name.get(field.name.lower(), NOTHING) for field in schema]
    if into != "new":
        names = [field.name for field in schema]
    if len(names) != len(values):
        raise Unreadable(f"{len(values)} columns, where the table has {len(names)}")
    if into == "new" and schema and [field.name.lower() for field in schema] != [name.lower() for name in names]:
        raise Unreadable("other columns than the dataset has")
    outputs = OutputColumns(names, values, ())
    return ColumnLineage(outputs.fields, sources_of(snapshot.rows)), outputs.unknown
