"""The fixtures of commands."""

from tests.unit.cli.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder
