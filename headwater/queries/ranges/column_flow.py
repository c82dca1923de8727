"""Traversals of columns in a time range: the hops to each column, and if the flow is direct, masked and certain.

A pass over a report finds the steps of all columns. Downwards, a dataset without reported columns is a node without a
field. A column derived from any column of the dataset may be derived from the node (see `PossibleUse`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from headwater.queries.columns.column_paths import ColumnPath, ReportedStep, paths_along
from headwater.queries.ranges.path_ends import How, PossibleUse, Takers
from headwater.queries.ranges.runs_in_range import Place, RunColumns, RunsInRange, distinct
from headwater.queries.ranges.similar_runs import ROOTS_MAX, Runs
from headwater.queries.results.graphs import DOWN, UP, Side
from headwater.queries.results.reports import LineageStep
from headwater.walk import Walked, walk
from headwater_model.columns import Column, ColumnSource, Sources, Transformation
from headwater_model.field_paths import ColumnIndex, RelatedPaths
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey

# Source, destination, transformations, and true if the step is certain.
FlowStep: TypeAlias = tuple[ColumnSource, ColumnSource, How, bool]
Steps: TypeAlias = Mapping[Place, Sequence[FlowStep]]
# Columns reached by a traversal, and steps between them.
COLUMNS_MAX = 5_000
STEPS_MAX = 20_000


def find_steps_into(
    nodes: Iterable[ColumnSource], reported: Mapping[DatasetId, Iterable[RunColumns]]
) -> dict[DatasetId, Steps]:
    """Find the steps to columns, by dataset and report; `reported` has the reports on each dataset."""
    steps: dict[DatasetId, Steps] = {}
    for dataset, nodes_of in _by_dataset(nodes).items():
        paths = [path for path in nodes_of if path is not None]
        steps[dataset] = {
            report.place: list(_steps_into(report, dataset, paths)) for report in distinct(reported[dataset])
        }
    return steps


def find_steps_out(
    nodes: Iterable[ColumnSource], reported: Mapping[DatasetId, Iterable[RunColumns]], range_runs: RunsInRange
) -> dict[DatasetId, Steps]:
    """Find the steps from nodes, by dataset and report; `reported` has the reports of each dataset's readers.

    Reports on the datasets themselves are read only where columns are nested, all in one round.
    """
    paths = _by_dataset(nodes)
    reports = {dataset: distinct(reported[dataset]) for dataset in paths}
    used = {
        dataset: set[FieldPath]().union(*(report.columns.fields_of(dataset) for report in reports_on))
        for dataset, reports_on in reports.items()
    }
    requested = {dataset: {path for path in fields if path is not None} for dataset, fields in paths.items()}
    nested = {dataset for dataset in paths if any(len(path) > 1 for path in requested[dataset] | used[dataset])}
    range_runs.load_datasets((dataset, UP) for dataset in nested)
    steps: dict[DatasetId, Steps] = {}
    for dataset, reports_on in reports.items():
        index = _written_index(dataset, range_runs) if dataset in nested else ColumnIndex(())
        takers = index.invert(requested[dataset], used[dataset])
        steps[dataset] = {
            report.place: list(_steps_out(report, dataset, paths[dataset], takers)) for report in reports_on
        }
    return steps


def _by_dataset(nodes: Iterable[ColumnSource]) -> dict[DatasetId, list[FieldPath | None]]:
    paths: dict[DatasetId, list[FieldPath | None]] = {}
    for node in nodes:
        paths.setdefault(node.dataset, []).append(node.field)
    return paths


def _written_index(dataset: DatasetId, range_runs: RunsInRange) -> ColumnIndex:
    """Index the reports on a dataset; the dataset is loaded upwards."""
    written = (report for _, reports in range_runs.written_alike(dataset) for report in reports if report.known)
    return ColumnIndex(report.columns.fields for report in distinct(written))


def _steps_into(reported: RunColumns, dataset: DatasetId, paths: Iterable[FieldPath]) -> Iterator[FlowStep]:
    """Yield the steps to the columns of a dataset, by the related paths in the report.

    A dependency of the whole dataset on a column is a step to each of its columns.
    """
    fields, whole = reported.columns.fields, reported.columns.dataset_level
    related = RelatedPaths(fields)
    for path in paths:
        for sources in (*(fields[named] for named in related.find(path)), whole):
            for source, how in sources.items():
                if source.field is not None:
                    yield source, ColumnSource(dataset, path), how, True


def _steps_out(
    reported: RunColumns, dataset: DatasetId, paths: Iterable[FieldPath | None], takers: Takers
) -> Iterator[FlowStep]:
    """Yield the certain and the possible steps from nodes of a dataset."""
    # Columns of an operation share their sources: each set is read once.
    shared: dict[int, list[tuple[FieldPath, How]]] = {}
    for path, own in reported.columns.fields.items():
        for sources in (own, reported.columns.dataset_level):
            if id(sources) not in shared:
                shared[id(sources)] = list(_taken(sources, dataset, takers))
            for path_taken, how in shared[id(sources)]:
                yield ColumnSource(dataset, path_taken), ColumnSource(reported.dataset, path), how, True
    perhaps = PossibleUse(reported.dataset, reported.columns, dataset, takers)
    for node in (ColumnSource(dataset, path) for path in paths):
        yield from ((node, column, how, False) for column, how in perhaps.of(node))


def _taken(sources: Sources, dataset: DatasetId, takers: Takers) -> Iterator[tuple[FieldPath, How]]:
    for source, how in sources.items():
        if source.dataset == dataset and source.field is not None:
            for taker in takers.get(source.field, ()):
                yield taker, how


@dataclass(slots=True)
class _Edge(ReportedStep):
    """A step with its transformations, and the roots of its reporting runs."""

    transformations: set[Transformation] = field(default_factory=set)
    roots: dict[RunKey, tuple[str, RunKey]] = field(default_factory=dict)

    def count_runs(self, how: How, runs: Runs, *, certain: bool) -> None:
        """Count runs with a report of the step."""
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
    """A column reached by a traversal; `direct` on any path, `masked` on all. Downwards, it may lack a field."""

    column: ColumnSource
    hops: int
    direct: bool
    masked: bool
    certain: bool
    failed: bool


class ColumnTraversal:
    """A traversal from columns, breadth first: down to derived columns, or up to sources."""

    def __init__(self, range_runs: RunsInRange, starts: Iterable[ColumnSource], side: Side) -> None:
        self.range_runs, self._starts, self._side = range_runs, frozenset(starts), side
        self.edges: dict[tuple[ColumnSource, ColumnSource], _Edge] = {}
        self.truncated = False
        self._hops: dict[ColumnSource, int] = {}

    def run(self) -> list[ReachedColumn]:
        """Walk, and list the reached columns without the starts, nearest first."""
        walked = walk(self._starts, self._nexts, into=Walked(COLUMNS_MAX))
        self._hops = walked.hops
        self.truncated |= walked.truncated or self.range_runs.truncated
        # Columns with steps beyond `STEPS_MAX` are left out.
        paths = paths_along(self._starts & self._hops.keys(), self._steps_between(frozenset(self._hops)))
        return [
            ReachedColumn(column, hops, **ColumnPath.of_all(paths[column])._asdict())
            for column, hops in self._hops.items()
            if column not in self._starts and column in paths
        ]

    def opens(self, column: ColumnSource | Column) -> bool:
        """True if the traversal may continue from this reached column."""
        return self.range_runs.view.shows(column.dataset)

    def steps(self) -> list[LineageStep]:
        """List the steps between reached columns."""
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
        """Group the reporting jobs of the steps by destination."""
        jobs: dict[ColumnSource, set[JobId]] = {}
        for (_, destination), edge in self.edges.items():
            jobs.setdefault(destination, set()).update(edge.jobs)
        return {column: tuple(sorted(reporters)) for column, reporters in jobs.items()}

    def _nexts(self, level: Sequence[ColumnSource], _: bool) -> set[ColumnSource]:
        """Add the steps from the columns; return the columns at the other ends."""
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
                for source, destination, how, certain in steps[dataset][report.place]:
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
        """Choose the steps between the columns, by their ends in the traversal's direction."""
        return {
            ends if self._side == DOWN else ends[::-1]: edge
            for ends, edge in self.edges.items()
            if columns.issuperset(ends)
        }


def column_of(node: ColumnSource) -> Column:
    """Make a column of a node with a field."""
    return Column(node.dataset, node.field or ())


def operations_in(transformations: Iterable[Transformation]) -> tuple[str, ...]:
    """List the names of transformations: the description, else the subtype, else the type."""
    names = {
        transformation.description or transformation.subtype or transformation.type
        for transformation in transformations
    }
    return tuple(sorted(names))
