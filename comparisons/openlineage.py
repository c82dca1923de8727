"""Capture beside OpenLineage's own integration with Spark, by the cases of our capture suite.

`python -m comparisons.openlineage io.openlineage:openlineage-spark_2.12:VERSION [--differences FILE]`, with the
Python of a Spark that the package is for; Spark resolves the package by `spark.jars.packages`. Both watch one session;
the lineage that each reports of a case is compared with the lineage that the case requires. With a table format in
`HEADWATER_TABLE_FORMATS` (`tests.spark.table_formats`), the cases are those of the format instead.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark

from comparisons.format_cases import find_format_cases, find_stream_cases
from comparisons.reported import (
    Lineage,
    Versions,
    of_events,
    of_lines,
    versions_of_events,
    versions_of_writes,
)
from comparisons.score import CaseResult, differences, render
from local_stack.toolchain import with_java
from tests.spark import table_formats
from tests.spark.capture.conftest import DATASETS, Watch
from tests.spark.capture.specification import Case, expected, lines_of
from tests.spark.conftest import OPTIONS

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SUITE = Path(__file__).parents[2] / "tests" / "spark" / "capture"
# Suites that need sessions or catalogs of their own.
_ELSEWHERE = ("test_hive", "test_row_changes")
_OPENLINEAGE = {
    "spark.extraListeners": "io.openlineage.spark.agent.OpenLineageSparkListener",
    "spark.openlineage.transport.type": "file",
    "spark.openlineage.columnLineage.datasetLineageEnabled": "true",
}
_BUS_MS = 30_000


def find_cases(version: str) -> Iterator[tuple[str, Case]]:
    """Yield the suite's cases that this Spark supports and that require lineage, with their modules' names."""
    for path in sorted(_SUITE.glob("test_*.py")):
        if path.stem not in _ELSEWHERE:
            values = vars(import_module(f"tests.spark.capture.{path.stem}")).values()
            groups = [value for value in values if isinstance(value, tuple)]
            for case in (case for group in groups for case in group if isinstance(case, Case)):
                if case.since <= version and case.lineage != "nothing":
                    yield path.stem.removeprefix("test_").replace("_", " "), case


class Peers:
    """Both captures over one session; the integration writes into the file `events`."""

    def __init__(self, spark: SparkSession, events: Path) -> None:
        self._spark = spark
        self._events = events
        self._read = 0
        self._watch = Watch(spark)

    def report(self, case: Case, out: str) -> dict[str, Lineage]:
        """Return the lineage that each reports of a case."""
        return self.report_all(case, out)[0]

    def report_all(self, case: Case, out: str) -> tuple[dict[str, Lineage], dict[str, Versions]]:
        """Return the lineage that each reports of a case, and the versions of tables."""
        for before in case.before:
            self._spark.sql(before)
        self._new_events()
        writes = self._watch.writes_of(lambda: case.act(self._spark, out))
        events = self._new_events()
        lineage = {"jar": of_events(events), "ours": of_lines(lines_of(writes))}
        return lineage, {"jar": versions_of_events(events), "ours": versions_of_writes(writes)}

    def close(self) -> None:
        """Stop our capture."""
        self._watch.close()

    def _new_events(self) -> list[dict[str, Any]]:
        context: Any = self._spark.sparkContext._jsc
        context.sc().listenerBus().waitUntilEmpty(_BUS_MS)
        lines = self._events.read_text(encoding="utf-8").splitlines()
        new, self._read = lines[self._read :], len(lines)
        return [json.loads(line) for line in new]


@contextmanager
def open_session(package: str, folder: Path) -> Iterator[SparkSession]:
    """Yield the suite's session with the integration, whose events go to the file `events`."""
    from pyspark.sql import SparkSession

    os.environ.update({**with_java(os.environ), "PYSPARK_PYTHON": sys.executable})
    builder = SparkSession.builder.master("local[2]").appName("peers")
    folders = {
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.openlineage.transport.location": str(folder / "events"),
    }
    formats = table_formats.options(folders["spark.sql.warehouse.dir"])
    packages = ",".join(filter(None, [package, formats.get("spark.jars.packages")]))
    for key, value in {**OPTIONS, **_OPENLINEAGE, **folders, **formats, "spark.jars.packages": packages}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    try:
        yield spark
    finally:
        spark.stop()


def _make_datasets(spark: SparkSession, folder: Path) -> None:
    """Write the datasets of the suite, each a table by its own name."""
    for name, rows in DATASETS.items():
        spark.sql(rows).coalesce(1).write.parquet(f"{folder}/{name}")
        spark.sql(f"CREATE TABLE {name} USING parquet LOCATION '{folder}/{name}'")


def compare(package: str, only: str | None = None) -> list[CaseResult]:
    """Run the cases, one after the other; `only` those of a kind."""
    with tempfile.TemporaryDirectory() as name, open_session(package, folder := Path(name)) as spark:
        _make_datasets(spark, folder)
        peers = Peers(spark, folder / "events")
        cases = (
            find_format_cases(spark)
            if table_formats.chosen()
            else chain(find_cases(pyspark.__version__), find_stream_cases(folder))
        )
        results = [
            CaseResult(
                kind, case.name, of_lines(expected(case.lineage)), *peers.report_all(case, f"{folder}/{number}/out")
            )
            for number, (kind, case) in enumerate(each for each in cases if only in (None, each[0]))
        ]
        peers.close()
    return results


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(prog="openlineage", description=__doc__)
    parser.add_argument("package", help="the integration's Maven coordinates")
    parser.add_argument("--differences", type=Path, metavar="FILE", help="write every difference into this file")
    parser.add_argument("--only", metavar="KIND", help="the cases of one kind, such as streams")
    parsed = parser.parse_args(arguments)
    results = compare(parsed.package, parsed.only)
    if parsed.differences:
        parsed.differences.write_text("\n".join(differences(results)) + "\n", encoding="utf-8")
    print(f"Spark {pyspark.__version__}, {parsed.package}, {len(results)} cases\n")
    print("\n".join(render(results)))


if __name__ == "__main__":
    main()
