"""The local stack's changes to moto's Glue: it runs jobs and keeps partitions; see `local_stack.aws.moto_patches`."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from moto.core.utils import utcnow
from moto.glue import models
from moto.glue.models import FakeJob, FakeJobRun, FakeTable
from moto.stepfunctions.parser.asl.component.state.exec.state_task.service.state_task_service_glue import (
    StateTaskServiceGlue,
)
from moto.stepfunctions.parser.asl.eval.environment import Environment

from local_stack.aws.disk import Disk
from local_stack.aws.endpoint import ACCOUNT, REGION
from local_stack.aws.moto_patches import post

RUNS_PATH = "/glue/runs"
_POLL_S = 0.1
_PARTITIONS = """CREATE TABLE IF NOT EXISTS partitions (
    db TEXT, tbl TEXT, key TEXT, form TEXT, PRIMARY KEY (db, tbl, key)) WITHOUT ROWID"""

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
    try:
        with post(url + RUNS_PATH, json.dumps(request_body).encode()) as response:
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


def keep_partitions(disk: Disk, before: Callable[[], None]) -> Callable[[], None]:
    """Keep the partitions of all tables; return the function that restores them. `before` runs before a change."""
    disk.database.execute(_PARTITIONS)
    create = FakeTable.create_partition

    def kept(change: Callable[..., None]) -> Callable[..., None]:
        def changed(table: FakeTable, *args: Any) -> None:
            change(table, *args)
            names = (table.database_name, table.name)
            rows = [(*names, key, json.dumps(each.partition_input)) for key, each in table.partitions.items()]
            before()
            with disk.transaction() as database:
                database.execute("DELETE FROM partitions WHERE (db, tbl) = (?, ?)", names)
                database.executemany("INSERT INTO partitions VALUES (?, ?, ?, ?)", rows)
            disk.sync()

        return changed

    def restore() -> None:
        for *names, form in disk.database.execute("SELECT db, tbl, form FROM partitions").fetchall():
            create(models.glue_backends[ACCOUNT][REGION].get_table(*names), json.loads(form))

    for name in ("create_partition", "update_partition", "delete_partition"):
        setattr(FakeTable, name, kept(getattr(FakeTable, name)))
    return restore
