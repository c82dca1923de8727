"""Which fields went into which, of all that ran in a time range."""

from __future__ import annotations

from lineage.queries.columns.results import FieldMapping, Mappings


def find_mappings(world, dataset, window, level):
    """Up and down from a dataset, so many datasets far in each direction."""
    pairs = _pairs(world, window)
    start = world.statements.primary(dataset)
    found = set()
    for here, there in ((1, 0), (0, 1)):
        reached = {start}
        for _ in range(level):
            near = {ends for ends in pairs if ends[here] in reached}
            found |= near
            reached |= {ends[there] for ends in near}
    return Mappings(tuple(FieldMapping(*ends, tuple(sorted(pairs[ends]))) for ends in sorted(found)))


def _pairs(world, window):
    """(source, destination) -> pairs of fields, of everyone who began in the window."""
    found = {}
    for reporter in world.reporters:
        if window.start <= reporter.start < window.end:
            for name in {*reporter.outputs, *reporter.told}:
                columns = world.named(reporter.columns(name))
                for path, sources in [*columns.fields.items(), (None, columns.dataset_level)]:
                    for source in sources:
                        pairs = found.setdefault((source.dataset, world.statements.primary(name)), set())
                        if path is not None and source.field is not None:
                            pairs.add((source.field, path))
    return found
