"""The current impact of a column, computed anew by the steps of all current reports."""

from tests.fields_model.nodes import hops
from tests.fields_model.present import made_from, requested_columns
from tests.fields_model.related import went_into
from tests.fields_model.reporters import sources_in

_FAR = 99


def column_impact(world, node_id, depth):
    """Compute the derived columns, and their jobs and datasets.

    column -> (hops, columns a step nearer, is direct, is masked, jobs)
    job or dataset -> (hops, nearest columns, is direct, is masked, is certain)
    """
    requested = requested_columns(world, node_id)
    if requested is None:
        return None
    [start] = requested
    distances = hops([start], depth + 1, lambda column: made_from(world, column))
    edges = [
        (source, derived, how, job)
        for source in distances
        if distances[source] <= depth
        for derived in made_from(world, source) & distances.keys()
        for how, job in _reports(world, source, derived)
    ]
    reached = _Reached(start, edges)
    columns = {
        column: (
            hop,
            {source for source, derived, _, _ in edges if derived == column and distances[source] == hop - 1},
            reached.is_direct(column),
            reached.is_masked(column),
            {job for _, derived, _, job in edges if derived == column and job},
        )
        for column, hop in distances.items()
        if column != start
    }
    return columns, _nodes(world, start, distances, depth, edges, reached)


def _nodes(world, start, distances, depth, edges, reached):
    steps = {}
    for source, derived, _, job in edges:
        if job:
            steps.setdefault((job, True), set()).add((source, derived))
        if derived != start:
            steps.setdefault((derived.dataset, True), set()).add((source, derived))
    for source in distances:
        if distances[source] <= depth:
            for thing in _perhaps(world, source.dataset):
                if (thing, True) not in steps and thing != start.dataset:
                    steps.setdefault((thing, False), set()).add((source, None))
    return {thing: _node(distances, own_steps, certain, reached) for (thing, certain), own_steps in steps.items()}


def _node(distances, steps, certain, reached):
    nearest = min(distances[source] for source, _ in steps)
    return (
        nearest + 1,
        {source for source, _ in steps if distances[source] == nearest},
        any(reached.goes_on(source, derived, directly=True) for source, derived in steps),
        not any(reached.goes_on(source, derived, directly=False) for source, derived in steps),
        certain,
    )


def _reports(world, source, derived):
    """Yield the transformations, and the job, of each report of a step."""
    reports = [word.columns.fields.keys() for word in world.writers(source.dataset)]
    for word in world.writers(derived.dataset):
        columns = world.named(world.without_hidden(word.columns))
        for sources in (columns.fields.get(derived.field, {}), columns.dataset_level):
            for used, how in sources.items():
                if used.dataset == source.dataset and used.field and went_into(source.field, used.field, reports):
                    yield how, word.reporter.job


def _perhaps(world, dataset):
    """Yield the jobs and datasets possibly derived from any column of a dataset."""
    for other in world.visible_datasets():
        for word in world.writers(other):
            columns = world.named(world.without_hidden(word.columns))
            if any(source.dataset == dataset and source.field is None for source in sources_in(columns)):
                yield from filter(None, (other, word.reporter.job))


class _Reached:
    """The columns reached directly, and the columns reached without masking."""

    def __init__(self, start, edges):
        self._hows = {}
        for source, derived, how, _ in edges:
            self._hows.setdefault((source, derived), []).append(how)
        self._directly, self._openly = (
            hops(
                [start],
                _FAR,
                lambda column, way=way: {derived for source, derived in self._ways(way) if source == column},
            )
            for way in (True, False)
        )

    def _ways(self, directly):
        return [ends for ends, hows in self._hows.items() if self._goes(hows, directly=directly)]

    def _goes(self, hows, *, directly):
        if directly:
            return any(not how or any(transformation.type == "DIRECT" for transformation in how) for how in hows)
        return any(not how or not all(transformation.masking for transformation in how) for how in hows)

    def is_direct(self, column):
        return column in self._directly

    def is_masked(self, column):
        return column not in self._openly

    def goes_on(self, source, derived, *, directly):
        """True if the source is reached (directly, or unmasked), and such a step leads to `derived` (None: unknown)."""
        reached = self._directly if directly else self._openly
        return source in reached and (derived is None or self._goes(self._hows[source, derived], directly=directly))
