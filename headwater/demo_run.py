"""The run of `headwater demo`: synthesize, start, run the pipeline, compact, print the lineage, reconcile counts."""

from __future__ import annotations

import logging
import shutil
from collections import Counter
from contextlib import ExitStack, suppress
from datetime import datetime, timezone
from threading import Event
from time import monotonic

import boto3
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from examples.emissions.landing import land_flights
from headwater.column_story import ColumnStory, fetch_story, print_story
from headwater.explorer_links import columns_link
from headwater.graph_text import tree_of as tree_of_jobs
from headwater.job_graph import JobGraph, fetch_graph
from headwater.picture import write_picture
from headwater.pipeline_run import FOLDER, PipelineCounts, prepare, run_pipeline
from headwater.progress import Progress
from headwater.reconciliation import Reconciliation, count_dead, count_loaded
from headwater.terminal import log_handler, output_console
from headwater.traces import Archived, copy_archive, count_records, find_trace, read_traces, tree_of
from lineage.api.page_files import built_files
from lineage_model.ids import JobId
from local.stack import LocalStack

PICTURE = FOLDER / "jobs.svg"
COLUMNS = FOLDER / "columns.svg"
_A_JOB = JobId("emissions", "emissions.demo_checked").node_id
_DEPTH = 20


def demonstrate(days: int, *, keep: bool) -> bool:
    """Run the demo over `days` of flights; return True if every sent record is loaded and archived.

    With `keep`, the stack stays up at the end until Ctrl-C.
    """
    started, console = monotonic(), output_console()
    logging.basicConfig(level=logging.WARNING, format="%(message)s", handlers=[log_handler(console)])
    shutil.rmtree(FOLDER, ignore_errors=True)
    with ExitStack() as on_exit:
        with Progress(console) as progress:
            template, spark = prepare(progress)
            on_exit.callback(spark.stop)
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
        _print_traces(console)
        _print_jobs(console, jobs)
        print_story(console, columns)
        _print_reconciliation(console, reconciliation)
        _print_end(console, archived, stack, monotonic() - started, keep=keep)
        if keep:
            _wait(console, stack)
    return reconciliation.balanced


def _fetch_jobs(progress: Progress, stack: LocalStack) -> JobGraph:
    """Fetch the pipeline's jobs and datasets, after their events are loaded, and draw them."""
    with progress.stage("Fetching the pipeline's jobs, drawing them"):
        graph = fetch_graph(stack.api_url, _A_JOB, depth=_DEPTH)
        write_picture(graph, PICTURE)
        return graph


def _fetch_columns(progress: Progress, stack: LocalStack) -> ColumnStory:
    """Fetch the lineage of a column, up, down and to the records, and draw it."""
    with progress.stage("Fetching the lineage of a column, drawing it"):
        return fetch_story(stack.api_url, FOLDER, COLUMNS)


def _compact(progress: Progress, stack: LocalStack, first_day: str) -> None:
    """Run the daily compaction for the day, or for both if midnight (UTC) passed meanwhile."""
    for day in sorted({first_day, _day_of(stack)}):
        with progress.stage(f"Compacting {day}") as report:
            stack.run_state_machine({"day": day, "poll_s": 1}, progress=report)


def _day_of(stack: LocalStack) -> str:
    return datetime.fromtimestamp(stack.now, timezone.utc).date().isoformat()


def _reconcile(progress: Progress, stack: LocalStack, counts: PipelineCounts) -> tuple[Archived, Reconciliation]:
    with progress.stage("Copying the archive, counting records"):
        s3 = boto3.client("s3", **stack.client_settings)
        copy_archive(s3, stack.outputs["ArchiveBucketName"], FOLDER / "archive")
        archived = count_records(read_traces(FOLDER / "archive"))
        sent = Counter(counts.counts.by_action)
        return archived, Reconciliation(
            sent, count_loaded(stack), archived.by_action, counts.undelivered, count_dead(stack)
        )


def _print_traces(console: Console) -> None:
    for title, action in (("A good flight, from delivery to estimate", "ESTIMATED"), ("A rejected flight", "REJECTED")):
        trace = find_trace(read_traces(FOLDER / "archive"), action)
        console.print(f"\n[bold underline]{title}[/]")
        console.print(tree_of(trace) if trace else f"[red]no trace ends in {action}[/]", highlight=False)


def _print_jobs(console: Console, jobs: JobGraph) -> None:
    console.print("\n[bold underline]The pipeline's jobs, and what they read and write[/]")
    console.print(tree_of_jobs(jobs), highlight=False)


def _print_reconciliation(console: Console, reconciliation: Reconciliation) -> None:
    table = Table(title="\nRecords", title_justify="left", title_style="bold underline", show_footer=True)
    table.add_column("step", "total")
    for name, by_action in (
        ("sent", reconciliation.sent),
        ("loaded", reconciliation.loaded),
        ("archived", reconciliation.archived),
    ):
        table.add_column(name, f"{by_action.total():,}", justify="right")
    for action in sorted(
        {*reconciliation.sent, *reconciliation.loaded, *reconciliation.archived}, key=list(reconciliation.sent).index
    ):
        table.add_row(
            action, *(f"{by[action]:,}" for by in (reconciliation.sent, reconciliation.loaded, reconciliation.archived))
        )
    console.print(table)
    if reconciliation.undelivered:
        console.print(f"[red]{reconciliation.undelivered:,} records or events were not delivered[/]")
    if reconciliation.dead:
        console.print(f"[red]{reconciliation.dead:,} messages are in the dead-letter queues[/]")


def _print_end(console: Console, archived: Archived, stack: LocalStack, elapsed_s: float, *, keep: bool) -> None:
    archive = FOLDER / "archive"
    for failure in stack.errors[:3]:
        console.print(f"[yellow]a function failed during the demo[/]: {escape(str(failure))}", highlight=False)
    console.print(f"\nThe jobs are drawn in [bold]{PICTURE}[/], the column's lineage in [bold]{COLUMNS}[/].")
    console.print(f"The archive is in [bold]{archive}[/]: {archived.traces:,} traces. The first one:")
    console.print(
        f"  zcat $(find {archive} -name '*.jsonl.gz' | sort | head -1) | head -1", highlight=False, soft_wrap=True
    )
    console.print(f"Done in {elapsed_s:.0f} s.")
    if not keep:
        console.print("To see the column in a browser: make demo ARGS=--keep", highlight=False)


def _wait(console: Console, stack: LocalStack) -> None:
    console.print("\nThe stack stays up until Ctrl-C.")
    console.print(f"  curl {stack.api_url}/api/v1/records/roots/flights-2013-01-01", soft_wrap=True)
    console.print(f"  headwater graph {_A_JOB} --url {stack.api_url}", highlight=False, soft_wrap=True)
    co2 = f"datasetField:file:{FOLDER.resolve()}/estimated:co2_kg"
    console.print(f"  headwater column {co2} --url {stack.api_url}", highlight=False, soft_wrap=True)
    if built_files():
        console.print(f"The column in a browser: {columns_link(stack.api_url, co2)}", highlight=False, soft_wrap=True)
    else:
        console.print("The explorer is not built: `make explorer` builds it, and needs npm.", highlight=False)
    with suppress(KeyboardInterrupt):
        Event().wait()
