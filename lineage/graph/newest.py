"""The newest run of each job that counts: index rows are read backwards until one that its run's facts bear out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from lineage.graph.facet_refs import reported_columns
from lineage.graph.facts import IdText, RunFacts, as_of, dataset_of
from lineage.graph.index_rows import columns_prefix
from lineage.graph.keys import facts_key, job_pk
from lineage.graph.run_facts import ended, has_io, is_active_stream, owner
from lineage.graph.table import GraphTable, Row, RowQuery
from lineage.times import EARLIEST
from lineage_model.ids import JobId, RunKey

RunWithFacts: TypeAlias = tuple[RunKey, RunFacts]
# Whether facts of a run bear out an index row's time, for this job.
Confirm: TypeAlias = Callable[[RunFacts, str], bool]
_FIRST_LOOK = 3
_NEXT_LOOK = 100


def read_run_facts(runs: Iterable[RunKey], table: GraphTable, at: str | None = None) -> dict[RunKey, RunFacts]:
    """The facts of these runs, as of a time; of those that there are (or were)."""
    found = facts_in_rows(table.get(facts_key(run) for run in runs).values())
    if at is None:
        return found
    earlier = {run: as_of(facts, at) for run, facts in found.items()}
    return {run: facts for run, facts in earlier.items() if owner(facts)}


def facts_in_rows(rows: Iterable[Row]) -> dict[RunKey, RunFacts]:
    """Return the facts of runs, out of rows that were read."""
    return {RunKey.parse(row.data["id"]): RunFacts(**row.data["facts"]) for row in rows}


def stands_at(facts: RunFacts, time: str) -> bool:
    """Whether the run's position is this time; a live run's is that of its newest row."""
    return ended(facts) == time or is_active_stream(facts)


@dataclass(frozen=True, slots=True)
class NewestQuery:
    """For the newest run of a job whose row under an index prefix its facts bear out."""

    job: JobId
    prefix: str
    borne: Confirm


def last_with_io(job: JobId) -> NewestQuery:
    """For the job's last run that told of datasets, by (position, run id)."""
    return NewestQuery(job, "WITH_IO", lambda facts, time: has_io(facts) and stands_at(facts, time))


def last_without_io(job: JobId) -> NewestQuery:
    """For its last run that counts and told of none."""
    return NewestQuery(job, "WITHOUT_IO", lambda facts, time: not has_io(facts) and stands_at(facts, time))


def last_with_columns(job: JobId, dataset: IdText) -> NewestQuery:
    """For its last run that told of the columns of a dataset."""
    prefix = columns_prefix(dataset_of(dataset))
    return NewestQuery(
        job, prefix, lambda facts, time: reported_columns(facts, dataset) is not None and stands_at(facts, time)
    )


def last_started(job: JobId) -> NewestQuery:
    """For its run that started last; one known only as a parent comes before any that started."""
    return NewestQuery(job, "RUN", lambda facts, time: (facts.first or EARLIEST) == time)


def newest(asks: Sequence[NewestQuery], table: GraphTable, at: str | None = None) -> list[RunWithFacts | None]:
    """The run of each, as of a time; None where there is none."""
    found: list[RunWithFacts | None] = [None] * len(asks)
    highs = {number: f"{ask.prefix}#{at or '~'}" for number, ask in enumerate(asks)}
    look = _FIRST_LOOK
    while highs:
        queries = [
            RowQuery(job_pk(asks[number].job), low=f"{asks[number].prefix}#", high=high, newest_first=True, limit=look)
            for number, high in highs.items()
        ]
        pages = dict(zip(highs, table.query(queries), strict=True))
        facts = read_run_facts({run_of(row) for page in pages.values() for row in page.rows}, table, at)
        for number, page in pages.items():
            found[number] = _first_confirmed(asks[number], page.rows, facts)
        # The last row looked at begins the next look: a live run's newest row may be any of its rows.
        highs = {number: page.rows[-1].sk for number, page in pages.items() if page.more and found[number] is None}
        look = _NEXT_LOOK
    return found


def _first_confirmed(ask: NewestQuery, rows: Sequence[Row], facts: dict[RunKey, RunFacts]) -> RunWithFacts | None:
    for row in rows:
        run = run_of(row)
        if run in facts and owner(facts[run]) == ask.job and ask.borne(facts[run], time_of(row)):
            return run, facts[run]
    return None


def time_of(row: Row) -> str:
    """The time in an index row's sort key."""
    return row.sk.split("#")[-2]


def run_of(row: Row) -> RunKey:
    """Return the run in an index row's sort key."""
    return RunKey.parse(end_of(row))


def end_of(row: Row) -> str:
    """Return the end of an index row's sort key: a run's identity, or the hash of a DatasetEvent."""
    return row.sk.rpartition("#")[2]
