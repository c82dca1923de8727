"""Datasets that no job produces any more, with their last writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from headwater.facts.entities import LastWriter
from headwater.facts.facts import JobFacts, as_of
from headwater.facts.job_nodes import compute_nodes, io_of
from headwater.facts.keys import current_key, facts_key
from headwater.facts.run_facts import ended, failed
from headwater.queries.current_jobs import job_of_node
from headwater.queries.past_assertions import resolve_jobs
from headwater.queries.resolve import NamespaceDeletions, ResolvedDataset
from headwater.queries.view import GraphView
from headwater.queries.written_versions import VersionQuery, newest_of_both
from headwater_model.ids import DatasetId, JobId


def nodes_of(jobs: Sequence[JobId], view: GraphView) -> Mapping[JobId, Mapping[str, Any]]:
    """Return the nodes of the known jobs, now or as of a time, in the given order.

    A node of a time has no outcome of a test that more than `past_assertions.ROWS_MAX` later events report again.
    """
    if not jobs:
        return {}
    if view.at is None:
        rows = view.get(current_key(job) for job in jobs)
        return {job: rows[current_key(job)].data for job in jobs if current_key(job) in rows}
    rows = view.get(facts_key(job) for job in jobs)
    known = {job: JobFacts(**rows[facts_key(job)].data["facts"]) for job in jobs if facts_key(job) in rows}
    there = [job for job, facts in known.items() if facts.first and facts.first < view.at]
    then, _ = resolve_jobs({job: as_of(known[job], view.at) for job in there}, view, view.at)
    return compute_nodes(then, view, view.at)


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
