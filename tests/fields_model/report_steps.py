"""The reporters' steps of column lineage, certain and possible, down and up."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from headwater_model.columns import ColumnSource
from tests.fields_model.related import related, went_into
from tests.fields_model.reporters import ColumnReporter, sources_in


@dataclass(frozen=True)
class FlowEdge:
    """A step of a reporter."""

    source: ColumnSource
    destination: ColumnSource
    how: frozenset
    reporter: ColumnReporter
    certain: bool = True

    @property
    def direct(self):
        return not self.how or any(transformation.type == "DIRECT" for transformation in self.how)

    @property
    def masks(self):
        return bool(self.how) and all(transformation.masking for transformation in self.how)


def made_from(world, reporters, node, reports):
    """Yield the reported steps from a column."""
    for reporter, dataset, columns in _all_reported(world, reporters) if node.field is not None else ():
        for path, sources in columns.fields.items():
            for taken_sources in (sources, columns.dataset_level):
                for how in _taken(node, taken_sources, reports):
                    yield FlowEdge(node, ColumnSource(dataset, path), how, reporter)


def _taken(node, sources, reports):
    """List the transformations of each use of a column, or of a related column."""
    used = {
        source: how for source, how in sources.items() if source.dataset == node.dataset and source.field is not None
    }
    return [how for source, how in used.items() if went_into(node.field, source.field, reports)]


def perhaps_made_from(world, reporters, node, reports):
    """Yield the possible steps from a column, or from any column of a dataset."""
    for reporter in reporters:
        for name in {*reporter.outputs, *reporter.reported}:
            dataset, columns = world.statements.primary(name), world.named(reporter.columns(name))
            for path, how in _perhaps(columns, node, reports):
                yield FlowEdge(node, ColumnSource(dataset, path), how, reporter, certain=False)


def _perhaps(columns, node, reports):
    """Yield (path, transformations) of columns possibly derived from a node; path None: an unreported column."""
    unnamed = ColumnSource(node.dataset)
    named = {source for source in sources_in(columns) if source.dataset == node.dataset and source.field is not None}
    for path, own in columns.fields.items():
        taken = [how for source, how in own.items() if source == unnamed or (source in named and node == unnamed)]
        taken += [how for source, how in columns.dataset_level.items() if source in named and node == unnamed]
        if taken:
            yield path, frozenset(chain(*taken))
    whole = [how for source, how in columns.dataset_level.items() if source == unnamed and not named]
    if not columns.fields:
        whole += [how for source, how in columns.dataset_level.items() if source in named and node == unnamed]
        whole += _taken(node, columns.dataset_level, reports) if node != unnamed else []
    if whole:
        yield None, frozenset(chain(*whole))


def made_of(world, reporters, column):
    """Yield the steps to a column, also from the sources of its whole dataset."""
    for reporter, dataset, columns in _all_reported(world, reporters):
        own = [columns.fields[path] for path in related(column.field, columns.fields)]
        for sources in (*own, columns.dataset_level) if dataset == column.dataset else ():
            for source, how in sources.items():
                if source.field is not None:
                    yield FlowEdge(source, column, how, reporter)


def reported_paths(world, reporters, dataset):
    """List the paths in each report on a dataset, a report for each of its names."""
    return [columns.fields.keys() for _, name, columns in _all_reported(world, reporters) if name == dataset]


def _all_reported(world, reporters):
    for reporter in reporters:
        for name, columns in reporter.reported.items():
            yield reporter, world.statements.primary(name), world.named(columns)
