"""Statements of Delta, Iceberg and Hudi with new content for a table and no query: clones, restores, procedures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.schemas import parse_schema
from spark_client.capturing.datasets.sources import FORMATS_OF_FILES, find_datasets, find_symlinks, find_table
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.datasets.whole_tables import of_table
from spark_client.capturing.model import Change, Dataset
from spark_client.capturing.plans.plan import Node, value_at

_PART = re.compile(r"`((?:[^`]|``)*)`|([^.`]+)")
_PROCEDURE = re.compile(r"(\w+?)Procedure")
_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
# Iceberg's procedures with a source table, procedures on the table itself, and classes with names of their own.
_OF_ANOTHER = ("add_files", "snapshot")
_OF_ITSELF = (
    "cherrypick_snapshot",
    "fast_forward",
    "migrate",
    "publish_changes",
    "rollback_to_snapshot",
    "rollback_to_timestamp",
    "set_current_snapshot",
)
_OTHER_NAMES = {"snapshot_table": "snapshot", "migrate_table": "migrate", "fast_forward_branch": "fast_forward"}
# Procedures of Iceberg and Hudi without effect on rows.
_KEEP_ROWS = re.compile(
    r"(?:rewrite|expire|remove|compute|ancestors|create_changelog|show|stats|validate|export|help|hive|archive|repair"
    r"|run_clean|run_clustering|run_compaction|create_savepoint|delete_savepoint|delete_marker)\w*"
)


def clone(command: Node, catalogs: Catalogs) -> Target | None:
    """Find the table of Delta's clone, with the columns of its source; None for a new table without a source."""
    source = command.at("query", "sourceTable")
    if source is None:
        return None
    place, schema = str(source.get("dataPath") or ""), parse_schema(source.get("schema"))
    read = catalogs.find_path(place) if place else None
    inputs = (Dataset(read, schema, find_symlinks(source.get("catalogTable"), catalogs)),) if read else ()
    change: Change = "CREATE" if command.text("mode") in ("ErrorIfExists", "Ignore") else "OVERWRITE"
    output = find_table(command.values.get("table"), catalogs, schema)
    if output is not None and command.values.get("tableByPath") is True:
        output = replace(output, symlinks=())
    unknown = None if output else f"{command.kind}: a table that nobody can name"
    return Target(command.kind, output, change=change, effect="clone", inputs=inputs, unknown=unknown)


def restore(command: Node, catalogs: Catalogs) -> Target | None:
    """Find the restored table of Delta's, with itself as input at the named version."""
    table = command.values.get("sourceTable")
    relation = Node(-1, "DataSourceV2Relation")
    relation.values = {"table": table}
    read = find_datasets(relation, catalogs)
    if len(read.datasets) != 1:
        return Target(command.kind, None, unknown=f"{command.kind}: a table that nobody can name")
    version = value_at(table, "timeTravelOpt", "version")
    before = replace(read.datasets[0], version=version if isinstance(version, str) else None)
    output = replace(before, version=None)
    return Target(command.kind, output, change="OVERWRITE", effect="restore", inputs=(before,))


def convert(command: Node, catalogs: Catalogs) -> Target | None:
    """Find the table of a conversion to Delta, in the same place."""
    path = command.text("deltaPath")
    if path is None and command.at("tableIdentifier", "database") in FORMATS_OF_FILES:
        path = str(command.at("tableIdentifier", "table"))
    place = catalogs.find_path(path) if path else None
    target = Target(command.kind, None, effect="convert")
    placed = replace(target, output=Dataset(place)) if place else of_table(command, catalogs, target)
    return replace(placed, inputs=(placed.output,)) if placed and placed.output else placed


def call(command: Node, catalogs: Catalogs) -> Target | None:
    """Find the changed table of a procedure; an unknown procedure has a target without a name."""
    named = _PROCEDURE.fullmatch(str(command.at("procedure", "class")))
    kind, catalog = named.group(1) if named else "", command.at("procedure", "tableCatalog.name")
    return call_of(command.kind, kind, catalog, dict(command.values.get("arguments") or ()), catalogs)


def call_of(
    command: str, procedure: str, catalog: object, arguments: Mapping[str, object], catalogs: Catalogs
) -> Target | None:
    """Find the changed table of a procedure, by its name (`add_files`) or its class (`AddFiles`).

    >>> target = call_of("Call", "migrate", None, {"table": "`parquet`.`s3://lake/t`"}, Catalogs())
    >>> target.output.id, target.effect
    (DatasetId(namespace='s3://lake', name='t'), 'migrate')
    """
    name = _CAPITAL.sub("_", procedure).lower()
    effect = _OTHER_NAMES.get(name, name)
    if effect not in (*_OF_ANOTHER, *_OF_ITSELF):
        why = f"CALL {procedure or 'of a procedure'}: a procedure that nobody knows"
        return None if _KEEP_ROWS.fullmatch(name) else Target(command, None, unknown=why)
    output = dataset_of(arguments.get("table"), catalog, catalogs)
    read = output if effect in _OF_ITSELF else dataset_of(arguments.get("source_table"), None, catalogs)
    if output is None or read is None:
        return Target(command, None, unknown=f"CALL {effect}: a table that nobody can name")
    change: Change | None = "CREATE" if effect == "snapshot" else None
    return Target(command, output, change=change, effect=effect, inputs=(read,))


def dataset_of(name: object, catalog: object, catalogs: Catalogs) -> Dataset | None:
    """Find the table of a name such as `db.t` or `parquet`.`s3://lake/t`; a catalog's name may come first."""
    parts = [quoted.replace("``", "`") or plain for quoted, plain in _PART.findall(str(name or ""))]
    if len(parts) == 2 and parts[0].lower() in FORMATS_OF_FILES:
        place = catalogs.find_path(parts[1])
    else:
        first = str(catalog) if catalog is not None else None
        if len(parts) > 2 and (parts[0] == first or parts[0] in catalogs.named or parts[0] == "spark_catalog"):
            first, *parts = parts
        place = catalogs.find_table(first, parts[:-1], parts[-1]) if parts else None
    return Dataset(place) if place else None
