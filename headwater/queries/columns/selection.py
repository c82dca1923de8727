"""Columns that a node id names, now, of a version, or at a time: the start of queries of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from headwater.facts.facts import dataset_of
from headwater.facts.index_scan import read_run_facts
from headwater.facts.job_nodes import io_of
from headwater.facts.run_facts import dataset_version_id
from headwater.facts.visibility import Visibility
from headwater.queries.columns.column_graph import ColumnWalk
from headwater.queries.columns.column_versions import Version, VersionEntry, VersionWalk
from headwater.queries.columns.current_columns import ColumnReport, CurrentColumns, DatasetColumns
from headwater.queries.current_facets import read_facets
from headwater.queries.dataset_versions import find_version, read_versions
from headwater.queries.descriptions import NO_SCHEMA, Schema, schema_of
from headwater.queries.input_versions import outputs_of
from headwater.queries.job_versions import versions_of
from headwater.queries.node_ids import FieldNode, Node
from headwater.queries.resolve import ResolvedDatasets
from headwater.queries.view import GraphView
from headwater_model.columns import Column
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey

NodeOfVersion: TypeAlias = tuple[Column, str]
# The run that made each version of a dataset.
Made: TypeAlias = Mapping[Version, RunKey | None]


def select_current(node: FieldNode | Node, walk: ColumnWalk, *, downstream: bool) -> list[Column] | None:
    """Return the columns that a node stands for now; None if the node does not exist."""
    if isinstance(node, FieldNode):
        column = walk.exists(node.dataset, node.field)
        return [column] if column else None
    if isinstance(node.id, DatasetId):
        return walk.columns_of(node.id, used=downstream) if walk.is_visible(node.id) else None
    outputs = walk.outputs_of(node.id)
    if outputs is None:
        return None
    return list(dict.fromkeys(column for one in outputs for column in walk.columns_of(one, used=downstream)))


def select_version(
    node: FieldNode | Node, version: str, walk: VersionWalk, view: GraphView
) -> list[NodeOfVersion] | None:
    """Return the columns of a dataset's version, or of the versions that the last run of a job's version made."""
    if isinstance(node, Node) and isinstance(node.id, JobId):
        made = _made_by_job_version(node.id, version, view)
    else:
        made = _made_version(_dataset_of(node), version, view)
    if made is None:
        return None
    walk.load(made)
    found = [(column, one) for dataset, one in made for column in _columns_of(node, walk.entry((dataset, one)), view)]
    return sorted(found) if found or not isinstance(node, FieldNode) else None


def _made_version(dataset: DatasetId, version: str, view: GraphView) -> Made | None:
    groups = ResolvedDatasets(view)
    groups.load([dataset])
    group = groups.group(dataset)
    found = find_version(group, version, view)
    return {(group.primary, version): found.run} if found else None


def _made_by_job_version(job: JobId, version: str, view: GraphView) -> Made | None:
    versions, _ = versions_of(job, view)
    found = next((one for one in versions if one.version == version), None)
    if found is None:
        return None
    if found.latest_run is None:
        return {}
    run = found.latest_run.key
    facts = read_run_facts([run], view)[run]
    groups = ResolvedDatasets(view)
    groups.load(map(dataset_of, facts.outputs))
    outputs = outputs_of(facts, run, groups)
    return {(one.dataset, one.version): run for one in outputs if view.caller.opens(one.dataset)}


def _columns_of(node: FieldNode | Node, entry: VersionEntry, view: GraphView) -> list[Column]:
    """Return the columns of a version that a node stands for; without a schema, its dataset's schema counts."""
    primary = entry.group.primary
    schema = entry.schema if entry.schema.known else schema_of(read_facets([entry.group], view)[0])
    walk = ColumnWalk(view.whole)
    if isinstance(node, FieldNode):
        there = entry.has(node.field, schema) or walk.is_used(primary, node.field)
        return [Column(primary, node.field)] if there else []
    paths = dict.fromkeys((*schema.columns, *entry.columns.fields))
    return list(dict.fromkeys((*(Column(primary, path) for path in paths), *walk.used(primary))))


def select_at(node: FieldNode | Node, walk: VersionWalk, view: GraphView) -> list[NodeOfVersion] | None:
    """Return the columns that a node stood for at the view's time, each in its writers' last versions."""
    present, at = CurrentColumns(view), view.at or ""
    datasets = _datasets_at(node, present, view.caller)
    if datasets is None:
        return None
    present.load(datasets)
    entries = {entry.group.primary: entry for one in datasets if (entry := present.entry(one))}
    shown = {primary: list(_versions_at(entry, present, view)) for primary, entry in entries.items()}
    walk.add([one for some in shown.values() for one in some], at)
    found = [
        (Column(primary, path), one.version)
        for primary, some in shown.items()
        for path in _paths_at(node, entries[primary], some)
        for one in some
    ]
    if not found and (isinstance(node, FieldNode) or not any(shown.values())):
        return [] if isinstance(node, Node) and isinstance(node.id, JobId) else None
    return sorted(found)


def _datasets_at(node: FieldNode | Node, present: CurrentColumns, visibility: Visibility) -> list[DatasetId] | None:
    if isinstance(node, FieldNode) or isinstance(node.id, DatasetId):
        return [_dataset_of(node)]
    present.load_jobs([node.id])
    if not present.is_visible_job(node.id):
        return None
    return sorted(filter(visibility.opens, io_of(present.nodes[node.id])[1]))


def _dataset_of(node: FieldNode | Node) -> DatasetId:
    named = node.dataset if isinstance(node, FieldNode) else node.id
    return DatasetId(named.namespace, named.name)


def _paths_at(node: FieldNode | Node, entry: DatasetColumns, shown: Sequence[VersionEntry]) -> list[FieldPath]:
    schemas = [entry.schema, *(one.schema for one in shown)]
    if isinstance(node, FieldNode):
        there = entry.has(node.field) or any(one.has(node.field, one.schema) for one in shown)
        return [node.field] if there else []
    return list(dict.fromkeys((*(path for one in schemas for path in one.columns), *entry.columns.fields)))


def _versions_at(entry: DatasetColumns, present: CurrentColumns, view: GraphView) -> Iterator[VersionEntry]:
    """Yield the last versions by a dataset's writers, with reports; reports without a version join the latest."""
    by_version: dict[str, list[ColumnReport]] = {}
    for one in entry.reports:
        by_version.setdefault(one.reporter.version or "", []).append(one)
    schemas: dict[str, Schema] = {}
    unversioned = by_version.pop("", [])
    if unversioned or not by_version:
        at = view.at or ""
        page = read_versions(entry.group, view, at)
        versions = [one for one in page.versions if one.created < at]
        last = next((one for one in versions if not one.failed), None)
        if versions:
            by_version.setdefault(last.id if last else dataset_version_id(entry.group.primary, ""), []).extend(
                unversioned
            )
        schemas.update({last.id: schema_of(last.facets)} if last else {})
    for version, reports in by_version.items():
        schema = schemas.get(version, NO_SCHEMA)
        sources = {source for one in reports for source in one.columns.datasets}
        hidden = frozenset(one for one in sources if not present.sees(one))
        yield VersionEntry(entry.group, version, reports, schema, hidden)
