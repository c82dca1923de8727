"""The newest run of each job that counts: index rows are read backwards until one that its run's facts bear out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from lineage.names import JobId
from lineage.runs.facts import RunFacts, until
from lineage.runs.keys import facts_key, job_pk
from lineage.runs.run import ended, is_live, known, owner
from lineage.runs.table import GraphTable, Query, Row
from lineage.runs.times import EARLIEST

Run: TypeAlias = tuple[str, RunFacts]
# Whether facts of a run bear out an index row's time, for this job.
Borne: TypeAlias = Callable[[RunFacts, str], bool]
_FIRST_LOOK = 3
_NEXT_LOOK = 100


def facts_of_runs(runs: Iterable[str], table: GraphTable, at: str | None = None) -> dict[str, RunFacts]:
    """The facts of these runs, as of a time; of those that there are (or were)."""
    rows = table.get(facts_key(run) for run in runs)
    found = {row.data["id"]: RunFacts(**row.data["facts"]) for row in rows.values()}
    if at is None:
        return found
    earlier = {run: until(facts, at) for run, facts in found.items()}
    return {run: facts for run, facts in earlier.items() if owner(facts)}


def stands_at(facts: RunFacts, time: str) -> bool:
    """Whether the run's position is this time; a live run's is that of its newest row."""
    return ended(facts) == time or is_live(facts)


def newest_known(jobs: Sequence[JobId], table: GraphTable, at: str | None = None) -> dict[JobId, Run]:
    """The last run of each job that told of datasets, by (position, run id)."""
    return newest(jobs, table, "K", lambda facts, time: known(facts) and stands_at(facts, time), at)


def newest_started(jobs: Sequence[JobId], table: GraphTable, at: str | None = None) -> dict[JobId, Run]:
    """The run of each job that started last; one known only as a parent before any that started."""
    return newest(jobs, table, "N", lambda facts, time: (facts.first or EARLIEST) == time, at)


def newest(
    jobs: Sequence[JobId], table: GraphTable, prefix: str, borne: Borne, at: str | None = None
) -> dict[JobId, Run]:
    """The newest run of each job whose row under the prefix is borne out, as of a time."""
    found: dict[JobId, Run] = {}
    high = dict.fromkeys(jobs, f"{prefix}#{at}" if at else f"{prefix}#~")
    look = _FIRST_LOOK
    while high:
        queries = [
            Query(job_pk(job), low=f"{prefix}#", high=end, newest_first=True, limit=look) for job, end in high.items()
        ]
        pages = dict(zip(high, table.query(queries), strict=True))
        facts = facts_of_runs({run_of(row) for page in pages.values() for row in page.rows}, table, at)
        for job, page in pages.items():
            run = _first_borne(job, page.rows, facts, borne)
            if run is not None:
                found[job] = run
        # The last row looked at begins the next look: a live run's newest row may be any of its rows.
        high = {job: page.rows[-1].sk for job, page in pages.items() if page.more and job not in found}
        look = _NEXT_LOOK
    return found


def _first_borne(job: JobId, rows: Sequence[Row], facts: dict[str, RunFacts], borne: Borne) -> Run | None:
    for row in rows:
        run = run_of(row)
        if run in facts and owner(facts[run]) == job and borne(facts[run], time_of(row)):
            return run, facts[run]
    return None


def time_of(row: Row) -> str:
    """The time in an index row's sort key."""
    return row.sk.split("#")[-2]


def run_of(row: Row) -> str:
    """The run in an index row's sort key."""
    return row.sk.rpartition("#")[2]
