"""Mappings between fields by all runs of a time range."""

from __future__ import annotations

from headwater.queries.columns.results import FieldMapping, Mappings
from headwater_model.columns import Column


def find_mappings(world, dataset, window, level):
    """Return mappings upstream and downstream of a dataset, up to `level` datasets away."""
    reports = _reports(world, window)
    pairs = _pairs(reports)
    start = world.statements.primary(dataset)
    found = set()
    for here, there in ((1, 0), (0, 1)):
        reached = {start}
        for _ in range(level):
            near = {ends for ends in pairs if ends[here] in reached}
            found |= near
            reached |= {ends[there] for ends in near}
    items = tuple(FieldMapping(*ends, tuple(sorted(pairs[ends]))) for ends in sorted(found))
    return Mappings(items, types=_types(world, items, reports))


def _reports(world, window):
    """Return each report of the time range, with its reporter and dataset."""
    return [
        (reporter, world.statements.primary(name), world.named(reporter.columns(name)))
        for reporter in world.reporters
        if window.start <= reporter.start < window.end
        for name in {*reporter.outputs, *reporter.reported}
    ]


def _pairs(reports):
    """Return pairs of fields by (source, destination)."""
    found = {}
    for _, dataset, columns in reports:
        for path, sources in [*columns.fields.items(), (None, columns.dataset_level)]:
            for source in sources:
                pairs = found.setdefault((source.dataset, dataset), set())
                if path is not None and source.field is not None:
                    pairs.add((source.field, path))
    return found


def _types(world, items, reports):
    """Return the types of the fields in these mappings: of the newest report that has one, else of the schema."""
    ends = {(one.source, one.destination) for one in items}
    given = {}
    for reporter, dataset, columns in reports:
        if any((source, dataset) in ends for source in columns.datasets):
            for path, kind in columns.types.items():
                column, place = Column(dataset, path), (reporter.start, reporter.id, kind)
                given[column] = max(place, given.get(column, place))
    fields = {Column(one.source, pair[0]) for one in items for pair in one.pairs}
    fields |= {Column(one.destination, pair[1]) for one in items for pair in one.pairs}
    types = {one: given[one][2] if one in given else world.schema(one.dataset).get(one.field) for one in fields}
    return tuple((one, types[one]) for one in sorted(types) if types[one] is not None)
