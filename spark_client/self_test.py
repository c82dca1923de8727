"""Test of a runtime: does capture read its Spark, a vendor's or a newer version, as it should?

    python -m spark_client.self_test [--json]
    spark-submit .../spark_client/self_test.py [--json]

Analyzes small queries, writes three rows into a temporary folder, and prints a line for each check. The exit status is
1 if a line is not as known. Real writes report the same in their facet `headwater_capture`.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from spark_client.capturing.jvm.executions import Executions
    from spark_client.capturing.jvm.items import Item

_DRAIN_S = 60.0
_COLUMN = "doubled"


@dataclass(frozen=True, slots=True)
class Line:
    """Check, its result in words, and True if the result is as known."""

    check: str
    result: str
    is_known: bool = True


def main(arguments: Sequence[str]) -> int:
    """Print the lines; return 1 if a line is not as known."""
    parser = argparse.ArgumentParser(
        prog="python -m spark_client.self_test", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    as_json = parser.parse_args(arguments).json
    from pyspark.sql import SparkSession

    spark = SparkSession.builder.appName("self-test").getOrCreate()
    lines = list(run(spark))
    for line in lines:
        mark = "ok " if line.is_known else "NOT"
        text = json.dumps(asdict(line)) if as_json else f"{mark}  {line.check:<12} {line.result}"
        sys.stdout.write(f"{text}\n")
    return int(not all(line.is_known for line in lines))


def run(spark: SparkSession) -> Iterator[Line]:
    """Yield a line for each check."""
    from spark_client.capturing.jvm.executions import Executions, Unavailable
    from spark_client.capturing.jvm.items import Lost

    yield Line("Spark", spark.version)
    try:
        executions = Executions(spark, at_once=True)
    except Unavailable as error:
        yield Line("driver", str(error), is_known=False)
        return
    try:
        yield Line("tests", "this release is among ours" if executions.is_tried else "this release is not among ours")
        yield from _plans(executions)
        items = _items_of_write(spark, executions)
        lost = [f"{item.part} ({item.reason})" for item in items if isinstance(item, Lost)]
        yield Line("Java", "; ".join(lost) or "all classes compile", is_known=not lost)
        yield _write(items)
    finally:
        executions.close()


def _plans(executions: Executions) -> Iterator[Line]:
    from spark_client.capturing.session.self_test import CHECKS, find_misread

    lacking = executions.lacking()
    yield Line("parameters", ", ".join(lacking) or "all are there", is_known=not lacking)
    misread = find_misread(executions.analyze)
    right = f"{len(CHECKS)} queries mean what they are read as"
    yield Line("plans", f"misread: {', '.join(misread)}" if misread else right, is_known=not misread)


def _items_of_write(spark: SparkSession, executions: Executions) -> list[Item]:
    with tempfile.TemporaryDirectory() as folder:
        spark.range(3).selectExpr("id").write.parquet(f"{folder}/rows")
        rows = spark.read.parquet(f"{folder}/rows")
        rows.selectExpr(f"id * 2 AS {_COLUMN}").write.parquet(f"{folder}/{_COLUMN}")
        executions.drain(_DRAIN_S)
        return list(iter(lambda: executions.next(0), None))


def _write(items: Sequence[Item]) -> Line:
    """Check a write of a column made of another."""
    from spark_client.capturing.datasets.catalogs import Catalogs
    from spark_client.capturing.extract import Extractor
    from spark_client.capturing.model import Execution

    extractor = Extractor(Catalogs())
    writes = [write for item in items if isinstance(item, Execution) for write in extractor.read_write(item)]
    column_writes = [write for write in writes if (_COLUMN,) in write.columns.fields]
    sources = [source.field for write in column_writes for source in write.columns.fields[_COLUMN,]]
    if sources != [("id",)]:
        return Line("a write", f"{len(writes)} of 2 writes, columns of {sources}", is_known=False)
    return Line("a write", f"two writes, with their columns: {_COLUMN} is made of id")


if __name__ == "__main__":
    # As a script its own folder is on the path, where `requests` is another module.
    here = Path(__file__).resolve().parent
    sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != here]
    sys.path.append(str(here.parent))
    sys.exit(main(sys.argv[1:]))
