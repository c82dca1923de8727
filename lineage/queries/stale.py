"""The nodes of jobs, now or as of a time, and which datasets no visible job produces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from lineage.graph.facts import JobFacts, as_of
from lineage.graph.job_nodes import compute_nodes, io_of, job_of_node
from lineage.graph.keys import current_key, facts_key
from lineage.graph.table import GraphTable
from lineage.queries.dataset_groups import DatasetGroup, NamespaceDeletions
from lineage_model.ids import DatasetId, JobId

# Producers of a graph's datasets that are looked at, besides the jobs in the graph.
PRODUCERS_MAX = 5_000


def nodes_of(jobs: Sequence[JobId], table: GraphTable, at: str | None = None) -> Mapping[JobId, Mapping[str, Any]]:
    """The node of each job that is known (or was, at that time), in the given order."""
    if not jobs:
        return {}
    if at is None:
        rows = table.get(current_key(job) for job in jobs)
        return {job: rows[current_key(job)].data for job in jobs if current_key(job) in rows}
    rows = table.get(facts_key(job) for job in jobs)
    told = {job: JobFacts(**rows[facts_key(job)].data["facts"]) for job in jobs if facts_key(job) in rows}
    there = [job for job, facts in told.items() if facts.first and facts.first < at]
    return compute_nodes({job: as_of(told[job], at) for job in there}, table, at)


def unproduced(
    groups: Sequence[DatasetGroup],
    table: GraphTable,
    namespaces: NamespaceDeletions,
    at: str | None = None,
    seen: Mapping[JobId, Mapping[str, Any]] = MappingProxyType({}),
) -> list[DatasetId]:
    """The datasets among these that no visible job currently produces; `seen` nodes are not read again.

    Of more producers than are looked at, the rest is taken to produce what it is known to.
    """
    producers = {job for group in groups for job in group.producers}
    nodes = {job: seen[job] for job in producers & seen.keys()}
    unseen = sorted(producers - seen.keys())
    nodes.update(nodes_of(unseen[:PRODUCERS_MAX], table, at))
    rest = set(unseen[PRODUCERS_MAX:])
    namespaces.load(job.namespace for job in nodes)
    visible = [node for job, node in nodes.items() if not job_of_node(node, namespaces.deleted(job.namespace)).hidden]
    produced = {dataset for node in visible for dataset in io_of(node)[1]}
    return [group.primary for group in groups if produced.isdisjoint(group.names) and rest.isdisjoint(group.producers)]
