"""Targets of a command: location, names, and the query behind the data."""

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

# Commands whose data another execution writes, as a part of theirs. They know the table's name, and often no more; a
# command that succeeded without such a part wrote nothing (IF NOT EXISTS).
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
# Such a command that may write its data itself: Hudi's, in 1.2.
MAY_WRITE_ALONE = frozenset({"CreateHoodieTableAsSelectCommand"})
# Hudi's commands with the statement in them. What they write inside are the rows after it, of which they say nothing.
STATEMENTS = frozenset({"UpdateHoodieTableCommand", HUDI_DELETE, "MergeIntoHoodieTableCommand"})
# Tables without storage.
KEEP_NOTHING = frozenset({"ConsoleSinkProvider", "ConsoleTable", "NoopTable"})
# Commands that change rows in place, as sources name them.
_ROWS = re.compile(r"(?:ReplaceData|WriteDelta|(?:MergeInto|Update|DeleteFrom|Delete)(?:Table|Command|\w*Command\w*)?)")
# Property of a table of Iceberg's.
_ANY_SCHEMA = "write.spark.accept-any-schema"
# Option by which the actions of Iceberg (`rewrite_data_files`, `rewrite_position_delete_files`) write moved rows.
_MOVES_ROWS = "rewritten-file-scan-task-set-id"
_STATEMENTS_IN = ("ut", "dft", "mergeInto")
_TABLES_OF_ROWS = ("originalTable", "targetTable", "target", "table")


def find_targets(plan: Node, catalogs: Catalogs, *, dynamic: bool = False) -> tuple[Target, ...]:
    """Return the targets of a command: mostly one; none if it is no write; several for INSERTs that share a FROM.

    `dynamic` is the session's mode of overwriting partitions, where no option of the write sets another.
    """
    commands = _commands_in(plan)
    targets = (_find_change(command, catalogs, dynamic) for command in commands)
    return tuple(target for target in targets if target is not None)


def _commands_in(plan: Node) -> Sequence[Node]:
    if plan.kind == "WithCTE" and (inside := plan.node("plan")) is not None:
        return _commands_in(inside)
    return plan.nodes("children") if plan.kind == "Union" else [plan]


def _find_change(command: Node, catalogs: Catalogs, dynamic: bool) -> Target | None:
    """Return the target; an overwrite of a part is no OVERWRITE, which replaces the whole dataset."""
    target = _find_target(command, catalogs)
    part = target is not None and target.change == "OVERWRITE" and _replaces_part(command, dynamic)
    return replace(target, change=None) if target is not None and part else target


def is_known(kind: str) -> bool:
    """True of a class of commands that has a rule, or leaves all rows as they are."""
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
    """Return a folder of files; it may be a table's."""
    path = command.text("outputPath") or ""
    located = catalogs.find_path(path) if path else None
    if located is None:
        return None
    table = command.values.get("catalogTable")
    output = Dataset(located, symlinks=find_symlinks(table, catalogs))
    target = _with_columns(command, output, _schema_of(table))
    return replace(target, change=None) if catalogs.is_partition(path) else target


def _replaces_part(command: Node, dynamic: bool) -> bool:
    """True if an overwrite replaces a condition's rows alone, or the partitions that are named or have new rows."""
    options = command.object("options") or command.object("writeOptions")
    mode = options.get("partitionoverwritemode")
    dynamic = dynamic if mode is None else str(mode).lower() == "dynamic"
    if command.kind == "InsertIntoHadoopFsRelationCommand":
        named = int(command.text("staticPartitions.size") or 0)
        return named > 0 or (dynamic and bool(command.nodes("partitionColumns")))
    return _is_delta(command) and ("replacewhere" in options or dynamic)


def _is_delta(command: Node) -> bool:
    """True if Delta writes it: Spark's commands do not show its `replaceWhere` and its own dynamic mode."""
    source = command.values.get("dataSource") or command.at("table", "table")
    return value_at(source, "class") in ("DeltaDataSource", "DeltaTableV2")


