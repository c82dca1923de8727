"""Jobs and datasets in short, many at once: without facets, versions, runs and the jobs that use them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from headwater.facts.keys import current_key
from headwater.queries.current_facets import read_facets
from headwater.queries.current_jobs import job_of_node
from headwater.queries.descriptions import dataset_of_group
from headwater.queries.graphs.stale import find_stale
from headwater.queries.loaded_graph import LoadedGraph
from headwater.queries.results.entities import Dataset, Job
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId


def short_jobs(jobs: Sequence[JobId], view: GraphView) -> Mapping[JobId, Job]:
    """Return the existing jobs, with datasets under the names that the jobs used."""
    rows = view.get(current_key(job) for job in jobs)
    return {job: job_of_node(rows[current_key(job)].data) for job in jobs if current_key(job) in rows}


def short_datasets(datasets: Iterable[DatasetId], view: GraphView) -> Mapping[DatasetId, Dataset]:
    """Return the known datasets of these primary names."""
    loaded = LoadedGraph(view, users=True)
    loaded.load(datasets, readers=False, onward=False)
    known = [group for name in dict.fromkeys(datasets) if (group := loaded.groups.group(name)).named]
    writers = find_stale(known, view)
    return {
        group.primary: dataset_of_group(
            group,
            facets,
            hidden=loaded.hides(group),
            stale=group.primary in writers,
            last_written_by=writers.get(group.primary),
        )
        for group, facets in zip(known, read_facets(known, view), strict=True)
    }
