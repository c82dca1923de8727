"""Graphs of versions: upstream of one version, and of those that were there at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from lineage.queries.columns.results import ColumnGraph, ColumnNode
from lineage_model.ids import DatasetId, FieldPath
from tests.fields_model.found import found_sources, found_tellers, hops, type_of
from tests.fields_model.present import field_id, version_made, written_by
from tests.fields_model.schema import top_level
from tests.fields_model.told import united
from tests.fields_model.world import inputs
from tests.runs_model.dataset_versions import version_id


@dataclass(frozen=True, order=True)
class Node:
    """A column of a version."""

    dataset: DatasetId
    field: FieldPath
    version: str


@dataclass(frozen=True)
class Asked:
    """What a node id stands for: versions of datasets, and the one field of them if it names one."""

    versions: list
    is_named: object = None

    def paths(self, dataset, schemas, told):
        """The paths of a dataset that are asked for, of those that there are."""
        if self.is_named is None:
            return {path for schema in schemas for path in top_level(schema)} | told
        named = {*told, *(path for one in schemas for path in one)}
        every = {path[:length] for path in named for length in range(1, len(path) + 1)}
        return {path for path in every if self.is_named(dataset, path)}


def graph_of_version(world, node_id, version, depth):
    """What one version is made of; None if there is no such version, or no such field of it."""
    asked = _asked_version(world, node_id, version)
    if asked is None:
        return None
    starts = set()
    for dataset, one in asked.versions:
        schema = world.schema_of_version(dataset, one) or world.schema(dataset)
        told = {path for word in world.words_of_version(dataset, one) for path in word.columns.fields}
        paths = asked.paths(dataset, [schema], told | world.used_now(dataset))
        starts |= {Node(dataset, path, one) for path in paths}
    if asked.is_named and not starts:
        return None
    return _graph(starts, depth, partial(_node, world))


def _asked_version(world, node_id, version):
    kind, _, _ = node_id.partition(":")
    if kind == "job":
        return _version_of_job(world, node_id, version)
    for name in sorted(world.statements.dataset_names):
        dataset = world.statements.primary(name)
        if version in [one.id for one in world.versions(dataset)]:
            if kind == "dataset" and name.node_id == node_id:
                return Asked([(dataset, version)])
            if kind == "datasetField" and node_id.startswith(field_id(name, ("",))):
                return Asked([(dataset, version)], _named(node_id, name))
    return None


def _named(node_id, name):
    return lambda dataset, path: field_id(name, path) == node_id


def _version_of_job(world, node_id, version):
    """The versions that the last run of this version of the job made."""
    for job in world.statements.jobs:
        for one, entries in world.runs.job_versions(job):
            if job.node_id == node_id and one == version:
                runs = [entry.run for entry in entries if entry.run][-1:]
                return Asked([(out.dataset, out.version) for run in runs for out in world.runs.run(run).outputs])
    return None


def graph_of_time(world, then, node_id, depth):
    """What was asked, as of then, and what that was made of; None if it was not there."""
    asked = _asked_then(then, node_id)
    if asked is None:
        return None
    starts = {node for dataset in asked.versions for node in _nodes_then(then, dataset, asked)}
    if not starts and (asked.is_named or not any(shown_versions(then, one) for one in asked.versions)):
        return None if not node_id.startswith("job:") else ColumnGraph(())
    shown = {(dataset, version) for dataset in asked.versions for version in shown_versions(then, dataset)}

    def node_of(node):
        return _node_then(world, then, node) if (node.dataset, node.version) in shown else _node(world, node)

    return _graph(starts, depth, node_of)


def _asked_then(then, node_id):
    kind, _, _ = node_id.partition(":")
    if kind == "job":
        jobs = [job for job in then.runs.visible_jobs() if job.node_id == node_id]
        return Asked(written_by(then, jobs[0])) if jobs else None
    for name in sorted(then.statements.dataset_names):
        dataset = then.statements.primary(name)
        if not then.hidden(dataset):
            if kind == "dataset" and name.node_id == node_id:
                return Asked([dataset])
            if kind == "datasetField" and node_id.startswith(field_id(name, ("",))):
                return Asked([dataset], _named(node_id, name))
    return None


def _nodes_then(then, dataset, asked):
    """Every asked column in every version that is shown."""
    shown = shown_versions(then, dataset)
    schemas = [then.schema(dataset), *(then.schema_of_version(dataset, one) for one in shown)]
    paths = asked.paths(dataset, schemas, set(then.present(dataset).fields))
    return {Node(dataset, path, one) for path in paths for one in shown}


def shown_versions(world, dataset):
    """The words on a dataset by the version that their teller made; by the latest one if it made none."""
    shown = {}
    for word in world.writers(dataset):
        shown.setdefault(version_made(world, word.reporter, dataset), []).append(word)
    homeless, versions = shown.pop(None, []), world.versions(dataset)
    if (homeless or not shown) and versions:
        whole = [one.id for one in versions if not one.failed]
        shown.setdefault(whole[-1] if whole else version_id(dataset, ""), []).extend(homeless)
    return shown


def _graph(starts, depth, node_of):
    near = hops(starts, depth, lambda node: _above(node_of(node)))
    return ColumnGraph(tuple(node_of(node) for node in sorted(near, key=lambda node: (near[node], node))))


def _above(found):
    return {
        Node(one.dataset, one.field, one.version)
        for one in (*found.inputs, *found.dependencies)
        if one.field and one.version
    }


def _node(world, node):
    words = world.words_of_version(node.dataset, node.version)
    told = [world.named(word.columns) for word in words]
    return _found(world, node, words, told, world.schema_of_version(node.dataset, node.version))


def _node_then(world, then, node):
    """The node as of then: what its sources are called, and their versions, is told with all that is known."""
    words = shown_versions(then, node.dataset)[node.version]
    told = [world.named(then.without_hidden(word.columns)) for word in words]
    return _found(world, node, words, told, then.schema_of_version(node.dataset, node.version), then)


def _found(world, node, words, told, schema, then=None):
    columns = united(told)
    reporters = sorted((word.reporter for word in words), key=lambda one: one.id)

    def version_of(dataset):
        """What the last of those read who read it, or tell that something comes from it."""
        read = [one for one in reporters if dataset in world.sources_of(one)]
        return world.version_read(read[-1], dataset)

    return ColumnNode(
        node.dataset,
        node.field,
        node.version,
        type=type_of(node.field, columns, schema),
        schema_known=bool(schema),
        inputs=found_sources(inputs(node.field, told), version_of),
        dependencies=found_sources(columns.dataset_level, version_of),
        reporters=found_tellers(words, node.field, lambda one: version_made(then or world, one, node.dataset)),
    )
