"""Statements that drop, empty or rename a table, and write no rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalog, Catalogs
from spark_client.capturing.datasets.sources import find_datasets, find_identifier, find_table
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.model import Dataset
from spark_client.capturing.plans.plan import Node


def _dropped(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table that a statement drops; IF EXISTS does not say that it was there."""
    output = None if command.values.get("isView") is True else _named_table(command, catalogs)
    if output is None:
        return None
    return Target(command.kind, output, change="DROP", if_met=command.values.get("ifExists") is True)


def _truncated(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table that a statement empties; of some partitions it is none."""
    output = _named_table(command, catalogs)
    whole = command.values.get("partitionSpec") is None
    return Target(command.kind, output, change="TRUNCATE") if output is not None and whole else None


def _renamed_table(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table by its new name, which reads itself by its old one."""
    before = None if command.values.get("isView") is True else _named_table(command, catalogs)
    old, new = command.values.get("oldName"), command.values.get("newName")
    if before is None or not isinstance(old, Mapping) or not isinstance(new, Mapping):
        return None
    given = {name: value for name, value in new.items() if value is not None}
    output = find_table({"identifier": {**old, **given}}, catalogs)
    return Target(command.kind, output, change="RENAME", inputs=(before,)) if output else None


def _renamed_in_catalog(command: Node, catalogs: Catalogs) -> Target | None:
    """Return a table of DataSource V2 by its new name; without a database that is in the database of the old one."""
    before = None if command.values.get("isView") is True else _named_table(command, catalogs)
    named, new = command.node("child"), [str(part) for part in command.values.get("newName") or ()]
    old = named.values.get("identifier") if named is not None else None
    if before is None or named is None or not new or not isinstance(old, Mapping):
        return None
    catalog, table = named.values.get("catalog"), named.values.get("table")
    options = table.get("jdbcOptions") if isinstance(table, Mapping) else None
    database = new[:-1] or [str(part) for part in old.get("namespace") or ()]
    if isinstance(options, Mapping):
        output = Catalog(url=str(options.get("url"))).find_table(database, new[-1])
    else:
        output = catalogs.find_table(catalog.get("name") if isinstance(catalog, Mapping) else None, database, new[-1])
    return Target(command.kind, Dataset(output), change="RENAME", inputs=(before,)) if output else None


def _named_table(command: Node, catalogs: Catalogs) -> Dataset | None:
    """Return the table that a statement names; Spark may not know its place, or not any more."""
    identifier = command.values.get("tableName") or command.values.get("oldName")
    if isinstance(identifier, Mapping):
        return find_table({"identifier": identifier}, catalogs)
    named = command.node("child") or command.node("table")
    if named is None:
        return None
    read = find_datasets(named, catalogs) if named.kind == "ResolvedTable" else None
    if read is not None and len(read.datasets) == 1:
        return read.datasets[0]
    symlinks = find_identifier(named, catalogs)
    return Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name)) if symlinks else None


RULES: Mapping[str, Callable[[Node, Catalogs], Target | None]] = {
    "DropTableCommand": _dropped,
    "DropTable": _dropped,
    "TruncateTableCommand": _truncated,
    "TruncateTable": _truncated,
    "AlterTableRenameCommand": _renamed_table,
    "RenameTable": _renamed_in_catalog,
}
