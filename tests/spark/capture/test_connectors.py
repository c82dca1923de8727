"""Datasets of sources that Spark does not bring, with their published jars: a plan is made, no server is there.

`make test-formats ARGS=connectors` runs them. Reads and writes fail where they need the server; a write that fails is
captured all the same.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from lineage_model.ids import DatasetId
from spark_client.capturing.model import Write
from tests.spark import table_formats
from tests.spark.capture.conftest import Watch

_ROWS = "SELECT carrier, flight FROM flights"
_SCHEMA = "carrier STRING, flight INT"


@dataclass(frozen=True)
class Store:
    """Source with its options, and the dataset that they name.

    Attributes:
        jar: begin of the name of its jar.
        form: as in `format("mongodb")`.
        options: of a read; `written` more of them of a write.
    """

    jar: str
    form: str
    options: dict[str, str]
    dataset: DatasetId
    written: dict[str, str] | None = None
    is_read: bool = True
    is_written: bool = True
    mode: str = "append"

    def __str__(self) -> str:
        return f"{self.form}-{self.dataset.name}"


_NOWHERE = "127.0.0.1:9"
_MONGO = f"mongodb://ann:s3cret@{_NOWHERE}/{{}}?serverSelectionTimeoutMS=50&connectTimeoutMS=50"
STORES = (
    Store(
        "mongo-spark",
        "mongodb",
        {"connection.uri": _MONGO.format("shop"), "collection": "orders"},
        DatasetId(f"mongodb://{_NOWHERE}", "shop.orders"),
    ),
    Store(
        "mongo-spark",
        "mongodb",
        {"spark.mongodb.connection.uri": _MONGO.format("shop.items"), "database": "archive"},
        DatasetId(f"mongodb://{_NOWHERE}", "archive.items"),
    ),
)
READ = [store for store in STORES if store.is_read and table_formats.has(store.jar)]
WRITTEN = [store for store in STORES if store.is_written and table_formats.has(store.jar)]
pytestmark = pytest.mark.skipif(not READ, reason=f"{table_formats.VARIABLE} names no connector")


def captured(watch: Watch, act: Callable[[], object]) -> list[Write]:
    """Return the writes of an action that may fail at a server that is not there."""

    def tried() -> None:
        with contextlib.suppress(Exception):
            act()

    return watch.writes_of(tried)


def frame(spark: SparkSession, store: Store) -> DataFrame:
    return spark.read.format(store.form).options(**store.options).schema(_SCHEMA).load()


def has_no_secret(write: Write) -> bool:
    ids: list[Any] = [write.output.id, *(dataset.id for dataset in write.inputs)]
    return "s3cret" not in repr((ids, write.unknown, write.unknown_inputs, write.output))


@pytest.mark.parametrize("store", READ, ids=str)
def test_what_is_read_is_named_by_its_connector(store: Store, spark: SparkSession, watch: Watch, tmp_path) -> None:
    [write] = captured(watch, lambda: frame(spark, store).write.parquet(f"{tmp_path}/out"))
    assert [dataset.id for dataset in write.inputs] == [store.dataset]
    assert [column.name for column in write.inputs[0].schema] == ["carrier", "flight"]
    assert sorted(write.columns.fields) == [("carrier",), ("flight",)]
    assert (write.unknown, has_no_secret(write)) == ({}, True)


@pytest.mark.parametrize("store", WRITTEN, ids=str)
def test_what_is_written_is_named_by_its_connector(
    store: Store, spark: SparkSession, watch: Watch, datasets: object
) -> None:
    options = {**store.options, **(store.written or {})}
    [write] = captured(
        watch, lambda: spark.sql(_ROWS).write.format(store.form).options(**options).mode(store.mode).save()
    )
    assert write.output.id == store.dataset
    assert [dataset.id.name.rpartition("/")[2] for dataset in write.inputs] == ["flights"]
    assert (sorted(write.columns.fields), has_no_secret(write)) == ([("carrier",), ("flight",)], True)
