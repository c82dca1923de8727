"""Steps between columns in the reports of a time range; one pass over a report finds the steps of all columns.

Downwards, a dataset whose writers reported no columns is a node without a field (see `possible_uses`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from headwater.queries.ranges.possible_uses import How, PossibleUse, Takers
from headwater.queries.ranges.runs_in_range import RunColumns, RunsInRange
from headwater.queries.results.directions import UP
from headwater_model.columns import ColumnLineage, ColumnSource, Sources
from headwater_model.field_paths import ColumnIndex, RelatedPaths
from headwater_model.ids import DatasetId, FieldPath

# Source, destination, transformations, and true if the step is certain.
FlowStep: TypeAlias = tuple[ColumnSource, ColumnSource, How, bool]
# The refs of a report and the name of its dataset; most runs share both with other runs.
Place: TypeAlias = tuple[tuple[str, ...], DatasetId]
Steps: TypeAlias = Mapping[Place, Sequence[FlowStep]]


def step_place_of(reported: RunColumns) -> Place:
    """Return the key that runs with the same report on a dataset share."""
    return reported.refs, reported.name


def find_steps_into(
    nodes: Iterable[ColumnSource], reported: Mapping[DatasetId, Iterable[RunColumns]]
) -> dict[DatasetId, Steps]:
    """Return the steps to columns, by dataset and report; `reported` has the reports on each dataset."""
    steps: dict[DatasetId, Steps] = {}
    for dataset, nodes_of in _by_dataset(nodes).items():
        paths = [path for path in nodes_of if path is not None]
        reports = {step_place_of(report): report for report in reported[dataset]}
        steps[dataset] = {place: list(_steps_into(report, dataset, paths)) for place, report in reports.items()}
    return steps


def find_steps_out(
    nodes: Iterable[ColumnSource], reported: Mapping[DatasetId, Iterable[RunColumns]], range_runs: RunsInRange
) -> dict[DatasetId, Steps]:
    """Return the steps from nodes, by dataset and report; `reported` has the reports of each dataset's readers.

    Reports on the datasets themselves are read only where columns are nested, all in one round.
    """
    paths = _by_dataset(nodes)
    reports = {dataset: {step_place_of(report): report for report in reported[dataset]} for dataset in paths}
    used = {
        dataset: set[FieldPath]().union(*(fields_used(report.columns, dataset) for report in reports_on.values()))
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
            place: list(_steps_out(report, dataset, paths[dataset], takers)) for place, report in reports_on.items()
        }
    return steps


def _by_dataset(nodes: Iterable[ColumnSource]) -> dict[DatasetId, list[FieldPath | None]]:
    paths: dict[DatasetId, list[FieldPath | None]] = {}
    for node in nodes:
        paths.setdefault(node.dataset, []).append(node.field)
    return paths


def _written_index(dataset: DatasetId, range_runs: RunsInRange) -> ColumnIndex:
    """Return the index of the reports on a dataset, which is loaded upwards."""
    reports = {
        step_place_of(report): report
        for _, written in range_runs.written_alike(dataset)
        for report in written
        if report.known
    }
    return ColumnIndex(report.columns.fields for report in reports.values())


def _steps_into(reported: RunColumns, dataset: DatasetId, paths: Iterable[FieldPath]) -> Iterator[FlowStep]:
    """Yield the steps to these columns of a dataset, by the related paths in this report.

    A dependency of the whole dataset on a column is a step to each of its columns.
    """
    fields, whole = reported.columns.fields, reported.columns.dataset_level
    related = RelatedPaths(fields)
    for path in paths:
        for sources in (*(fields[field] for field in related.find(path)), whole):
            for source, how in sources.items():
                if source.field is not None:
                    yield source, ColumnSource(dataset, path), how, True


def _steps_out(
    reported: RunColumns, dataset: DatasetId, paths: Iterable[FieldPath | None], takers: Takers
) -> Iterator[FlowStep]:
    """Yield the certain and the possible steps from nodes of a dataset."""
    # Columns that one operation made share their sources: each set is read once.
    shared: dict[int, list[tuple[FieldPath, How]]] = {}
    for path, own in reported.columns.fields.items():
        for sources in (own, reported.columns.dataset_level):
            if id(sources) not in shared:
                shared[id(sources)] = list(_taken(sources, dataset, takers))
            for field, how in shared[id(sources)]:
                yield ColumnSource(dataset, field), ColumnSource(reported.dataset, path), how, True
    perhaps = PossibleUse(reported.dataset, reported.columns, dataset, takers)
    for node in (ColumnSource(dataset, path) for path in paths):
        yield from ((node, column, how, False) for column, how in perhaps.of(node))


def _taken(sources: Sources, dataset: DatasetId, takers: Takers) -> Iterator[tuple[FieldPath, How]]:
    for source, how in sources.items():
        if source.dataset == dataset and source.field is not None:
            for taker in takers.get(source.field, ()):
                yield taker, how


def fields_used(columns: ColumnLineage, dataset: DatasetId) -> set[FieldPath]:
    """Return the columns of a dataset that these columns are derived from or depend on."""
    source_sets = {id(sources): sources for sources in (columns.dataset_level, *columns.fields.values())}
    return {
        source.field
        for sources in source_sets.values()
        for source in sources
        if source.dataset == dataset and source.field is not None
    }
