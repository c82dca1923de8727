"""A command on a terminal of its own, as a person runs it: its output there, and the pressed keys."""

from __future__ import annotations

import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.waiting import LONG_S

CTRL_C = b"\x03"
_ROWS = 50
# The terminal becomes the session's own, so its keys reach the command alone.
_IN_FRONT = (
    "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    "os.execvp(sys.argv[1], sys.argv[1:])"
)
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def without_control(text: str) -> str:
    """Strip the codes for cursor and colours."""
    return _CONTROL.sub("", text)


def as_piped(tree: str) -> str:
    """Convert a printed tree to a pipe's form: two spaces for each level, and no guides."""
    return re.sub(r"│   |├── |└── |    ", "  ", tree)


class Terminal:
    """The terminal of a running command."""

    def __init__(self, process: subprocess.Popen[bytes], terminal: int) -> None:
        self._process, self._terminal, self._bytes = process, terminal, b""

    @property
    def raw(self) -> str:
        """The output so far, with codes for cursor and colours."""
        return self._bytes.decode(errors="replace").replace("\r\n", "\n")

    @property
    def text(self) -> str:
        """The output so far, without codes for cursor and colours."""
        return without_control(self.raw)

    def press(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._terminal, keys)

    def read_until(self, pattern: str, *, timeout_s: float = LONG_S) -> str:
        """Read on until the text holds the pattern; return the text."""
        deadline = time.monotonic() + timeout_s
        while not re.search(pattern, self.text, re.MULTILINE):
            assert self._read(deadline), f"no {pattern!r} in\n{self.text}"
        return self.text

    def end(self, *, timeout_s: float = LONG_S) -> int:
        """Read on to the end; return the exit status, below 0 after a signal."""
        deadline = time.monotonic() + timeout_s
        while self._read(deadline):
            pass
        return self._process.wait(max(deadline - time.monotonic(), 0.1))

    def _read(self, deadline: float) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], max(deadline - time.monotonic(), 0))
        more = b""
        if ready:
            with suppress(OSError):  # on Linux, the last process has left the terminal
                more = os.read(self._terminal, 65_536)
        self._bytes += more
        return bool(more)


@contextmanager
def on_a_terminal(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None, columns: int = 80
) -> Iterator[Terminal]:
    """Run a command on a terminal while the block runs."""
    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, columns, 0, 0))
    variables = {name: value for name, value in (env or os.environ).items() if name not in ("COLUMNS", "LINES")}
    started = [sys.executable, "-c", _IN_FRONT, *command]
    with subprocess.Popen(started, cwd=cwd, env=variables, stdin=theirs, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        try:
            yield Terminal(process, ours)
        finally:
            process.kill()
            os.close(ours)
