"""Datasets of Glue's readers and sinks, and the frames made of datasets.

A table of Glue's catalog is `arn:aws:glue:{region}:{account}` and `table/{database}/{table}`. A connection's options
name a dataset like Spark's own sources, by the same connectors. The types of connections and their options:
https://docs.aws.amazon.com/glue/latest/dg/aws-glue-programming-etl-connect.html
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from headwater_model.columns import ColumnSource
from headwater_model.ids import FieldPath
from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.leaf_source import LeafSource, find_paths
from spark_client.capturing.datasets.locations import is_absolute
from spark_client.capturing.datasets.schemas import parse_schema
from spark_client.capturing.datasets.sources import find_connected, find_options
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.glue.columns import evaluate
from spark_client.capturing.glue.frames import glue_frames
from spark_client.capturing.glue.models import MODEL, UNFITTED
from spark_client.capturing.glue.open_relations import OpenRelation, closed, opened
from spark_client.capturing.leaves import Checkpoint
from spark_client.capturing.model import Change, Dataset, Symlink
from spark_client.capturing.plans.plan import Node
from spark_client.capturing.plans.values import IDENTITY, Dependency, Value, unknown

_FILES = frozenset({"s3", "file", "hdfs", "parquet", "orc", MODEL})
_DATABASES = frozenset(
    {"mysql", "postgresql", "oracle", "sqlserver", "redshift", "jdbc", "custom.jdbc", "marketplace.jdbc"}
)
_KAFKA = frozenset({"kafka", "msk"})
_MONGODB = frozenset({"documentdb", "mongodb"})
_BY_CLASS = frozenset({"custom.spark", "marketplace.spark", "custom.athena", "marketplace.athena"})
_SAME_REGION = frozenset({"dynamodb", "kinesis"})


def find_source(described: Mapping[str, Any], catalogs: Catalogs, *, is_write: bool = False) -> LeafSource:
    """Find the dataset of a Glue reader or sink, noted by `glue.frames`: a table of the catalog, or options."""
    table = described.get("catalog")
    if not isinstance(table, Mapping):
        return _of_options(described, catalogs, is_write=is_write)
    named = _table(table, catalogs)
    return LeafSource((named,)) if named else LeafSource(unknown="GlueTable: its region or account is not known")


def _table(table: Mapping[str, Any], catalogs: Catalogs) -> Dataset | None:
    database, name = str(table["database"]), str(table["table"])
    catalog = str(table.get("catalog_id") or "") or None
    named = catalogs.find_glue_table(database, name, catalog)
    return Dataset(named, parse_schema(glue_frames.schema_of(database, name, catalog))) if named else None


def _of_options(described: Mapping[str, Any], catalogs: Catalogs, *, is_write: bool) -> LeafSource:
    kind, options = str(described.get("connection_type") or "").lower(), described.get("options") or {}
    read: LeafSource | None
    if paths := _paths(kind, options):
        read = find_paths(paths, catalogs)
    elif kind in _DATABASES:
        read = find_options({key: options.get(key) for key in ("url", "dbtable", "query")}, catalogs)
    elif kind in _KAFKA:
        topics = {"subscribe": options.get("topicname") or options.get("subscribe"), "assign": options.get("assign")}
        read = find_options({**topics, "kafka.bootstrap.servers": options.get("bootstrap.servers")}, catalogs)
    else:
        read = find_connected({}, *_connection(kind, options, catalogs), is_write=is_write)
    connection = options.get("connectionname")
    why = f"connection {connection}, whose address is not known" if connection else "no name by its options"
    return LeafSource(unknown=f"Glue {kind}: {why}") if read is None or not (read.datasets or read.unknown) else read


def _paths(kind: str, options: Mapping[str, Any]) -> list[str]:
    given = options.get("paths") or options.get("path") or ()
    paths = [given] if isinstance(given, str) else [str(path) for path in given]
    return [path for path in paths if kind in _FILES or (is_absolute(path) and kind not in _DATABASES)]


def _connection(kind: str, options: Mapping[str, Any], catalogs: Catalogs) -> tuple[Mapping[str, Any], Catalogs, str]:
    """Make the arguments of a connector: options, catalogs, name; AWS's services default to the job's region."""
    texts = {key: value for key, value in options.items() if isinstance(value, str)}
    if kind in _MONGODB:
        return {"connection.uri": texts.get("uri"), **texts}, catalogs, "mongodb"
    if kind in _BY_CLASS:
        return texts, catalogs, texts.get("classname", kind)
    if kind in _SAME_REGION and catalogs.region:
        region = texts.get("dynamodb.region") or texts.get("awsregion") or catalogs.region
        return {"region": region, **texts}, catalogs, kind
    return texts, catalogs, kind


def find_glue_target(command: str, described: Mapping[str, Any], catalogs: Catalogs) -> Target:
    """Find the target of a write, or of a purge of a table's or folder's files; the sink's table is a symlink."""
    source = find_source(described, catalogs, is_write=True)
    if not source.datasets:
        return Target(command, None, unknown=source.unknown)
    info = described.get("catalog_info")
    table = _table(info, catalogs) if isinstance(info, Mapping) else None
    # A sink may change the schema in the catalog, so the written columns count.
    symlinks = (Symlink(table.id.namespace, table.id.name),) if table else ()
    change: Change | None = "TRUNCATE" if described.get("purges") == "all" else None
    change = "OVERWRITE" if described.get("overwrites") else change
    return Target(command, replace(source.datasets[0], schema=(), symlinks=symlinks), change=change)


