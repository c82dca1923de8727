"""MiniStack creates the stacks with its IAM on. `make test-all` installs it beside our environment, for its botocore.

Functions run there in tests/features/company/stack/test_running_functions.py.
"""

import pytest

from tests.stack.assemblies import TURNED
from tests.stack.emulator import an_emulator

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", ["company", "hidden", "protected", "topic", "webhook", TURNED])
def test_the_whole_stack_is_created(assemblies, tmp_path, name):
    with an_emulator(tmp_path) as emulator:
        status, failed, created, expected = emulator.create(assemblies, name)
    assert (status, failed) == ("CREATE_COMPLETE", [])
    assert created >= expected
