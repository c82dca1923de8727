"""The fixtures of the handlers and of the API on moto."""

from tests.aws.api.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder
from tests.aws.conftest import *  # noqa: F403
