"""Connectors: names of the datasets of sources and sinks that Spark does not bring.

Capture takes from a connector the names of what is read or written by one of its classes or by its options. A package
brings a connector of its own by an entry point, whose object is a class without parameters, or an instance:

    [project.entry-points."headwater.connectors"]
    acme = "acme_lineage:AcmeConnector"

Nothing but what a connector names in `getters` and `options` leaves the JVM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from headwater_model.ids import DatasetId

__all__ = ["GROUP", "Computed", "Connector", "DatasetId", "Described"]

# Group of the entry points.
GROUP = "headwater.connectors"


@dataclass(frozen=True, slots=True)
class Described:
    """Relation, table, source or sink in a plan, as its connector sees it.

    Attributes:
        name: by which of the connector's `classes` it was chosen, in lower case.
        options: those of the connector's `options` that the read or write is given, or the table has as properties;
            without any, those in maps that getters return. Keys are in lower case.
        conf: those of the connector's `options` that begin with `spark.` and that Spark's conf has.
        values: results of the connector's getters, by their names; texts, numbers as texts, lists and maps.
        is_write: True for a sink, or a table that is written.
    """

    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    is_write: bool = False
    conf: Mapping[str, str] = field(default_factory=dict)


class Computed(tuple[DatasetId, ...]):
    """Datasets of a query that the source runs: they are read, and the columns of its result have unknown sources."""

    __slots__ = ()


@runtime_checkable
class Connector(Protocol):
    """Names of one system's datasets.

    Attributes:
        classes: names by which it is chosen: full names of classes in the JVM (a relation, a table, a provider, a
            sink), and names of the source, as in `format("acme")`.
        getters: by class or interface, the methods without parameters (or else the fields) to read; after a dot, one of
            the first one's result. Those of a class hold for the classes below it, too.
        options: keys that are read of maps of options, in lower case; of one with a `?` behind it only that it is
            there, as an empty text (a query has literals). The name of a secret (`password`, `token`) is refused. One
            that begins with `spark.` is read of Spark's conf, too.
    """

    classes: Sequence[str]
    getters: Mapping[str, Sequence[str]]
    options: Sequence[str]

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Return the datasets, by OpenLineage's naming (https://openlineage.io/docs/spec/naming).

        None if they have no name: what is read or written is reported as unknown then, never as something else. Of an
        error the same is reported, and logged once.
        """
        ...
