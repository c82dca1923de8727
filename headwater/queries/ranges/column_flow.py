"""Traversals of columns in a time range: the hops to each column, and if the flow is direct, masked and certain.

Downwards, a dataset whose writers reported no columns is a node without a field. Columns derived from any column of
that dataset may be derived from the node (see `possible_uses`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from headwater.facts.visibility import EVERYTHING, Visibility
from headwater.queries.columns.ways import ReportedStep, Way, ways_along
from headwater.queries.ranges.column_steps import find_steps_into, find_steps_out, step_place_of
from headwater.queries.ranges.possible_uses import How
from headwater.queries.ranges.runs_in_range import RunColumns, RunsInRange
from headwater.queries.ranges.similar_runs import ROOTS_MAX, Runs
from headwater.queries.results.directions import DOWN, UP, Side
from headwater.queries.results.reports import LineageStep
from headwater.walk import Walked, walk
from headwater_model.columns import Column, ColumnSource, Transformation
from headwater_model.ids import DatasetId, JobId, RunKey

# Columns that one traversal reaches, and steps between these columns.
COLUMNS_MAX = 5_000
STEPS_MAX = 20_000


@dataclass(slots=True)
class _Edge(ReportedStep):
    """A step with its transformations and the roots of the runs that reported it."""

    transformations: set[Transformation] = field(default_factory=set)
    roots: dict[RunKey, tuple[str, RunKey]] = field(default_factory=dict)

    def count_runs(self, how: How, runs: Runs, *, certain: bool) -> None:
        """Count runs that reported the step."""
        self.count(how, runs.job, certain=certain, failed=runs.failed)
        self.transformations |= how
        for root, newest in runs.roots.items():
            self.roots[root] = max(newest, self.roots.get(root, newest))

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of the root runs of the reporting runs, newest first."""
        newest = sorted(self.roots, key=lambda root: self.roots[root], reverse=True)[:ROOTS_MAX]
        return tuple(dict.fromkeys(root.id for root in newest))


@dataclass(frozen=True, slots=True)
class ReachedColumn:
    """A column that a traversal reached; `direct` on some path, `masked` on all. Downwards, it may lack a field."""

    column: ColumnSource
    hops: int
    direct: bool
    masked: bool
    certain: bool
    failed: bool


class ColumnTraversal:
    """A traversal from columns, breadth first: down to derived columns, or up to sources."""

    def __init__(
        self, range_runs: RunsInRange, starts: Iterable[ColumnSource], side: Side, visibility: Visibility = EVERYTHING
    ) -> None:
        self.range_runs, self._starts, self._side = range_runs, frozenset(starts), side
        self._visibility = visibility
        self.edges: dict[tuple[ColumnSource, ColumnSource], _Edge] = {}
        self.truncated = False
        self._hops: dict[ColumnSource, int] = {}

    def run(self) -> list[ReachedColumn]:
        """Return every reached column without the starts, nearest first."""
        walked = walk(self._starts, self._nexts, into=Walked(COLUMNS_MAX))
        self._hops = walked.hops
        self.truncated |= walked.truncated or self.range_runs.truncated
        # Columns whose steps were beyond the bound are left out.
        ways = ways_along(self._starts & self._hops.keys(), self._steps_between(frozenset(self._hops)))
        return [
            ReachedColumn(column, hops, **Way.of_all(ways[column])._asdict())
            for column, hops in self._hops.items()
            if column not in self._starts and column in ways
        ]

    def opens(self, column: ColumnSource | Column) -> bool:
        """True if the traversal may continue from this reached column."""
        return self.range_runs.groups.opens(column.dataset, self._visibility)

    def steps(self) -> list[LineageStep]:
        """Return every step between reached columns."""
        return [
            LineageStep(
                column_of(ends[0]),
                column_of(ends[1]),
                transformations=tuple(sorted(edge.transformations, key=str)),
                operations=operations_in(edge.transformations),
                jobs=tuple(sorted(edge.jobs)),
                runs=edge.runs,
            )
            for ends, edge in sorted(self.edges.items(), key=lambda item: item[0])
            if ends[0] in self._hops and ends[1] in self._hops
        ]

    def jobs_into(self) -> dict[ColumnSource, tuple[JobId, ...]]:
        """Return, by column, the jobs that reported a step to that column."""
        jobs: dict[ColumnSource, set[JobId]] = {}
        for (_, destination), edge in self.edges.items():
            jobs.setdefault(destination, set()).update(edge.jobs)
        return {column: tuple(sorted(reporters)) for column, reporters in jobs.items()}

    def _nexts(self, level: Sequence[ColumnSource], _: bool) -> set[ColumnSource]:
        """Read and add the steps from these columns; return the columns at their other ends."""
        neighbours: set[ColumnSource] = set()
        columns = list(filter(self.opens, level))
        self.range_runs.load_datasets((column.dataset, self._side) for column in columns)
        by_dataset = {column.dataset: list(self._reports(column.dataset)) for column in columns}
        reports = {dataset: [report for _, report in pairs] for dataset, pairs in by_dataset.items()}
        steps = (
            find_steps_into(columns, reports) if self._side == UP else find_steps_out(columns, reports, self.range_runs)
        )
        for dataset, pairs in by_dataset.items():
            for runs, report in pairs:
                for source, destination, how, certain in steps[dataset][step_place_of(report)]:
                    self._add_edge(source, destination, how, runs, certain=certain)
                    neighbours.add(destination if self._side == DOWN else source)
        return neighbours

    def _reports(self, dataset: DatasetId) -> Iterator[tuple[Runs, RunColumns]]:
        if self._side == UP:
            yield from (
                (runs, report) for runs, reports in self.range_runs.written_alike(dataset) for report in reports
            )
            return
        for runs, readings in self.range_runs.read_alike(dataset):
            yield from ((runs, report) for reading in readings for report in reading.derived)

    def _add_edge(
        self, source: ColumnSource, destination: ColumnSource, how: How, runs: Runs, *, certain: bool
    ) -> None:
        ends = (source, destination)
        if ends not in self.edges and len(self.edges) >= STEPS_MAX:
            self.truncated = True
            return
        self.edges.setdefault(ends, _Edge()).count_runs(how, runs, certain=certain)

    def _steps_between(self, columns: frozenset[ColumnSource]) -> dict[tuple[ColumnSource, ColumnSource], _Edge]:
        """Return the steps between these columns, by their ends in the traversal's direction."""
        return {
            ends if self._side == DOWN else ends[::-1]: edge
            for ends, edge in self.edges.items()
            if columns.issuperset(ends)
        }


def column_of(node: ColumnSource) -> Column:
    """Return the column that a node with a field is."""
    return Column(node.dataset, node.field or ())


def operations_in(transformations: Iterable[Transformation]) -> tuple[str, ...]:
    """Return the names of transformations: the description, else the subtype, else the type."""
    names = {
        transformation.description or transformation.subtype or transformation.type
        for transformation in transformations
    }
    return tuple(sorted(names))
