"""Folded graphs: on each side of a node its neighbours with the newest runs, and the number of the rest.

A fold costs only its shown nodes. Of a hub's neighbours the jobs of its newest runs are read. The rest are counted in
the index. Around a job, the walk begins at the most urgent of its tasks; all are counted by state. The index also
holds deleted jobs and, for a past time, all jobs that ever read or wrote the dataset.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias, TypeVar

from headwater.events.event import State
from headwater.facts.facts import job_of, text_of
from headwater.facts.job_edges import DATA_ALONE, Kind
from headwater.facts.keys import dataset_pk
from headwater.facts.run_reports import ROW_KINDS
from headwater.facts.table import RowQuery
from headwater.queries.graphs.edges import OPPOSITE, Step, has_flows, next_users
from headwater.queries.graphs.job_graph import JobGraphWalk
from headwater.queries.results.entities import Job, urgency
from headwater.queries.results.graphs import SIDES, Degree, Direction, Graph, GraphDirection, Side
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.names import next_datasets
from headwater_model.ids import DatasetId, JobId

# Neighbours read on one side of a node, to choose among them and to count them.
SIDE_READ_MAX = 100
# Neighbours read for one graph.
READ_MAX = 10_000
# Newest runs read of a hub, under each of its first names.
_RUNS_MAX = 100
_NAMES_MAX = 10
_SIDES = SIDES["both"]
_T = TypeVar("_T", DatasetId, JobId)
# A dataset, a side of it, and the direction of the walk into it.
_DatasetOnSide: TypeAlias = tuple[ResolvedDataset, Side, Direction]


class FoldedGraphWalk(JobGraphWalk):
    """A walk from each side of a node to the `fold` neighbours with the newest runs."""

    def __init__(
        self,
        view: GraphView,
        *,
        direction: GraphDirection = "both",
        job_edges: Collection[Kind] = DATA_ALONE,
        fold: int,
    ) -> None:
        super().__init__(view, direction=direction, job_edges=job_edges)
        self._fold = fold
        # Datasets read for a comparison or a count, without their users.
        self._compared: set[DatasetId] = set()
        self._looked_up: set[JobId] = set()
        self._left = READ_MAX
        self._tasks: Mapping[State, int] = {}

    def _starting(self, tasks: Sequence[Job]) -> Sequence[Job]:
        """Choose the most urgent tasks, then the last started, and count all by state."""
        self._tasks = Counter(task.latest_run.state if task.latest_run else "NEW" for task in tasks)
        last_first = sorted(tasks, key=self._last_start, reverse=True)
        return sorted(last_first, key=urgency)[: self._fold]

    def _graph(self) -> Graph:
        return replace(super()._graph(), tasks=self._tasks)

    def _load(self, names: Sequence[tuple[DatasetId, Direction]], *, is_last: bool) -> None:  # noqa: ARG002 - the border counts
        self._view.load({name for name, _ in names}, users="both")

    def _names_of(self, steps: Iterable[Step]) -> set[tuple[DatasetId, Direction]]:
        """Choose the last mentioned datasets on each side of the jobs."""
        sides = [(next_datasets(self._jobs[step[0]], side), step) for step in steps for side in SIDES[step[1]]]
        self._compare(name for names, _ in sides if len(names) > self._fold for name in sorted(names)[:SIDE_READ_MAX])
        chosen: set[tuple[DatasetId, Direction]] = set()
        for names, step in sides:
            last = names if len(names) <= self._fold else self._last_mentioned(names)
            chosen.update((name, step[1]) for name in self._flowing(step, last))
        return chosen

    def _last_mentioned(self, names: Iterable[DatasetId]) -> Sequence[DatasetId]:
        groups = self._visible_among(names)
        # A redacted dataset shows no time of use, not even by its place in the order.
        groups.sort(key=lambda group: (self._opens(group) and group.facts.last) or "", reverse=True)
        return [group.primary for group in groups[: self._fold]]

    def _users_of(self, groups: Sequence[tuple[ResolvedDataset, Direction]]) -> Sequence[Step]:
        """List the unreached jobs with the newest runs on each side of the datasets."""
        sides = [(group, side, way) for group, way in groups if self._opens(group) for side in SIDES[way]]
        candidates = self._candidates(sides)
        self._look_up(job for jobs in candidates for job in jobs)
        steps: set[Step] = set()
        for (group, side, way), jobs in zip(sides, candidates, strict=True):
            users = self._users_among(jobs, group, side)
            users.sort(key=self._last_start, reverse=True)
            last = users[: self._fold]
            steps.update((job.id, way, text_of(group.primary) if has_flows(job, way) else "") for job in last)
        unreached = self._unreached(sorted(step for step in steps if (*step[:2], "") not in self._walked.hops))
        self._keep(self._view.jobs(sorted({job for job, _, _ in unreached} - self._jobs.keys())))
        return [step for step in unreached if step[0] in self._jobs]

    def _candidates(self, sides: Sequence[_DatasetOnSide]) -> list[Sequence[JobId]]:
        """List the jobs to read on each side: of a hub, the jobs of its newest runs, then the first by name."""
        queries = [self._newest_runs(group, side) if _is_hub(group, side) else [] for group, side, _ in sides]
        pages = iter(self._view.query([query for side_queries in queries for query in side_queries]))
        candidates: list[Sequence[JobId]] = []
        for (group, side, _), side_queries in zip(sides, queries, strict=True):
            rows = [row for _ in side_queries for row in next(pages).rows if row.data["job"]]
            rows.sort(key=lambda row: row.sk, reverse=True)
            jobs = [*(job_of(row.data["job"]) for row in rows), *sorted(next_users(group, side))]
            candidates.append(list(dict.fromkeys(jobs))[:SIDE_READ_MAX])
        return candidates

    def _newest_runs(self, group: ResolvedDataset, side: Side) -> list[RowQuery]:
        prefix = f"{ROW_KINDS[side]}#"
        return [
            RowQuery(
                dataset_pk(name), low=prefix, high=f"{prefix}{self._view.at or '~'}", newest_first=True, limit=_RUNS_MAX
            )
            for name in group.names[:_NAMES_MAX]
        ]

    def _degrees(self) -> Mapping[str, Degree]:
        """Count the neighbours of every node shown in full, at the border too."""
        groups = [group for primary in self._datasets if self._opens(group := self._view.group(primary))]
        jobs = [job for job in self._jobs.values() if self._view.opens(job.id)]
        self._look_up(
            job for group in groups for side in _SIDES if not _is_hub(group, side) for job in next_users(group, side)
        )
        drawn = [next_datasets(job, side) for job in jobs for side in _SIDES]
        self._compare(name for names in drawn if len(names) <= SIDE_READ_MAX for name in names)
        self._declared.load_edges(groups)
        self._budget.cut |= self._declared.truncated
        return {
            **{job.id.node_id: _degree(self._count_datasets(job, side) for side in _SIDES) for job in jobs},
            **{group.primary.node_id: _degree(self._count_users(group, side) for side in _SIDES) for group in groups},
        }

    def _count_users(self, group: ResolvedDataset, side: Side) -> tuple[int, bool]:
        """Count the neighbours on a side of a dataset, datasets among them; return true, too, if the count is exact."""
        jobs = next_users(group, side)
        declared = len(self._declared.sources(group) if side == "up" else self._declared.derived(group))
        if not _is_hub(group, side) and jobs <= self._looked_up:
            return len(self._users_among(jobs, group, side)) + declared, True
        shown = self._users_among(self._jobs, group, side)
        return len(jobs.union(job.id for job in shown)) + declared, False

    def _count_datasets(self, job: Job, side: Side) -> tuple[int, bool]:
        """Count the datasets on a side of a job; return true, too, if the count is exact."""
        names = next_datasets(job, side)
        if len(names) <= SIDE_READ_MAX and self._compared.issuperset(names):
            return len(self._visible_among(names)), True
        return len(names), False

    def _look_up(self, jobs: Iterable[JobId]) -> None:
        """Read the nodes of the jobs, as many as one graph may read."""
        new = self._affordable(set(jobs) - self._looked_up)
        self._looked_up.update(new)
        self._view.load(jobs=new)

    def _compare(self, names: Iterable[DatasetId]) -> None:
        """Read the datasets without their users, as many as one graph may read."""
        new = self._affordable(set(names) - self._compared)
        if new:
            self._compared.update(new)
            self._view.load(new)

    def _affordable(self, things: set[_T]) -> Sequence[_T]:
        affordable = sorted(things)[: self._left]
        self._left -= len(affordable)
        return affordable

    def _visible_among(self, names: Iterable[DatasetId]) -> list[ResolvedDataset]:
        """List the visible datasets of the compared names, each once, by primary name."""
        return self._view.datasets(name for name in names if name in self._compared)

    def _users_among(self, jobs: Iterable[JobId], group: ResolvedDataset, side: Side) -> list[Job]:
        """List the visible jobs on this side of the dataset now, by id."""
        users = self._view.jobs(sorted(jobs))
        return [job for job in users if not set(group.names).isdisjoint(next_datasets(job, OPPOSITE[side]))]

    def _last_start(self, job: Job) -> str:
        opened = job.latest_run if self._view.opens(job.id) else None
        return (opened.started if opened else None) or ""


def _is_hub(group: ResolvedDataset, side: Side) -> bool:
    """True if a side has more than `SIDE_READ_MAX` jobs, or was cut; with readers, a cut has spared the producers."""
    cut = group.cut and (side == "down" or not group.readers)
    return cut or len(next_users(group, side)) > SIDE_READ_MAX


def _degree(sides: Iterable[tuple[int, bool]]) -> Degree:
    (up, up_exact), (down, down_exact) = sides
    return Degree(up, down, up_exact and down_exact)
