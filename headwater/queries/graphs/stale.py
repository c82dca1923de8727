"""Datasets that no job produces any more, with their last writers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from headwater.facts.run_facts import ended, failed
from headwater.queries.loaded_graph import LoadedGraph
from headwater.queries.resolve import ResolvedDataset
from headwater.queries.results.entities import LastWriter
from headwater.queries.view import GraphView
from headwater.queries.written_versions import VersionQuery, newest_of_both
from headwater_model.ids import DatasetId, JobId

# Producers of datasets that are read, besides the jobs that were read already.
PRODUCERS_MAX = 5_000


def find_stale(
    groups: Sequence[ResolvedDataset], view: GraphView, seen: Mapping[JobId, Mapping[str, Any]] = MappingProxyType({})
) -> dict[DatasetId, LastWriter]:
    """Return the last writer of each dataset that a run wrote and no visible job produces, by primary name.

    The last writer is a run that did not fail, if there is one. The nodes in `seen` are not read again. Producers
    beyond `PRODUCERS_MAX` are not read, and taken as current.
    """
    stale = _unproduced(groups, view, seen)
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
    groups: Sequence[ResolvedDataset], view: GraphView, seen: Mapping[JobId, Mapping[str, Any]]
) -> list[ResolvedDataset]:
    producers = {job for group in groups for job in group.producers}
    unseen = sorted(producers - seen.keys())
    rest = set(unseen[PRODUCERS_MAX:])
    loaded = LoadedGraph(view)
    loaded.nodes.update((job, seen[job]) for job in producers & seen.keys())
    loaded.load(jobs=sorted(producers - rest))
    produced = {dataset for job in loaded.jobs(producers) for dataset in job.outputs}
    return [group for group in groups if produced.isdisjoint(group.names) and rest.isdisjoint(group.producers)]
