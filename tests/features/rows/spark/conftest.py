"""A session of Spark, and its captured writes."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from tests.spark.capture.conftest import Watch
from tests.spark.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder


@pytest.fixture(scope="session")
def watch(spark: SparkSession) -> Iterator[Watch]:
    watch = Watch(spark)
    yield watch
    watch.close()
