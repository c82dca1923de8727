"""Pages of a node's neighbours on a side, by name: the neighbours left out by a folded graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from headwater.facts.facts import job_of
from headwater.facts.keys import dataset_pk
from headwater.facts.table import RowQuery
from headwater.queries.graphs.short_forms import short_datasets
from headwater.queries.results.entities import Dataset, Job, redacted_dataset
from headwater.queries.results.graphs import Side
from headwater.queries.view import GraphView, ResolvedDataset
from headwater_model.ids import DatasetId, JobId

# Index rows of a name of a dataset, and names of a job's datasets, read for a page.
ROWS_MAX = 1_000
NAMES_MAX = 1_000
_PREFIXES: dict[Side, str] = {"up": "NOW#PRODUCER#", "down": "NOW#READER#"}
# A neighbour, and its position in the order.
_Candidate: TypeAlias = tuple[str, JobId | DatasetId]


@dataclass(frozen=True, slots=True)
class NeighbourPage:
    """The neighbours of a page, and the position before the next page; empty after the last page."""

    items: Sequence[Job | Dataset]
    after: str = ""


class Neighbours:
    """Queries of the current neighbours on a side of a job or dataset, with a text in their names, in any case."""

    def __init__(self, view: GraphView) -> None:
        self._view = view

    def of_dataset(self, dataset: DatasetId, side: Side, *, text: str, limit: int, after: str) -> NeighbourPage | None:
        """List a page of the writers or readers of a dataset; None if the dataset is unknown or hidden."""
        self._view.load([dataset])
        group = self._view.dataset(dataset)
        if group is None:
            return None
        candidates, last = self._users(group, side, after)
        matches = [candidate for candidate in candidates if text.lower() in candidate[1].name.lower()]
        jobs = self._jobs([job for _, job in matches if isinstance(job, JobId)], group, side)
        neighbours = [(position, jobs[job]) for position, job in matches if isinstance(job, JobId) and job in jobs]
        return _page(neighbours, limit, last)

    def of_job(self, job: JobId, side: Side, *, text: str, limit: int, after: str) -> NeighbourPage | None:
        """List a page of the inputs or outputs of a job; None if the job is unknown or hidden."""
        self._view.load(jobs=[job])
        current = self._view.job(job)
        if current is None:
            return None
        names = sorted(current.inputs if side == "up" else current.outputs)
        matches = [(f"{name.namespace}\0{name.name}", name) for name in names if text.lower() in name.name.lower()]
        rest = [candidate for candidate in matches if candidate[0] > after]
        page, last = rest[:NAMES_MAX], rest[NAMES_MAX - 1][0] if len(rest) > NAMES_MAX else ""
        shown = self._datasets(page, names, limit)
        return _page(shown, limit, last)

    def _users(self, group: ResolvedDataset, side: Side, after: str) -> tuple[list[_Candidate], str]:
        """List the jobs after a position, up to the position where all were read; the position is empty at the end."""
        prefix = _PREFIXES[side]
        low = f"{prefix}{after}\0" if after else prefix
        pages = self._view.query(
            [RowQuery(dataset_pk(name), low=low, high=f"{prefix}\U0010ffff", limit=ROWS_MAX) for name in group.names]
        )
        rows = {row.sk.removeprefix(prefix): job_of(row.data["job"]) for page in pages for row in page.rows}
        last = min((page.rows[-1].sk.removeprefix(prefix) for page in pages if page.more), default="")
        return sorted((position, job) for position, job in rows.items() if not last or position <= last), last

    def _jobs(self, jobs: Sequence[JobId], group: ResolvedDataset, side: Side) -> dict[JobId, Job]:
        """List the visible jobs on this side of the dataset now."""
        self._view.load(jobs=jobs)
        here = [
            job
            for job in self._view.jobs(jobs)
            if not set(group.names).isdisjoint(job.outputs if side == "up" else job.inputs)
        ]
        return {job.id: self._view.redacted(job) for job in here}

    def _datasets(
        self, page: Sequence[tuple[str, DatasetId]], names: Sequence[DatasetId], limit: int
    ) -> list[tuple[str, Job | Dataset]]:
        """List the visible datasets of the page's names, each at the first of the job's names for it."""
        self._view.load(name for _, name in page)
        first: list[tuple[str, ResolvedDataset]] = []
        for position, name in page:
            group = self._view.dataset(name)
            if group and name == min(set(group.names).intersection(names)):
                first.append((position, group))
        opened = [group.primary for _, group in first[: limit + 1] if self._view.opens(*group.names)]
        short = short_datasets(self._view, opened)
        return [(position, short.get(group.primary) or redacted_dataset(group.primary)) for position, group in first]


def _page(neighbours: Sequence[tuple[str, Job | Dataset]], limit: int, last: str) -> NeighbourPage:
    """Take the first neighbours; the next page begins after the last of them, or after `last` if all fit."""
    if len(neighbours) > limit:
        return NeighbourPage([neighbour for _, neighbour in neighbours[:limit]], neighbours[limit - 1][0])
    return NeighbourPage([neighbour for _, neighbour in neighbours], last)
