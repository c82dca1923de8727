"""Sources of a plan's leaves: datasets by name, or reasons for sources without a name."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.leaf_source import PLACES_MAX, LeafSource, all_of, find_paths
from spark_client.capturing.datasets.locations import find_topic, is_absolute
from spark_client.capturing.datasets.schemas import find_field, merge_schemas, parse_schema
from spark_client.capturing.model import RDD_ACTION, Dataset, SchemaField, Symlink
from spark_client.capturing.parts import module
from spark_client.capturing.plans.added_columns import ICEBERGS_CHANGES, added_columns
from spark_client.capturing.plans.plan import Node, value_at
from spark_client.capturing.registry import registry
from spark_client.connectors import Computed

# An object of the JVM, by its getters.
JvmObject: TypeAlias = Mapping[str, Any]

# Formats with malformed records, kept by Spark in a column of the name below.
_TEXT_FORMATS = frozenset({"csv", "json", "xml"})
FORMATS_OF_FILES = _TEXT_FORMATS | {
    "avro",
    "binaryfile",
    "delta",
    "hudi",
    "hudi_v1",
    "libsvm",
    "orc",
    "parquet",
    "text",
}
_RECORD_COLUMN = "_corrupt_record"
_MADE_OF_NOTHING = frozenset({"EmptyRelation", "OneRowRelation", "Range"})
# Tables of Spark's test streams, without a source.
_MADE_UP = frozenset({"RateStreamTable", "RatePerMicroBatchTable"})
# Iceberg's metadata tables (`web.orders.snapshots`), at the location of their table.
_ABOUT_TABLE = re.compile(
    r"(?:all_)?(?:entries|manifests|(?:data_|delete_)?files)"
    r"|history|snapshots|refs|partitions|position_deletes|metadata_log_entries"
)
# Location of the table whose changes Iceberg reads.
_CHANGED_PLACE = "icebergTable.location"
# Values of a leaf for connectors: the relation of the first interface, a table of the second, or a stream's source.
_CONNECTED = ("relation", "table", "dataSource")
_REASONS = {
    "CommandResult": "the result of a command",
    "ExternalRDD": "made of an RDD",
    "LocalRelation": "rows of the program",
    "LogicalRDD": "made of an RDD",
    RDD_ACTION: "an RDD that is made of no files and no frames",
}


def find_datasets(leaf: Node, catalogs: Catalogs, *, is_write: bool = False) -> LeafSource:
    """Find the source of a leaf, or with `is_write` the dataset of a written table."""
    if connected := _connected(leaf, catalogs, is_write=is_write):
        return connected
    # Rows in a statement (VALUES) have no source; rows of the program may have a source.
    if leaf.kind in _MADE_OF_NOTHING or (leaf.kind == "LocalRelation" and leaf.text("origin.sqlText")):
        return LeafSource()
    rule = _RULES.get(leaf.kind)
    read = rule(leaf, catalogs) if rule else None
    if read is None:
        return LeafSource(unknown=f"{_kind_of(leaf)}: {_REASONS.get(leaf.kind, 'a source that nobody can name')}")
    return read


def _connected(leaf: Node, catalogs: Catalogs, *, is_write: bool) -> LeafSource | None:
    described = next((leaf.values[key] for key in _CONNECTED if isinstance(leaf.values.get(key), Mapping)), None)
    if described is None:
        return None
    options = leaf.values.get("options") or leaf.values.get("extraOptions")
    read = find_connected(described, options, catalogs, is_write=is_write)
    table = leaf.values.get("catalogTable") or described.get("catalogTable")
    symlinks = find_symlinks(table, catalogs) or find_identifier(leaf, catalogs)
    return _completed(read, _own_schema(leaf), symlinks)


def find_connected(
    described: JvmObject, options: object, catalogs: Catalogs, form: str | None = None, *, is_write: bool = False
) -> LeafSource | None:
    """Name the datasets of an object, or of a source named `form`, by its connector; None without a connector."""
    named = registry().find(described, options, form=form, is_write=is_write, conf=catalogs.conf)
    if named is None:
        return None
    kind = described.get("class") or form
    if not named:
        return LeafSource(unknown=f"{kind}: its connector finds no name")
    computed = f"{kind}: computed by the source" if isinstance(named, Computed) else None
    return LeafSource(tuple(Dataset(dataset) for dataset in named), computed)


def find_table(table: object, catalogs: Catalogs, schema: Sequence[SchemaField] = ()) -> Dataset | None:
    """Name a `CatalogTable` by its location, with its name as a symlink; by its name alone without a location.

    >>> find_table({"storage": {"locationUri": "s3a://lake/orders"}}, Catalogs()).id
    DatasetId(namespace='s3://lake', name='orders')
    """
    symlinks = find_symlinks(table, catalogs)
    uri = _text(table, "storage", "locationUri")
    located = catalogs.find_uri(uri) if uri else None
    schema = tuple(schema) or parse_schema(_text(table, "schema"))
    if located:
        return Dataset(located, schema, symlinks)
    return Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name), schema) if symlinks else None


def find_symlinks(table: object, catalogs: Catalogs) -> tuple[Symlink, ...]:
    """Make a symlink of a `CatalogTable`'s name; none without its database."""
    name = _text(table, "identifier", "table")
    database = _text(table, "identifier", "database")
    uri = _text(table, "storage", "locationUri")
    if not name or not database:
        return ()
    return catalogs.symlinks(_text(table, "identifier", "catalog"), [database], name, uri)


