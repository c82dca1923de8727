"""The form in which a write and what must be told of it are written down, and the text in which a write is told.

What is told of a write is one line for each of its columns, one (`*`) for all of it, one for what it reads:

    speed <- flights.distance TRANSFORMATION, flights.air_time TRANSFORMATION
    day <- nothing
    note <- unknown
    * <- flights.carrier FILTER
    inputs: flights

`IDENTITY`, `TRANSFORMATION`, `AGGREGATION`, `UNKNOWN` and `SOMEHOW` (nobody said how) are DIRECT, all else is INDIRECT.
`MASKED` and a description in parentheses may follow. In an expectation `inputs` may be left out where they are the
datasets of its columns; `unknown` among them is an input without a name. Datasets are told by the last part of their
names. A line with a colon alone (`totals:`) names the dataset that the lines below it are of; without one it is `out`.
`nothing` alone: no write is told.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pyspark.sql import DataFrame, SparkSession

from lineage_model.columns import Source, Sources, Transformation
from lineage_model.field_paths import print_dotted
from lineage_model.ids import DatasetId
from spark_client.capturing.model import Write

_DIRECT = {"IDENTITY", "TRANSFORMATION", "AGGREGATION", "UNKNOWN", "SOMEHOW"}
_SECTION = re.compile(r"^(\S+):$", re.MULTILINE)
# Commas that part sources, not those inside a description.
_COMMA = re.compile(r",\s*(?![^(]*\))")

Make = Callable[[SparkSession], DataFrame]
Act = Callable[[SparkSession, str], None]


@dataclass(frozen=True, slots=True)
class Case:
    """A write and what must be told of it: `name` says what it is about, `since` is the first Spark that can do it."""

    name: str
    act: Act
    told: str
    before: tuple[str, ...] = ()
    since: str = "3.5"

    def __str__(self) -> str:
        return self.name


def query(name: str, sql: str, told: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> Case:
    """The rows of a query, written as Parquet."""
    return frame(name, lambda spark: spark.sql(sql), told, before=before, since=since)


def frame(name: str, make: Make, told: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> Case:
    """A frame, written as Parquet."""
    return Case(name, lambda spark, out: make(spark).write.parquet(out), told, before, since)


def statement(name: str, sql: str, told: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> Case:
    """A statement that writes; `{out}` in it is a path that is not there yet."""
    return Case(name, lambda spark, out: spark.sql(sql.replace("{out}", out)) and None, told, before, since)


def write(name: str, act: Act, told: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> Case:
    """Any code that writes; it is given a path that is not there yet."""
    return Case(name, act, told, before, since)


def expected(told: str) -> list[str]:
    """The lines that must be told, those of one write after the other's."""
    if told == "nothing":
        return []
    parts = _SECTION.split("\n".join(line.strip() for line in told.splitlines()))
    named = zip(parts[1::2], parts[2::2], strict=True) if len(parts) > 1 else [("out", told)]
    return _in_order((name, _expected_lines(text)) for name, text in named)


def _expected_lines(text: str) -> Iterator[str]:
    columns: dict[str, set[str]] = {}
    inputs: set[str] | None = None
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("inputs:"):
            inputs = {name for name in line.removeprefix("inputs:").replace(",", " ").split() if name != "none"}
            continue
        column, sources = line.split(" <- ")
        columns.setdefault(column.strip(), set()).update(one for one in _COMMA.split(sources) if one != "nothing")
    if inputs is None:
        inputs = {one.split(".")[0] for sources in columns.values() for one in sources if "." in one}
    return _lines(columns, inputs)


def told(writes: Iterable[Write]) -> list[str]:
    """The lines that tell of writes."""
    return _in_order((short_name(write.output.id), _told_lines(write)) for write in writes)


def _in_order(writes: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    return [
        line for name, lines in sorted((name, sorted(lines)) for name, lines in writes) for line in (f"{name}:", *lines)
    ]


def _told_lines(write: Write) -> Iterator[str]:
    columns: dict[str, set[str]] = {}
    for path, sources in write.columns.fields.items():
        columns[print_dotted(path)] = set(_told_sources(sources))
    for path in write.unknown:
        columns.setdefault(print_dotted(path), set()).add("unknown")
    if write.columns.whole:
        columns["*"] = set(_told_sources(write.columns.whole))
    inputs = {short_name(one.id) for one in write.inputs} | ({"unknown"} if write.unknown_inputs else set())
    return _lines(columns, inputs)


def _lines(columns: dict[str, set[str]], inputs: Iterable[str]) -> Iterator[str]:
    for column, sources in columns.items():
        yield f"{column} <- {', '.join(sorted(sources)) or 'nothing'}"
    yield f"inputs: {', '.join(sorted(inputs)) or 'none'}"


def _told_sources(sources: Sources) -> Iterator[str]:
    for source, ways in sources.items():
        for way in ways:
            yield f"{_told_source(source)} {_told_way(way)}"


def _told_source(source: Source) -> str:
    return f"{short_name(source.dataset)}.{'?' if source.field is None else print_dotted(source.field)}"


def _told_way(way: Transformation) -> str:
    agrees = (way.type == "DIRECT") == ((way.subtype or "SOMEHOW") in _DIRECT)
    words = ["" if agrees else way.type, way.subtype or "SOMEHOW", "MASKED" if way.masking else ""]
    return " ".join(filter(None, [*words, f"({way.description})" if way.description else ""]))


def short_name(dataset: DatasetId) -> str:
    """The last part of its name: of a path the last folder, of a table its name."""
    name = dataset.name.rsplit("/", 1)[-1]
    return name if dataset.namespace.startswith("file") else name.rsplit(".", 1)[-1].strip('"').lower()