@dataclass(frozen=True, slots=True)
class FrameRead:
    """DynamicFrame: its columns, its inputs, and its sink, if it is written."""

    relation: OpenRelation
    inputs: list[Dataset]
    unknown_inputs: list[str]
    sink: Mapping[str, Any]


def read_frame(leaf: Node, catalogs: Catalogs, query: Callable[[Node], Checkpoint]) -> FrameRead:
    """Compute the frame of a leaf with steps (`PlanReader.java`); `query` reads the plan of a Spark frame."""
    steps = json.loads(leaf.text("steps") or "[]")
    queries = [(query(plan), names) for plan, names in leaf.values.get("frames") or ()]
    inputs: dict[Dataset, None] = {}
    reasons: dict[str, None] = {}

    def add(datasets: Iterable[Dataset], unknown_inputs: Iterable[str]) -> None:
        inputs.update(dict.fromkeys(datasets))
        reasons.update(dict.fromkeys(unknown_inputs))

    # Each leaf of the steps adds its inputs.
    def read(kind: str, arguments: Mapping[str, Any]) -> OpenRelation:
        if kind == "frame":
            result, names = queries[arguments["frame"]]
            add(result.inputs, result.unknown_inputs)
            return closed(dict(zip(names, result.values, strict=False)), result.rows)
        if kind == "source":
            source = find_source(arguments, catalogs)
            add(source.datasets, source.unknown_inputs)
            return _opened(source)
        if kind in ("purge", "program"):
            return OpenRelation()
        if kind == "unfitted":
            add((), [UNFITTED])
            return OpenRelation()
        reason = f"DynamicFrame: {arguments.get('why', 'made by an unknown step')}"
        add((), [reason])
        return opened(lambda _: unknown(reason))

    relation = evaluate(steps, read)
    kind, _, arguments = steps[-1]
    return FrameRead(relation, list(inputs), list(reasons), arguments if kind in ("sink", "purge") else {})


def _opened(source: LeafSource) -> OpenRelation:
    """Make the columns of a source: a column is its namesake in each dataset."""
    if source.unknown is not None or not source.datasets:
        value = unknown(source.unknown or "GlueSource: without a name")
        return opened(lambda _: value)

    def column(name: str) -> Value:
        path: FieldPath = (name,)
        sources = (ColumnSource(dataset.id, path) for dataset in source.datasets)
        return Value(frozenset(Dependency(each, IDENTITY) for each in sources))

    columns = {each.name: column(each.name) for dataset in source.datasets for each in dataset.schema}
    return replace(opened(column), fields=columns, is_declared=bool(columns))
