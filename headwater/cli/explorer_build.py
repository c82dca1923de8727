"""The build of the explorer, beside whatever else a command does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread

from headwater.api.page_files import DIST, list_files
from headwater.cli.text.progress import Progress

_SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "explorer.py"


class _NotBuilt(Exception):
    """A build that failed, or for which npm is missing; the log has the reason."""


def is_built() -> bool:
    """True if there is a page to serve."""
    return bool(list_files(DIST))


@contextmanager
def explorer_build(progress: Progress, log: Path) -> Iterator[None]:
    """Build the explorer while the block runs, as a stage of its own; wait at the end until it is built or has failed.

    The stack's template must be synthesized before: synthesis copies the page that is there.
    """
    if not _SCRIPT.is_file():  # a wheel, which has the page
        yield
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        # A group of its own can be ended with its npm.
        process = subprocess.Popen(  # noqa: S603 - our own script, by our own interpreter
            [sys.executable, str(_SCRIPT), "--optional"], stdout=output, stderr=output, start_new_session=True
        )
    stage = Thread(target=_show, args=(progress, process))
    stage.start()
    try:
        yield
        stage.join()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        stage.join()


def _show(progress: Progress, process: subprocess.Popen[bytes]) -> None:
    with suppress(_NotBuilt), progress.stage("Building the explorer"):
        if process.wait() != 0 or not is_built():
            raise _NotBuilt
