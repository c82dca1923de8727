"""`make test`: lanes run beside each other, and one failing test in any of them fails the run."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("lanes", ROOT / "scripts" / "test.py")
lanes = importlib.util.module_from_spec(_SPEC)
sys.modules[_SPEC.name] = lanes  # dataclasses look their module up
_SPEC.loader.exec_module(lanes)

PASSES = "def test_passes(): assert True\n"
FAILS = "def test_fails(): assert False\n"
FAILS_ONCE = """
import pathlib
def test_fails_once():
    ran = pathlib.Path(__file__).with_suffix(".ran")
    is_second = ran.exists()
    ran.touch()
    assert is_second
"""


@pytest.fixture
def run(tmp_path, capfd, monkeypatch):
    """Return a function that runs a lane for each text of tests, and returns status, output and costs."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")

    def run(*texts):
        for number, text in enumerate(texts):
            (tmp_path / str(number)).mkdir()
            (tmp_path / str(number) / f"test_{number}.py").write_text(text)
        command = (sys.executable, "-m", "pytest", f"--rootdir={tmp_path}", "-p", "tests.costs")
        of_texts = [lanes.Lane(str(number), (*command, str(tmp_path / str(number)))) for number in range(len(texts))]
        status = lanes.main(["test", f"--costs={tmp_path / 'costs.json'}"], lambda kind: of_texts)
        return status, capfd.readouterr().out, json.loads((tmp_path / "costs.json").read_text())

    return run


def test_lanes_that_pass_are_added_up(run):
    status, output, costs = run(PASSES, PASSES)
    assert (status, costs["outcomes"], len(costs["tests"])) == (0, {"passed": 2, "failed": 0, "skipped": 0}, 2)
    assert output.endswith("2 passed, 0 failed, 0 skipped\nall lanes passed\n")


def test_a_test_that_fails_twice_fails_the_run(run):
    status, output, _ = run(FAILS, PASSES)
    assert status == 1
    assert output.endswith("1 passed, 1 failed, 0 skipped\nfailed: 0\n")
    assert output.count("=== the end of") == 1


def test_a_test_that_passes_when_it_runs_again_alone_is_named(run):
    status, output, _ = run(FAILS_ONCE)
    assert (status, "0: failed tests run once more, alone" in output) == (0, True)
    assert "test_fails_once" in output


@pytest.mark.parametrize("text", ["import nothing_of_the_name\n", "import os\nos._exit(3)\n"])
def test_a_lane_that_cannot_collect_or_dies_fails_the_run(run, text):
    status, output, _ = run(text, PASSES)
    assert (status, output.splitlines()[-1], "once more" in output) == (1, "failed: 0", False)


def test_a_lane_without_a_test_of_the_kind_passes(run):
    assert run("", PASSES)[0] == 0


@pytest.mark.parametrize("kind", ["test", "rest"])
def test_each_folder_of_tests_is_in_a_lane(kind):
    folders = {f"tests/{file.parent.name}" for file in (ROOT / "tests").glob("*/*test_*.py")} - {"tests/lint"}
    named = {word for lane in lanes.lanes_of(kind) for word in lane.command}
    ignored = {word.removeprefix("--ignore=") for word in named if word.startswith("--ignore=")}
    assert ignored < named
    assert folders | {"headwater", "headwater_model", "spark_client", "local_stack", "infra/context.py"} <= named
