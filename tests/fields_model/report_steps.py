"""Steps of column lineage that reporters state, forward and backward; the certain and the possible ones."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain

from headwater_model.columns import ColumnSource
from tests.fields_model.related import related, went_into
from tests.fields_model.reporters import ColumnReporter, sources_in


@dataclass(frozen=True)
class FlowEdge:
    """A step of one reporter."""

    source: ColumnSource
    destination: ColumnSource
    how: frozenset
    reporter: ColumnReporter
    certain: bool = True

    @property
    def direct(self):
        return not self.how or any(one.type == "DIRECT" for one in self.how)

    @property
    def masks(self):
        return bool(self.how) and all(one.masking for one in self.how)


def made_from(world, reporters, node, reports):
    """Yield the reported steps from a column."""
    for one, dataset, columns in _all_reported(world, reporters) if node.field is not None else ():
        for path, sources in columns.fields.items():
            for some in (sources, columns.dataset_level):
                for how in _taken(node, some, reports):
                    yield FlowEdge(node, ColumnSource(dataset, path), how, one)


def _taken(node, sources, reports):
    """Return the transformations by which a column, or a related column, is taken."""
    used = {one: how for one, how in sources.items() if one.dataset == node.dataset and one.field is not None}
    return [how for one, how in used.items() if went_into(node.field, one.field, reports)]


def perhaps_made_from(world, reporters, node, reports):
    """Yield the possible steps from a column, or from any column of a dataset."""
    for one in reporters:
        for name in {*one.outputs, *one.reported}:
            dataset, columns = world.statements.primary(name), world.named(one.columns(name))
            for path, how in _perhaps(columns, node, reports):
                yield FlowEdge(node, ColumnSource(dataset, path), how, one, certain=False)


def _perhaps(columns, node, reports):
    """Yield (path, transformations) of columns that may derive from a node; without a path: an unreported column."""
    unnamed = ColumnSource(node.dataset)
    named = {one for one in sources_in(columns) if one.dataset == node.dataset and one.field is not None}
    for path, own in columns.fields.items():
        taken = [how for one, how in own.items() if one == unnamed or (one in named and node == unnamed)]
        taken += [how for one, how in columns.dataset_level.items() if one in named and node == unnamed]
        if taken:
            yield path, frozenset(chain(*taken))
    whole = [how for one, how in columns.dataset_level.items() if one == unnamed and not named]
    if not columns.fields:
        whole += [how for one, how in columns.dataset_level.items() if one in named and node == unnamed]
        whole += _taken(node, columns.dataset_level, reports) if node != unnamed else []
    if whole:
        yield None, frozenset(chain(*whole))


def made_of(world, reporters, column):
    """Yield the steps to a column, also from sources that its whole dataset depends on."""
    for one, dataset, columns in _all_reported(world, reporters):
        own = [columns.fields[path] for path in related(column.field, columns.fields)]
        for sources in (*own, columns.dataset_level) if dataset == column.dataset else ():
            for source, how in sources.items():
                if source.field is not None:
                    yield FlowEdge(source, column, how, one)


def reported_paths(world, reporters, dataset):
    """Return the paths that each reporter reported of a dataset, under each of its names."""
    return [columns.fields.keys() for _, name, columns in _all_reported(world, reporters) if name == dataset]


def _all_reported(world, reporters):
    for one in reporters:
        for name, columns in one.reported.items():
            yield one, world.statements.primary(name), world.named(columns)
