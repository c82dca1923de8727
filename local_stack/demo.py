"""The demo's data on request: `POST /local/demo` runs the emissions pipeline against the stack, `GET` has its status.

These routes stand beside the REST API on its port. API Gateway has no such route: there the function responds with 404.
The pipeline is an ordinary client, in a process of its own. It prints a line for each stage, and at the end the address
of its result. The run is complete when the stack has loaded everything sent.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from signal import SIGKILL

from local_stack.compute.functions import python_environment
from local_stack.errors import ChildFailed
from local_stack.web.server import Reply, Request

DEMO_PATH = "/local/demo"
_PIPELINE = "examples.emissions"
_LIMIT_S = 300.0
_DRAIN_S = 60.0
_STOP_S = 2.0

Drain = Callable[[float, Callable[[int], None]], None]


@dataclass(frozen=True)
class DemoStatus:
    """The state of the run: NONE, RUNNING, COMPLETED or FAILED.

    Attributes:
        stage: the current or the last stage.
        link: of a completed run, a view of the explorer, relative to its start page.
        error: of a failed run, the reason.
    """

    state: str = "NONE"
    stage: str = ""
    link: str = ""
    error: str = ""


class Demo:
    """The run of the demo's pipeline against the stack at `url`, a single run at a time, until `stop`.

    `drain` waits until the stack has loaded everything; it gets a limit in seconds and a function for the number of
    messages left. `pipeline` is the module to run, with the URL as its argument, for at most `limit_s`.
    """

    def __init__(
        self, url: str, *, drain: Drain, code: Path, log: Path, pipeline: str = _PIPELINE, limit_s: float = _LIMIT_S
    ) -> None:
        self._url = url
        self._drain = drain
        self._code, self._log = code, log
        self._pipeline, self._limit_s = pipeline, limit_s
        self._lock = threading.Lock()
        self._stopped = False
        self._process: subprocess.Popen[str] | None = None
        self._thread: threading.Thread | None = None
        self.status = DemoStatus()

    def reply_to(self, request: Request) -> Reply:
        """Start a run on POST, and return the status; 409 during a run."""
        if request.method == "POST":
            return _reply(202 if self.start() else 409, self.status)
        if request.method in ("GET", "HEAD"):
            return _reply(200, self.status)
        return _reply(405, self.status, {"Allow": "GET, HEAD, POST"})

    def start(self) -> bool:
        """Start a run; return False during a run, or after the stack's stop."""
        with self._lock:
            if self._stopped or self.status.state == "RUNNING":
                return False
            self.status = DemoStatus("RUNNING", "Starting")
            self._thread = threading.Thread(target=self._run, name="demo", daemon=True)
            self._thread.start()
            return True

    def stop(self) -> None:
        """End the run, with its processes."""
        with self._lock:
            self._stopped = True
            process = self._process
        if process is not None:
            _end(process)
        if self._thread is not None:
            self._thread.join()

    # -- the thread of a run

    def _run(self) -> None:
        try:
            self._follow(self._launch())
            self._drain(_DRAIN_S, self._report_left)
        except Exception as error:  # noqa: BLE001 - after a run with any end, the next may start
            self.status = replace(self.status, state="FAILED", link="", error=str(error) or type(error).__name__)
        else:
            self.status = replace(self.status, state="COMPLETED")

    def _launch(self) -> subprocess.Popen[str]:
        java = {"JAVA_HOME": os.environ["JAVA_HOME"]} if "JAVA_HOME" in os.environ else {}
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, self._log.open("wb") as stderr:
            if self._stopped:
                raise ChildFailed("the stack has stopped")
            self._process = subprocess.Popen(  # noqa: S603 - our own module, by our own interpreter
                [sys.executable, "-m", "local_stack.processes.attached", self._pipeline, self._url],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=python_environment(java, self._code),
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # Ctrl-C is the parent's to handle; the pipeline and its children are a group
            )
            return self._process

    def _follow(self, process: subprocess.Popen[str]) -> None:
        """Read the status from the process's lines until it ends. Raises ChildFailed unless it succeeded."""
        assert process.stdout is not None  # noqa: S101 - Popen was given PIPE
        killer, started = threading.Timer(self._limit_s, _kill, [process]), time.monotonic()
        killer.start()
        with process.stdout as lines:
            for line in lines:
                self._read_line(line.strip())
        status = process.wait()
        killer.cancel()
        _end(process)
        if time.monotonic() - started >= self._limit_s:
            raise ChildFailed(f"it did not end within {self._limit_s:.0f} s and was killed")
        if status:
            raise ChildFailed(self._reason() or f"it ended with exit status {status}")

    def _read_line(self, line: str) -> None:
        """Set the stage to a line of the pipeline, or the link to an address in the explorer."""
        page = f"{self._url}/explore/"
        if line.startswith(page):
            self.status = replace(self.status, link=line.removeprefix(page))
        elif line:
            self.status = replace(self.status, stage=line)

    def _report_left(self, left: int) -> None:
        if self._stopped:
            raise ChildFailed("the stack has stopped")
        self.status = replace(self.status, stage=f"Loading queued records and events: {left:,} messages left")

    def _reason(self) -> str:
        """Find the last line in the log by the pipeline itself, or else the last line."""
        lines = [line for line in self._log.read_text(encoding="utf-8", errors="replace").split("\n") if line.strip()]
        own = f"python -m {self._pipeline}: "  # Later output, such as a capture's, may follow
        reasons = [line.removeprefix(own) for line in lines if line.startswith(own)]
        return (reasons or lines or [""])[-1].strip()


def _end(process: subprocess.Popen[str]) -> None:
    """End the process by closing its stdin, and by force if it lingers."""
    assert process.stdin is not None  # noqa: S101 - Popen was given PIPE
    process.stdin.close()
    try:
        process.wait(_STOP_S)
    except subprocess.TimeoutExpired:
        _kill(process)
        process.wait()


def _kill(process: subprocess.Popen[str]) -> None:
    """Kill the process, and Spark with it."""
    if process.poll() is None:
        os.killpg(process.pid, SIGKILL)


def _reply(status: int, demo: DemoStatus, headers: Mapping[str, str] | None = None) -> Reply:
    sent = {"Content-Type": "application/json", "Cache-Control": "no-store", **(headers or {})}
    return Reply(status, list(sent.items()), json.dumps(asdict(demo)).encode())
