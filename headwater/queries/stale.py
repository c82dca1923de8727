"""Datasets that no job produces any more, with their last writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from headwater.facts.entities import LastWriter
from headwater.facts.job_nodes import io_of
from headwater.facts.run_facts import ended, failed
from headwater.queries.current_jobs import job_of_node, nodes_of
from headwater.queries.resolve import NamespaceDeletions, ResolvedDataset
from headwater.queries.view import GraphView
from headwater.queries.written_versions import VersionQuery, newest_of_both
from headwater_model.ids import DatasetId, JobId

# Producers of datasets that are read, besides the jobs that were read already.
PRODUCERS_MAX = 5_000


def find_stale(
    groups: Sequence[ResolvedDataset],
    view: GraphView,
    namespaces: NamespaceDeletions,
    seen: Mapping[JobId, Mapping[str, Any]] = MappingProxyType({}),
) -> dict[DatasetId, LastWriter]:
    """Return the last writer of each dataset that a run wrote and no visible job produces, by primary name.

    The last writer is a run that did not fail, if there is one. The nodes in `seen` are not read again. Producers
    beyond `PRODUCERS_MAX` are not read, and taken as current.
    """
    stale = _unproduced(groups, view, namespaces, seen)
    good = [
        VersionQuery(group, "VERSION", view.at or "~", lambda version: not failed(version.facts)) for group in stale
    ]
    bad = [VersionQuery(group, "FAILED", view.at or "~", lambda version: failed(version.facts)) for group in stale]
    versions = newest_of_both([*good, *bad], view)
    last = (whole or broken for whole, broken in zip(versions[: len(stale)], versions[len(stale) :], strict=True))
    return {
        group.primary: LastWriter(version.job, version.run.id, ended(version.facts) or version.created)
        for group, version in zip(stale, last, strict=True)
        if version
    }


def _unproduced(
    groups: Sequence[ResolvedDataset],
    view: GraphView,
    namespaces: NamespaceDeletions,
    seen: Mapping[JobId, Mapping[str, Any]],
) -> list[ResolvedDataset]:
    producers = {job for group in groups for job in group.producers}
    nodes = {job: seen[job] for job in producers & seen.keys()}
    unseen = sorted(producers - seen.keys())
    nodes.update(nodes_of(unseen[:PRODUCERS_MAX], view))
    rest = set(unseen[PRODUCERS_MAX:])
    namespaces.load(job.namespace for job in nodes)
    visible = [node for job, node in nodes.items() if not job_of_node(node, namespaces.deleted(job.namespace)).hidden]
    produced = {dataset for node in visible for dataset in io_of(node)[1]}
    return [group for group in groups if produced.isdisjoint(group.names) and rest.isdisjoint(group.producers)]
