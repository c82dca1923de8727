"""Cases of streams, and of Delta and Iceberg, out of the tests that are about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from tests.spark.capture import test_streams as streams
from tests.spark.capture import test_table_formats as formats
from tests.spark.capture.specification import Case, statement, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def find_stream_cases(data: Path) -> Iterator[tuple[str, Case]]:
    """Yield the queries of streams; `data` is the folder of the suite's datasets."""
    for name, make, lineage in streams.QUERIES:
        yield "streams", write(name, _streaming(make, data), lineage)


def _streaming(make: streams.Make, data: Path) -> Callable[[SparkSession, str], None]:
    def act(spark: SparkSession, out: str) -> None:
        query = streams.run(make(spark, str(data)), Path(f"{out}-progress"))
        query.start(out).awaitTermination()

    return act


def find_format_cases(spark: SparkSession) -> Iterator[tuple[str, Case]]:
    """Yield the cases of the formats that `HEADWATER_TABLE_FORMATS` names; makes the tables that they read."""
    formats.make_sources(spark)
    for way in formats.CHOSEN:
        form, of, _ = formats.WAYS[way]
        kind = form if form == way else f"{form}, {way}"
        first = formats.first_version(spark, of)
        for name, sql, lineage in formats.STATEMENTS:
            before = formats.statements_before(way)
            yield kind, statement(name, sql.format(of=of, first=first), f"checked:\n{lineage}", before=before)
        for verb in ("append", "overwritePartitions"):
            yield kind, formats.a_frame(way, verb)
        yield kind, formats.a_stream_between_tables(way)
        yield kind, formats.batches_that_merge(way)
