"""The fixtures of the synthesized stacks, with a release."""

from pathlib import Path

import pytest

from tests.features.release.stacks import FOLDER
from tests.stack.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder


@pytest.fixture(scope="session")
def release_folder(assemblies) -> Path:
    """The folder with the zip of a release, and its assembly."""
    return assemblies / FOLDER
