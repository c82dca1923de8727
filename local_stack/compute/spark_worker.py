"""The process of the Spark jobs: a single session, started for the first job; a single run at a time.

Started by `local_stack.compute.spark_jobs`; see `local_stack.processes.child_process` for the protocol.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import traceback
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import boto3

from local_stack.compute.archive_mirror import mirror_day, mirror_prefixes
from local_stack.processes.child_process import Message, serve_lines
from local_stack.processes.time_skip import Skipping

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SCRIPT = "jobs.launch"
_ERROR_CHARACTERS_MAX = 2000
# Python has them, Spark's JVM does not: for them it looks up the address of this machine's name, perhaps in vain.
_CREDENTIALS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
_OPTIONS = {
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "1g",
    # Interpreting a few thousand rows is faster than generating code for them; plans are the same.
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class Worker:
    """The worker of Spark jobs: `{"arguments": {"--job": ...}, "clock_offset_s"}` to `{}` or `{"error"}`."""

    def __init__(self) -> None:
        self._skipping = Skipping()

    def respond(self, request: Message) -> Message:
        """Run the script; an `error` is Glue's ErrorMessage."""
        self._skipping.to(request["clock_offset_s"])
        try:
            status = self._run(request["arguments"])
        except BaseException as error:  # noqa: BLE001 - a job may raise anything, SystemExit too
            traceback.print_exception(error)
            return {"error": f"{type(error).__name__}: {error}"[:_ERROR_CHARACTERS_MAX]}
        return {"error": f"the job ended with status {status}"} if status else {}

    def _run(self, arguments: dict[str, str]) -> int:
        script = importlib.import_module(_SCRIPT)
        with ExitStack() as on_exit:
            if "--archive" in arguments:
                s3 = boto3.client("s3")
                location, day = arguments["--archive"], arguments.get("--day")
                if day:
                    mirror = mirror_day(s3, location, day)
                else:
                    job = importlib.import_module(script.JOBS[arguments["--job"]])
                    mirror = mirror_prefixes(s3, urlsplit(location).netloc, job.PREFIXES_READ)
                folder = on_exit.enter_context(mirror)
                arguments = {**arguments, "--archive": str(folder)}
            status: int = script.main([part for pair in arguments.items() for part in pair], _session())
            return status


def _session() -> SparkSession:
    """Open the session, a new session after a job has stopped it; its files are in the parent's scratch folder."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder: Any = SparkSession.builder.master("local[2]").appName("headwater-jobs")
    scratch = tempfile.gettempdir()
    places = {
        # For runs of seconds the first compiler alone is faster than two.
        "spark.driver.extraJavaOptions": f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.io.tmpdir={scratch}",
        "spark.local.dir": scratch,
        "spark.sql.warehouse.dir": f"{scratch}/warehouse",
    }
    credentials = {name: os.environ.pop(name) for name in _CREDENTIALS if name in os.environ}
    for name, value in {**_OPTIONS, **places}.items():
        builder = builder.config(name, value)
    for name, value in credentials.items():
        builder = builder.config(f"spark.executorEnv.{name}", value)
    try:
        session: SparkSession = builder.getOrCreate()
    finally:
        os.environ.update(credentials)
    return session


if __name__ == "__main__":
    serve_lines(Worker().respond)
