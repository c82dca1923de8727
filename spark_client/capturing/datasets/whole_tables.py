"""Statements that drop, empty, rename or alter a table, or parts of it, and write no rows; and views."""

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

# Parameters of commands that name a table.
_NAMES = ("tableName", "oldName", "tableIdentifier", "tableId", "name", "table")
_TABLE_NODES = ("child", "table", "name")


def drop(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table that a statement drops; IF EXISTS does not say that it was there."""
    if_met = command.values.get("ifExists") is True
    return of_table(command, catalogs, Target(command.kind, None, change="DROP", if_met=if_met))


def truncate(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table that a statement empties, as a whole or a partition of it."""
    if command.values.get("partitionSpec") is not None:
        return of_table(command, catalogs, Target(command.kind, None, effect="truncate_partition"))
    return of_table(command, catalogs, Target(command.kind, None, change="TRUNCATE"))


def rename(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table by its new name, which reads itself by its old one."""
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
    """Return a table of DataSource V2 by its new name; without a database that is in the database of the old one."""
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
    """Return a table that is made anew, without rows."""
    return of_table(command, catalogs, Target(command.kind, None, change="OVERWRITE", effect="replace"))


def add_partitions(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table that has the files of other folders from now on; its own are known by whoever wrote them."""
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
    """Return a table some of whose partitions a statement drops or renames."""
    effect = "rename_partition" if "Rename" in command.kind else "drop_partition"
    return of_table(command, catalogs, Target(command.kind, None, effect=effect))


def set_location(command: Node, catalogs: Catalogs) -> Target | None:
    """Return the folder under a table's name from now on; of a partition, the table that reads the folder."""
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
    """Return a table whose columns a statement changes, with those that it adds."""
    changes = command.values.get("changes") or command.values.get("colsToAdd") or ()
    added = [_added(change) for change in changes]
    known = tuple(column for column in added if column is not None)
    only_added = known if len(known) == len(added) else ()
    return of_table(command, catalogs, Target(command.kind, None, change="ALTER", effect="alter", added=only_added))


def _added(change: object) -> SchemaField | None:
    """Return the column that a change adds, None if it does anything else, or adds a field of a struct."""
    if not isinstance(change, Mapping):
        return None
    path, kind = change.get("fieldNames") or [change.get("name")], change.get("dataType")
    if len(path) != 1 or not isinstance(path[0], str) or not isinstance(kind, str):
        return None
    fields = [{"name": path[0], "type": json.loads(kind)}]
    return next(iter(parse_schema(json.dumps({"type": "struct", "fields": fields}))), None)


def view(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a view with its query; None for a temporary view."""
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
    """Return a target without a name if a statement may drop the tables of a database."""
    why = f"{command.kind}: tables that are dropped with their database"
    return Target(command.kind, None, unknown=why) if command.values.get("cascade") is True else None


def of_table(command: Node, catalogs: Catalogs, target: Target) -> Target | None:
    """Return a target with the table that its statement names, or why it has no name; None for a temporary view."""
    identifier, output = _identifier(command), named_table(command, catalogs)
    if identifier is not None and identifier.get("database") is None:
        return None
    unknown = f"{command.kind}: a table that nobody can name" if output is None else target.unknown
    return replace(target, output=output, unknown=unknown)


def named_table(command: Node, catalogs: Catalogs) -> Dataset | None:
    """Return the table that a statement names; Spark may not know its place, or not any more."""
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
