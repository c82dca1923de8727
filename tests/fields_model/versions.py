"""Graphs of versions: upstream of a version, and of the versions at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from headwater.queries.results.columns import ColumnGraph, ColumnNode
from headwater_model.ids import DatasetId, FieldPath
from tests.fields_model.nodes import hops, reporters_of, sources_in_order, type_of
from tests.fields_model.present import field_id, version_made, written_by
from tests.fields_model.reported import united
from tests.fields_model.reporters import sources_in
from tests.fields_model.schema import place_in, top_level
from tests.fields_model.world import inputs
from tests.runs_model.dataset_versions import version_id


@dataclass(frozen=True, order=True)
class Node:
    """A column of a version."""

    dataset: DatasetId
    field: FieldPath
    version: str


@dataclass(frozen=True)
class Requested:
    """The requested versions of datasets; `is_named` if the node id names a field."""

    versions: list
    is_named: object = None

    def paths(self, dataset, schemas, reported):
        """List the requested paths among the existing paths of a dataset."""
        if self.is_named is None:
            return {path for schema in schemas for path in top_level(schema)} | reported
        named = {*reported, *(path for schema in schemas for path in schema)}
        existing = {path[:length] for path in named for length in range(1, len(path) + 1)}
        return {path for path in existing if self.is_named(dataset, path)}


def graph_of_version(world, node_id, version, depth):
    """Graph the upstream columns of a version; None if there is no such version or field."""
    requested = _requested_version(world, node_id, version)
    if requested is None:
        return None
    starts = set()
    for dataset, requested_version in requested.versions:
        schema = world.schema_of_version(dataset, requested_version) or world.schema(dataset)
        reported = {path for word in world.words_of_version(dataset, requested_version) for path in word.columns.fields}
        paths = requested.paths(dataset, [schema], reported | world.used_now(dataset))
        starts |= {Node(dataset, path, requested_version) for path in paths}
    if requested.is_named and not starts:
        return None
    return _graph(starts, depth, partial(_node, world))


def _requested_version(world, node_id, version):
    kind, _, _ = node_id.partition(":")
    if kind == "job":
        return _version_of_job(world, node_id, version)
    for name in sorted(world.statements.dataset_names):
        dataset = world.statements.primary(name)
        if version in [entry.id for entry in world.versions(dataset)]:
            if kind == "dataset" and name.node_id == node_id:
                return Requested([(dataset, version)])
            if kind == "datasetField" and node_id.startswith(field_id(name, ("",))):
                return Requested([(dataset, version)], _named(node_id, name))
    return None


def _named(node_id, name):
    return lambda dataset, path: field_id(name, path) == node_id


def _version_of_job(world, node_id, version):
    """Find the output versions of the last run of a job's version."""
    for job in world.statements.jobs:
        for job_version, entries in world.runs.job_versions(job):
            if job.node_id == node_id and job_version == version:
                runs = [entry.run for entry in entries if entry.run][-1:]
                return Requested([(out.dataset, out.version) for run in runs for out in world.runs.run(run).outputs])
    return None


def graph_of_time(world, then, node_id, depth):
    """Graph the requested columns as of a time, with their sources; None if they did not exist."""
    requested = _requested_then(then, node_id)
    if requested is None:
        return None
    starts = {node for dataset in requested.versions for node in _nodes_then(then, dataset, requested)}
    if not starts and (requested.is_named or not any(shown_versions(then, dataset) for dataset in requested.versions)):
        return None if not node_id.startswith("job:") else ColumnGraph(())
    shown = {(dataset, version) for dataset in requested.versions for version in shown_versions(then, dataset)}

    def node_of(node):
        return _node_then(world, then, node) if (node.dataset, node.version) in shown else _node(world, node)

    return _graph(starts, depth, node_of)


def _requested_then(then, node_id):
    kind, _, _ = node_id.partition(":")
    if kind == "job":
        jobs = [job for job in then.runs.visible_jobs() if job.node_id == node_id]
        return Requested(written_by(then, jobs[0])) if jobs else None
    for name in sorted(then.statements.dataset_names):
        dataset = then.statements.primary(name)
        if not then.hidden(dataset):
            if kind == "dataset" and name.node_id == node_id:
                return Requested([dataset])
            if kind == "datasetField" and node_id.startswith(field_id(name, ("",))):
                return Requested([dataset], _named(node_id, name))
    return None


def _nodes_then(then, dataset, requested):
    """List the requested columns in each shown version."""
    shown = shown_versions(then, dataset)
    schemas = [then.schema(dataset), *(then.schema_of_version(dataset, version) for version in shown)]
    paths = requested.paths(dataset, schemas, set(then.present(dataset).fields))
    return {Node(dataset, path, version) for path in paths for version in shown}


def shown_versions(world, dataset):
    """Group the words on a dataset by their reporters' versions; by the latest version if a reporter made none."""
    shown = {}
    for word in world.writers(dataset):
        shown.setdefault(version_made(world, word.reporter, dataset), []).append(word)
    unversioned, versions = shown.pop(None, []), world.versions(dataset)
    if (unversioned or not shown) and versions:
        whole = [version.id for version in versions if version.counts]
        shown.setdefault(whole[-1] if whole else version_id(dataset, ""), []).extend(unversioned)
    return shown


def _graph(starts, depth, node_of):
    distances = hops(starts, depth, lambda node: _above(node_of(node)))
    return ColumnGraph(tuple(node_of(node) for node in sorted(distances, key=lambda node: (distances[node], node))))


def _above(node):
    return {
        Node(source.dataset, source.field, source.version)
        for source in (*node.inputs, *node.dependencies)
        if source.field and source.version
    }


def _node(world, node):
    words = world.words_of_version(node.dataset, node.version)
    reported = [world.named(word.columns) for word in words]
    return _found(world, node, words, reported, world.schema_of_version(node.dataset, node.version))


def _node_then(world, then, node):
    """Make the node as of a time; names and versions of its sources use all facts."""
    words = shown_versions(then, node.dataset)[node.version]
    reported = [world.named(then.without_hidden(word.columns)) for word in words]
    return _found(world, node, words, reported, then.schema_of_version(node.dataset, node.version), then)


def _found(world, node, words, reported, schema, then=None):
    columns = united(reported)
    in_order = sorted(zip(words, reported, strict=True), key=lambda pair: pair[0].reporter.id)

    def version_of(dataset):
        """Find the version read by the last reporter with the dataset as a source."""
        read = [
            word.reporter for word, named in in_order if dataset in {source.dataset for source in sources_in(named)}
        ]
        return world.version_read(read[-1], dataset)

    return ColumnNode(
        node.dataset,
        node.field,
        node.version,
        type=type_of(node.field, columns, schema),
        schema_known=bool(schema),
        place=place_in(schema, node.field),
        inputs=sources_in_order(inputs(node.field, reported), version_of),
        dependencies=sources_in_order(columns.dataset_level, version_of),
        reporters=reporters_of(words, node.field, lambda reporter: version_made(then or world, reporter, node.dataset)),
    )