def _table(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table of a catalog; often only the execution that writes it knows its location."""
    table = command.values.get("tableDesc") or command.values.get("table")
    output = find_table(table, catalogs)
    if output is None:
        return None
    created = command.text("mode") in ("ErrorIfExists", "Ignore")
    target = _with_columns(command, output, _schema_of(table))
    return replace(target, change="CREATE") if created else target


def _hive_table(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table in Hive's own formats; an overwrite replaces the partitions that it has rows for."""
    table = command.values.get("table")
    output = find_table(table, catalogs)
    target = _with_columns(command, output, _schema_of(table)) if output else _nameless(command)
    partitions = command.at("table", "partitionColumnNames") or []
    of_query = {name.lower() for name in target.names}
    static = tuple(name for name in partitions if name.lower() not in of_query)
    return replace(target, generated=static, change=None if partitions else target.change)


def _folder(command: Node, catalogs: Catalogs) -> Target | None:
    """Return the folder of an `INSERT OVERWRITE DIRECTORY`."""
    uri = command.at("storage", "locationUri")
    is_local = command.values.get("isLocal") is True
    located = catalogs.find_uri(uri, is_local=is_local) if isinstance(uri, str) else None
    return _with_columns(command, Dataset(located)) if located else None


def _relation(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a relation that takes rows itself: a table that stands for one of a database, or is Hudi's."""
    target = _into(command, command.node("logicalRelation"), catalogs)
    # Of a table with partitions, settings of Hudi's own decide whether those without new rows are left.
    parted = command.at("logicalRelation", "catalogTable", "partitionColumnNames")
    return replace(target, change=None) if target is not None and parted else target


def _v2(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table of DataSource V2; a MERGE that only inserts is an append, too.

    Hudi writes rows of its own making so, with columns of its own, inside a command that has their query.
    """
    target = _into(command, command.node("table"), catalogs)
    if target and _MOVES_ROWS in command.object("writeOptions"):
        return Target(command.kind, target.output, change="MAINTENANCE", unknown=target.unknown)
    if target and target.output and str(command.at("table", "table", "class")).startswith("Hoodie"):
        return replace(target, output=replace(target.output, schema=()), query=None)
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
    """Return what the options of `df.write.format(...).save()` name, for a source of the first interface."""
    source, options = command.object("dataSource"), command.values.get("options")
    kind, form = source.get("class"), source.get("shortName")
    if kind in KEEP_NOTHING:
        return None
    read = find_connected(source, options, catalogs, is_write=True) or find_options(options, catalogs, form)
    if read is None or len(read.datasets) != 1 or read.unknown:
        return _nameless(command, str(kind or command.kind))
    return _with_columns(command, read.datasets[0])


def _created_v2(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table of a DataSource V2 catalog."""
    name = command.node("name")
    symlinks = find_identifier(name, catalogs) if name else ()
    if not symlinks:
        return None
    target = _with_columns(command, Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name)))
    return replace(target, change="OVERWRITE" if command.kind.startswith("Replace") else "CREATE")


def _stream(command: Node, catalogs: Catalogs) -> Target | None:
    """Return the batch of a stream's sink, if the sink says which table it is."""
    return _into(command, command.node("relation"), catalogs) if command.node("relation") else None


def _loaded(command: Node, catalogs: Catalogs) -> Target | None:
    """Return the table of a `LOAD DATA`, which moves files into it."""
    output = find_table({"identifier": command.values.get("table")}, catalogs)
    path = command.text("path") or ""
    read = catalogs.find_path(path, is_local=command.values.get("isLocal") is True)
    change: Change | None = "OVERWRITE" if command.values.get("isOverwrite") is True else None
    inputs = (Dataset(read),) if read else ()
    why = f"{command.kind}: files are moved as they are"
    return Target(command.kind, output, change=change, unknown=why, inputs=inputs)


def _change_of_rows(command: Node, catalogs: Catalogs) -> Target | None:
    """Return the table of a MERGE, UPDATE or DELETE; if the statement cannot be read back, nothing but the table."""
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
    """Return a target with the query's columns, under the command's or the table's names."""
    query = parse_schema(command.text("query.schema"))
    names = _names(command, [column.name for column in query], [column.name for column in schema])
    written = tuple(schema) if schema else renamed(query, names)
    output = replace(output, schema=written or output.schema)
    change: Change | None = "OVERWRITE" if _overwrites(command) else None
    ignored = command.text("mode") == "Ignore" or command.values.get("ifPartitionNotExists") is True
    return Target(command.kind, output, command.node("query"), names, change=change, unless_there=ignored)


def _overwrites(command: Node) -> bool:
    """True if it replaces all existing data; a condition that is no literal replaces a part."""
    if command.kind == "OverwriteByExpression":
        return command.node("deleteExpr") is None
    return command.values.get("overwrite") is True or command.text("mode") == "Overwrite"


def _names(command: Node, query: Sequence[str], table: Sequence[str]) -> tuple[str, ...]:
    """Return the columns that the query's go into, in the query's order, as the table spells them."""
    listed = command.values.get("outputColumnNames")
    if isinstance(listed, list) and listed:
        return tuple(map(str, listed))
    if _is_by_name(command):
        spelled = {name.lower(): name for name in table}
        return tuple(spelled.get(name.lower(), name) for name in query)
    return tuple(table if len(table) == len(query) else query)


def _is_by_name(command: Node) -> bool:
    """True if a table gets the query's columns by their names.

    Spark puts them into the table's order, but not for a table that takes any schema: Delta's, and those of Iceberg
    that say so, which go by names always.
    """
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
    "WriteToDataSourceV2": _stream,
    "LoadDataCommand": _loaded,
    **statements.RULES,
}
