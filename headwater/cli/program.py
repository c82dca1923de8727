"""The words to start this program in the reader's shell, for printed commands.

`headwater` starts it only if it is on the PATH: in a checkout only in an activated environment.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
import sysconfig
from pathlib import Path

_NAME = "headwater"


class CommandFailed(Exception):
    """An error that ends a command; the message has the reason."""


def program() -> str:
    """Name the program: `headwater` if the PATH leads to this environment's, else its path: `.venv/bin/headwater`."""
    script = Path(sysconfig.get_path("scripts"), _NAME)
    if not script.exists():
        return f"{shlex.quote(sys.executable)} -m {_NAME}"
    on_path = shutil.which(_NAME)
    if on_path and os.path.samefile(on_path, script):
        return _NAME
    relative = os.path.relpath(script)
    return shlex.quote(min(relative if os.sep in relative else f"./{relative}", str(script), key=len))


def command(words: str) -> str:
    """Print a command line of this program for a hint, between backticks: `headwater serve` for `command("serve")`."""
    return f"`{program()} {words}`"
