"""Targets of a command: location, names of columns, and the query of the data."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets import statements
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.schemas import parse_schema, renamed
from spark_client.capturing.datasets.sources import (
    find_connected,
    find_datasets,
    find_identifier,
    find_options,
    find_symlinks,
    find_table,
)
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.model import Change, Dataset, SchemaField
from spark_client.capturing.plans.plan import Node, value_at
from spark_client.capturing.plans.row_statements import HUDI_DELETE, find_row_change

# Commands with their data in an inner execution. They often know the table's name alone. A successful command without
# an inner execution wrote nothing (IF NOT EXISTS).
WRAPPERS = frozenset(
    {
        "SaveAsV1TableCommand",
        "CreateDataSourceTableAsSelectCommand",
        "CreateHiveTableAsSelectCommand",
        "OptimizedCreateHiveTableAsSelectCommand",
        "InsertIntoDataSourceDirCommand",
        "CreateTableAsSelect",
        "ReplaceTableAsSelect",
        "CreateHoodieTableAsSelectCommand",
    }
)
# Hudi's command may also write its data itself, in 1.2.
MAY_WRITE_ALONE = frozenset({"CreateHoodieTableAsSelectCommand"})
# Hudi's commands with a statement inside. Their inner write has the rows after the statement, without their sources.
STATEMENTS = frozenset({"UpdateHoodieTableCommand", HUDI_DELETE, "MergeIntoHoodieTableCommand"})
# Tables without storage.
KEEP_NOTHING = frozenset({"ConsoleSinkProvider", "ConsoleTable", "NoopTable"})
# Commands for a change of rows in place, by the names in table formats.
_ROWS = re.compile(r"(?:ReplaceData|WriteDelta|(?:MergeInto|Update|DeleteFrom|Delete)(?:Table|Command|\w*Command\w*)?)")
# Property of a table of Iceberg's.
_ANY_SCHEMA = "write.spark.accept-any-schema"
# Option in writes of moved rows by Iceberg's actions `rewrite_data_files` and `rewrite_position_delete_files`.
_MOVES_ROWS = "rewritten-file-scan-task-set-id"
_STATEMENTS_IN = ("ut", "dft", "mergeInto")
_TABLES_OF_ROWS = ("originalTable", "targetTable", "target", "table")


def find_targets(plan: Node, catalogs: Catalogs, *, dynamic: bool = False) -> tuple[Target, ...]:
    """Find the targets of a command: mostly a single target; none for a read; several for INSERTs with a shared FROM.

    `dynamic` is the session's mode of overwriting partitions; an option of the write overrides it.
    """
    commands = _commands_in(plan)
    targets = (_find_change(command, catalogs, dynamic) for command in commands)
    return tuple(target for target in targets if target is not None)


def _commands_in(plan: Node) -> Sequence[Node]:
    if plan.kind == "WithCTE" and (inside := plan.node("plan")) is not None:
        return _commands_in(inside)
    return plan.nodes("children") if plan.kind == "Union" else [plan]


def _find_change(command: Node, catalogs: Catalogs, dynamic: bool) -> Target | None:
    target = _find_target(command, catalogs)
    # OVERWRITE means the whole dataset, not a part.
    part = target is not None and target.change == "OVERWRITE" and _replaces_part(command, dynamic)
    return replace(target, change=None) if target is not None and part else target


def is_known(kind: str) -> bool:
    """Check for a command with a rule, or without effect on rows.

    >>> [is_known(kind) for kind in ("AppendData", "AnalyzeTable", "AcmeCommand")]
    [True, True, False]
    """
    return kind in _RULES or any(pattern.fullmatch(kind) for pattern in (_ROWS, statements.KEEPS_ROWS))


def _find_target(command: Node, catalogs: Catalogs) -> Target | None:
    rule = _RULES.get(command.kind)
    if rule is not None:
        return rule(command, catalogs)
    if _ROWS.fullmatch(command.kind):
        return _change_of_rows(command, catalogs)
    if is_known(command.kind):
        return None
    return Target(command.kind, None, command.node("query"), unknown=f"{command.kind}: a command that nobody knows")


def _files(command: Node, catalogs: Catalogs) -> Target | None:
    path = command.text("outputPath") or ""
    located = catalogs.find_path(path) if path else None
    if located is None:
        return None
    table = command.values.get("catalogTable")
    output = Dataset(located, symlinks=find_symlinks(table, catalogs))
    target = _with_columns(command, output, _schema_of(table))
    return replace(target, change=None) if catalogs.is_partition(path) else target


def _replaces_part(command: Node, dynamic: bool) -> bool:
    """Check for an overwrite of a part: rows of a condition, named partitions, or partitions with new rows."""
    options = command.object("options") or command.object("writeOptions")
    mode = options.get("partitionoverwritemode")
    dynamic = dynamic if mode is None else str(mode).lower() == "dynamic"
    if command.kind == "InsertIntoHadoopFsRelationCommand":
        named = int(command.text("staticPartitions.size") or 0)
        return named > 0 or (dynamic and bool(command.nodes("partitionColumns")))
    return _is_delta(command) and ("replacewhere" in options or dynamic)


def _is_delta(command: Node) -> bool:
    # Spark's commands do not show Delta's `replaceWhere` and its own dynamic mode.
    source = command.values.get("dataSource") or command.at("table", "table")
    return value_at(source, "class") in ("DeltaDataSource", "DeltaTableV2")


def _table(command: Node, catalogs: Catalogs) -> Target | None:
    """Find a table of a catalog, often without the location, known to the inner execution alone."""
    table = command.values.get("tableDesc") or command.values.get("table")
    output = find_table(table, catalogs)
    if output is None:
        return None
    created = command.text("mode") in ("ErrorIfExists", "Ignore")
    target = _with_columns(command, output, _schema_of(table))
    return replace(target, change="CREATE") if created else target


def _hive_table(command: Node, catalogs: Catalogs) -> Target | None:
    table = command.values.get("table")
    output = find_table(table, catalogs)
    target = _with_columns(command, output, _schema_of(table)) if output else _nameless(command)
    # An overwrite replaces the partitions of its rows alone.
    partitions = command.at("table", "partitionColumnNames") or []
    of_query = {name.lower() for name in target.names}
    static = tuple(name for name in partitions if name.lower() not in of_query)
    return replace(target, generated=static, change=None if partitions else target.change)


def _folder(command: Node, catalogs: Catalogs) -> Target | None:
    # INSERT OVERWRITE DIRECTORY
    uri = command.at("storage", "locationUri")
    is_local = command.values.get("isLocal") is True
    located = catalogs.find_uri(uri, is_local=is_local) if isinstance(uri, str) else None
    return _with_columns(command, Dataset(located)) if located else None


def _relation(command: Node, catalogs: Catalogs) -> Target | None:
    """Find the table of an insertable relation: of a database, or Hudi's."""
    target = _into(command, command.node("logicalRelation"), catalogs)
    # Hudi's own settings decide between an overwrite of all partitions and of partitions with new rows.
    parted = command.at("logicalRelation", "catalogTable", "partitionColumnNames")
    return replace(target, change=None) if target is not None and parted else target


