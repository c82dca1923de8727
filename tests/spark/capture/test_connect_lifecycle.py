"""Tables that are dropped, emptied and renamed over Spark Connect: the same as in a driver."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark_client.capturing.model import Write
from tests.spark.capture.conftest import Hearing
from tests.spark.capture.specification import expected, lines_of
from tests.spark.capture.test_lifecycle import CASES, MADE, effects

# The server's session has the catalog of these from its start alone.
_NOT_HERE = {"a table of a catalog of DataSource V2"}
_HERE = [name for name in CASES if name not in _NOT_HERE]


@pytest.fixture(scope="module", autouse=True)
def tables(datasets: Path) -> None:
    del datasets


def _writes(remote: Any, spark: SparkSession, first: tuple[str, ...], then: tuple[str, ...]) -> list[Write]:
    for sql in ("DROP TABLE IF EXISTS ended", "DROP TABLE IF EXISTS renamed", *first):
        remote.sql(sql)
    hearing = Hearing(remote, spark)  # it has met no table
    writes: list[Write] = []
    for sql in then:
        remote.sql(sql)
        writes += hearing.writes()
    hearing.close()
    return writes


@pytest.mark.parametrize("name", _HERE)
def test_what_becomes_of_a_table(name: str, remote: Any, spark: SparkSession) -> None:
    first, then, expected = CASES[name]
    assert effects(_writes(remote, spark, first, then)) == expected


def test_columns_lead_over_a_rename(remote: Any, spark: SparkSession) -> None:
    writes = _writes(remote, spark, (), (MADE, "ALTER TABLE ended RENAME TO default.renamed"))
    assert lines_of(writes[1:]) == expected(
        "default.renamed:\ncarrier <- ended.carrier IDENTITY\nflight <- ended.flight IDENTITY"
    )


def test_a_part_of_a_table_that_is_emptied_is_no_change_of_all(remote: Any, spark: SparkSession) -> None:
    create = "CREATE TABLE ended USING parquet PARTITIONED BY (carrier) AS SELECT flight, carrier FROM flights"
    then = ("TRUNCATE TABLE ended PARTITION (carrier = 'UA')", "TRUNCATE TABLE ended")
    assert effects(_writes(remote, spark, (create,), then)) == ["TRUNCATE default.ended"]


def test_a_table_of_the_current_database(remote: Any, spark: SparkSession) -> None:
    before = ("CREATE DATABASE IF NOT EXISTS gone", "CREATE TABLE gone.ended (a INT) USING parquet", "USE gone")
    writes = _writes(remote, spark, before, ("ALTER TABLE ended RENAME TO renamed", "DROP TABLE renamed"))
    remote.sql("USE default")
    assert effects(writes) == ["RENAME gone.renamed from gone.ended", "DROP gone.renamed"]
