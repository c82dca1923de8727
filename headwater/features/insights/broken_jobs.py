"""Jobs that fail, and the number of datasets waiting for each: the first list of a start page.

    broken = report_broken(view, owner="team:payments", limit=20, offset=0)

A single walk down from all failing jobs counts the datasets below each; a shared part is read once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from typing_extensions import TypedDict

from headwater.api.marquez.job_views import render_short_job
from headwater.api.marquez.types import ShortJob
from headwater.api.types import Count, Time
from headwater.api.values import when
from headwater.facts.facts import facet_of
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


class BrokenJob(TypedDict):
    """A job that fails since its last good run."""

    nodeId: str
    data: ShortJob
    datasets: Count
    """The datasets downstream, up to 20 jobs away: they wait for the job."""
    since: Time
    """The end of the first failed run."""
    failedRuns: Count
    """Failed runs since the last good run, among its last 100."""
    failsLonger: bool
    """True if none of its last 100 runs is good: it may fail for longer."""
    runId: str
    """The last failed run."""
    error: str | None
    """The head of the run's error, without the frames of a stack."""


class BrokenReport(TypedDict):
    """The failing jobs since their last good run; a job is left out if only a task of it fails."""

    broken: list[BrokenJob]
    """The job with the most waiting datasets comes first, then the job that fails the longest."""
    totalCount: Count
    truncated: bool
    """True if more than the 50 jobs updated last may fail."""
    datasetsTruncated: bool
    """True if only 2,000 jobs and datasets downstream are counted: each number is a lower bound."""


def report_broken(view: GraphView, *, owner: str | None = None, limit: int, offset: int) -> BrokenReport:
    """Report a page of the failing jobs, of an owner if given; the most waiting datasets come first."""
    listed = Jobs(view).list(None, states=["FAILED"], sort="updated_at", in_short=True, limit=STATE_ROWS_MAX, offset=0)
    failed = [job for job in listed.items if owner is None or is_owned(job.annotations, owner)]
    jobs = {job.id: job for job in failed[:JOBS_MAX]}
    children = [job.id for job in listed.items if job.parent and job.parent.job in jobs][:JOBS_MAX]
    failing = find_failing_jobs(jobs, view, children=children, without_good_run=True)
    graph = GraphBelow(view, direction="down", limit=BELOW_MAX).from_jobs(sorted(failing), DEPTH) if failing else None
    datasets = count_datasets_below(graph, failing) if graph else {}
    order = sorted(failing, key=lambda job: (-datasets.get(job, 0), failing[job].since, job))
    page = order[offset : offset + limit]
    errors = _errors_of([failing[job] for job in page], view)
    return {
        "broken": [_broken(jobs[job], failing[job], datasets.get(job, 0), errors) for job in page],
        "totalCount": len(failing),
        "truncated": listed.truncated or len(failed) > JOBS_MAX,
        "datasetsTruncated": bool(graph and graph.truncated),
    }


def _broken(job: Job, failing: FailingJob, datasets: int, errors: Mapping[RunKey, str]) -> BrokenJob:
    return {
        "nodeId": job.id.node_id,
        "data": render_short_job(job),
        "datasets": datasets,
        "since": when(failing.since),
        "failedRuns": len(failing.failed),
        "failsLonger": failing.cut,
        "runId": failing.last.id,
        "error": errors.get(failing.last.key),
    }


def _errors_of(failing: Sequence[FailingJob], view: GraphView) -> dict[RunKey, str]:
    """Read the error messages of the last failed runs, by run."""
    facts = read_run_facts([job.last.key for job in failing], view)
    messages = {run: text_in(facet_of(of.run_facets, "errorMessage"), "message") for run, of in facts.items()}
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
