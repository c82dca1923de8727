"""The run of `headwater demo` over the pipeline, and its summary: short enough for a screen.

The run synthesizes, starts, runs the pipeline, compacts, fetches the lineage, and counts sent, loaded and archived
records. The summary has the steps, the counts, and the addresses.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import boto3
from rich.console import Console, Group
from rich.text import Text

from examples.emissions.landing import land_flights
from examples.emissions.session import FOLDER
from headwater.cli.column_graph import sources_of
from headwater.cli.demo.column_story import ColumnStory, fetch_story, print_story
from headwater.cli.demo.records import (
    Reconciliation,
    Trace,
    copy_archive,
    count_dead,
    count_loaded,
    count_records,
    find_trace,
    read_traces,
    tree_of,
)
from headwater.cli.demo.stages import (
    end_demo,
    explorer_build,
    is_built,
    open_console,
    prepare,
    run_pipeline,
    start_stack,
)
from headwater.cli.job_graph import Job, JobGraph, fetch_response, parse_graph
from headwater.cli.program import command
from headwater.cli.service import columns_link, printable
from headwater.cli.text.progress import Progress
from headwater.cli.text.terminal import print_part
from headwater.cli.text.trees import name_of
from headwater.cli.text.trees import tree_of as tree_of_jobs
from headwater.times import day_of
from headwater_model.ids import JobId

if TYPE_CHECKING:
    from local_stack.stack import LocalStack

_ARCHIVE = FOLDER / "archive"
_A_JOB = JobId("emissions", "emissions.demo_checked").node_id
_DEPTH = 20
_FAILURES_MAX = 3


@dataclass(frozen=True, slots=True)
class DemoResults:
    """The results of a demo: `flight` is the trace of a good flight, `failures` are from the stack's functions."""

    days: int
    jobs: JobGraph
    columns: ColumnStory
    reconciliation: Reconciliation
    traces: int
    flight: Trace | None
    failures: Sequence[str]
    archive: Path
    elapsed_s: float


def demonstrate(days: int, *, keep: bool, verbose: bool) -> bool:
    """Run the demo over `days` of flights; return True if every sent record is loaded and archived.

    With `keep`, the explorer is built meanwhile, and the stack stays up at the end until Ctrl-C.
    """
    console = open_console()
    shutil.rmtree(FOLDER, ignore_errors=True)
    with ExitStack() as on_exit:
        with Progress(console) as progress:
            stack, results = _run(progress, on_exit, days, build=keep)
        if verbose:
            _print_graphs(console, results)
        print_part(console, summary_of(results))
        about = "The stack stays up until Ctrl-C. The column in the explorer:"
        end_demo(console, stack, about, columns_link(stack.api_url, results.columns.result), keep=keep)
    return results.reconciliation.balanced


def _run(progress: Progress, on_exit: ExitStack, days: int, *, build: bool) -> tuple[LocalStack, DemoResults]:
    """Run every stage; with `build`, also the explorer's, in parallel with the stages that wait for Spark."""
    started = monotonic()
    template, spark = prepare(progress)
    with explorer_build(progress) if build else nullcontext(), spark:
        landing = FOLDER / "landing"
        with progress.stage(f"Landing {days} days of flights"):
            land_flights(landing, days)
        stack = start_stack(progress, template, on_exit)
        first_day = day_of(int(stack.now))
        counts = run_pipeline(progress, spark, stack, landing, FOLDER)
        with progress.stage("Fetching the pipeline's jobs"):
            jobs = parse_graph(fetch_response(stack.api_url, _A_JOB, depth=_DEPTH))
        with progress.stage("Fetching the lineage of a column"):
            columns = fetch_story(stack.api_url, FOLDER)
        if build and is_built():
            progress.show(f"In the explorer already: {columns_link(stack.api_url, columns.result)}")
        # The flights' days, two of them if midnight (UTC) passed meanwhile.
        for day in sorted({first_day, day_of(int(stack.now))}):
            with progress.stage(f"Compacting {day}") as report:
                stack.run_state_machine({"day": day}, progress=report)
        with progress.stage("Copying the archive, counting records"):
            copy_archive(boto3.client("s3", **stack.client_settings), stack.outputs["ArchiveBucketName"], _ARCHIVE)
            archived = count_records(read_traces(_ARCHIVE))
            sent, loaded = Counter(counts.counts.by_action), count_loaded(stack)
            books = Reconciliation(sent, loaded, archived.by_action, counts.undelivered, count_dead(stack))
    return stack, DemoResults(
        days=days,
        jobs=jobs,
        columns=columns,
        reconciliation=books,
        traces=archived.traces,
        flight=find_trace(read_traces(_ARCHIVE), "ESTIMATED"),
        failures=[str(failure) for failure in stack.errors],
        archive=_ARCHIVE,
        elapsed_s=monotonic() - started,
    )


