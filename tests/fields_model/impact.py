"""The current impact of a column, computed anew: what is derived from it, by the steps of all current reports."""

from __future__ import annotations

from tests.fields_model.nodes import hops
from tests.fields_model.present import made_from, requested_columns
from tests.fields_model.related import went_into
from tests.fields_model.reporters import sources_in

_FAR = 99


def column_impact(world, node_id, depth):
    """Return columns and nodes by id: hops, columns one step nearer, direct, masked, and jobs, or if it is certain."""
    requested = requested_columns(world, node_id)
    if requested is None:
        return None
    [start] = requested
    near = hops([start], depth + 1, lambda column: made_from(world, column))
    edges = [
        (source, made, how, job)
        for source in near
        if near[source] <= depth
        for made in made_from(world, source) & near.keys()
        for how, job in _reports(world, source, made)
    ]
    reached = _Reached(start, edges)
    columns = {
        column: (
            hop,
            {source for source, made, _, _ in edges if made == column and near[source] == hop - 1},
            reached.is_direct(column),
            reached.is_masked(column),
            {job for _, made, _, job in edges if made == column and job},
        )
        for column, hop in near.items()
        if column != start
    }
    return columns, _nodes(world, start, near, depth, edges, reached)


def _nodes(world, start, near, depth, edges, reached):
    steps = {}
    for source, made, _, job in edges:
        if job:
            steps.setdefault((job, True), set()).add((source, made))
        if made != start:
            steps.setdefault((made.dataset, True), set()).add((source, made))
    for source in near:
        if near[source] <= depth:
            for thing in _perhaps(world, source.dataset):
                if (thing, True) not in steps and thing != start.dataset:
                    steps.setdefault((thing, False), set()).add((source, None))
    return {thing: _node(near, some, certain, reached) for (thing, certain), some in steps.items()}


def _node(near, steps, certain, reached):
    nearest = min(near[source] for source, _ in steps)
    return (
        nearest + 1,
        {source for source, _ in steps if near[source] == nearest},
        any(reached.goes_on(source, made, directly=True) for source, made in steps),
        not any(reached.goes_on(source, made, directly=False) for source, made in steps),
        certain,
    )


def _reports(world, source, made):
    """Yield the transformations, and the job, of each report of a step."""
    reports = [word.columns.fields.keys() for word in world.writers(source.dataset)]
    for word in world.writers(made.dataset):
        columns = world.named(world.without_hidden(word.columns))
        for sources in (columns.fields.get(made.field, {}), columns.dataset_level):
            for one, how in sources.items():
                if one.dataset == source.dataset and one.field and went_into(source.field, one.field, reports):
                    yield how, word.reporter.job


def _perhaps(world, dataset):
    """Yield the jobs, and the datasets, that may be derived from any column of a dataset."""
    for other in world.visible_datasets():
        for word in world.writers(other):
            columns = world.named(world.without_hidden(word.columns))
            if any(one.dataset == dataset and one.field is None for one in sources_in(columns)):
                yield from filter(None, (other, word.reporter.job))


class _Reached:
    """The columns that are reached directly, and those that are reached without masking."""

    def __init__(self, start, edges):
        self._hows = {}
        for source, made, how, _ in edges:
            self._hows.setdefault((source, made), []).append(how)
        self._directly, self._openly = (
            hops([start], _FAR, lambda one, way=way: {made for source, made in self._ways(way) if source == one})
            for way in (True, False)
        )

    def _ways(self, directly):
        return [ends for ends, hows in self._hows.items() if self._goes(hows, directly=directly)]

    def _goes(self, hows, *, directly):
        if directly:
            return any(not how or any(one.type == "DIRECT" for one in how) for how in hows)
        return any(not how or not all(one.masking for one in how) for how in hows)

    def is_direct(self, column):
        return column in self._directly

    def is_masked(self, column):
        return column not in self._openly

    def goes_on(self, source, made, *, directly):
        """True if the source is reached so, and a step so leads on to `made` (None: it is not known to what)."""
        reached = self._directly if directly else self._openly
        return source in reached and (made is None or self._goes(self._hows[source, made], directly=directly))
