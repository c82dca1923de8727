"""The fixtures of commands, and an issuer."""

import pytest

from tests.features.sign_in.issuing import Issuer
from tests.unit.cli.conftest import *  # noqa: F403 - pytest looks for fixtures in a folder


@pytest.fixture
def issuer():
    issuer = Issuer()
    yield issuer
    issuer.stop()
