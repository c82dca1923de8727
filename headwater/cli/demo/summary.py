"""The summary that ends the demo, short enough for one screen: what ran, the counts, and where things are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from headwater.cli.column_graph import sources_of
from headwater.cli.job_graph import Job
from headwater.cli.program import command
from headwater.cli.service import printable
from headwater.cli.text.column_text import name_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from headwater.cli.demo.column_story import ColumnStory
    from headwater.cli.demo.reconciliation import Reconciliation
    from headwater.cli.demo.traces import Trace
    from headwater.cli.job_graph import JobGraph

_FAILURES_MAX = 3


@dataclass(frozen=True, slots=True)
class DemoResults:
    """The results of a demo: `flight` is the trace of a good one, `failures` are those of the stack's functions."""

    days: int
    jobs: JobGraph
    columns: ColumnStory
    reconciliation: Reconciliation
    traces: int
    flight: Trace | None
    failures: Sequence[str]
    archive: Path
    elapsed_s: float


def summary_of(results: DemoResults) -> Group:
    """Return the summary, a text for each line."""
    return Group(*_lines(results))


def _lines(results: DemoResults) -> Iterator[Text]:
    jobs = sum(isinstance(node, Job) for node in results.jobs.nodes.values())
    yield Text()
    yield _line(
        "Pipeline",
        f"PySpark over {results.days} days of flights: {jobs} jobs, {len(results.jobs.nodes) - jobs} datasets",
    )
    yield from _counts(results.reconciliation)
    yield from _flight(results.flight)
    result = results.columns.up.columns[results.columns.result]
    sources = " and ".join(name_of(column) for column in sources_of(results.columns.up, result.id))
    yield _line("A column", f"{name_of(result)}, from {sources}")
    yield _line("Archive", f"{results.archive}: {results.traces:,} traces")
    for failure in results.failures[:_FAILURES_MAX]:
        yield Text(f"a function failed during the demo: {printable(failure)}", "yellow")
    yield Text(f"Done in {results.elapsed_s:.0f} s. With the trees behind these lines: {command('demo --verbose')}")


def _counts(reconciliation: Reconciliation) -> Iterator[Text]:
    """Yield the table whose three columns must be equal, and what is wrong with them."""
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


def _flight(trace: Trace | None) -> Iterator[Text]:
    if trace is None:
        yield Text("A flight   no trace ends in an estimate", "red")
        return
    yield _line("A flight", printable(trace["record_id"]))
    actions = (step["action_taken"] for step in trace["lineage"])
    yield _line("", printable(" > ".join((trace["root_id"], *actions))))


def _line(title: str, text: str) -> Text:
    return Text.assemble((f"{title:11}", "bold"), text)


def _row(title: str, cells: Sequence[str], style: str = "") -> Text:
    return Text(f"{title:12}" + "".join(f"{cell:>10}" for cell in cells), style)
