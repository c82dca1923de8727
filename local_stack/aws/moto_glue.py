"""The local stack's changes to moto's Glue: it runs jobs; see `local_stack.aws.moto_patches`."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from collections.abc import Callable
from typing import Any

from moto.core.utils import utcnow
from moto.glue import models
from moto.glue.models import FakeJob, FakeJobRun
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_glue import (
    StateTaskServiceGlue,
)
from moto.stepfunctions.parser.asl.eval.environment import Environment

RUNS_PATH = "/glue/runs"
_POLL_S = 0.1

_stock_start: Callable[..., str] = FakeJob.start_job_run


class JobRun(FakeJobRun):
    """A run with its actual state; moto's succeeds at the first GetJobRun."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._transitions = []
        self.status = "RUNNING"
        self.error_message = ""

    def end(self, state: str, error: str) -> None:
        """Set the final state."""
        self.completed_on = self.modified_on = utcnow()
        self.error_message = error
        self.status = state

    def as_dict(self) -> dict[str, Any]:
        """Render the run as GetJobRun does."""
        document = super().as_dict()
        if self.status == "RUNNING":
            del document["CompletedOn"]
        document["ExecutionTime"] = int((self.completed_on - self.started_on).total_seconds())
        return document | ({"ErrorMessage": self.error_message} if self.error_message else {})


def run_jobs_at(url: str) -> None:
    """Let StartJobRun run the job, at this url, and state machines wait for it."""

    def start_job_run(self: FakeJob, *args: Any, **kwargs: Any) -> str:
        run_id = _stock_start(self, *args, **kwargs)
        run = next(run for run in self.job_runs if run.job_run_id == run_id)
        threading.Thread(target=_run, args=(url, run), daemon=True).start()
        return run_id

    vars(models)["FakeJobRun"] = JobRun
    FakeJob.start_job_run = start_job_run  # type: ignore[method-assign]
    StateTaskServiceGlue._eval_integration_pattern = _wait_for_run  # type: ignore[assignment, method-assign]


def _run(url: str, run: JobRun) -> None:
    """Run the job, and set the final state."""
    request_body = {
        "job": run.job_name,
        "run": run.job_run_id,
        "arguments": run.arguments,
        "timeout_s": (run.timeout or 480) * 60,
    }
    request = urllib.request.Request(url + RUNS_PATH, data=json.dumps(request_body).encode(), method="POST")  # noqa: S310 - our own loopback address
    try:
        with urllib.request.urlopen(request) as response:  # noqa: S310 - our own loopback address
            ended = json.load(response)
    except OSError as error:
        ended = {"state": "STOPPED", "error": f"no server runs jobs: {error}"}
    run.end(ended["state"], ended["error"])


def _wait_for_run(self: StateTaskServiceGlue, env: Environment, *request_body: Any, **named: Any) -> None:
    """Wait until a run has ended, by polling; moto fails for lack of a callback."""
    ended = self._build_sync_resolver(env, *request_body, **named)
    while env.is_running():
        if ended is not None and (run := ended()):
            env.stack.append(json.loads(json.dumps(run, default=str)))
            return
        time.sleep(_POLL_S)
