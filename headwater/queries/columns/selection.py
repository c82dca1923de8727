"""Columns of a node id, now, of a version, or at a time: the start of queries of columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from headwater.facts.facts import dataset_of
from headwater.facts.index_scan import read_run_facts
from headwater.queries.columns.column_graph import ColumnWalk
from headwater.queries.columns.column_versions import Version, VersionEntry, VersionWalk, versions_at
from headwater.queries.graphs.node_ids import FieldNode, Node, field_candidates, nodes_named, selected_version
from headwater.queries.results.columns import ColumnGraph
from headwater.queries.runs.dataset_versions import find_version
from headwater.queries.runs.input_versions import outputs_of
from headwater.queries.runs.job_versions import versions_of
from headwater.queries.view import GraphView
from headwater.queries.view.column_reports import DatasetColumns
from headwater.queries.view.descriptions import read_facets, schema_of
from headwater_model.columns import Column
from headwater_model.field_paths import RelatedPaths
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey

NodeOfVersion: TypeAlias = tuple[Column, str]
# The run that made each version of a dataset.
Producers: TypeAlias = Mapping[Version, RunKey | None]


def find_columns(
    view: GraphView,
    node_id: str,
    *,
    depth: int,
    downstream: bool = False,
    at: str | None = None,
    version: str | None = None,
) -> ColumnGraph | None:
    """Find the graph of columns around a dataset, a field or a job: now, as of a time, or upstream of a version.

    Depth 0 is the requested columns with their sources; each further level adds the sources as nodes, and with
    `downstream` the derived columns. As of a time, the graph has versions; with `downstream` it is the graph
    current at the time. None if the node is unknown.

    Raises:
        Invalid: the node id cannot be read, or selectors disagree (a version with `downstream`, ...).
    """
    for node in nodes_named(node_id, view):
        of_job = isinstance(node, Node) and isinstance(node.id, JobId)
        selected = selected_version(node.version, version, at, of_job=of_job, downstream=downstream)
        graph = _find_graph(node, view.as_of(at), selected, depth=depth, downstream=downstream)
        if graph is not None:
            return graph
    return None


def find_field(view: GraphView, node_id: str) -> Column | None:
    """Find the column of an id (`datasetField:...`), under its dataset's primary name; None if it is unknown now.

    Raises:
        Invalid: the id cannot be read as a field's.
    """
    candidates = field_candidates(node_id, view)
    return next((column for node in candidates if (column := view.find_column(node.dataset, node.field))), None)


def _find_graph(
    node: FieldNode | Node, view: GraphView, version: str | None, *, depth: int, downstream: bool
) -> ColumnGraph | None:
    """Walk the columns around a node, of a version or as of the view's time; None if there is no such node.

    As of a time, the graph has versions; with `downstream` it is the current graph of the time.
    """
    if version is None and (view.at is None or downstream):
        columns = _select_current(node, view, downstream=downstream)
        return None if columns is None else ColumnWalk(view).graph(columns, depth=depth, downstream=downstream)
    past = VersionWalk(view.as_of(None))
    nodes = _select_at(node, past, view) if version is None else select_version(node, version, past)
    return None if nodes is None else past.graph(nodes, depth=depth)


def _select_current(node: FieldNode | Node, view: GraphView, *, downstream: bool) -> list[Column] | None:
    """List the columns of a node now; None if the node does not exist."""
    if isinstance(node, FieldNode):
        column = view.find_column(node.dataset, node.field)
        return [column] if column else None
    if isinstance(node.id, DatasetId):
        return view.list_columns(node.id, used=downstream) if view.find_columns(node.id) else None
    outputs = view.find_outputs(node.id)
    if outputs is None:
        return None
    return list(dict.fromkeys(column for output in outputs for column in view.list_columns(output, used=downstream)))


def select_version(node: FieldNode | Node, version: str, walk: VersionWalk) -> list[NodeOfVersion] | None:
    """List the columns of a dataset's version, or of the outputs of a job version's last run.

    `select_version(Node(DatasetId("s3://lake", "daily")), "1a2b...", VersionWalk(view))` lists
    `(Column(s3://lake daily, amount), "1a2b...")`; None if the version is unknown.
    """
    if isinstance(node, Node) and isinstance(node.id, JobId):
        producers = _made_by_job_version(node.id, version, walk.view)
    else:
        producers = _made_version(_dataset_of(node), version, walk.view)
    if producers is None:
        return None
    walk.load_versions(producers)
    nodes = [
        (column, version_id)
        for dataset, version_id in producers
        for column in _columns_of(node, walk.entry((dataset, version_id)), walk.view)
    ]
    return sorted(nodes) if nodes or not isinstance(node, FieldNode) else None


def _made_version(dataset: DatasetId, version: str, view: GraphView) -> Producers | None:
    group = view.named(dataset)
    dataset_version = find_version(group, version, view)
    return {(group.primary, version): dataset_version.run} if dataset_version else None


def _made_by_job_version(job: JobId, version: str, view: GraphView) -> Producers | None:
    versions, _ = versions_of(job, view)
    job_version = next((candidate for candidate in versions if candidate.version == version), None)
    if job_version is None:
        return None
    if job_version.latest_run is None:
        return {}
    run = job_version.latest_run.key
    facts = read_run_facts([run], view)[run]
    view.load_names(map(dataset_of, facts.outputs))
    outputs = outputs_of(facts, run, view)
    return {(output.dataset, output.version): run for output in outputs if view.opens(output.dataset)}


def _columns_of(node: FieldNode | Node, entry: VersionEntry, view: GraphView) -> list[Column]:
    """List the columns of a node in a version; without a schema, its dataset's schema counts."""
    primary = entry.group.primary
    schema = entry.schema if entry.schema.known else schema_of(read_facets([entry.group], view)[0])
    if isinstance(node, FieldNode):
        there = entry.has(node.field) or RelatedPaths(schema.types).has(node.field) or view.is_used(primary, node.field)
        return [Column(primary, node.field)] if there else []
    paths = dict.fromkeys((*schema.columns, *entry.columns.fields))
    return list(dict.fromkeys((*(Column(primary, path) for path in paths), *view.used(primary))))


