"""The fixtures of captured writes on Spark."""

from tests.spark.capture.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder
from tests.spark.conftest import *  # noqa: F403
