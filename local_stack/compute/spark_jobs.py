"""AWS Glue: the template's Spark jobs, run in turn in a single Spark process."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from local_stack.compute.functions import Counted, python_environment
from local_stack.compute.poller import Failure
from local_stack.errors import ChildFailed, ChildTimedOut, ToolMissing
from local_stack.processes.child_process import Child
from local_stack.processes.clock import Clock
from local_stack.toolchain import with_java
from local_stack.web.server import Reply, Request

RUNS_PATH = "/glue/runs"


@dataclass(frozen=True)
class JobRun:
    """A run as Glue starts it: the job's default arguments and the run's own, names with their dashes."""

    job: str
    run: str
    arguments: Mapping[str, str]
    timeout_s: float


@dataclass(frozen=True)
class Ended:
    """The end of a run: Glue's state (SUCCEEDED, FAILED, TIMEOUT, STOPPED), and the error unless it succeeded."""

    state: str
    error: str = ""


class SparkJobs:
    """A runner of the `--job` argument by `jobs.launch`, like the script on Glue; it finds Java at the first run."""

    def __init__(
        self, *, env: Mapping[str, str], code: Path, logs: Path, clock: Clock, report: Callable[[Failure], None]
    ) -> None:
        self._env = python_environment(env, code)
        self._code = code
        self._log = logs / "spark.log"
        self._scratch: TemporaryDirectory[str] | None = None
        self._clock = clock
        self._report = report
        self._one_at_a_time = threading.Lock()
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._stopped = False
        self.counted = Counted()

    def run(self, run: JobRun) -> Ended:
        """Run the job to its end; a failure is a result too, never an exception, and is reported."""
        with self.counted, self._one_at_a_time:
            ended = self._run(run)
        if ended.state in ("FAILED", "TIMEOUT"):
            self._report(Failure(run.job, f"job run {run.run}", ended.state, ended.error))
        return ended

    def stop(self) -> None:
        """End Spark, even during a run."""
        with self._lock:
            self._stopped = True
            child = self._child
        if child is not None:
            child.stop(wait_s=0.5)
        if self._scratch is not None:
            self._scratch.cleanup()

    def _run(self, run: JobRun) -> Ended:
        try:
            child = self._start()
            response = child.request(
                {"arguments": dict(run.arguments), "clock_offset_s": self._clock.offset_s}, timeout_s=run.timeout_s
            )
        except ChildTimedOut:
            self._child = None
            return Ended("TIMEOUT", f"Job run timeout after {run.timeout_s:.0f} s")
        except ChildFailed as error:
            self._child = None
            return Ended("STOPPED" if self._stopped else "FAILED", f"Spark's process is gone: {error}")
        except ToolMissing as error:
            return Ended("FAILED", str(error))
        return Ended("FAILED", response["error"]) if "error" in response else Ended("SUCCEEDED")

    def _start(self) -> Child:
        with self._lock:
            if self._stopped:
                raise ChildFailed("the stack has stopped")
            if self._scratch is None:
                self._scratch = TemporaryDirectory(prefix="headwater-spark-", ignore_cleanup_errors=True)
            if self._child is None:
                env = with_java({**self._env, "TMPDIR": self._scratch.name})
                self._child = Child("local_stack.compute.spark_worker", [], env=env, cwd=self._code, log=self._log)
            return self._child


def run_requested(jobs: SparkJobs, request: Request) -> Reply:
    """Run the job of moto's StartJobRun and return its end."""
    ended = jobs.run(JobRun(**json.loads(request.body)))
    return Reply(200, [("Content-Type", "application/json")], json.dumps(asdict(ended)).encode())
