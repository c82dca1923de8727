"""Streaming queries in plans: their sinks, and the columns written there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.leaf_source import LeafSource
from spark_client.capturing.datasets.schemas import parse_schema
from spark_client.capturing.datasets.sources import find_datasets, find_table
from spark_client.capturing.datasets.target import Target
from spark_client.capturing.datasets.targets import KEEP_NOTHING
from spark_client.capturing.datasets.versions import NO_VERSIONS
from spark_client.capturing.extract import STREAM, Extractor
from spark_client.capturing.model import Execution, StreamPlan, StreamStart, UnknownTarget, Write
from spark_client.capturing.plans.plan import Node, value_at

# Sinks without a dataset of their own, or with rows in the driver's memory.
_NO_SINKS = KEEP_NOTHING | {"ForeachBatchSink", "ForeachWriterTable", "MemorySink"}


def read_stream(extractor: Extractor, start: StreamStart[StreamPlan]) -> Write | None:
    """Read a stream's write into its sink, None without a dataset there; remember the query for its batches.

    Raises:
        UnknownTarget: the sink has no name.
    """
    plan, at_ms = start.query, start.started_ms
    query = plan.root.node("inputQuery") or plan.root
    whole = Execution(0, 0, STREAM, at_ms, at_ms, plan.tier, query, stream=start.run_id, session=plan.session)
    if plan.tier != "tables":
        extractor.checkpoint(whole)
    target = find_sink(plan.root, plan.options, extractor.catalogs)
    if target is None:
        return None
    if target.output is None:
        why = target.unknown or target.command
        raise UnknownTarget(extractor.nameless(whole, target.command, why, [query], NO_VERSIONS))
    return extractor.write(whole, target, target.output)


def find_sink(stream: Node, options: Mapping[str, str], catalogs: Catalogs) -> Target | None:
    """Find the sink of a `WriteToStream`; None for a sink without a dataset."""
    sink, query = stream.values.get("sink"), stream.node("inputQuery")
    kind = str(value_at(sink, "class") or stream.kind)
    if kind in _NO_SINKS:
        return None
    catalog, identifier = stream.values.get("catalogAndIdent") or (None, None)
    relation = Node(-1, "DataSourceV2Relation")
    relation.values = {"table": sink, "catalog": catalog, "identifier": identifier, "options": options}
    table = find_table(stream.values.get("catalogTable"), catalogs)
    read = LeafSource((table,)) if table else find_datasets(relation, catalogs, is_write=True)
    if len(read.datasets) != 1 or read.unknown:
        return Target(kind, None, query, unknown=f"{kind}: a sink that nobody can name")
    output, schema = read.datasets[0], parse_schema(stream.text("inputQuery.schema"))
    names = tuple(column.name for column in schema)
    return Target(kind, replace(output, schema=output.schema or schema), query, names)
