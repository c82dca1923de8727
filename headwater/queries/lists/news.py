"""The news of datasets and jobs, computed from their facts: functions of the set of events alone.

A dataset that is gone is news of the day of its drop, a job that fails of the day since which it does; neither is news
once it is well again. A schema is news of the day on which an event first stated it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import orjson

from headwater.events.event import is_deleted
from headwater.facts.annotations import Annotations, annotations_of
from headwater.facts.facts import DatasetFacts, is_dropped, job_of
from headwater.facts.feed_rows import Sender, last_drop, schemas_stated
from headwater.queries.resolve import ResolvedDataset
from headwater.queries.results.entities import Job
from headwater.queries.results.feed import News, NewsKind, SchemaChange
from headwater.queries.runs.failing_jobs import find_failing_jobs
from headwater.queries.runs.schema_changes import compare_schemas
from headwater.queries.view import GraphView
from headwater_model.ids import JobId


def news_of_dataset(group: ResolvedDataset, sender: Callable[[str], Sender]) -> Iterator[News]:
    """Yield the news of a dataset: that it is new, that it was dropped, its schemas; `sender` is that of a stamp."""
    facts, owners = group.facts, _owners(annotations_of(group.facts))
    if facts.first is not None:
        job = _first_user(facts, facts.first)
        yield News(kind="DATASET_NEW", of=group.primary, time=facts.first, owners=owners, job=job)
    drop = last_drop(facts)
    stated: list[tuple[NewsKind, str, SchemaChange | None]] = []
    if drop is not None and is_dropped(facts):
        stated.append(("DATASET_DROPPED", drop, None))
    stated += (("SCHEMA_CHANGED", stamp, change) for stamp, change in schema_changes(facts))
    for kind, stamp, change in stated:
        (time, _, event), (job, run) = stamp.partition("#"), sender(stamp)
        yield News(kind=kind, of=group.primary, time=time, event=event, owners=owners, job=job, run=run, change=change)


def _first_user(facts: DatasetFacts, first: str) -> JobId | None:
    """Return the job that wrote or else read the dataset in its first event; None of a DatasetEvent."""
    for users in (facts.written_by, facts.read_by):
        of_first = [job for job, time in users.items() if time == first]
        if of_first:
            return job_of(min(of_first))
    return None


def schema_changes(facts: DatasetFacts) -> Iterator[tuple[str, SchemaChange]]:
    """Yield the first stamp of each schema with its difference from the one before; none for the first schema.

    The one before is what was last stated until then. Of two that were stated before and since, it is the later begun.
    """
    stated = [
        (first, last, orjson.dumps(body, option=orjson.OPT_SORT_KEYS), body)
        for first, last, body in schemas_stated(facts).values()
        if not is_deleted(body)
    ]
    for stamp, _, _, schema in stated:
        earlier = [(min(last, stamp), first, text, body) for first, last, text, body in stated if first < stamp]
        if earlier:
            *_, before = max(earlier, key=lambda content: content[:3])
            change = compare_schemas({"schema": before}, {"schema": schema})
            if change is not None:
                yield stamp, change


def news_of_jobs(jobs: Iterable[Job], view: GraphView) -> Iterator[News]:
    """Yield the news of jobs: that they fail since their last good run."""
    known = {job.id: job for job in jobs}
    for job, failing in find_failing_jobs(known, view).items():
        yield News(
            kind="JOB_FAILS",
            of=job,
            time=failing.since,
            owners=_owners(known[job].annotations),
            job=job,
            run=failing.last.id,
            run_state=failing.last.state,
            failed_runs=len(failing.failed),
        )


def _owners(annotations: Annotations) -> tuple[str, ...]:
    return tuple(owner.name for owner in annotations.owners)
