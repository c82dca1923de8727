"""Nodes of column graphs, as results show them."""

from __future__ import annotations

from headwater.queries.columns.results import UNKNOWN_TYPE, ColumnInput, Reporter


def sources_in_order(sources, version_of=lambda dataset: None):
    """Return sources in order; `version_of` returns the version of a dataset, if there are versions."""
    return tuple(
        ColumnInput(one.dataset, one.field, in_order(sources[one]), version_of(one.dataset))
        for one in sorted(sources, key=lambda one: (one.dataset, one.field or ()))
    )


def in_order(transformations):
    return tuple(
        sorted(transformations, key=lambda one: (one.type, one.subtype or "", one.description or "", str(one.masking)))
    )


def type_of(path, columns, schema):
    return columns.types.get(path) or schema.get(path) or UNKNOWN_TYPE


def reporters_of(words, path, version_of):
    """Return the reporters of a column, each once."""
    reporters = {word.reporter for word in words if word.covers(path)}
    found = [Reporter(one.id, one.job, version_of(one), declared=one.run is None) for one in reporters]
    return tuple(sorted(found, key=lambda one: one.run))


def hops(starts, depth, beside):
    """Return the distance from the starts of each node within `depth`."""
    found = dict.fromkeys(starts, 0)
    for hop in range(1, depth + 1):
        near = {other for node, at in found.items() if at == hop - 1 for other in beside(node)}
        found = {**dict.fromkeys(near, hop), **found}
    return found
