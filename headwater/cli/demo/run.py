"""The run of `headwater demo`: synthesize, start, run the pipeline, compact, print the lineage, reconcile counts."""

from __future__ import annotations

import logging
import shutil
from collections import Counter
from contextlib import ExitStack, nullcontext
from datetime import datetime, timezone
from time import monotonic
from typing import TYPE_CHECKING

import boto3
from rich.console import Console

from examples.emissions.landing import land_flights
from examples.emissions.session import FOLDER
from headwater.cli.demo.column_story import ColumnStory, fetch_story, print_story
from headwater.cli.demo.end import end_demo
from headwater.cli.demo.pipeline_run import prepare, run_pipeline
from headwater.cli.demo.reconciliation import Reconciliation, count_dead, count_loaded
from headwater.cli.demo.summary import DemoResults, summary_of
from headwater.cli.demo.traces import Archived, copy_archive, count_records, find_trace, read_traces, tree_of
from headwater.cli.explorer_build import explorer_build
from headwater.cli.explorer_links import columns_link
from headwater.cli.job_graph import JobGraph, fetch_graph
from headwater.cli.text.graph_text import tree_of as tree_of_jobs
from headwater.cli.text.progress import Progress
from headwater.cli.text.terminal import log_handler, output_console, print_part
from headwater_model.ids import JobId
from local_stack.stack import LocalStack

if TYPE_CHECKING:
    from examples.emissions.captured_run import PipelineCounts

_ARCHIVE = FOLDER / "archive"
_BUILD_LOG = FOLDER / "explorer.log"
_A_JOB = JobId("emissions", "emissions.demo_checked").node_id
_DEPTH = 20


def demonstrate(days: int, *, keep: bool, verbose: bool) -> bool:
    """Run the demo over `days` of flights; return True if every sent record is loaded and archived.

    With `keep`, the explorer is built meanwhile, and the stack stays up at the end until Ctrl-C.
    """
    console = output_console()
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[log_handler(console)])
    shutil.rmtree(FOLDER, ignore_errors=True)
    with ExitStack() as on_exit:
        with Progress(console) as progress:
            stack, results = _run(progress, on_exit, days, build=keep)
        if verbose:
            _print_traces(console)
            _print_jobs(console, results.jobs)
            print_story(console, results.columns)
        print_part(console, summary_of(results))
        about = "The stack stays up until Ctrl-C. The column in the explorer:"
        end_demo(console, stack, about, columns_link(stack.api_url, results.columns.result), keep=keep, log=_BUILD_LOG)
    return results.reconciliation.balanced


def _run(progress: Progress, on_exit: ExitStack, days: int, *, build: bool) -> tuple[LocalStack, DemoResults]:
    """Run every stage; with `build`, also that of the explorer, beside those that wait for Spark."""
    started = monotonic()
    template, spark = prepare(progress)
    with explorer_build(progress, _BUILD_LOG) if build else nullcontext(), spark:
        landing = FOLDER / "landing"
        with progress.stage(f"Landing {days} days of flights"):
            land_flights(landing, days)
        with progress.stage("Starting the stack: moto, queues, functions, HTTP API"):
            stack = on_exit.enter_context(LocalStack(template))
        first_day = _day_of(stack)
        counts = run_pipeline(progress, spark, stack, landing, FOLDER)
        jobs, columns = _fetch_jobs(progress, stack), _fetch_columns(progress, stack)
        _compact(progress, stack, first_day)
        archived, reconciliation = _reconcile(progress, stack, counts)
    return stack, DemoResults(
        days=days,
        jobs=jobs,
        columns=columns,
        reconciliation=reconciliation,
        traces=archived.traces,
        flight=find_trace(read_traces(_ARCHIVE), "ESTIMATED"),
        failures=[str(failure) for failure in stack.errors],
        archive=_ARCHIVE,
        elapsed_s=monotonic() - started,
    )


def _fetch_jobs(progress: Progress, stack: LocalStack) -> JobGraph:
    """Fetch the pipeline's jobs and datasets, after their events are loaded."""
    with progress.stage("Fetching the pipeline's jobs"):
        return fetch_graph(stack.api_url, _A_JOB, depth=_DEPTH)


def _fetch_columns(progress: Progress, stack: LocalStack) -> ColumnStory:
    """Fetch the lineage of a column, up, down and to the records."""
    with progress.stage("Fetching the lineage of a column"):
        return fetch_story(stack.api_url, FOLDER)


def _compact(progress: Progress, stack: LocalStack, first_day: str) -> None:
    """Run the daily compaction for the day, or for both if midnight (UTC) passed meanwhile."""
    for day in sorted({first_day, _day_of(stack)}):
        with progress.stage(f"Compacting {day}") as report:
            stack.run_state_machine({"day": day}, progress=report)


def _day_of(stack: LocalStack) -> str:
    return datetime.fromtimestamp(stack.now, timezone.utc).date().isoformat()


def _reconcile(progress: Progress, stack: LocalStack, counts: PipelineCounts) -> tuple[Archived, Reconciliation]:
    with progress.stage("Copying the archive, counting records"):
        s3 = boto3.client("s3", **stack.client_settings)
        copy_archive(s3, stack.outputs["ArchiveBucketName"], _ARCHIVE)
        archived = count_records(read_traces(_ARCHIVE))
        sent = Counter(counts.counts.by_action)
        return archived, Reconciliation(
            sent, count_loaded(stack), archived.by_action, counts.undelivered, count_dead(stack)
        )


def _print_traces(console: Console) -> None:
    for title, action in (("A good flight, from delivery to estimate", "ESTIMATED"), ("A rejected flight", "REJECTED")):
        trace = find_trace(read_traces(_ARCHIVE), action)
        console.print(f"\n[bold underline]{title}[/]")
        print_part(console, tree_of(trace) if trace else f"[red]no trace ends in {action}[/]")


def _print_jobs(console: Console, jobs: JobGraph) -> None:
    console.print("\n[bold underline]The pipeline's jobs, and what they read and write[/]")
    print_part(console, tree_of_jobs(jobs))
