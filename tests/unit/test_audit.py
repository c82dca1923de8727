"""`make audit`: every pin is looked up, and what could not be looked up is no good news."""

import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
_SPEC = importlib.util.spec_from_file_location("audit", ROOT / "scripts" / "audit.py")
audit = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(audit)

# What the commands are called with, a line each, goes to a file beside them.
_COMMAND = '#!/bin/sh\nPATH=/bin:/usr/bin\necho "$(basename "$0") $*" >> "$(dirname "$0")/calls"\n{more}\nexit {code}\n'
_KEEP = 'for last; do :; done; cat "$last" >> "$(dirname "$0")/asked"'


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """pip-audit and npm that answer with these exit codes, and keep their requests."""

    def make(pip_audit=0, npm=0):
        for name, code, more in (("pip-audit", pip_audit, _KEEP), ("npm", npm, "")):
            path = tmp_path / name
            path.write_text(_COMMAND.format(more=more, code=code), encoding="utf-8")
            path.chmod(0o755)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        return tmp_path

    return make


def test_every_pin_of_every_lock_file_is_looked_up_whatever_python_it_is_for(commands):
    folder = commands()
    assert audit.main([str(folder)]) == 0

    requested = (folder / "asked").read_text(encoding="utf-8").splitlines()
    locked = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "requirements").glob("*.txt"))
    starts = [line for line in locked.splitlines() if line and not line.startswith((" ", "#"))]
    assert len(requested) == len(set(requested))
    assert set(requested) == {re.sub(r"\[.*\]", "", line.split(" ")[0].rstrip(";")) for line in starts}
    calls = (folder / "calls").read_text(encoding="utf-8").splitlines()
    npm = [call for call in calls if call.startswith("npm ")]
    assert npm == [f"npm audit --package-lock-only --prefix {folder}" for folder in (".", "explorer")]
    assert all("--strict" in call for call in calls if call not in npm)


@pytest.mark.parametrize(("pip_audit", "npm"), [(1, 0), (0, 1), (1, 1)])
def test_a_vulnerable_package_or_one_that_could_not_be_looked_up_fails_and_both_are_queried(commands, pip_audit, npm):
    folder = commands(pip_audit, npm)
    assert audit.main([str(folder)]) == 1
    assert "npm audit --package-lock-only" in (folder / "calls").read_text(encoding="utf-8")


def test_without_npm_the_audit_fails_and_says_so(commands, tmp_path, monkeypatch, capfd):
    folder = commands()
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert audit.main([str(folder)]) == 1
    assert "there is no npm" in capfd.readouterr().err
