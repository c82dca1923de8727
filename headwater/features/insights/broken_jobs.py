"""Jobs that fail, and the number of datasets waiting for each: the first list of a start page.

    broken = report_broken(view, owner="team:payments", limit=20, offset=0)

A single walk down from all failing jobs counts the datasets below each; a shared part is read once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headwater.facts.facet_refs import restored
from headwater.facts.facts import facets_of
from headwater.facts.index_scan import read_run_facts
from headwater.facts.run_facts import text_in
from headwater.queries.graphs.impact import count_datasets_below
from headwater.queries.graphs.job_graph import JobGraphWalk
from headwater.queries.lists.annotated import is_owned
from headwater.queries.lists.listings import Jobs
from headwater.queries.lists.urgent_jobs import STATE_ROWS_MAX
from headwater.queries.results.entities import Job, redacted_dataset
from headwater.queries.results.graphs import Graph
from headwater.queries.runs.failing_jobs import FailingJob, find_failing_jobs
from headwater.queries.view import GraphView
from headwater_model.ids import RunKey

# Failing jobs to compare, the last updated first; jobs and datasets to read below all of them.
JOBS_MAX = 50
BELOW_MAX = 2_000
# Jobs between, as in the report of impact.
DEPTH = 20
_ERROR_CHARS_MAX = 2_000
_ERROR = "errorMessage"


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenJob:
    """A failing job since its last good run, and the number of datasets downstream: they wait for it.

    `run` is the last failed run without a failed child, `error` the head of its message. `since` is the end of the
    first of the `failed_runs`; if they are `cut`, the job failed before, too.
    """

    job: Job
    run: str
    error: str | None
    since: str
    failed_runs: int
    cut: bool
    datasets: int


@dataclass(frozen=True, slots=True)
class Broken:
    """A page of failing jobs: first by the number of waiting datasets, then by the length of the failure.

    `truncated`: not all failing jobs were compared. `datasets_cut`: not all datasets downstream were counted.
    """

    jobs: Sequence[BrokenJob]
    total: int
    truncated: bool
    datasets_cut: bool


def report_broken(view: GraphView, *, owner: str | None = None, limit: int, offset: int) -> Broken:
    """Report a page of the failing jobs, of an owner if given; the most waiting datasets come first."""
    listed = Jobs(view).list(None, states=["FAILED"], sort="updated_at", in_short=True, limit=STATE_ROWS_MAX, offset=0)
    failed = [job for job in listed.items if owner is None or is_owned(job.annotations, owner)]
    jobs = {job.id: job for job in failed[:JOBS_MAX]}
    failing = find_failing_jobs(jobs, view, without_good_run=True)
    graph = GraphBelow(view, direction="down", limit=BELOW_MAX).from_jobs(sorted(failing), DEPTH) if failing else None
    datasets = count_datasets_below(graph, failing) if graph else {}
    order = sorted(failing, key=lambda job: (-datasets.get(job, 0), failing[job].since, job))
    page = order[offset : offset + limit]
    errors = _errors_of([failing[job] for job in page], view)
    return Broken(
        [_broken(jobs[job], failing[job], datasets.get(job, 0), errors) for job in page],
        len(failing),
        truncated=listed.truncated or len(failed) > JOBS_MAX,
        datasets_cut=bool(graph and graph.truncated),
    )


def _broken(job: Job, failing: FailingJob, datasets: int, errors: Mapping[RunKey, str]) -> BrokenJob:
    return BrokenJob(
        job=job,
        run=failing.last.id,
        error=errors.get(failing.last.key),
        since=failing.since,
        failed_runs=len(failing.failed),
        cut=failing.cut,
        datasets=datasets,
    )


def _errors_of(failing: Sequence[FailingJob], view: GraphView) -> dict[RunKey, str]:
    """Read the error messages of the last failed runs, by run."""
    facts = read_run_facts([job.last.key for job in failing], view)
    sent = {run: facets_of(of_run.run_facets) for run, of_run in facts.items()}
    facets = [{name: facet for name, facet in of_run.items() if name == _ERROR} for of_run in sent.values()]
    messages = {
        run: text_in(of_run[_ERROR], "message")
        for run, of_run in zip(sent, restored(facets, view), strict=True)
        if _ERROR in of_run
    }
    return {run: _head_of(message) for run, message in messages.items() if message}


def _head_of(message: str) -> str:
    """Cut a message to its head, without the frames of a stack: between them the cause would not fit."""
    lines = message.split("\n")
    without_frames = [line for line in lines if not line.lstrip().startswith(("at ", "... ", 'File "'))]
    return "\n".join(without_frames or lines)[:_ERROR_CHARS_MAX]


class GraphBelow(JobGraphWalk):
    """A walk without details of its nodes."""

    def _graph(self) -> Graph:
        jobs = self._shown_jobs()
        nodes = self._in_order(jobs, map(redacted_dataset, self._datasets))
        cut = self._budget.cut or self._view.truncated
        return Graph(nodes, tuple(self._edges()), cut, other_part_reads=tuple(sorted(self._other_part_reads())))
