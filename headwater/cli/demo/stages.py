"""The common stages of the demo's runs: Spark, the stack, the pipeline, the build of the explorer, and the end.

A stage is shown while it runs, and gets its stack as an argument: the differences of the runs are in their own modules.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.text import Text

from examples.emissions.session import FOLDER, start_spark
from headwater.api.page_files import DIST, list_files
from headwater.cli.program import command
from headwater.cli.text.progress import Progress
from headwater.cli.text.terminal import log_handler, output_console, print_part, wait_for_interrupt
from local_stack.stack import LocalStack
from local_stack.template.synthesis import synthesize
from spark_client import LineageClient
from spark_client.transport.retry import Clock

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from examples.emissions.captured_run import PipelineCounts
    from local_stack.template.template import RawTemplate

_BUILD_SCRIPT = Path(__file__).resolve().parents[3] / "scripts" / "explorer.py"
_BUILD_LOG = FOLDER / "explorer.log"
_TO_BUILD = "install Node.js 20 or newer with npm, then start again"


def open_console() -> Console:
    """Open the console of a run, with warnings above its moving output."""
    console = output_console()
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[log_handler(console)])
    return console


def prepare(progress: Progress) -> tuple[RawTemplate, SparkSession]:
    """Synthesize the template and start a Spark session in parallel: each takes seconds of a process."""
    with progress.stage("Synthesizing the CDK stack, starting Spark"), ThreadPoolExecutor(1) as pool:
        template = pool.submit(synthesize)
        spark = start_spark()
        return template.result(), spark


def start_stack(progress: Progress, template: RawTemplate, on_exit: ExitStack) -> LocalStack:
    """Start a stack, which `on_exit` stops."""
    with progress.stage("Starting the stack: moto, queues, functions, HTTP API"):
        return on_exit.enter_context(LocalStack(template))


def run_pipeline(
    progress: Progress, spark: SparkSession, stack: LocalStack, landing: Path, output: Path
) -> PipelineCounts:
    """Run the pipeline over the landed files, by the stack's clock, until all of its records and events are loaded."""
    from examples.emissions.captured_run import run_captured

    with LineageClient(url=stack.api_url, clock=Clock(now=lambda: stack.now)) as lineage:
        counts = run_captured(progress, spark, lineage, landing, output)
    load_queued(progress, stack, timeout_s=600)
    return counts


def load_queued(progress: Progress, stack: LocalStack, *, timeout_s: float) -> None:
    """Wait until the stack has loaded all that was sent."""
    with progress.stage("Loading queued records and events") as report:
        stack.drain(timeout_s, progress=lambda left: report(f"{left:,} messages left"))


class _NotBuilt(Exception):
    """A failed build, or a build without npm; the log has the reason."""


def is_built() -> bool:
    """True if there is a page to serve."""
    return bool(list_files(DIST))


@contextmanager
def explorer_build(progress: Progress, log: Path = _BUILD_LOG) -> Iterator[None]:
    """Build the explorer beside the block, as a stage of its own; wait for it at the end of the block.

    The stack's template must be synthesized before: synthesis copies the existing page.
    """
    if not _BUILD_SCRIPT.is_file():  # A wheel has the page.
        yield
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        # A group of its own can be ended with its npm.
        process = subprocess.Popen(  # noqa: S603 - our own script, by our own interpreter
            [sys.executable, str(_BUILD_SCRIPT), "--optional"], stdout=output, stderr=output, start_new_session=True
        )

    def show() -> None:
        with suppress(_NotBuilt), progress.stage("Building the explorer"):
            if process.wait() != 0 or not is_built():
                raise _NotBuilt

    stage = Thread(target=show)
    stage.start()
    try:
        yield
        stage.join()
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        stage.join()


def end_demo(
    console: Console, stack: LocalStack, about: str, address: str, *, keep: bool, options: str = "--keep"
) -> None:
    """Leave the stack up until Ctrl-C, with the address to open as the last line; or print the options for it."""
    if not keep:
        print_part(console, Text(f"To see it in a browser: {command(f'demo {options}')}"))
        return
    if not is_built():
        about, address = f"No explorer ({_BUILD_LOG}): {_TO_BUILD}. The HTTP API, until Ctrl-C:", stack.api_url
    print_part(console, Group(Text(), Text(about)))
    # Unbroken, for terminals with links to click.
    console.print(address, highlight=False, markup=False, soft_wrap=True)
    wait_for_interrupt()
