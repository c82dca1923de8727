"""The feed: the news from a day to another, newest first.

    page = list_feed(["2026-11-26", "2026-11-27"], view, limit=100, offset=0)

Rows of the days (`feed_rows`) name the things whose facts to read, and the senders of events. The facts alone decide
the news. A dropped dataset is news of the day of its drop, a failing job of the day of its first failure, until it is
well again. A schema is news of the day of the first event with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias, get_args

import orjson

from headwater.events.event import State, is_deleted
from headwater.facts.annotations import Annotations, annotations_of
from headwater.facts.facts import DatasetFacts, IdText, dataset_of, is_dropped, job_of, text_of
from headwater.facts.facts_delta import Sender
from headwater.facts.index_scan import read_run_facts
from headwater.facts.result_page import ResultPage
from headwater.facts.run_facts import state
from headwater.facts.table import Row
from headwater.features.insights.feed_rows import NOBODY, day_in, event_in, feed_queries, last_drop, schemas_stated
from headwater.queries.lists.annotated import ListedThings
from headwater.queries.results.entities import Job
from headwater.queries.results.reports import SchemaChange
from headwater.queries.runs.dataset_versions import compare_schemas
from headwater.queries.runs.failing_jobs import find_failing_jobs
from headwater.queries.view import GraphView, ResolvedDataset
from headwater_model.ids import DatasetId, JobId, RunKey

# Rows read of a shard of a day; datasets, and jobs, whose facts are read. The last days come first.
ROWS_MAX = 500
DATASETS_MAX = 1_000
JOBS_MAX = 200
NewsKind: TypeAlias = Literal["DATASET_NEW", "DATASET_DROPPED", "SCHEMA_CHANGED", "JOB_FAILS"]
KINDS: Sequence[NewsKind] = get_args(NewsKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class News:
    """News of a dataset or a job, at the time of its event.

    `job` and `run` sent the event; for a failing job, they are its last failed run. `run_state` is the state of this
    run. `event` is the hash of the event, if a single event decides: it orders news of the same time.
    """

    kind: NewsKind
    of: DatasetId | JobId
    time: str
    event: str = ""
    owners: tuple[str, ...] = ()
    job: JobId | None = None
    run: str | None = None
    run_state: State | None = None
    change: SchemaChange | None = None
    failed_runs: int | None = None

    @property
    def order(self) -> tuple[str, str, str, str]:
        """The sort key of news, the oldest first."""
        return self.time, self.event, self.kind, self.of.node_id


def news_of_dataset(group: ResolvedDataset, sender: Callable[[str], Sender]) -> Iterator[News]:
    """Yield the news of a dataset: its beginning, its drop, its schemas; `sender` finds the sender of a stamp."""
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
    """Find the job that wrote or else read the dataset in its first event; None for a DatasetEvent."""
    for users in (facts.written_by, facts.read_by):
        of_first = [job for job, time in users.items() if time == first]
        if of_first:
            return job_of(min(of_first))
    return None


def schema_changes(facts: DatasetFacts) -> Iterator[tuple[str, SchemaChange]]:
    """Yield the first stamp of each schema after the first, with its difference from the schema before.

    The schema before is the last stated until then. Of two schemas stated before and since, the later begun counts.
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
    """Yield the news of failing jobs, since their last good run."""
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


def list_feed(
    days: Sequence[str],
    view: GraphView,
    *,
    kind: NewsKind | None = None,
    namespace: str | None = None,
    limit: int,
    offset: int,
) -> ResultPage[News]:
    """List the news of these days, newest first, for the eyes of the caller; of a kind and a namespace if given."""
    rows, cut = _read_rows(days, kind, view)
    candidates = _candidates(rows, view, namespace)
    things = ListedThings(view, namespace)
    groups = things.datasets(candidates.datasets[:DATASETS_MAX])
    news = [entry for group in groups for entry in news_of_dataset(group, candidates.sender_for(group))]
    news += news_of_jobs(things.jobs(candidates.jobs[:JOBS_MAX]), view)
    among = set(days)
    listed = [entry for entry in news if day_in(entry.time) in among and kind in (None, entry.kind)]
    listed.sort(key=lambda entry: entry.order, reverse=True)
    cut |= len(candidates.datasets) > DATASETS_MAX or len(candidates.jobs) > JOBS_MAX
    return ResultPage(_with_runs(listed[offset : offset + limit], view), len(listed), cut)


def _read_rows(days: Sequence[str], kind: NewsKind | None, view: GraphView) -> tuple[list[Row], bool]:
    """Read the rows of these days, the last day first, and true if there are more."""
    thing = "" if kind is None else "JOB" if kind == "JOB_FAILS" else "DATASET"
    pages = view.query(feed_queries(sorted(set(days), reverse=True), thing, ROWS_MAX))
    return [row for page in pages for row in page.rows], any(page.more for page in pages)


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Things with possible news, and the senders of events, by name and event."""

    datasets: Sequence[DatasetId]
    jobs: Sequence[JobId]
    senders: Mapping[tuple[IdText, str], Sender]

    def sender_for(self, group: ResolvedDataset) -> Callable[[str], Sender]:
        """Make a function from a stamp to the sender of its event, under any of the dataset's names."""
        names = list(map(text_of, group.names))
        return lambda stamp: next(
            (sender for name in names if (sender := self.senders.get((name, event_in(stamp))))), NOBODY
        )


def _candidates(rows: Iterable[Row], view: GraphView, namespace: str | None) -> _Candidates:
    """List the things of the rows, the things visible to the caller first.

    A hidden dataset may be an alias of a visible dataset.
    """
    jobs, datasets = dict[JobId, None](), dict[DatasetId, None]()
    senders: dict[tuple[IdText, str], Sender] = {}
    for row in rows:
        name = row.data["name"]
        if row.sk.startswith("JOB#"):
            jobs[job_of(name)] = None
        else:
            datasets[dataset_of(name)] = None
            sender = job_of(row.data["job"]) if "job" in row.data else None, row.data.get("run")
            senders[name, event_in(row.sk)] = sender

    def is_shown(thing: DatasetId | JobId) -> bool:
        return namespace in (None, thing.namespace) and view.sees(thing)

    in_order = sorted(datasets, key=lambda dataset: not is_shown(dataset))
    return _Candidates(in_order, list(filter(is_shown, jobs)), senders)


def _with_runs(page: Sequence[News], view: GraphView) -> list[News]:
    """Add the state of their runs to the news; remove senders hidden from the caller."""
    shown = [entry if entry.job and view.opens(entry.job) else replace(entry, job=None, run=None) for entry in page]
    runs = {RunKey.of(entry.job, entry.run) for entry in shown if entry.job and entry.run and entry.run_state is None}
    states = {run: state(facts) for run, facts in read_run_facts(sorted(runs), view).items()}
    return [
        replace(entry, run_state=states.get(RunKey.of(entry.job, entry.run), entry.run_state))
        if entry.job and entry.run
        else entry
        for entry in shown
    ]
