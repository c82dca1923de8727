"""The fixtures of the handlers on moto."""

from tests.aws.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder
