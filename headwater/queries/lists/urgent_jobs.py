"""Jobs in a rare state, and the jobs with the last events: by rows that list them (`facts.list_rows`).

Rows may list too many jobs: the nodes decide. A job of an older release has no row before its next event.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from headwater.events.event import State
from headwater.facts.facts import job_of
from headwater.facts.list_rows import lately_queries, minute_of, state_queries
from headwater.queries.lists.annotated import ListedThings
from headwater.queries.results.entities import Job
from headwater.queries.view import GraphView
from headwater_model.ids import JobId

# Rows read of a partition: of a state at most, and of the last events at first and at most.
STATE_ROWS_MAX = 5_000
_FIRST_ROWS = 20
_ROWS_MAX = 5_000
# Rows read of a partition for the jobs with the last events, in any order of names.
_CHANGED_ROWS = 500


def listed_in_states(states: Sequence[State], namespace: str | None, view: GraphView) -> tuple[list[JobId], bool]:
    """List the jobs in the rows of listed states, `("FAILED", "ABORTED")`, by name, and true if there are more."""
    queries = [query for state in states for query in state_queries(state, namespace, STATE_ROWS_MAX)]
    pages = view.query(queries)
    jobs = map(job_of, sorted({row.data["name"] for page in pages for row in page.rows}))
    return list(filter(ListedThings(view, namespace).wants, jobs)), any(page.more for page in pages)


def last_changed(namespace: str | None, view: GraphView) -> list[JobId]:
    """List the jobs in the rows of the last events, the last first."""
    pages = view.query(lately_queries(_CHANGED_ROWS))
    rows = sorted(chain.from_iterable(page.rows for page in pages), key=lambda row: row.sk, reverse=True)
    jobs = map(job_of, dict.fromkeys(row.data["name"] for row in rows))
    return list(filter(ListedThings(view, namespace).wants, jobs))


def last_updated(number: int, namespace: str | None, view: GraphView) -> list[Job] | None:
    """Read so many visible jobs with the last events, the last first; None if the rows do not reach so far.

    Rows of old events are gone, and tables of an older release have fewer. Jobs of other namespaces are not read.
    """
    limit = number + _FIRST_ROWS
    while limit <= _ROWS_MAX:
        pages = view.query(lately_queries(limit))
        # Later than this minute, all rows are read.
        watermark = max((minute_of(page.rows[-1].sk) for page in pages if page.more), default="")
        rows = chain.from_iterable(page.rows for page in pages)
        names = {row.data["name"] for row in rows if minute_of(row.sk) > watermark}
        jobs = ListedThings(view, namespace).jobs(map(job_of, sorted(names)))
        known = [job for job in jobs if minute_of(job.updated) > watermark]
        if len(known) >= number:
            return sorted(known, key=lambda job: job.updated, reverse=True)[:number]
        if not any(page.more for page in pages):
            break
        limit *= 4
    return None