def _select_at(node: FieldNode | Node, walk: VersionWalk, present: GraphView) -> list[NodeOfVersion] | None:
    """List the columns of a node at a time, each in its writers' last versions."""
    datasets = _datasets_at(node, present)
    if datasets is None:
        return None
    present.load_columns(datasets)
    entries = {entry.group.primary: entry for dataset in datasets if (entry := present.columns(dataset))}
    shown = {primary: list(versions_at(entry, present)) for primary, entry in entries.items()}
    walk.add(
        [version_entry for version_entries in shown.values() for version_entry in version_entries], present.at or ""
    )
    nodes = [
        (Column(primary, path), version_entry.version)
        for primary, version_entries in shown.items()
        for path in _paths_at(node, entries[primary], version_entries)
        for version_entry in version_entries
    ]
    if not nodes and (isinstance(node, FieldNode) or not any(shown.values())):
        return [] if isinstance(node, Node) and isinstance(node.id, JobId) else None
    return sorted(nodes)


def _datasets_at(node: FieldNode | Node, view: GraphView) -> list[DatasetId] | None:
    if isinstance(node, FieldNode) or isinstance(node.id, DatasetId):
        return [_dataset_of(node)]
    return view.find_outputs(node.id)


def _dataset_of(node: FieldNode | Node) -> DatasetId:
    named = node.dataset if isinstance(node, FieldNode) else node.id
    return DatasetId(named.namespace, named.name)


def _paths_at(node: FieldNode | Node, entry: DatasetColumns, shown: Sequence[VersionEntry]) -> list[FieldPath]:
    known = [entry, *shown]
    if isinstance(node, FieldNode):
        return [node.field] if any(columns.has(node.field) for columns in known) else []
    return list(dict.fromkeys((*(path for columns in known for path in columns.schema.columns), *entry.columns.fields)))
