"""The current impact of a column: every column derived from it, with the datasets and the jobs on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from headwater.queries.columns.column_graph import ColumnStep, ColumnWalk
from headwater.queries.columns.column_paths import ColumnPath, ReportedStep, paths_along
from headwater.queries.graphs.node_ids import field_candidates
from headwater.queries.graphs.short_forms import short_datasets, short_jobs
from headwater.queries.results.entities import Dataset, Job, redacted_dataset, redacted_job
from headwater.queries.results.reports import ColumnImpact, ImpactedColumn, ImpactedNode
from headwater.queries.view import GraphView
from headwater_model.columns import Column
from headwater_model.errors import Invalid
from headwater_model.ids import DatasetId, JobId

# Steps between columns read for a report.
STEPS_MAX = 50_000

_T = TypeVar("_T", JobId, DatasetId)


@dataclass(slots=True)
class _Reached:
    """A reached job or dataset: the columns before it, by distance, and the paths through the columns."""

    through: dict[Column, int] = field(default_factory=dict)
    paths: set[ColumnPath] = field(default_factory=set)
    certain: bool = False

    @property
    def hops(self) -> int:
        """The distance by the nearest column before it."""
        return min(self.through.values()) + 1

    @property
    def nearest(self) -> tuple[Column, ...]:
        """The columns nearest before it."""
        return tuple(sorted(column for column, hops in self.through.items() if hops + 1 == self.hops))


def report_column_impact(view: GraphView, node_id: str, *, depth: int) -> ColumnImpact | None:
    """Report everything derived from a field (`datasetField:...`) now, up to `depth` jobs away; None if unknown.

    Raises:
        Invalid: the id cannot be read as a field's, or names a version.
    """
    for node in field_candidates(node_id, view):
        column = view.find_column(node.id, node.field)
        if column and node.version:
            raise Invalid.because("nodeId", node_id, "must name no version: what is downstream is known of now")
        if column:
            return ImpactWalk(view, column, depth).report()
    return None


class ImpactWalk:
    """A walk from a column to everything derived from it, up to `depth` jobs away."""

    def __init__(self, view: GraphView, column: Column, depth: int) -> None:
        self._view, self._column, self._depth = view, column, depth
        self._walk = ColumnWalk(view)
        self._hops: Mapping[Column, int] = {}
        self._edges: dict[tuple[Column, Column], ReportedStep] = {}
        self._possible: list[ColumnStep] = []
        self._paths: Mapping[Column, set[ColumnPath]] = {}
        self._truncated = False

    def report(self) -> ColumnImpact:
        """Walk, and make the report of the columns, jobs and datasets downstream."""
        self._hops = self._walk.below(self._column, depth=self._depth + 1)
        self._read_steps()
        # Columns whose steps were beyond `STEPS_MAX` are left out.
        self._paths = paths_along([self._column], self._edges)
        columns = tuple(self._columns())
        nodes = tuple(self._nodes())
        return ColumnImpact(self._column, columns, nodes, self._truncated or self._walk.truncated)

    def _read_steps(self) -> None:
        for step in self._walk.steps_from([column for column, hops in self._hops.items() if hops <= self._depth]):
            if step.source.field is None or step.derived.field is None:
                self._possible.append(step)
                continue
            ends = Column(step.source.dataset, step.source.field), Column(step.derived.dataset, step.derived.field)
            if ends[1] not in self._hops:
                continue
            if ends not in self._edges and len(self._edges) >= STEPS_MAX:
                self._truncated = True
                return
            self._edges.setdefault(ends, ReportedStep()).count(step.how, step.job)

    def _columns(self) -> Iterator[ImpactedColumn]:
        into: dict[Column, list[Column]] = {}
        jobs: dict[Column, set[JobId]] = {}
        for (source, derived), edge in self._edges.items():
            into.setdefault(derived, []).append(source)
            jobs.setdefault(derived, set()).update(edge.jobs)
        for column, hops in self._hops.items():
            if column == self._column or column not in self._paths:
                continue
            entry = self._walk.entry(column)
            path = ColumnPath.of_all(self._paths[column])
            yield ImpactedColumn(
                column,
                hops,
                tuple(sorted(source for source in into[column] if self._hops[source] == hops - 1)),
                path.direct,
                path.masked,
                type=entry.type_of(column.field) if entry else None,
                jobs=tuple(sorted(jobs[column])) if entry else (),
                outline=entry is None,
            )

    def _nodes(self) -> Iterator[ImpactedNode]:
        jobs: dict[JobId, _Reached] = {}
        datasets: dict[DatasetId, _Reached] = {}
        for (source, derived), edge in self._edges.items():
            paths = {path.following(edge) for path in self._paths.get(source, ())}
            for job in edge.jobs if paths else ():
                self._reach(jobs, job, [source], paths, certain=True)
            if paths and derived != self._column:
                self._reach(datasets, derived.dataset, [source], paths, certain=True)
        for step in self._possible:
            self._reach_perhaps(step, jobs, datasets)
        # Rows are read of jobs and datasets shown in full alone.
        known_jobs = short_jobs(self._view, sorted(filter(self._view.opens, jobs)))
        opened = [dataset for dataset in datasets if self._walk.entry(Column(dataset, ()))]
        known_datasets = short_datasets(self._view, opened)
        for job, reached in sorted(jobs.items()):
            yield _node(known_jobs.get(job) or redacted_job(job), reached)
        for dataset, reached in sorted(datasets.items()):
            yield _node(known_datasets.get(dataset) or redacted_dataset(dataset), reached)

    def _reach_perhaps(
        self, step: ColumnStep, jobs: dict[JobId, _Reached], datasets: dict[DatasetId, _Reached]
    ) -> None:
        """Count a job without reported columns, and its dataset, unless known steps lead there."""
        sources = [
            column
            for column in self._paths
            if column.dataset == step.source.dataset and self._hops[column] <= self._depth
        ]
        paths = {path for column in sources for path in self._paths[column]}
        if not paths:
            # The columns of this dataset were beyond `STEPS_MAX`.
            return
        if step.job and not (step.job in jobs and jobs[step.job].certain):
            self._reach(jobs, step.job, sources, paths, certain=False)
        dataset = step.derived.dataset
        if dataset != self._column.dataset and not (dataset in datasets and datasets[dataset].certain):
            self._reach(datasets, dataset, sources, paths, certain=False)

    def _reach(
        self, reached: dict[_T, _Reached], of: _T, sources: Iterable[Column], paths: set[ColumnPath], *, certain: bool
    ) -> None:
        entry = reached.setdefault(of, _Reached())
        entry.through.update((source, self._hops[source]) for source in sources)
        entry.paths |= paths
        entry.certain |= certain


def _node(node: Job | Dataset, reached: _Reached) -> ImpactedNode:
    path = ColumnPath.of_all(reached.paths)
    return ImpactedNode(node, reached.hops, reached.nearest, path.direct, path.masked, reached.certain)
