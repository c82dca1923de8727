"""The fixtures of the synthesized stacks."""

from tests.stack.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder
