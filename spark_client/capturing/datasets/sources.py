"""What the leaves of a plan read: datasets by name, or why they have none."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from lineage_model.ids import DatasetId
from spark_client.capturing.datasets import jdbc
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.database_names import tables_in
from spark_client.capturing.datasets.jdbc_queries import find_query
from spark_client.capturing.datasets.locations import find_path, find_topic, find_uri
from spark_client.capturing.datasets.schemas import parse_schema, united
from spark_client.capturing.model import Dataset, SchemaField, Symlink
from spark_client.capturing.plans.plan import Node

# An object of the JVM, as its getters tell it.
Told: TypeAlias = Mapping[str, Any]

_ASKED = "JDBCRelation: a query that the database runs"
# A relation of more places than this is told by the folders that they are in.
_PLACES_MAX = 50
_MADE_OF_NOTHING = frozenset({"EmptyRelation", "OneRowRelation", "Range"})
# Iceberg's tables about a table (`web.orders.snapshots`), which say that they lie where it lies.
_ABOUT_TABLE = re.compile(
    r"(?:all_)?(?:entries|manifests|(?:data_|delete_)?files)"
    r"|history|snapshots|refs|partitions|position_deletes|metadata_log_entries"
)
_REASONS = {
    "CommandResult": "the result of a command",
    "ExternalRDD": "made of an RDD",
    "LocalRelation": "rows of the program",
    "LogicalRDD": "made of an RDD",
}


@dataclass(frozen=True, slots=True)
class DatabaseQuery:
    """A query that a database runs, as Spark's parser reads it, and the database's URL."""

    plan: Node
    url: str


@dataclass(frozen=True, slots=True)
class Read:
    """What a leaf reads. Each of its columns is the column of that name of each dataset; of none: made of nothing.

    `unknown` says why nothing is known of its columns; datasets that are there nevertheless are read. Of `merged`
    datasets each has the columns of its own schema alone; one without a schema may have any. `query` is the parsed plan
    of what a database is asked; `unnamed` says why nobody can name what it reads beside the datasets.
    """

    datasets: tuple[Dataset, ...] = ()
    unknown: str | None = None
    merged: bool = False
    query: DatabaseQuery | None = None
    unnamed: str | None = None

    @property
    def unknown_inputs(self) -> tuple[str, ...]:
        """Why nobody can name what it reads; empty if it has a name, or reads nothing."""
        reason = self.unknown if not self.datasets else self.unnamed
        return (reason,) if reason is not None else ()


def find_datasets(leaf: Node, catalogs: Catalogs) -> Read:
    """What a leaf reads."""
    # Rows that stand in a statement (VALUES) are no data that came from somewhere; those of the program may be.
    if leaf.kind in _MADE_OF_NOTHING or (leaf.kind == "LocalRelation" and leaf.text("origin.sqlText")):
        return Read()
    rule = _RULES.get(leaf.kind)
    read = rule(leaf, catalogs) if rule else None
    if read is None:
        return Read(unknown=f"{_kind_of(leaf)}: {_REASONS.get(leaf.kind, 'a source that nobody can name')}")
    return read


def find_table(told: object, catalogs: Catalogs, schema: Sequence[SchemaField] = ()) -> Dataset | None:
    """A `CatalogTable`: where its data lies, with its name as a symlink; the name alone where it is not told where."""
    if not isinstance(told, Mapping):
        return None
    symlinks = find_symlinks(told, catalogs)
    uri = _text(told, "storage", "locationUri")
    located = find_uri(uri, catalogs.default_fs) if uri else None
    schema = tuple(schema) or parse_schema(_text(told, "schema"))
    if located:
        return Dataset(located, schema, symlinks)
    return Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name), schema) if symlinks else None


def find_symlinks(told: object, catalogs: Catalogs) -> tuple[Symlink, ...]:
    """The name of a `CatalogTable`, if its database is known."""
    if not isinstance(told, Mapping):
        return ()
    name = _text(told, "identifier", "table")
    database = _text(told, "identifier", "database")
    uri = _text(told, "storage", "locationUri")
    if not name or not database:
        return ()
    return catalogs.symlinks(_text(told, "identifier", "catalog"), [database], name, uri)


def find_options(options: object, catalogs: Catalogs) -> Read | None:
    """What the options of a source or a sink name: a table of a database, a topic, or a path."""
    if not isinstance(options, Mapping):
        return None
    if url := options.get("url"):
        return _jdbc(str(url), options.get("dbtable") or options.get("query") or "")
    if servers := options.get("kafka.bootstrap.servers"):
        topics = str(options.get("topic") or options.get("subscribe") or "").split(",")
        return _all(Dataset(named) for topic in topics if (named := find_topic(str(servers), topic.strip())))
    path = options.get("path")
    return find_paths([path], catalogs) if isinstance(path, str) else None


def find_paths(paths: Sequence[str], catalogs: Catalogs, schema: Sequence[SchemaField] = ()) -> Read | None:
    """Paths, each dataset once; of very many, the folders that they are in."""
    named = dict.fromkeys(find_path(path, catalogs.default_fs) for path in paths)
    while len(named) > _PLACES_MAX:
        folders = dict.fromkeys(_folder_of(one) for one in named)
        if folders == named:
            break
        named = folders
    return _all(Dataset(one, tuple(schema)) for one in named if one)


def _logical_relation(leaf: Node, catalogs: Catalogs) -> Read | None:
    """A relation; of a table whose data is not its files (a database's), the location that Spark gave it is empty."""
    schema = parse_schema(leaf.text("schema"))
    relation, table = leaf.values.get("relation"), leaf.values.get("catalogTable")
    told = relation if isinstance(relation, Mapping) else {}
    if "jdbcOptions" not in told and (named := find_table(table, catalogs, schema)):
        return Read((named,))
    if merged := _merged(leaf, told, catalogs):
        return merged
    if asked := leaf.node("asked"):
        return _asked(asked, told, schema)
    return _of_object(told, catalogs, schema, find_symlinks(table, catalogs))


def _merged(leaf: Node, relation: Told, catalogs: Catalogs) -> Read | None:
    """Return the datasets of a relation whose schema is merged of theirs (`MergedSchemas`), if they are several."""
    places = leaf.values.get("schemas")
    found: dict[DatasetId, tuple[SchemaField, ...] | None] = {}
    for path, told in places if isinstance(places, list) else ():
        named = find_path(path, catalogs.default_fs)
        if named is not None:
            before, schema = found.get(named, ()), parse_schema(told) or None
            found[named] = None if before is None or schema is None else united([before, schema])
    if not 1 < len(found) <= _PLACES_MAX:
        return None
    partitions = parse_schema(_text(relation, "partitionSchema"))
    datasets = (Dataset(named, united([schema, partitions]) if schema else ()) for named, schema in found.items())
    return Read(tuple(datasets), merged=True)


def _hive_relation(leaf: Node, catalogs: Catalogs) -> Read | None:
    table = find_table(leaf.values.get("tableMeta"), catalogs, parse_schema(leaf.text("schema")))
    return Read((table,)) if table else None


def _v2_relation(leaf: Node, catalogs: Catalogs) -> Read | None:
    schema = parse_schema(leaf.text("schema"))
    symlinks = find_identifier(leaf, catalogs)
    table = leaf.values.get("table")
    read = _of_object(table, catalogs, schema, symlinks) if isinstance(table, Mapping) else None
    if read and _is_about_table(leaf, read):
        about = tuple(Dataset(one.id) for one in read.datasets)
        return Read(about, f"{_kind_of(leaf)}: what a table keeps of itself")
    if read is None:
        read = find_options(leaf.values.get("options"), catalogs)
    if read is None and symlinks:
        read = Read((Dataset(DatasetId(symlinks[0].namespace, symlinks[0].name)),))
    return _completed(read, schema)


def _rdd(leaf: Node, catalogs: Catalogs) -> Read | None:
    """The files that an RDD is made of; what its functions made of their columns nobody can tell."""
    places = leaf.values.get("places")
    read = find_paths([str(place) for place in places], catalogs) if isinstance(places, list) else None
    return replace(read, unknown=f"{leaf.kind}: {_REASONS[leaf.kind]}") if read else None


def _v2_scan(leaf: Node, catalogs: Catalogs) -> Read | None:
    relation = leaf.node("relation")
    return find_datasets(relation, catalogs) if relation else None


def _is_about_table(leaf: Node, read: Read) -> bool:
    identifier = leaf.values.get("identifier")
    name = identifier.get("name") if isinstance(identifier, Mapping) else None
    if not isinstance(name, str) or not _ABOUT_TABLE.fullmatch(name):
        return False
    return not any(one.id.name.endswith(f"/{name}") for one in read.datasets)


def find_identifier(node: Node, catalogs: Catalogs) -> tuple[Symlink, ...]:
    """The name of a table of a DataSource V2 catalog, if that is a catalog whose tables have names."""
    catalog, identifier = node.values.get("catalog"), node.values.get("identifier")
    if not isinstance(catalog, Mapping) or not isinstance(identifier, Mapping):
        return ()
    database = [str(part) for part in identifier.get("namespace") or ()]
    if any("/" in part for part in database):  # a path that is read as if it were a name
        return ()
    table = node.values.get("table")
    location = _text(table, "properties", "location") or _text(table, "table", "properties", "location")
    return catalogs.symlinks(catalog.get("name"), database, str(identifier.get("name")), location)


def _of_object(
    told: Told, catalogs: Catalogs, schema: Sequence[SchemaField], symlinks: tuple[Symlink, ...] = ()
) -> Read | None:
    """What a relation or a table of the JVM's names: a database's table, a catalog's, a location, paths, or topics."""
    if "jdbcOptions" in told:
        read = _jdbc(_text(told, "jdbcOptions", "url"), _text(told, "jdbcOptions", "tableOrQuery"))
        return _completed(read, schema, symlinks)
    if table := find_table(told.get("v1Table") or told.get("catalogTable"), catalogs, schema):
        return Read((table,))
    if location := _text(told, "properties", "location"):
        named = find_uri(location, catalogs.default_fs)
        return Read((Dataset(named, tuple(schema), symlinks),)) if named else None
    if isinstance(inside := told.get("table"), Mapping):  # a table whose rows are about to be changed
        return _of_object(inside, catalogs, schema, symlinks)
    return _of_paths(told, catalogs, schema) or _completed(find_options(told.get("sourceOptions"), catalogs), schema)


def _of_paths(told: Told, catalogs: Catalogs, schema: Sequence[SchemaField]) -> Read | None:
    for places in (told.get("location"), told.get("fileIndex")):
        if isinstance(places, Mapping) and isinstance(places.get("rootPaths"), list):
            return find_paths(places["rootPaths"], catalogs, schema)
    path = told.get("path")
    return find_paths([path], catalogs, schema) if isinstance(path, str) else None


def _asked(plan: Node, relation: Told, schema: Sequence[SchemaField]) -> Read:
    """Return the tables that a query reads; its columns are known by its plan."""
    url, text = _text(relation, "jdbcOptions", "url") or "", _text(relation, "jdbcOptions", "tableOrQuery") or ""
    found = [name and jdbc.find_table(url, ".".join(name)) for name in tables_in(plan)]
    named = dict.fromkeys(one for one in found if isinstance(one, DatasetId))
    if not named:
        return Read(unknown=_ASKED)
    simple = find_query(text) if len(named) == 1 else None
    columns = tuple(schema) if simple and simple.plain else ()
    lost = _ASKED if len(named) < len(set(found)) else None
    return Read(tuple(Dataset(one, columns) for one in named), query=DatabaseQuery(plan, url), unnamed=lost)


def _jdbc(url: str | None, table: str | None) -> Read | None:
    """A table of a database; of a query, the one table that it reads."""
    if not url or not table:
        return None
    if named := jdbc.find_table(url, table):
        return Read((Dataset(named),))
    query = find_query(table)
    named = jdbc.find_table(url, query.table) if query else None
    if query is None or named is None:
        return Read(unknown=_ASKED)
    return Read((Dataset(named),), None if query.plain else "JDBCRelation: computed by the database")


def _completed(read: Read | None, schema: Sequence[SchemaField], symlinks: tuple[Symlink, ...] = ()) -> Read | None:
    """With the leaf's columns and names where there are none; columns that a query computes are none of its table."""
    if read is None or read.unknown:
        return read
    return Read(tuple(_one_completed(one, tuple(schema), symlinks) for one in read.datasets))


def _one_completed(one: Dataset, schema: tuple[SchemaField, ...], symlinks: tuple[Symlink, ...]) -> Dataset:
    others = tuple(link for link in symlinks if DatasetId(link.namespace, link.name) != one.id)
    return replace(one, schema=one.schema or schema, symlinks=one.symlinks or others)


def _all(every: Any) -> Read | None:
    datasets = tuple(every)
    return Read(datasets) if datasets else None


def _folder_of(named: DatasetId | None) -> DatasetId | None:
    folder = named.name.rpartition("/")[0] if named else ""
    return DatasetId(named.namespace, folder) if named and folder else named


def _kind_of(leaf: Node) -> str:
    """Its class, or the one of what it stands for."""
    inside = leaf.values.get("relation") or leaf.values.get("table")
    return str(inside["class"]) if isinstance(inside, Mapping) and "class" in inside else leaf.kind


def _text(told: object, *names: str) -> str | None:
    for name in names:
        told = told.get(name) if isinstance(told, Mapping) else None
    return told if isinstance(told, str) and told else None


_RULES: dict[str, Callable[[Node, Catalogs], Read | None]] = {
    "LogicalRelation": _logical_relation,
    "HiveTableRelation": _hive_relation,
    "DataSourceV2Relation": _v2_relation,
    "DataSourceV2ScanRelation": _v2_scan,
    "LogicalRDD": _rdd,
    "ExternalRDD": _rdd,
}
