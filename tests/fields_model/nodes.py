"""Nodes of column graphs, as results show them."""

from headwater.queries.results.columns import UNKNOWN_TYPE, ColumnInput, Reporter


def sources_in_order(sources, version_of=lambda dataset: None):
    """Return sources in order; `version_of` returns the version of a dataset, if there are versions."""
    return tuple(
        ColumnInput(source.dataset, source.field, in_order(sources[source]), version_of(source.dataset))
        for source in sorted(sources, key=lambda source: (source.dataset, source.field or ()))
    )


def in_order(transformations):
    return tuple(
        sorted(transformations, key=lambda how: (how.type, how.subtype or "", how.description or "", str(how.masking)))
    )


def type_of(path, columns, schema):
    return columns.types.get(path) or schema.get(path) or UNKNOWN_TYPE


def reporters_of(words, path, version_of):
    """Return the reporters of a column, each once."""
    reporters = {word.reporter for word in words if word.covers(path)}
    shown = [
        Reporter(reporter.id, reporter.job, version_of(reporter), declared=reporter.run is None)
        for reporter in reporters
    ]
    return tuple(sorted(shown, key=lambda reporter: reporter.run))


def hops(starts, depth, beside):
    """Return the distance from the starts of each node within `depth`."""
    distances = dict.fromkeys(starts, 0)
    for hop in range(1, depth + 1):
        neighbours = {other for node, at in distances.items() if at == hop - 1 for other in beside(node)}
        distances = {**dict.fromkeys(neighbours, hop), **distances}
    return distances
