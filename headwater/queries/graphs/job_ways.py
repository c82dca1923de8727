"""Ways through a graph of jobs and datasets: up, down or both, from a node to those beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from headwater.facts.facts import IdText
from headwater.queries.resolve import Near, ResolvedDataset
from headwater.queries.results.directions import Direction
from headwater.queries.results.entities import Job
from headwater_model.ids import DatasetId, JobId

# A job, the direction of the way that led there, and the dataset before it on that way. The dataset is empty where the
# walk begins, or the job does not say which outputs are made of which inputs: the way leads on to all on that side.
Step: TypeAlias = tuple[JobId, Direction, IdText]
OPPOSITE: Mapping[Direction, Direction] = {"both": "both", "up": "down", "down": "up"}


def split_by_readers(
    names: Sequence[tuple[DatasetId, Direction]], *, is_last: bool
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


def datasets_beyond(job: Job | Near, way: Direction) -> Sequence[DatasetId]:
    """Return the datasets to which a way leads from a job."""
    return (*(job.inputs if way != "down" else ()), *(job.outputs if way != "up" else ()))


def users_beyond(group: ResolvedDataset, way: Direction) -> set[JobId]:
    """Return the jobs to which a way may lead from a dataset."""
    return {*(group.producers if way != "down" else ()), *(group.readers if way != "up" else ())}


def entered(job: Job, way: Direction, names: Mapping[DatasetId, IdText]) -> list[Step]:
    """Return the steps by which a way leads to the job from these datasets, given by each of their names."""
    entries = {names[name] for name in datasets_beyond(job, OPPOSITE[way]) if name in names}
    return [(job.id, way, entry) for entry in sorted(entries if has_flows(job, way) else {"" for _ in entries})]


def has_flows(job: Job, way: Direction) -> bool:
    """True if a way through the job leads only to what is made of the dataset that led there, or that it is made of."""
    return way != "both" and job.flows is not None
