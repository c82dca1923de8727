"""Connectors: names of the datasets of sources and sinks beyond Spark's own.

A connector names the datasets of reads and writes by its classes or options. A package brings its connector by an entry
point. The entry point's object is a class without parameters, or an instance:

    [project.entry-points."headwater.connectors"]
    acme = "acme_lineage:AcmeConnector"

Only values named in a connector's `getters` and `options` leave the JVM.
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
        name: the matching name of the connector's `classes`, in lower case.
        options: the connector's `options` given with the read or write, or set as properties of the table;
            without any, options in maps of getters. Keys are in lower case.
        conf: the connector's `options` set in Spark's conf; their names begin with `spark.`.
        values: results of the connector's getters, by their names; texts, numbers as texts, lists and maps.
        is_write: True for a sink, or a written table.
    """

    name: str
    options: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)
    is_write: bool = False
    conf: Mapping[str, str] = field(default_factory=dict)


class Computed(tuple[DatasetId, ...]):
    """Datasets of a query run by the source: they are read, and the columns of its result have unknown sources."""

    __slots__ = ()


@runtime_checkable
class Connector(Protocol):
    """Names of a system's datasets.

    Attributes:
        classes: names of the classes to match: full names of classes in the JVM (a relation, a table, a provider,
            a sink), and names of the source, as in `format("acme")`.
        getters: by class or interface, the methods without parameters (or else the fields) to read. A dot leads to a
            method of the first result: `table.name`. Getters of a class hold for the classes below it, too.
        options: keys to read from maps of options, in lower case. For a key such as `query?` only its presence is read,
            as an empty text (a query has literals). The name of a secret (`password`, `token`) is refused. A key
            beginning with `spark.` is read from Spark's conf, too.
    """

    classes: Sequence[str]
    getters: Mapping[str, Sequence[str]]
    options: Sequence[str]

    def datasets(self, described: Described) -> Sequence[DatasetId]:
        """Name the datasets, by OpenLineage's naming (https://openlineage.io/docs/spec/naming).

        None if the datasets have no name: the read or write is then reported as unknown, never under a wrong name.
        After an error it is reported as unknown, too; the error is logged once.
        """
        ...
