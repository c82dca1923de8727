"""Statements without rows: drop, truncate, rename or alter a table, or parts of it; and views."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalog, Catalogs
from spark_client.capturing.datasets.schemas import parse_schema, renamed
from spark_client.capturing.datasets.sources import find_datasets, find_identifier, find_table
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.model import Change, Dataset, SchemaField, Symlink
from spark_client.capturing.plans.plan import Node, value_at

# Parameters of commands with the name of a table.
_NAMES = ("tableName", "oldName", "tableIdentifier", "tableId", "name", "table")
_TABLE_NODES = ("child", "table", "name")


def drop(command: Node, catalogs: Catalogs) -> Target | None:
    """Find a dropped table; with IF EXISTS, the table may have been missing."""
    if_met = command.values.get("ifExists") is True
    return of_table(command, catalogs, Target(command.kind, None, change="DROP", if_met=if_met))


def truncate(command: Node, catalogs: Catalogs) -> Target | None:
    """Find a truncated table, or a table with a truncated partition."""
    if command.values.get("partitionSpec") is not None:
        return of_table(command, catalogs, Target(command.kind, None, effect="truncate_partition"))
    return of_table(command, catalogs, Target(command.kind, None, change="TRUNCATE"))


def rename(command: Node, catalogs: Catalogs) -> Target | None:
    """Find a renamed table by its new name; its input is the table by the old name."""
    before = named_table(command, catalogs)
    if before is None:
        return of_table(command, catalogs, Target(command.kind, None, change="RENAME"))
    old, new = command.values.get("oldName"), command.values.get("newName")
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        given = {name: value for name, value in new.items() if value is not None}
        output = find_table({"identifier": {**old, **given}}, catalogs)
    else:
        output = _renamed_in_catalog(command, catalogs)
    return Target(command.kind, output, change="RENAME", inputs=(before,)) if output else None


def _renamed_in_catalog(command: Node, catalogs: Catalogs) -> Dataset | None:
    """Find a table of DataSource V2 by its new name; the old name gives a missing database."""
    old, new = command.at("child", "identifier"), [str(part) for part in command.values.get("newName") or ()]
    if not new or old is None:
        return None
    url = command.at("child", "table", "jdbcOptions", "url")
    database = new[:-1] or [str(part) for part in value_at(old, "namespace") or ()]
    if url is not None:
        output = Catalog(url=url).find_table(database, new[-1])
    else:
        output = catalogs.find_table(command.at("child", "catalog", "name"), database, new[-1])
    return Dataset(output) if output else None


def replace_table(command: Node, catalogs: Catalogs) -> Target | None:
    """Find a replaced table, now without rows."""
    return of_table(command, catalogs, Target(command.kind, None, change="OVERWRITE", effect="replace"))


def add_partitions(command: Node, catalogs: Catalogs) -> Target | None:
    """Find a table with added partitions in folders outside; a folder of the table itself has writes of its own."""
    added = command.values.get("partitionSpecsAndLocs") or [
        (None, value_at(part, "location")) for part in command.values.get("parts") or ()
    ]
    folders = [location for _, location in added if isinstance(location, str)]
    table = named_table(command, catalogs)
    read = dict.fromkeys(catalogs.find_path(folder) for folder in folders)
    inputs = tuple(Dataset(folder) for folder in read if folder is not None and (table is None or folder != table.id))
    target = Target(command.kind, None, effect="add_partition", inputs=inputs)
    return of_table(command, catalogs, target) if inputs else None


def change_partitions(command: Node, catalogs: Catalogs) -> Target | None:
    """Find a table with dropped or renamed partitions."""
    effect = "rename_partition" if "Rename" in command.kind else "drop_partition"
    return of_table(command, catalogs, Target(command.kind, None, effect=effect))


def set_location(command: Node, catalogs: Catalogs) -> Target | None:
    """Find the new folder of a table, under the table's names; for a partition, the table with the folder as input."""
    location, table = command.text("location"), named_table(command, catalogs)
    folder = catalogs.find_path(location) if location else None
    inputs = (Dataset(folder),) if folder else ()
    if command.values.get("partitionSpec") is not None or table is None or folder is None:
        return of_table(command, catalogs, Target(command.kind, None, effect="set_location", inputs=inputs))
    moved = find_table({"identifier": _identifier(command), "storage": {"locationUri": location}}, catalogs)
    names = (*(moved.symlinks if moved else ()), *(table.symlinks or (Symlink(table.id.namespace, table.id.name),)))
    output = Dataset(folder, table.schema, tuple(dict.fromkeys(names)))
    return Target(command.kind, output, change="ALTER", effect="set_location")


