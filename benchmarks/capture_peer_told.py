"""What is told of a write, as sets that can be compared: out of a case's text, and out of OpenLineage events."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from lineage_model.field_paths import parse_dotted, print_dotted
from lineage_model.ids import FieldPath

# All of a dataset, as the column that depends on others.
WHOLE: FieldPath = ("*",)
_DIRECT = {"IDENTITY", "TRANSFORMATION", "AGGREGATION", "UNKNOWN", "SOMEHOW"}
_DESCRIPTION = re.compile(r" \([^)]*\)")
_SOURCE = re.compile(r"(?P<dataset>[^.]+)\.(?P<field>.+?) (?:(?:IN)?DIRECT )?(?P<kind>[A-Z_]+)(?P<masked> MASKED)?")


class Edge(NamedTuple):
    """A column and one that it depends on; datasets by the last part of their names."""

    dataset: str
    column: FieldPath
    of_dataset: str
    of_column: FieldPath
    kind: str
    masked: bool = False

    @property
    def direct(self) -> bool:
        """Whether values come from there; else it only decides about them, or about rows."""
        return self.kind in _DIRECT and self.column != WHOLE

    def __str__(self) -> str:
        column, of_column = print_dotted(self.column), print_dotted(self.of_column)
        return f"{self.dataset}.{column} <- {self.of_dataset}.{of_column} {self.kind}{' MASKED' if self.masked else ''}"


class Told(NamedTuple):
    """What is told of all writes of a case: `datasets` are outputs and, with its output, each input."""

    datasets: frozenset[tuple[str, ...]] = frozenset()
    edges: frozenset[Edge] = frozenset()


def of_lines(lines: Iterable[str]) -> Told:
    """What the lines say in which a case's expectation stands, and what our capture tells of it.

    >>> told = of_lines(["out:", "n <- a.b AGGREGATION MASKED, a.`c.d` FILTER (by f)", "inputs: a"])
    >>> sorted(map(str, told.edges)), sorted(told.datasets)
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
            datasets.update((output, one) for one in line.removeprefix("inputs: ").split(", ") if one != "none")
        else:
            output = line.removesuffix(":")
            datasets.add((output,))
    return Told(frozenset(datasets), frozenset(edges))


def _edges(output: str, column: FieldPath, sources: str) -> Iterator[Edge]:
    for source in sources.split(", "):
        if found := _SOURCE.fullmatch(source):
            field = parse_dotted(found["field"])
            yield Edge(output, column, found["dataset"], field, found["kind"], found["masked"] is not None)


def of_events(events: Iterable[Mapping[str, Any]]) -> Told:
    """What OpenLineage run events say; those of a run add up."""
    datasets: set[tuple[str, ...]] = set()
    edges: set[Edge] = set()
    for event in events:
        for dataset in event.get("outputs") or ():
            output = _name(dataset)
            datasets.add((output,))
            datasets.update((output, _name(one)) for one in event.get("inputs") or ())
            edges.update(_facet_edges(output, (dataset.get("facets") or {}).get("columnLineage") or {}))
    return Told(frozenset(datasets), frozenset(edges))


def _facet_edges(output: str, facet: Mapping[str, Any]) -> Iterator[Edge]:
    """The integration knows columns, not fields inside: a dot is a part of a column's name."""
    columns = [((name,), one["inputFields"]) for name, one in (facet.get("fields") or {}).items()]
    for column, sources in [*columns, (WHOLE, facet.get("dataset") or ())]:
        for source in sources:
            for how in source.get("transformations") or [{}]:
                kind, masked = how.get("subtype") or "SOMEHOW", bool(how.get("masking"))
                yield Edge(output, column, _name(source), (source["field"],), kind, masked)


def _name(dataset: Mapping[str, Any]) -> str:
    name: str = dataset["name"]
    return name.rsplit("/", 1)[-1] if "/" in name else name.rsplit(".", 1)[-1].strip('"').lower()
