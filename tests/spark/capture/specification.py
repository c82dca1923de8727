"""The notation of a write's expected lineage, and the text of a captured write in the same notation.

The lineage of a write has a line for each column, a line (`*`) for all of it, and its inputs:

    speed <- flights.distance TRANSFORMATION, flights.air_time TRANSFORMATION
    day <- nothing
    note <- unknown
    * <- flights.carrier FILTER
    inputs: flights

`IDENTITY`, `TRANSFORMATION`, `AGGREGATION`, `UNKNOWN` and `SOMEHOW` (no subtype) are DIRECT, all else is INDIRECT.
In an expectation a source alone is `IDENTITY`, and `a, b <- nothing` stands for two columns.
`MASKED` and a description in parentheses may follow. A semicolon ends a line, too. In an expectation `inputs` may be
left out where they are the datasets of its columns; `unknown` among them is an input without a name. Datasets stand by
the last part of their names. A line with a colon alone (`totals:`) names the dataset of the lines below it, by default
`out`.
`nothing` alone: no write is captured.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise, takewhile
from textwrap import dedent

from pyspark.sql import DataFrame, SparkSession

from headwater_model.columns import ColumnSource, Sources, Transformation
from headwater_model.field_paths import print_dotted
from headwater_model.ids import DatasetId
from spark_client.capturing.model import Write

_DIRECT = {"IDENTITY", "TRANSFORMATION", "AGGREGATION", "UNKNOWN", "SOMEHOW"}
_SECTION = re.compile(r"^(\S+):$", re.MULTILINE)
# Commas between sources, not inside a description.
_COMMA = re.compile(r",\s*(?![^(]*\))")
_KIND = re.compile(r" [A-Z]{3,}")
# The first line of a case's lineage, behind its SQL.
_LINEAGE = re.compile(r"^(.+ <- .+|inputs: .+|nothing|\S+:(;.*)?)$")

Make = Callable[[SparkSession], DataFrame]
Act = Callable[[SparkSession, str], None]


@dataclass(frozen=True, slots=True)
class Case:
    """A write and its expected lineage; `since` is the first Spark with support for it.

    `make` returns the frame of the write, if the write is of a frame as Parquet.
    """

    name: str
    act: Act
    lineage: str
    before: tuple[str, ...] = ()
    since: str = "3.5"
    make: Make | None = None

    def __str__(self) -> str:
        return self.name


def query(name: str, sql: str, lineage: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> Case:
    """Make the case of a query, written as Parquet."""
    return frame(name, lambda spark: spark.sql(sql), lineage, before=before, since=since)


def frame(name: str, make: Make, lineage: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> Case:
    """Make the case of a frame, written as Parquet."""
    return Case(name, lambda spark, out: make(spark).write.parquet(out), lineage, before, since, make)


def statement(name: str, sql: str, lineage: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> Case:
    """Make the case of a writing statement; `{out}` in it is a path without a file."""
    return Case(name, lambda spark, out: spark.sql(sql.replace("{out}", out)) and None, lineage, before, since)


def write(name: str, act: Act, lineage: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> Case:
    """Make the case of any writing code; it gets a path without a file."""
    return Case(name, act, lineage, before, since)


def queries(cases: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> tuple[Case, ...]:
    """Parse cases of queries, written as Parquet: a name, and below it, indented, the SQL and its lineage.

    A line `before: SQL` or `since: 4.0` in front of the SQL is the case's own; a line of `#` is a comment.

    >>> [str(case) for case in queries("a column\\n  SELECT a FROM t\\n  a <- t.a")]
    ['a column']
    """
    return tuple(_parse(cases, query, before, since))


def statements(cases: str, *, before: tuple[str, ...] = (), since: str = "3.5") -> tuple[Case, ...]:
    """Parse cases of writing statements, in the form of `queries`."""
    return tuple(_parse(cases, statement, before, since))


def _parse(cases: str, make: Callable[..., Case], before: tuple[str, ...], since: str) -> Iterator[Case]:
    lines = [line for line in dedent(cases).splitlines() if line.strip() and not line.lstrip().startswith("#")]
    starts = [number for number, line in enumerate(lines) if not line.startswith(" ") and " <- " not in line]
    for start, end in pairwise([*starts, len(lines)]):
        body = [line.strip() for line in lines[start + 1 : end]]
        own = [line.removeprefix("before: ") for line in body if line.startswith("before: ")]
        first = ([line.removeprefix("since: ") for line in body if line.startswith("since: ")] or [since])[0]
        body = [line for line in body if not line.startswith(("before: ", "since: "))]
        sql = list(takewhile(lambda line: not _LINEAGE.match(line), body))
        yield make(lines[start], " ".join(sql), "\n".join(body[len(sql) :]), before=(*before, *own), since=first)


def expected(lineage: str) -> list[str]:
    """Parse the expected lines, write by write."""
    if lineage == "nothing":
        return []
    parts = _SECTION.split("\n".join(line.strip() for line in re.split("[;\n]", lineage)))
    named = zip(parts[1::2], parts[2::2], strict=True) if len(parts) > 1 else [("out", parts[0])]
    return _in_order((name, _expected_lines(text)) for name, text in named)


def _expected_lines(text: str) -> Iterator[str]:
    columns: dict[str, set[str]] = {}
    inputs: set[str] | None = None
    for line in filter(None, map(str.strip, text.splitlines())):
        if line.startswith("inputs:"):
            inputs = {name for name in line.removeprefix("inputs:").replace(",", " ").split() if name != "none"}
            continue
        column, sources = line.split(" <- ")
        kinds = {_with_kind(source) for source in _COMMA.split(sources) if source != "nothing"}
        for name in column.strip().split(", "):
            columns.setdefault(name, set()).update(kinds)
    if inputs is None:
        inputs = {source.split(".")[0] for sources in columns.values() for source in sources if "." in source}
    return _lines(columns, inputs)


def _with_kind(source: str) -> str:
    return source if source == "unknown" or _KIND.search(source) else f"{source} IDENTITY"


def lines_of(writes: Iterable[Write]) -> list[str]:
    """Render the lines of captured writes."""
    return _in_order((short_name(write.output.id), _lines_of_write(write)) for write in writes)


def _in_order(writes: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    return [
        line for name, lines in sorted((name, sorted(lines)) for name, lines in writes) for line in (f"{name}:", *lines)
    ]


def _lines_of_write(write: Write) -> Iterator[str]:
    columns: dict[str, set[str]] = {}
    for path, sources in write.columns.fields.items():
        columns[print_dotted(path)] = set(_render_sources(sources))
    for path in write.unknown:
        columns.setdefault(print_dotted(path), set()).add("unknown")
    if write.columns.dataset_level:
        columns["*"] = set(_render_sources(write.columns.dataset_level))
    inputs = {short_name(dataset.id) for dataset in write.inputs} | ({"unknown"} if write.unknown_inputs else set())
    return _lines(columns, inputs)


def _lines(columns: dict[str, set[str]], inputs: Iterable[str]) -> Iterator[str]:
    for column, sources in columns.items():
        yield f"{column} <- {', '.join(sorted(sources)) or 'nothing'}"
    yield f"inputs: {', '.join(sorted(inputs)) or 'none'}"


def _render_sources(sources: Sources) -> Iterator[str]:
    for source, transformations in sources.items():
        for transformation in transformations:
            yield f"{_render_source(source)} {_render_transformation(transformation)}"


def _render_source(source: ColumnSource) -> str:
    return f"{short_name(source.dataset)}.{'?' if source.field is None else print_dotted(source.field)}"


def _render_transformation(transformation: Transformation) -> str:
    agrees = (transformation.type == "DIRECT") == ((transformation.subtype or "SOMEHOW") in _DIRECT)
    words = [
        "" if agrees else transformation.type,
        transformation.subtype or "SOMEHOW",
        "MASKED" if transformation.masking else "",
    ]
    return " ".join(filter(None, [*words, f"({transformation.description})" if transformation.description else ""]))


def short_name(dataset: DatasetId) -> str:
    """Shorten its name to the last part: of a path the last folder, of a table its name."""
    name = dataset.name.rsplit("/", 1)[-1]
    return name if dataset.namespace.startswith("file") else name.rsplit(".", 1)[-1].strip('"').lower()
