"""Edges from a dataset to a job that last read another part of it than was last written.

A job that runs a day late reads the part of the day before: so the edge is marked, and leads on as any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from headwater.events.subsets import Part, are_apart
from headwater.facts.facts import dataset_of
from headwater.queries.results.entities import Job
from headwater_model.ids import DatasetId, JobId


def edges_apart(
    jobs: Iterable[Job], nodes: Mapping[JobId, Mapping[str, Any]], primary: Callable[[DatasetId], DatasetId]
) -> Iterator[tuple[DatasetId, JobId]]:
    """Yield the edges between these jobs' datasets and the jobs that read another part than all other jobs wrote.

    An edge counts only if the parts of all are known: of the job that reads, and of each other job that writes.
    """
    read: dict[tuple[DatasetId, JobId], Part | None] = {}
    written: dict[DatasetId, dict[JobId, Part | None]] = {}
    for job in jobs:
        for dataset, part in _parts(nodes[job.id], "inputs", primary).items():
            read[dataset, job.id] = part
        for dataset, part in _parts(nodes[job.id], "outputs", primary).items():
            written.setdefault(dataset, {})[job.id] = part
    for (dataset, reader), part in read.items():
        others = [other for writer, other in written.get(dataset, {}).items() if writer != reader]
        if part and others and all(other is not None and are_apart(part, other) for other in others):
            yield dataset, reader


def _parts(
    node: Mapping[str, Any], side: str, primary: Callable[[DatasetId], DatasetId]
) -> dict[DatasetId, Part | None]:
    """Return the part of each dataset on a side of a job, by primary name; None if unknown, or under two names."""
    known = node.get("parts", {}).get(side, {})
    parts: dict[DatasetId, Part | None] = {}
    for text in node[side]:
        dataset = primary(dataset_of(text))
        parts[dataset] = None if dataset in parts else known.get(text)
    return parts
