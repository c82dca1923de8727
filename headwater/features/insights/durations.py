"""The durations of jobs: the last completed run against the usual, the median of the completed runs before.

    page = report_durations(view, namespace=None, owner=None, limit=20, offset=0)

The report reads the last runs of the jobs with the last events: a query for each job.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from headwater.facts.index_scan import RunWithFacts
from headwater.facts.result_page import ResultPage
from headwater.facts.run_attempts import last_ended
from headwater.queries.lists.annotated import is_owned
from headwater.queries.lists.listings import Jobs
from headwater.queries.results.entities import Job
from headwater.queries.runs.runs import newest_facts_of
from headwater.queries.view import GraphView
from headwater_model.times import milliseconds_between

# Jobs compared, the last updated; their runs read; completed runs before the last that make a usual duration.
JOBS_MAX = 500
_RUNS = 11
_LEAST = 3


@dataclass(frozen=True, slots=True)
class Duration:
    """The duration of a job's last completed run, and the usual duration, in milliseconds."""

    job: Job
    last_ms: int
    usual_ms: int

    @property
    def growth(self) -> float:
        """The growth against the usual: 0.5 is half as long again; a usual of zero counts as a millisecond."""
        return round(self.last_ms / max(self.usual_ms, 1) - 1, 3)


def report_durations(
    view: GraphView, *, namespace: str | None, owner: str | None, limit: int, offset: int
) -> ResultPage[Duration]:
    """Report a page of the jobs with enough completed runs; the greatest growth comes first."""
    listed = Jobs(view).list(namespace, sort="updated_at", in_short=True, limit=JOBS_MAX, offset=0)
    jobs = {job.id: job for job in listed.items if owner is None or is_owned(job.annotations, owner)}
    runs = newest_facts_of(jobs, view, _RUNS)
    known = [duration for job in jobs.values() if (duration := _duration(job, runs.get(job.id, ())))]
    known.sort(key=lambda duration: (-duration.growth, duration.job.id))
    cut = listed.truncated or listed.total > JOBS_MAX
    return ResultPage(known[offset : offset + limit], len(known), cut)


def _duration(job: Job, runs: Sequence[RunWithFacts]) -> Duration | None:
    attempts = (last_ended(facts) for _, facts in runs if facts.first)
    took = [
        milliseconds_between(attempt.started, attempt.ended)
        for attempt in attempts
        if attempt and attempt.ended and attempt.state == "COMPLETED"
    ]
    return Duration(job, took[0], round(median(took[1:]))) if len(took) > _LEAST else None
