"""Paths among a source's options: of what are no files, a word is no path."""

from __future__ import annotations

import pytest

from spark_client.capturing.datasets.catalogs import Catalogs
from spark_client.capturing.datasets.sources import find_options
from spark_client.capturing.datasets.targets import find_targets
from spark_client.capturing.plans.plan import Node

CATALOGS = Catalogs()


@pytest.mark.parametrize("path", ["orders-index", "orders/doc", "db.collection", "../orders", "orders index"])
@pytest.mark.parametrize("form", [None, "es", "org.elasticsearch.spark.sql", "mongodb", "bigquery"])
def test_a_word_of_a_source_is_no_path(form: str | None, path: str) -> None:
    assert find_options({"path": path}, CATALOGS, form) is None


@pytest.mark.parametrize("path", ["/lake/orders", "s3://lake/orders", "hdfs://nn:8020/orders", "file:/lake/orders"])
@pytest.mark.parametrize("form", [None, "es", "parquet", "delta"])
def test_a_path_that_says_where_it_is_is_one_of_any_source(form: str | None, path: str) -> None:
    read = find_options({"path": path}, CATALOGS, form)
    assert read is not None
    (dataset,) = read.datasets
    assert dataset.id.name.endswith("orders")


@pytest.mark.parametrize("form", ["parquet", "csv", "JSON", "delta", "hudi"])
def test_a_relative_path_of_files_is_one(form: str) -> None:
    assert find_options({"path": "orders"}, CATALOGS, form) is not None


@pytest.mark.parametrize(("short_name", "is_named"), [("delta", True), ("es", False), (None, False)])
def test_a_write_to_a_word_has_no_named_target(short_name: str | None, is_named: bool) -> None:
    command = Node(0, "SaveIntoDataSourceCommand")
    source = {"class": "DefaultSource", "shortName": short_name}
    command.values = {"dataSource": source, "options": {"path": "orders-index"}, "query.schema": None}
    (target,) = find_targets(command, CATALOGS)
    assert (target.output is not None) is is_named