def find_options(options: object, catalogs: Catalogs, form: str | None = None) -> LeafSource | None:
    """Find the dataset in the options of a source or a sink: a table of a database, a topic, or a path.

    A relative path counts for formats of files alone: for an unknown format it may be any word.
    """
    if not isinstance(options, Mapping):
        return None
    if url := options.get("url"):
        return _at_url(str(url), options.get("dbtable") or options.get("query") or "")
    if servers := options.get("kafka.bootstrap.servers"):
        named = (find_topic(str(servers), topic.strip()) for topic in _topics(options))
        return all_of(Dataset(topic) for topic in named if topic)
    path = options.get("path")
    is_path = isinstance(path, str) and (str(form).lower() in FORMATS_OF_FILES or is_absolute(path))
    return find_paths([str(path)], catalogs) if is_path else None


def _topics(options: JvmObject) -> Sequence[str]:
    # A pattern (`subscribePattern`) names no topic.
    if assigned := options.get("assign"):  # {topic: partitions}
        return list(json.loads(str(assigned)))
    return str(options.get("topic") or options.get("subscribe") or "").split(",")


def _logical_relation(leaf: Node, catalogs: Catalogs) -> LeafSource | None:
    """Find the source of a relation, with a version of Delta's table named by the query; the latest is unknown yet."""
    read, index = _relation_as_it_is(leaf, catalogs), leaf.at("relation", "location")
    if read is None or value_at(index, "isTimeTravelQuery") is not True:
        return read
    return _at_version(read, _text(index, "snapshotAtAnalysis.version"))


def _at_version(read: LeafSource, version: str | None) -> LeafSource:
    return replace(read, datasets=tuple(replace(dataset, version=version) for dataset in read.datasets))


def _relation_as_it_is(leaf: Node, catalogs: Catalogs) -> LeafSource | None:
    schema = _own_schema(leaf)
    properties, table = leaf.object("relation"), leaf.values.get("catalogTable")
    # Spark gives a database's table an empty folder of its warehouse as location.
    if "jdbcOptions" not in properties and (named := find_table(table, catalogs, schema)):
        return LeafSource((named,))
    if merged := _merged(leaf, properties, catalogs):
        return merged
    if parsed := leaf.node("databaseQuery"):
        url, text = (_text(properties, "jdbcOptions", name) or "" for name in ("url", "tableOrQuery"))
        tables: LeafSource = module("urls").read_query(parsed, url, text, schema)
        return tables
    return _of_object(properties, catalogs, schema, find_symlinks(table, catalogs))


def find_record_column(leaf: Node) -> str | None:
    """Name Spark's column for malformed records of CSV, JSON and XML: `_corrupt_record`; else None."""
    relation = leaf.object("relation") or leaf.object("dataSource")
    form = str(relation.get("fileFormat.shortName") or relation.get("className") or "").lower()
    if form not in _TEXT_FORMATS:
        return None
    return str(value_at(relation, "options", "columnnameofcorruptrecord") or _RECORD_COLUMN)


def _own_schema(leaf: Node) -> tuple[SchemaField, ...]:
    added = {name.lower() for name in (find_record_column(leaf), *added_columns(leaf)) if name is not None}
    return tuple(column for column in parse_schema(leaf.text("schema")) if column.name.lower() not in added)


