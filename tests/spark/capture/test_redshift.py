"""Redshift's tables, of a stand-in for its Spark package (`java/Redshift.java`): its jar is not on Maven Central.

The stand-in has the package's classes by their names, and the methods that its connector reads of them.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import DataFrame, SparkSession

from headwater_model.ids import DatasetId
from spark_client.capturing.model import Write
from tests.spark.capture.conftest import Watch

_SOURCE = "io.github.spark_redshift_community.spark.redshift"
_URL = "jdbc:redshift://c1.abc.eu-west-1.redshift.amazonaws.com:5439/dev?user=ann&password=s3cret"
_ORDERS = DatasetId("redshift://c1.eu-west-1:5439", "dev.sales.orders")


@pytest.fixture(scope="module", autouse=True)
def package(spark: SparkSession) -> Iterator[None]:
    """Put the stand-in's classes where Spark looks for sources."""
    compiler = spark._jvm.org.codehaus.janino.SimpleCompiler()
    thread = spark._jvm.java.lang.Thread.currentThread()
    before = thread.getContextClassLoader()
    compiler.setParentClassLoader(before)
    compiler.cook((Path(__file__).parent / "java" / "Redshift.java").read_text("utf-8"))
    thread.setContextClassLoader(compiler.getClassLoader())
    yield
    thread.setContextClassLoader(before)


def a_frame(spark: SparkSession, **options: str) -> DataFrame:
    given = {"url": _URL, "tempdir": "s3a://ann:s3cret@staging/x", **options}
    return spark.read.format(_SOURCE).options(**given).load()


def captured(watch: Watch, frame: DataFrame, out: str) -> Write:
    """Return the write of a frame, which fails where rows are read."""

    def act() -> None:
        with contextlib.suppress(Exception):
            frame.write.parquet(out)

    [write] = watch.writes_of(act)
    assert "s3cret" not in repr((write.inputs, write.unknown, write.unknown_inputs))
    return write


@pytest.mark.parametrize(
    "options",
    [{"dbtable": "sales.orders"}, {"query": "SELECT carrier, flight FROM sales.orders WHERE flight > 1"}],
    ids=str,
)
def test_what_is_read_is_named(options: dict[str, str], spark: SparkSession, watch: Watch, tmp_path: Path) -> None:
    write = captured(watch, a_frame(spark, **options), f"{tmp_path}/out")
    assert [(dataset.id, len(dataset.schema)) for dataset in write.inputs] == [(_ORDERS, 2)]
    assert (sorted(write.columns.fields), write.unknown) == ([("carrier",), ("flight",)], {})


def test_what_is_written_is_named(spark: SparkSession, watch: Watch, datasets: Path) -> None:
    rows = spark.sql("SELECT carrier, flight FROM flights").write.format(_SOURCE).mode("append")
    options = {"url": _URL, "dbtable": "sales.orders", "tempdir": "s3a://staging/x"}
    [write] = watch.writes_of(lambda: rows.options(**options).save())
    assert write.output.id == _ORDERS
    assert sorted(write.columns.fields) == [("carrier",), ("flight",)]
