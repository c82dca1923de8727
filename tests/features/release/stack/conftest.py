"""The fixtures of the synthesized stacks, with a release."""

import pytest

from tests.features.release import releases
from tests.features.release.stacks import FOLDER
from tests.stack.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder


@pytest.fixture(scope="session")
def release_folder(assemblies):
    """The folder with the zip of a release, and its assembly."""
    return assemblies / FOLDER


@pytest.fixture(scope="session")
def release(release_folder):
    """The zip of a release: synthesized once, for the tests of the wheels, too."""
    return release_folder / releases.FILE