def _v2(command: Node, catalogs: Catalogs) -> Target | None:
    target = _into(command, command.node("table"), catalogs)
    if target and _MOVES_ROWS in command.object("writeOptions"):
        return Target(command.kind, target.output, change="MAINTENANCE", unknown=target.unknown)
    # Hudi's inner write has columns of Hudi; the outer command has the query.
    if target and target.output and str(command.at("table", "table", "class")).startswith("Hoodie"):
        return replace(target, output=replace(target.output, schema=()), query=None)
    # A MERGE of inserts alone is an append, too.
    return replace(target, rows=find_row_change(command)) if target else None


def _into(command: Node, relation: Node | None, catalogs: Catalogs) -> Target | None:
    if value_at(relation, "table", "class") in KEEP_NOTHING:
        return None
    if relation is None:
        return _nameless(command)
    read = find_datasets(relation, catalogs, is_write=True)
    if len(read.datasets) != 1:
        nameless = _nameless(command)
        return replace(nameless, unknown=read.unknown or nameless.unknown)
    return _with_columns(command, read.datasets[0], parse_schema(relation.text("schema")))


def _sink(command: Node, catalogs: Catalogs) -> Target | None:
    """Find the dataset of `df.write.format(...).save()` by its options, for a source of the first interface."""
    source, options = command.object("dataSource"), command.values.get("options")
    kind, form = source.get("class"), source.get("shortName")
    if kind in KEEP_NOTHING:
        return None
    read = find_connected(source, options, catalogs, is_write=True) or find_options(options, catalogs, form)
    if read is None or len(read.datasets) != 1 or read.unknown:
        return _nameless(command, str(kind or command.kind))
    return _with_columns(command, read.datasets[0])


def _created_v2(command: Node, catalogs: Catalogs) -> Target | None:
    name = command.node("name")
    symlinks = find_identifier(name, catalogs) if name else ()
    if not symlinks:
        return None
    target = _with_columns(command, Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name)))
    return replace(target, change="OVERWRITE" if command.kind.startswith("Replace") else "CREATE")