def alter(command: Node, catalogs: Catalogs) -> Target | None:
    """Find a table with changed columns; `added` has the columns, if the statement adds columns alone."""
    changes = command.values.get("changes") or command.values.get("colsToAdd") or ()
    added = [_added(change) for change in changes]
    known = tuple(column for column in added if column is not None)
    only_added = known if len(known) == len(added) else ()
    return of_table(command, catalogs, Target(command.kind, None, change="ALTER", effect="alter", added=only_added))


def _added(change: object) -> SchemaField | None:
    """Parse the added column of a change; None for any change beside, or an added field of a struct."""
    if not isinstance(change, Mapping):
        return None
    path, kind = change.get("fieldNames") or [change.get("name")], change.get("dataType")
    if len(path) != 1 or not isinstance(path[0], str) or not isinstance(kind, str):
        return None
    fields = [{"name": path[0], "type": json.loads(kind)}]
    return next(iter(parse_schema(json.dumps({"type": "struct", "fields": fields}))), None)


def view(command: Node, catalogs: Catalogs) -> Target | None:
    """Find a view with its query; None for a temporary view."""
    kind, query = command.at("viewType", "class"), command.node("plan") or command.node("query")
    if kind not in (None, "PersistedView"):
        return None
    schema = parse_schema(command.text("plan.schema") or command.text("query.schema"))
    given = command.values.get("userSpecifiedColumns") or command.values.get("columnAliases") or ()
    schema = renamed(schema, [str(column[0] if isinstance(column, list) else column) for column in given])
    replaces = command.values.get("replace") is True or command.kind.startswith("Alter")
    there = command.values.get("allowExisting") is True
    change: Change | None = "OVERWRITE" if replaces else None if there else "CREATE"
    names = tuple(column.name for column in schema)
    target = of_table(command, catalogs, Target(command.kind, None, query, names, change=change))
    output = target.output if target else None
    return replace(target, output=replace(output, schema=schema)) if target and output else target


def drop_namespace(command: Node, _: Catalogs) -> Target | None:
    """Make a target without a name for DROP DATABASE ... CASCADE: the dropped tables are unknown."""
    why = f"{command.kind}: tables that are dropped with their database"
    return Target(command.kind, None, unknown=why) if command.values.get("cascade") is True else None


def of_table(command: Node, catalogs: Catalogs, target: Target) -> Target | None:
    """Complete a target by its statement's table, or by the reason without a name; None for a temporary view."""
    identifier, output = _identifier(command), named_table(command, catalogs)
    if identifier is not None and identifier.get("database") is None:
        return None
    unknown = f"{command.kind}: a table that nobody can name" if output is None else target.unknown
    return replace(target, output=output, unknown=unknown)


def named_table(command: Node, catalogs: Catalogs) -> Dataset | None:
    """Find the table named in a statement, often without its location: the table may be dropped by now."""
    identifier = _identifier(command)
    if identifier is not None:
        return find_table({"identifier": identifier}, catalogs)
    named = next((node for name in _TABLE_NODES if (node := command.node(name)) is not None), None)
    if named is None:
        return None
    read = find_datasets(named, catalogs) if named.kind == "ResolvedTable" else None
    if read is not None and len(read.datasets) == 1:
        return read.datasets[0]
    symlinks = find_identifier(named, catalogs)
    return Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name)) if symlinks else None


def _identifier(command: Node) -> Mapping[str, object] | None:
    values = (command.values.get(name) for name in _NAMES)
    named = next((value for value in values if isinstance(value, Mapping)), None)
    table = named.get("identifier") if named is not None else None
    return table if isinstance(table, Mapping) else named
