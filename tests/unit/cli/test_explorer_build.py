"""The build of the explorer beside the demo: its stage, its log, and its end."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from headwater.cli.demo import stages
from headwater.cli.text.progress import Progress
from headwater.cli.text.terminal import output_console
from tests.waiting import until


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a page that is not built yet."""
    monkeypatch.setattr(stages, "DIST", tmp_path / "dist")
    (tmp_path / "dist").mkdir()
    return tmp_path / "dist"


def let_build(monkeypatch: pytest.MonkeyPatch, folder: Path, script: str) -> None:
    """Put a script in the place of scripts/explorer.py, which needs npm and minutes."""
    file = folder / "explorer.py"
    file.write_text(script, encoding="utf-8")
    monkeypatch.setattr(stages, "_BUILD_SCRIPT", file)


@pytest.mark.parametrize(
    ("script", "stage", "is_built"),
    [
        ("import pathlib; print('npm'); pathlib.Path({page!r}, 'index.html').touch()", "", True),
        ("import sys; print('npm'); sys.exit(1)", "  failed", False),
        ("print('npm')", "  failed", False),
    ],
    ids=["built", "failed", "without npm"],
)
def test_a_build_is_a_stage_with_a_log_whether_it_succeeds_or_not(
    script: str,
    stage: str,
    is_built: bool,
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    let_build(monkeypatch, tmp_path, script.format(page=str(page)))
    log = tmp_path / "new" / "explorer.log"

    with Progress(output_console()) as progress, stages.explorer_build(progress, log):
        pass

    assert capsys.readouterr().out.rpartition("  ")[0] == f"Building the explorer{stage}"
    assert log.read_text(encoding="utf-8") == "npm\n"
    assert stages.is_built() is is_built


def test_a_block_that_fails_ends_the_build_with_its_children(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_build(
        monkeypatch,
        tmp_path,
        f"import subprocess; p = subprocess.Popen([{sys.executable!r}, '-c', 'import time; time.sleep(600)'])\n"
        "print(p.pid, flush=True); p.wait()",
    )
    log = tmp_path / "explorer.log"

    def fail() -> None:
        with Progress(output_console()) as progress, stages.explorer_build(progress, log):
            until(lambda: log.read_text(encoding="utf-8"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    until(lambda: is_over(int(log.read_text(encoding="utf-8"))))


def is_over(process: int) -> bool:
    """True if the process is gone, or waits only for a parent that reads its status."""
    try:
        os.kill(process, 0)
        return Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] == "Z"
    except (ProcessLookupError, FileNotFoundError):
        return True