def _merged(leaf: Node, relation: JvmObject, catalogs: Catalogs) -> LeafSource | None:
    # By path, the schema of its files; None where the footers were not read (`MergedSchemas.java`).
    places = leaf.values.get("schemas")
    schemas: dict[DatasetId, tuple[SchemaField, ...] | None] = {}
    for path, schema_text in places if isinstance(places, list) else ():
        named = catalogs.find_path(path)
        if named is not None:
            before, schema = schemas.get(named, ()), parse_schema(schema_text) or None
            schemas[named] = None if before is None or schema is None else merge_schemas([before, schema])
    if not schemas or len(schemas) > PLACES_MAX:
        return None
    partitions = parse_schema(_text(relation, "partitionSchema"))
    if len(schemas) == 1:  # the user's own schema
        [(named, of_files)] = schemas.items()
        return _of_users_schema(named, merge_schemas([of_files or (), partitions]), parse_schema(leaf.text("schema")))
    datasets = (
        Dataset(named, merge_schemas([schema, partitions]) if schema else ()) for named, schema in schemas.items()
    )
    return LeafSource(tuple(datasets), merged=True)


def _of_users_schema(named: DatasetId, has: Sequence[SchemaField], schema: Sequence[SchemaField]) -> LeafSource:
    """Find the columns of a user's schema in the files; the missing columns are `absent`."""
    there = tuple(column for column in schema if find_field(has, (column.name,)))
    absent = frozenset(column.name for column in schema if column not in there)
    return LeafSource((Dataset(named, there),), absent=absent)


def _hive_relation(leaf: Node, catalogs: Catalogs) -> LeafSource | None:
    table = find_table(leaf.values.get("tableMeta"), catalogs, parse_schema(leaf.text("schema")))
    return LeafSource((table,)) if table else None


def _v2_relation(leaf: Node, catalogs: Catalogs) -> LeafSource | None:
    """Find the source of a relation, with a snapshot of Iceberg's table named by the query."""
    read = _v2_relation_as_it_is(leaf, catalogs)
    version = _text(leaf.values, "table", "snapshotId") or _text(leaf.values, "options", "snapshot-id")
    if read is None or version is None or read.unknown:
        return read
    return _at_version(read, version)


def _v2_relation_as_it_is(leaf: Node, catalogs: Catalogs) -> LeafSource | None:
    schema = _own_schema(leaf)
    symlinks = find_identifier(leaf, catalogs)
    table = leaf.values.get("table")
    read = _of_object(table, catalogs, schema, symlinks) if isinstance(table, Mapping) else None
    if read and _is_about_table(leaf, read):
        about = tuple(Dataset(dataset.id) for dataset in read.datasets)
        return LeafSource(about, f"{_kind_of(leaf)}: what a table keeps of itself")
    if read is None:
        read = find_options(leaf.values.get("options") or leaf.values.get("extraOptions"), catalogs)
    if read is None and symlinks:
        read = LeafSource((Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name)),))
    return _completed(read, schema)


def _rdd(leaf: Node, catalogs: Catalogs) -> LeafSource | None:
    places = leaf.values.get("places")
    read = find_paths([str(place) for place in places], catalogs) if isinstance(places, list) else None
    return replace(read, unknown=f"{leaf.kind}: {_REASONS[leaf.kind]}") if read else None


def _v2_scan(leaf: Node, catalogs: Catalogs) -> LeafSource | None:
    relation = leaf.node("relation")
    return find_datasets(relation, catalogs) if relation else None


def _stream_of_source(leaf: Node, catalogs: Catalogs) -> LeafSource | None:
    described = leaf.values.get("dataSource")
    if not isinstance(described, Mapping):
        return None
    schema = _own_schema(leaf)
    if table := find_table(described.get("catalogTable"), catalogs, schema):
        return LeafSource((table,))
    paths = described.get("paths")
    form = str(described.get("className"))
    read = find_options(described.get("options"), catalogs, form) or find_paths(paths or [], catalogs)
    return _completed(read, schema)


def _stream_of_table(leaf: Node, catalogs: Catalogs) -> LeafSource | None:
    if leaf.at("table", "class") in _MADE_UP:
        return LeafSource()
    return _v2_relation(leaf, catalogs)


