"""The lineage of writes as sets that can be compared, from a case's text or from OpenLineage events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from headwater_model.field_paths import parse_dotted, print_dotted
from headwater_model.ids import FieldPath
from spark_client.capturing.model import Write
from tests.spark.capture.specification import short_name

# All of a dataset, as a column that depends on others.
WHOLE: FieldPath = ("*",)
_DIRECT = {"IDENTITY", "TRANSFORMATION", "AGGREGATION", "UNKNOWN", "SOMEHOW"}
_DESCRIPTION = re.compile(r" \([^)]*\)")
_SOURCE = re.compile(r"(?P<dataset>[^.]+)\.(?P<field>.+?) (?:(?:IN)?DIRECT )?(?P<kind>[A-Z_]+)(?P<masked> MASKED)?")


class Edge(NamedTuple):
    """A column and a source of it; datasets by the last part of their names."""

    dataset: str
    column: FieldPath
    of_dataset: str
    of_column: FieldPath
    kind: str
    masked: bool = False

    @property
    def direct(self) -> bool:
        """True if values come from the source; else the source decides which values or rows there are."""
        return self.kind in _DIRECT and self.column != WHOLE

    def __str__(self) -> str:
        column, of_column = print_dotted(self.column), print_dotted(self.of_column)
        return f"{self.dataset}.{column} <- {self.of_dataset}.{of_column} {self.kind}{' MASKED' if self.masked else ''}"


class Lineage(NamedTuple):
    """The lineage of all writes of a case: `datasets` has each output, and each pair of output and input."""

    datasets: frozenset[tuple[str, ...]] = frozenset()
    edges: frozenset[Edge] = frozenset()


def of_lines(lines: Iterable[str]) -> Lineage:
    """Parse the lines of a case: its expectation, or the result of our capture.

    >>> lineage = of_lines(["out:", "n <- a.b AGGREGATION MASKED, a.`c.d` FILTER (by f)", "inputs: a"])
    >>> sorted(map(str, lineage.edges)), sorted(lineage.datasets)
    (['out.n <- a.`c.d` FILTER', 'out.n <- a.b AGGREGATION MASKED'], [('out',), ('out', 'a')])
    """
    output = ""
    datasets: set[tuple[str, ...]] = set()
    edges: set[Edge] = set()
    for line in lines:
        column, arrow, sources = line.partition(" <- ")
        if arrow:
            edges.update(_edges(output, parse_dotted(column), _DESCRIPTION.sub("", sources)))
        elif line.startswith("inputs: "):
            datasets.update((output, name) for name in line.removeprefix("inputs: ").split(", ") if name != "none")
        else:
            output = line.removesuffix(":")
            datasets.add((output,))
    return Lineage(frozenset(datasets), frozenset(edges))


def _edges(output: str, column: FieldPath, sources: str) -> Iterator[Edge]:
    for source in sources.split(", "):
        if match := _SOURCE.fullmatch(source):
            field = parse_dotted(match["field"])
            yield Edge(output, column, match["dataset"], field, match["kind"], match["masked"] is not None)


def of_events(events: Iterable[Mapping[str, Any]]) -> Lineage:
    """Parse OpenLineage run events; the events of a run add up."""
    datasets: set[tuple[str, ...]] = set()
    edges: set[Edge] = set()
    for event in events:
        for dataset in event.get("outputs") or ():
            output = _name(dataset)
            datasets.add((output,))
            datasets.update((output, _name(source)) for source in event.get("inputs") or ())
            edges.update(_facet_edges(output, (dataset.get("facets") or {}).get("columnLineage") or {}))
    return Lineage(frozenset(datasets), frozenset(edges))


def _facet_edges(output: str, facet: Mapping[str, Any]) -> Iterator[Edge]:
    """Yield the edges of a facet. The integration has no nested fields: a dot is part of a column's name."""
    columns = [((name,), field["inputFields"]) for name, field in (facet.get("fields") or {}).items()]
    for column, sources in [*columns, (WHOLE, facet.get("dataset") or ())]:
        for source in sources:
            for how in source.get("transformations") or [{}]:
                kind, masked = how.get("subtype") or "SOMEHOW", bool(how.get("masking"))
                yield Edge(output, column, _name(source), (source["field"],), kind, masked)


class Versions(NamedTuple):
    """The versions of tables that were read and made, each as (dataset, version)."""

    read: frozenset[tuple[str, str]] = frozenset()
    made: frozenset[tuple[str, str]] = frozenset()


def versions_of_events(events: Iterable[Mapping[str, Any]]) -> Versions:
    """Return the versions that run events report of their inputs and outputs."""
    read, written = (
        frozenset(
            (_name(dataset), str(version["datasetVersion"]))
            for event in events
            for dataset in event.get(side) or ()
            if (version := (dataset.get("facets") or {}).get("version"))
        )
        for side in ("inputs", "outputs")
    )
    return Versions(read, written)


def versions_of_writes(writes: Iterable[Write]) -> Versions:
    """Return the versions that our capture reports of writes."""
    datasets = [(write.inputs, (write.output,)) for write in writes]
    read, written = (
        frozenset(
            (short_name(dataset.id), dataset.version) for pair in datasets for dataset in pair[side] if dataset.version
        )
        for side in (0, 1)
    )
    return Versions(read, written)


def _name(dataset: Mapping[str, Any]) -> str:
    name: str = dataset["name"]
    return name.rsplit("/", 1)[-1] if "/" in name else name.rsplit(".", 1)[-1].strip('"').lower()
