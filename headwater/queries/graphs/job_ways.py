"""Ways through a graph of jobs and datasets: up, down or both, from a node to those beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from headwater.facts.facts import IdText
from headwater.queries.resolve import Near, ResolvedDataset
from headwater.queries.results.entities import Job
from headwater_model.ids import DatasetId, JobId

# The way by which a node was reached, and goes on.
Way: TypeAlias = Literal["both", "up", "down"]
# A job, the way by which it was reached, and the dataset that led there; it is empty where the job does not say which
# outputs are made of which inputs, or the walk begins there: then the way leads to all datasets on that side.
Step: TypeAlias = tuple[JobId, Way, IdText]
OPPOSITE: Mapping[Way, Way] = {"both": "both", "up": "down", "down": "up"}


def split_by_readers(
    names: Sequence[tuple[DatasetId, Way]], *, is_last: bool
) -> Iterator[tuple[Sequence[DatasetId], bool]]:
    """Yield the datasets that are read alike; true if their readers are read, too.

    The readers of a dataset at the border are not read: it may be a hub. Nor are those beside a way up.
    """
    if is_last:
        yield [name for name, _ in names], False
        return
    for readers in (False, True):
        datasets = [name for name, way in names if (way != "up") == readers]
        if datasets:
            yield datasets, readers


def datasets_beyond(job: Job | Near, way: Way) -> Sequence[DatasetId]:
    """Return the datasets to which a way leads from a job."""
    return (*(job.inputs if way != "down" else ()), *(job.outputs if way != "up" else ()))


def users_beyond(group: ResolvedDataset, way: Way) -> set[JobId]:
    """Return the jobs to which a way may lead from a dataset."""
    return {*(group.producers if way != "down" else ()), *(group.readers if way != "up" else ())}


def entered(job: Job, way: Way, names: Mapping[DatasetId, IdText]) -> list[Step]:
    """Return the steps by which a way leads to the job from these datasets, given by each of their names."""
    entries = {names[name] for name in datasets_beyond(job, OPPOSITE[way]) if name in names}
    return [(job.id, way, entry) for entry in sorted(entries if has_flows(job, way) else {"" for _ in entries})]


def has_flows(job: Job, way: Way) -> bool:
    """True if a way through the job leads only to what is made of the dataset that led there, or that it is made of."""
    return way != "both" and job.flows is not None