def _loaded(command: Node, catalogs: Catalogs) -> Target | None:
    # LOAD DATA moves files into the table.
    output = find_table({"identifier": command.values.get("table")}, catalogs)
    path = command.text("path") or ""
    read = catalogs.find_path(path, is_local=command.values.get("isLocal") is True)
    change: Change | None = "OVERWRITE" if command.values.get("isOverwrite") is True else None
    inputs = (Dataset(read),) if read else ()
    why = f"{command.kind}: files are moved as they are"
    return Target(command.kind, output, change=change, unknown=why, inputs=inputs)


def _change_of_rows(command: Node, catalogs: Catalogs) -> Target | None:
    """Find the table of a MERGE, UPDATE or DELETE, with its change of rows; the table alone if unreadable."""
    statement = next((node for name in _STATEMENTS_IN if (node := command.node(name)) is not None), command)
    tables = (*_TABLES_OF_ROWS, *(("query",) if command.kind == HUDI_DELETE else ()))
    table = next((node for name in tables if (node := statement.node(name)) is not None), None)
    while table is not None and table.node("child") is not None:
        table = table.node("child")
    read = find_datasets(table, catalogs) if table else None
    if read is None or len(read.datasets) != 1:
        return _nameless(command)
    output, rows = read.datasets[0], find_row_change(command)
    names = tuple(column.name for column in output.schema)
    why = f"{command.kind}: rows are changed in place" if rows is None else None
    return Target(command.kind, output, command, names, unknown=why, rows=rows)


def _with_columns(command: Node, output: Dataset, schema: Sequence[SchemaField] = ()) -> Target:
    query = parse_schema(command.text("query.schema"))
    names = _names(command, [column.name for column in query], [column.name for column in schema])
    written = tuple(schema) if schema else renamed(query, names)
    output = replace(output, schema=written or output.schema)
    change: Change | None = "OVERWRITE" if _overwrites(command) else None
    ignored = command.text("mode") == "Ignore" or command.values.get("ifPartitionNotExists") is True
    return Target(command.kind, output, command.node("query"), names, change=change, unless_there=ignored)


def _overwrites(command: Node) -> bool:
    # An overwrite by a condition replaces a part; a literal condition (`true`) is no node.
    if command.kind == "OverwriteByExpression":
        return command.node("deleteExpr") is None
    return command.values.get("overwrite") is True or command.text("mode") == "Overwrite"


def _names(command: Node, query: Sequence[str], table: Sequence[str]) -> tuple[str, ...]:
    """Name the written columns in the query's order, as spelled by the table."""
    listed = command.values.get("outputColumnNames")
    if isinstance(listed, list) and listed:
        return tuple(map(str, listed))
    if _is_by_name(command):
        spelled = {name.lower(): name for name in table}
        return tuple(spelled.get(name.lower(), name) for name in query)
    return tuple(table if len(table) == len(query) else query)


def _is_by_name(command: Node) -> bool:
    # Spark reorders the columns to the table's order, except for tables with any schema, which match by name.
    any_schema = command.at("table", "table", "properties", _ANY_SCHEMA)
    return command.values.get("isByName") is True or str(any_schema).lower() == "true"


def _schema_of(table: object) -> tuple[SchemaField, ...]:
    return parse_schema(value_at(table, "schema"))


def _nameless(command: Node, kind: str | None = None) -> Target:
    why = f"{kind or command.kind}: a target that nobody can name"
    return Target(command.kind, None, command.node("query"), unknown=why)


_RULES: dict[str, Callable[[Node, Catalogs], Target | None]] = {
    "InsertIntoHadoopFsRelationCommand": _files,
    "SaveAsV1TableCommand": _table,
    "CreateDataSourceTableAsSelectCommand": _table,
    "CreateHiveTableAsSelectCommand": _table,
    "OptimizedCreateHiveTableAsSelectCommand": _table,
    "InsertIntoHiveTable": _hive_table,
    "InsertIntoDataSourceDirCommand": _folder,
    "InsertIntoHiveDirCommand": _folder,
    "InsertIntoDataSourceCommand": _relation,
    "InsertIntoHoodieTableCommand": _relation,
    "CreateHoodieTableAsSelectCommand": _table,
    "SaveIntoDataSourceCommand": _sink,
    "AppendData": _v2,
    "InsertOnlyMerge": _v2,
    "OverwriteByExpression": _v2,
    "OverwritePartitionsDynamic": _v2,
    "DeltaDynamicPartitionOverwriteCommand": _v2,
    "CreateTableAsSelect": _created_v2,
    "ReplaceTableAsSelect": _created_v2,
    # The batch of a stream's sink, with the table where Spark knows it.
    "WriteToDataSourceV2": lambda command, catalogs: (
        _into(command, command.node("relation"), catalogs) if command.node("relation") else None
    ),
    "LoadDataCommand": _loaded,
    **statements.RULES,
}