def _print_graphs(console: Console, results: DemoResults) -> None:
    """Print two traces, the graph of the jobs and the lineage of a column."""
    for title, action in (("A good flight, from delivery to estimate", "ESTIMATED"), ("A rejected flight", "REJECTED")):
        trace = find_trace(read_traces(_ARCHIVE), action)
        console.print(f"\n[bold underline]{title}[/]")
        print_part(console, tree_of(trace) if trace else f"[red]no trace ends in {action}[/]")
    console.print("\n[bold underline]The pipeline's jobs, and what they read and write[/]")
    print_part(console, tree_of_jobs(results.jobs))
    print_story(console, results.columns)


def summary_of(results: DemoResults) -> Group:
    """Print the summary, a text for each line."""
    return Group(*_lines(results))


def _lines(results: DemoResults) -> Iterator[Text]:
    jobs = sum(isinstance(node, Job) for node in results.jobs.nodes.values())
    yield Text()
    yield _line(
        "Pipeline",
        f"PySpark over {results.days} days of flights: {jobs} jobs, {len(results.jobs.nodes) - jobs} datasets",
    )
    yield from _counts(results.reconciliation)
    if results.flight is None:
        yield Text("A flight   no trace ends in an estimate", "red")
    else:
        yield _line("A flight", printable(results.flight["record_id"]))
        actions = (step["action_taken"] for step in results.flight["lineage"])
        yield _line("", printable(" > ".join((results.flight["root_id"], *actions))))
    result = results.columns.up.columns[results.columns.result]
    sources = " and ".join(name_of(column) for column in sources_of(results.columns.up, result.id))
    yield _line("A column", f"{name_of(result)}, from {sources}")
    yield _line("Archive", f"{results.archive}: {results.traces:,} traces")
    for failure in results.failures[:_FAILURES_MAX]:
        yield Text(f"a function failed during the demo: {printable(failure)}", "yellow")
    yield Text(f"Done in {results.elapsed_s:.0f} s. With the trees behind these lines: {command('demo --verbose')}")


def _counts(reconciliation: Reconciliation) -> Iterator[Text]:
    """Yield the table with three equal columns, and the faults in it."""
    steps = (reconciliation.sent, reconciliation.loaded, reconciliation.archived)
    yield _row("Records", ("sent", "loaded", "archived"), "bold")
    for action in dict.fromkeys(action for step in steps for action in step):
        yield _row(f"  {action}", [f"{step[action]:,}" for step in steps])
    yield _row("  total", [f"{step.total():,}" for step in steps], "green" if reconciliation.balanced else "red")
    if not reconciliation.balanced:
        yield Text(
            f"Not equal, or not delivered: {reconciliation.undelivered:,} records or events were not delivered, "
            f"{reconciliation.dead:,} messages are in the dead-letter queues",
            "red",
        )


def _line(title: str, text: str) -> Text:
    return Text.assemble((f"{title:11}", "bold"), text)


def _row(title: str, cells: Sequence[str], style: str = "") -> Text:
    return Text(f"{title:12}" + "".join(f"{cell:>10}" for cell in cells), style)
