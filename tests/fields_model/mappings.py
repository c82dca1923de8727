"""Mappings between fields by all runs of a time range."""

from __future__ import annotations

from lineage.queries.columns.results import FieldMapping, Mappings


def find_mappings(world, dataset, window, level):
    """Return mappings upstream and downstream of a dataset, up to `level` datasets away."""
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
    """Return pairs of fields by (source, destination), from all reporters that started in the time range."""
    found = {}
    for reporter in world.reporters:
        if window.start <= reporter.start < window.end:
            for name in {*reporter.outputs, *reporter.reported}:
                columns = world.named(reporter.columns(name))
                for path, sources in [*columns.fields.items(), (None, columns.dataset_level)]:
                    for source in sources:
                        pairs = found.setdefault((source.dataset, world.statements.primary(name)), set())
                        if path is not None and source.field is not None:
                            pairs.add((source.field, path))
    return found