def _is_about_table(leaf: Node, read: LeafSource) -> bool:
    name = leaf.at("identifier", "name")
    if not isinstance(name, str) or not _ABOUT_TABLE.fullmatch(name):
        return False
    return not any(dataset.id.name.endswith(f"/{name}") for dataset in read.datasets)


def find_identifier(node: Node, catalogs: Catalogs) -> tuple[Symlink, ...]:
    """Make a symlink of a table's name in a DataSource V2 catalog; none for a path in the place of the name."""
    catalog, identifier = node.object("catalog"), node.object("identifier")
    if not catalog or not identifier:
        return ()
    names = [str(part) for part in (*(identifier.get("namespace") or ()), identifier.get("name"))]
    # Iceberg's `web.orders.changes` has the rows of `web.orders`.
    *database, name = names[:-1] if node.at("table", "class") == ICEBERGS_CHANGES and len(names) > 1 else names
    if any("/" in part for part in database):  # a path, parsed as a name
        return ()
    table = node.values.get("table")
    location = _text(table, "properties", "location") or _text(table, "table", "properties", "location")
    return catalogs.symlinks(catalog.get("name"), database, name, location or _text(table, _CHANGED_PLACE))


def _of_object(
    described: JvmObject, catalogs: Catalogs, schema: Sequence[SchemaField], symlinks: tuple[Symlink, ...] = ()
) -> LeafSource | None:
    """Find the datasets of a relation or table: of a database, a catalog, a location, paths, or topics."""
    if "jdbcOptions" in described:
        read = _at_url(_text(described, "jdbcOptions", "url"), _text(described, "jdbcOptions", "tableOrQuery"))
        return _completed(read, schema, symlinks)
    if table := find_table(described.get("v1Table") or described.get("catalogTable"), catalogs, schema):
        return LeafSource((table,))
    if location := _text(described, "properties", "location") or _text(described, _CHANGED_PLACE):
        named = catalogs.find_uri(location)
        return LeafSource((Dataset(named, tuple(schema), symlinks),)) if named else None
    if isinstance(inside := described.get("table"), Mapping):  # the table of a change of rows
        return _of_object(inside, catalogs, schema, symlinks)
    by_options = find_options(described.get("sourceOptions"), catalogs)
    return _of_paths(described, catalogs, schema) or _completed(by_options, schema)


def _of_paths(described: JvmObject, catalogs: Catalogs, schema: Sequence[SchemaField]) -> LeafSource | None:
    for places in (described.get("location"), described.get("fileIndex")):
        if isinstance(places, Mapping) and isinstance(places.get("rootPaths"), list):
            return find_paths(places["rootPaths"], catalogs, schema)
    path = described.get("path")
    return find_paths([path], catalogs, schema) if isinstance(path, str) else None


def _at_url(url: str | None, table: str | None) -> LeafSource | None:
    source: LeafSource | None = module("urls").find_source(url, table)
    return source


def _completed(
    read: LeafSource | None, schema: Sequence[SchemaField], symlinks: tuple[Symlink, ...] = ()
) -> LeafSource | None:
    """Complete the source by the leaf's columns and names; a query's computed columns stay unknown."""
    if read is None or read.unknown:
        return read
    return LeafSource(tuple(_complete_dataset(dataset, tuple(schema), symlinks) for dataset in read.datasets))


def _complete_dataset(dataset: Dataset, schema: tuple[SchemaField, ...], symlinks: tuple[Symlink, ...]) -> Dataset:
    others = tuple(link for link in symlinks if DatasetId(link.namespace, link.name) != dataset.id)
    return replace(dataset, schema=dataset.schema or schema, symlinks=dataset.symlinks or others)


def _kind_of(leaf: Node) -> str:
    inside = leaf.values.get("relation") or leaf.values.get("table")
    return str(value_at(inside, "class") or leaf.kind)


def _text(value: object, *names: str) -> str | None:
    text = value_at(value, *names)
    return text if isinstance(text, str) and text else None


_RULES: dict[str, Callable[[Node, Catalogs], LeafSource | None]] = {
    "LogicalRelation": _logical_relation,
    "HiveTableRelation": _hive_relation,
    "DataSourceV2Relation": _v2_relation,
    "ResolvedTable": _v2_relation,
    "DataSourceV2ScanRelation": _v2_scan,
    "LogicalRDD": _rdd,
    "ExternalRDD": _rdd,
    RDD_ACTION: _rdd,
    "StreamingRelation": _stream_of_source,
    "StreamingRelationV2": _stream_of_table,
}
