"""A session of Spark, and its captured writes."""

import pytest

from tests.spark.capture.conftest import Watch
from tests.spark.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder


@pytest.fixture(scope="session")
def watch(spark):
    watch = Watch(spark)
    yield watch
    watch.close()
