"""The page's own unit tests: model, addresses and layout, which need no browser."""

from __future__ import annotations

import os
import subprocess

import pytest

from local_stack.errors import ToolMissing
from local_stack.toolchain import find_node, with_node
from tests.explorer.conftest import ROOT

VITEST = ROOT / "explorer" / "node_modules" / "vitest" / "vitest.mjs"


def test_model_addresses_and_layout_pass_their_unit_tests():
    try:
        node = find_node()
    except ToolMissing as error:
        pytest.skip(str(error))
    if not VITEST.exists():
        pytest.skip("Vitest is not installed: `make explorer`, which needs npm")
    # What is too slow, pytest stops: a machine that does much at once may be late.
    run = [str(node), str(VITEST), "run", "--testTimeout=120000"]
    done = subprocess.run(run, cwd=ROOT / "explorer", env=with_node(os.environ), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
