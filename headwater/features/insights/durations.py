"""The durations of jobs: the last completed run against the usual, the median of the completed runs before.

    page = report_durations(view, namespace=None, owner=None, limit=20, offset=0)

The report reads the last runs of the jobs with the last events: a query for each job.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from typing_extensions import TypedDict

from headwater.api.types import Count
from headwater.facts.index_scan import RunWithFacts
from headwater.facts.run_facts import last_ended
from headwater.queries.lists.annotated import is_owned
from headwater.queries.lists.listings import Jobs
from headwater.queries.runs.runs import newest_facts_of
from headwater.queries.view import GraphView
from headwater_model.ids import JobId
from headwater_model.times import milliseconds_between

# Jobs compared, the last updated; their runs read; completed runs before the last that make a usual duration.
JOBS_MAX = 500
_RUNS = 11
_LEAST = 3


class JobDuration(TypedDict):
    """The duration of a job against the usual."""

    nodeId: str
    lastMs: Count
    """Of the last completed run."""
    usualMs: Count
    """The median of up to ten completed runs before, at least three."""
    againstUsual: float
    """The growth: 0.5 is half as long again, -0.5 half as long."""


class DurationReport(TypedDict):
    """Durations of jobs, the greatest growth first."""

    jobs: list[JobDuration]
    totalCount: Count
    truncated: bool
    """True if there are more than the 500 jobs updated last."""


def report_durations(
    view: GraphView, *, namespace: str | None, owner: str | None, limit: int, offset: int
) -> DurationReport:
    """Report a page of the jobs with enough completed runs; the greatest growth comes first."""
    listed = Jobs(view).list(namespace, sort="updated_at", in_short=True, limit=JOBS_MAX, offset=0)
    jobs = {job.id: job for job in listed.items if owner is None or is_owned(job.annotations, owner)}
    runs = newest_facts_of(jobs, view, _RUNS)
    known = [(job, of) for job in jobs if (of := _duration(job, runs.get(job, ())))]
    known.sort(key=lambda of: (-of[1]["againstUsual"], of[0]))
    return {
        "jobs": [of for _, of in known[offset : offset + limit]],
        "totalCount": len(known),
        "truncated": listed.truncated or listed.total > JOBS_MAX,
    }


def _duration(job: JobId, runs: Sequence[RunWithFacts]) -> JobDuration | None:
    attempts = (last_ended(facts) for _, facts in runs if facts.first)
    took = [
        milliseconds_between(attempt.started, attempt.ended)
        for attempt in attempts
        if attempt and attempt.ended and attempt.state == "COMPLETED"
    ]
    if len(took) <= _LEAST:
        return None
    last, usual = took[0], round(median(took[1:]))
    # A usual duration of zero counts as a millisecond.
    growth = round(last / max(usual, 1) - 1, 3)
    return {"nodeId": job.node_id, "lastMs": last, "usualMs": usual, "againstUsual": growth}
