"""The fixtures of the handlers on moto, and of Spark."""

from tests.aws.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder
from tests.aws.test_trace_on_spark import spark, workers  # noqa: F401 - fixtures
from tests.features.erase.aws.test_erase import switched_on  # noqa: F401 - a fixture
