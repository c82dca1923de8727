"""Jobs and datasets in short, many at once: without facets, versions and runs; the last writes of datasets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from headwater.facts.keys import current_key
from headwater.facts.run_facts import ended, failed
from headwater.queries.results.entities import Dataset, Job, LastWriter
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.descriptions import dataset_of_group, read_facets
from headwater.queries.view.nodes import job_of_node
from headwater.queries.view.written_versions import VersionQuery, newest_of_both
from headwater_model.ids import DatasetId, JobId

# Producers of datasets to read, besides the jobs read before.
PRODUCERS_MAX = 5_000


def find_writes(
    groups: Sequence[ResolvedDataset], view: GraphView
) -> tuple[dict[DatasetId, LastWriter], dict[DatasetId, str]]:
    """Find the last writers of stale datasets, and the ends of the producers' last runs, if completed, by primary name.

    A run wrote a stale dataset, and no visible job produces the dataset now. The last writer did not fail, if possible.
    Producers beyond `PRODUCERS_MAX` are not read, and taken as current.
    """
    producers = {job for group in groups for job in group.producers}
    rest = set(sorted(producers - view.nodes.keys())[PRODUCERS_MAX:])
    view.load(jobs=sorted(producers - rest))
    ends: dict[DatasetId, str] = {}
    for job in view.jobs(producers):
        end = (job.latest_run and job.latest_run.state == "COMPLETED" and job.latest_run.ended) or ""
        ends.update((dataset, max(end, ends.get(dataset, ""))) for dataset in job.outputs)
    stale = [group for group in groups if ends.keys().isdisjoint(group.names) and rest.isdisjoint(group.producers)]
    good = [
        VersionQuery(group, "VERSION", view.at or "~", lambda version: not failed(version.facts)) for group in stale
    ]
    bad = [VersionQuery(group, "FAILED", view.at or "~", lambda version: failed(version.facts)) for group in stale]
    versions = newest_of_both([*good, *bad], view)
    last = (whole or broken for whole, broken in zip(versions[: len(stale)], versions[len(stale) :], strict=True))
    writers = {
        group.primary: LastWriter(writer, version.run.id, ended(version.facts) or version.created)
        for group, version in zip(stale, last, strict=True)
        if version and (writer := version.facts.job_id)
    }
    return writers, {group.primary: max(ends.get(name, "") for name in group.names) for group in groups}


def short_jobs(view: GraphView, jobs: Sequence[JobId]) -> Mapping[JobId, Job]:
    """Read the existing jobs, with datasets under the names in the jobs' events."""
    rows = view.get(current_key(job) for job in jobs)
    return {job: job_of_node(rows[current_key(job)].data) for job in jobs if current_key(job) in rows}


def short_datasets(view: GraphView, datasets: Iterable[DatasetId]) -> Mapping[DatasetId, Dataset]:
    """Read the known datasets of these primary names."""
    view.load(datasets, users="writers")
    known = [group for name in dict.fromkeys(datasets) if (group := view.group(name)).named]
    writers, written = find_writes(known, view)
    return {
        group.primary: dataset_of_group(
            group,
            facets,
            hidden=view.hides(group),
            stale=group.primary in writers,
            last_written_by=writers.get(group.primary),
            last_modified=written[group.primary] or None,
        )
        for group, facets in zip(known, read_facets(known, view), strict=True)
    }
