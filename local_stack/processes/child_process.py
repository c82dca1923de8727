"""Requests to a child process and its responses: one JSON object a line, in on its stdin, out on its stdout.

The child's own prints go to its log file: only responses are on the pipe. When the parent ends, for any reason, the
child reads the end of its stdin and exits at once: no process is left behind.
"""

from __future__ import annotations

import json
import os
import queue
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from local_stack.errors import ChildFailed, ChildTimedOut

Message = dict[str, Any]

_CHUNK_BYTES = 1 << 20
_STOP_S = 2.0


class Child:
    """A Python module in its own process; it serves requests in turn."""

    def __init__(self, module: str, args: Sequence[str], *, env: Mapping[str, str], cwd: Path, log: Path) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self._name = f"{module} {' '.join(args)}"
        self._rest, self.line_bytes = b"", 0  # The size of the last response
        self._requesting = threading.RLock()
        with log.open("ab") as stderr:
            self._process = subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
                [sys.executable, "-m", module, *args],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=dict(env),
                cwd=cwd,
                bufsize=0,
                start_new_session=True,  # Ctrl-C is the parent's to handle
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    def request(self, request: Message | bytes, *, timeout_s: float) -> Message:
        """Send a request, perhaps a rendered line, and return the child's response.

        Raises:
            ChildTimedOut: No response within `timeout_s`; the child has been killed.
            ChildFailed: The child ended without a response.
        """
        deadline = time.monotonic() + timeout_s
        with self._requesting:
            try:
                self._write(request if isinstance(request, bytes) else render_line(request))
                line = self._read_line(deadline)
            except (BrokenPipeError, ValueError):  # ValueError: `stop` closed the pipe meanwhile
                line = b""
            if not line:
                self.stop(wait_s=0)
                raise ChildFailed(f"{self._name} ended with exit status {self._process.returncode}")
        self.line_bytes = len(line)
        response: Message = json.loads(line)
        return response

    def _write(self, line: bytes) -> None:
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - Popen was given PIPE
        view = memoryview(line)
        while view:
            view = view[stdin.write(view) :]

    def _read_line(self, deadline: float) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101 - Popen was given PIPE
        chunks = [self._rest]
        with selectors.DefaultSelector() as ready:
            ready.register(stdout, selectors.EVENT_READ)
            while b"\n" not in chunks[-1]:
                if not ready.select(max(0.0, deadline - time.monotonic())):
                    self.stop(wait_s=0)
                    raise ChildTimedOut(f"{self._name} did not respond in time and was killed")
                chunk = os.read(stdout.fileno(), _CHUNK_BYTES)
                if not chunk:
                    return b""
                chunks.append(chunk)
        line, _, self._rest = b"".join(chunks).partition(b"\n")
        return line

    def stop(self, wait_s: float = _STOP_S) -> None:
        """End the process: by closing its stdin, and by force after `wait_s`."""
        assert self._process.stdin is not None  # noqa: S101 - Popen was given PIPE
        assert self._process.stdout is not None  # noqa: S101 - Popen was given PIPE
        self._process.stdin.close()
        try:
            self._process.wait(wait_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with self._requesting:  # a waiting request has now read the end of stdout
            self._process.stdout.close()


def render_line(message: object) -> bytes:
    """Render a message, or a part of it, as a line of JSON."""
    return json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode(errors="surrogatepass") + b"\n"


def serve_lines(response: Callable[[Message], Message | bytes]) -> None:
    """Run the child's half: respond to each line of stdin in order, until stdin ends; never returns."""
    out = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    requests: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_requests, args=(requests,), daemon=True).start()
    while True:
        reply = response(json.loads(requests.get()))
        view = memoryview(reply if isinstance(reply, bytes) else render_line(reply))
        while view:
            view = view[out.write(view) :]


def _read_requests(requests: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        requests.put(line)
    os._exit(0)
