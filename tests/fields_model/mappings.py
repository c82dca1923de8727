"""Mappings between fields by all runs of a time range."""

from headwater.queries.results.columns import FieldMapping, Mappings
from headwater_model.columns import Column
from tests.fields_model.relations import reports_in


def find_mappings(world, dataset, time_range, level):
    """Return mappings upstream and downstream of a dataset, up to `level` datasets away."""
    reports = reports_in(world, time_range)
    pairs = _pairs(reports)
    start = world.statements.primary(dataset)
    mapped = set()
    for here, there in ((1, 0), (0, 1)):
        reached = {start}
        for _ in range(level):
            reached_ends = {ends for ends in pairs if ends[here] in reached}
            mapped |= reached_ends
            reached |= {ends[there] for ends in reached_ends}
    items = tuple(FieldMapping(*ends, tuple(sorted(pairs[ends]))) for ends in sorted(mapped))
    return Mappings(items, types=_types(world, items, reports))


def _pairs(reports):
    """Return pairs of fields by (source, destination)."""
    pairs_by_ends = {}
    for _, dataset, columns in reports:
        for path, sources in [*columns.fields.items(), (None, columns.dataset_level)]:
            for source in sources:
                pairs = pairs_by_ends.setdefault((source.dataset, dataset), set())
                if path is not None and source.field is not None:
                    pairs.add((source.field, path))
    return pairs_by_ends


def _types(world, items, reports):
    """Return the types of the fields in these mappings: of the newest report that has one, else of the schema."""
    ends = {(mapping.source, mapping.destination) for mapping in items}
    given = {}
    for reporter, dataset, columns in reports:
        if any((source, dataset) in ends for source in columns.datasets):
            for path, kind in columns.types.items():
                column, place = Column(dataset, path), (reporter.start, reporter.id, kind)
                given[column] = max(place, given.get(column, place))
    fields = {Column(mapping.source, pair[0]) for mapping in items for pair in mapping.pairs}
    fields |= {Column(mapping.destination, pair[1]) for mapping in items for pair in mapping.pairs}
    types = {
        column: given[column][2] if column in given else world.schema(column.dataset).get(column.field)
        for column in fields
    }
    return tuple((column, types[column]) for column in sorted(types) if types[column] is not None)
