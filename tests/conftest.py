"""What every test may ask for: Java and Node on the PATH, the synthesized template, and the stack it describes."""

from __future__ import annotations

import contextlib
import os

import pytest
from hypothesis import settings

from local.errors import ToolMissing
from local.toolchain import with_java, with_node

# How long an example takes is the machine's: what is too slow, `timeout` stops. (In CI this is so already.)
settings.register_profile("any machine", settings.get_profile(settings.get_current_profile_name()), deadline=None)
settings.load_profile("any machine")

# Where one of them is missing, the tests that need it say so; the others run.
with contextlib.suppress(ToolMissing):
    os.environ.update(with_node(os.environ))
with contextlib.suppress(ToolMissing):
    os.environ.update(with_java(os.environ))


@pytest.fixture(scope="session")
def template():
    """The deployed stack's template, as CDK writes it."""
    from local.synthesis import synthesize

    return synthesize()


@pytest.fixture(scope="session")
def local_stack(template, tmp_path_factory):
    """The whole stack, running, one for all tests: let each test use roots of its own.

    Time may only be moved in a stack of the test's own (`LocalStack(template)`, 3 s), for it moves for all.
    """
    from local.stack import LocalStack

    with LocalStack(template, window_cap_s=0.5, logs=tmp_path_factory.mktemp("logs")) as stack:
        yield stack
