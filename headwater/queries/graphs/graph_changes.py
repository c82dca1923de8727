"""The times at which the graph around a node may change: times in the facts of a walk, and of later runs.

The graph as of a time is a function of the facts as of the time. It changes only at a time in the facts that were read,
or when a later run of a read job counts. A time without a change costs a walk, and no more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from headwater.facts.facet_refs import LINEAGE
from headwater.facts.facts import DatasetFacts, JobFacts, NamespaceFacts, RunFacts, dataset_of, text_of
from headwater.facts.index_scan import facts_of, read_run_facts, run_of, streamed_jobs, time_of
from headwater.facts.job_nodes import io_of
from headwater.facts.keys import dataset_pk, facts_key, job_pk
from headwater.facts.lattice import History
from headwater.facts.run_io import io_at, windows_of
from headwater.facts.stream_rows import beginning, coarse_bounds
from headwater.facts.table import GraphReader, Key, Row, RowQuery
from headwater.queries.view import GraphView
from headwater.queries.view.descriptions import is_doubtful, schema_of
from headwater.queries.view.rows import ReadAhead
from headwater.times import just_after
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey

# Rows of later runs read for one job or dataset at a time.
ROWS_MAX = 2_000
# Versions of a job whose inputs and outputs are read; each later run of a job with more may change the graph.
_VERSIONS_MAX = 20

# The inputs and outputs of a job, under the names in its events.
IO: TypeAlias = tuple[frozenset[DatasetId], frozenset[DatasetId]]
# The type of each column in a schema.
Types: TypeAlias = Mapping[FieldPath, str | None]


class WatchedReader(ReadAhead):
    """The table as read by one history, with the times in the facts.

    `doubtful` are the datasets whose schema depends on their last writer.
    """

    def __init__(self, behind: GraphReader) -> None:
        super().__init__(behind)
        self.times: set[str] = set()
        self.doubtful: set[DatasetId] = set()
        # Mentions matter once something was deleted.
        self._mentions: set[str] = set()
        self._is_deleted = False

    def _keep(self, rows: Mapping[Key, Row | None]) -> None:
        super()._keep(rows)
        for row in rows.values():
            if row is not None and "facts" in row.data:
                self._watch(row)

    def changes(self) -> Iterator[str]:
        """Yield the times at which the read rows may change by their own facts."""
        yield from self.times
        yield from self._mentions if self._is_deleted else ()

    def _watch(self, row: Row) -> None:
        kind, stored = row.pk.partition("#")[0], row.data["facts"]
        if kind == "RUN":
            self.times.update(_times_of_run(RunFacts(**stored)))
        elif kind == "JOB":
            self._watch_mentions(JobFacts(**stored))
        elif kind == "NAMESPACE":
            self._watch_mentions(NamespaceFacts(**stored))
        elif kind == "DATASET":
            self._watch_dataset(DatasetFacts(**stored), dataset_of(row.data["id"]))

    def _watch_mentions(self, facts: JobFacts | DatasetFacts | NamespaceFacts) -> None:
        self.times.update(filter(None, (facts.first, *facts.deleted_at)))
        self._mentions.update(filter(None, (*facts.mentioned_at, facts.last)))
        self._is_deleted |= bool(facts.deleted_at)

    def _watch_dataset(self, facts: DatasetFacts, dataset: DatasetId) -> None:
        self._watch_mentions(facts)
        # A job's first use of the dataset: the job may not have been read before.
        users = facts.written_by.values(), facts.read_by.values()
        self.times.update(filter(None, [facts.named_first]), facts.derived.values(), *users)
        self._mentions.update(facts.named_at)
        stamps = [
            *facts.declarations,
            *facts.other_names.values(),
            *(stamp for alias_stamps in facts.aliases.values() for stamp in alias_stamps),
        ]
        for histories in (facts.facets, facts.read_schemas, facts.written_schemas):
            stamps += _stamps(histories.get("schema", {}))
        self.times.update(map(_time, stamps))
        if is_doubtful(facts) or (facts.written_schemas and (facts.aliases or facts.other_names)):
            self.doubtful.add(dataset)


def _time(stamp: str) -> str:
    return stamp.partition("#")[0]


def _stamps(history: History) -> list[str]:
    return [stamp for first, last, _ in history.values() for stamp in (first, last)]


def _times_of_run(facts: RunFacts) -> Iterator[str]:
    """Yield the times at which a counted run reported more; rows of the index name the time when it began to count."""
    if facts.streaming:
        yield facts.streaming
    ends = min(map(_time, facts.terminals), default="~")
    for side in (facts.inputs, facts.outputs):
        yield from (first for first in side.values() if facts.streaming or first > ends)
    yield from (window.time for window in windows_of(facts))
    yield from map(_time, _stamps(facts.job_facets.get(LINEAGE, {})))
    for histories in facts.written_facets.values():
        if len(histories.get("schema", {})) > 1:
            yield from map(_time, _stamps(histories["schema"]))


@dataclass(frozen=True, slots=True)
class LaterRun:
    """A run that counts from a time on, with its result: its job's inputs and outputs, or the schema of its output.

    `expected` is None if the result is unknown.
    """

    time: str
    run: RunKey
    expected: IO | Types | None


@dataclass(slots=True)
class LaterRuns:
    """The runs of watched jobs, and of writers of doubtful datasets, in a range of times, the oldest first.

    A job or dataset watched from a later time on is read from `start`, as `start` is then. Rows from `complete_to` on
    were not all read.
    """

    view: GraphView
    start: str
    end: str
    complete_to: str
    of_jobs: dict[JobId, Sequence[LaterRun]] = field(default_factory=dict)
    of_datasets: dict[DatasetId, Sequence[LaterRun]] = field(default_factory=dict)

    def read(self, jobs: Mapping[JobId, IO], datasets: Iterable[DatasetId]) -> None:
        """Read the runs of the jobs, given with their inputs and outputs now, and the versions of the datasets."""
        new = {job: io for job, io in jobs.items() if job not in self.of_jobs}
        versions = self._versions(list(new))
        queries: dict[RowQuery, tuple[JobId, IO | None]] = {}
        for job, io in new.items():
            used = versions[job]
            if used is None:
                queries[self._range(job_pk(job), "WITH_IO")] = job, None
            elif set(used.values()) - {io}:
                queries.update(
                    (self._range(job_pk(job), f"VERSION_RUN#{version}"), (job, used[version])) for version in used
                )
        by_job: dict[JobId, list[LaterRun]] = {job: [] for job in new}
        for (job, expected), rows in zip(queries.values(), self._rows(list(queries)), strict=True):
            by_job[job] += [LaterRun(time_of(row), run_of(row), expected) for row in rows]
        for job, streams in self._streams({job for job, _ in queries.values()}).items():
            by_job[job] += streams
        self.of_jobs.update((job, _in_order(runs)) for job, runs in by_job.items())
        self._read_datasets([dataset for dataset in datasets if dataset not in self.of_datasets])

    def _streams(self, jobs: Collection[JobId]) -> dict[JobId, list[LaterRun]]:
        """Read the streams of the jobs at each of their events in the range."""
        streamed = sorted(streamed_jobs(jobs, self.view)) if jobs else []
        pages = self._rows([query for job in streamed for query in self._coarse(job_pk(job), "WITH_IO")])
        runs = sorted({run_of(row) for page in pages for row in page})
        streams: dict[JobId, list[LaterRun]] = {}
        for run, facts in read_run_facts(runs, self.view).items():
            if job := facts.job_id:
                for time in self._times_of(facts):
                    inputs, outputs = (frozenset(map(dataset_of, side)) for side in io_at(facts, time))
                    streams.setdefault(job, []).append(LaterRun(time, run, (inputs, outputs)))
        return streams

    def _read_datasets(self, datasets: Sequence[DatasetId]) -> None:
        queries = [(dataset, query) for dataset in datasets for query in self._of_dataset(dataset)]
        rows: dict[DatasetId, list[Row]] = {dataset: [] for dataset in datasets}
        for (dataset, _), page in zip(queries, self._rows([query for _, query in queries]), strict=True):
            rows[dataset] += page
        runs = {run_of(row) for dataset_rows in rows.values() for row in dataset_rows}
        facts = read_run_facts(runs, self.view)
        for dataset, dataset_rows in rows.items():
            writes = (
                _write(time, run, facts[run], dataset) for time, run in self._times(dataset_rows, facts) if run in facts
            )
            self.of_datasets[dataset] = _in_order(filter(None, writes))

    def _of_dataset(self, dataset: DatasetId) -> list[RowQuery]:
        """List the queries of a dataset's versions; only a dataset written by a stream has rows of streams."""
        pk, row = dataset_pk(dataset), self.view.get([facts_key(dataset)]).get(facts_key(dataset))
        exact = [self._range(pk, prefix) for prefix in ("VERSION", "FAILED")]
        if row is None or not DatasetFacts(**row.data["facts"]).first_streamed:
            return exact
        return [*exact, self._range(pk, "ACTIVE"), *self._coarse(pk, "ACTIVE")]

    def _coarse(self, pk: str, prefix: str) -> list[RowQuery]:
        bounds = coarse_bounds(prefix, self.start, self.end)
        return [RowQuery(pk, low=low, high=high, limit=ROWS_MAX) for low, high in bounds]

    def _times_of(self, facts: RunFacts) -> list[str]:
        """List the known times of a stream's events in the range."""
        known = (*facts.times, facts.first, facts.streaming, *facts.inputs.values(), *facts.outputs.values())
        return sorted({time for time in known if time and self.start <= time < self.end})

    def _times(self, rows: Iterable[Row], facts: Mapping[RunKey, RunFacts]) -> set[tuple[str, RunKey]]:
        """List the times of the rows, each with its run; a coarse row stands for all the run's events in the range."""
        places = {(time_of(row), run_of(row)) for row in rows}
        streams = {run for place, run in places if place.endswith("~")}
        events = {(time, run) for run in streams & facts.keys() for time in self._times_of(facts[run])}
        return {place for place in places if not place[0].endswith("~")} | events

    def _versions(self, jobs: Sequence[JobId]) -> dict[JobId, dict[str, IO] | None]:
        """Read the inputs and outputs of each version of a job; None for a job with too many, or with flows."""
        queries = [RowQuery(job_pk(job), prefix="VERSION#", limit=_VERSIONS_MAX) for job in jobs]
        pages = self.view.query(queries)
        explicit = {job for job, facts in facts_of(jobs, self.view).items() if facts.first_explicit} if jobs else set()
        return {
            job: None
            if page.more or job in explicit
            else {row.sk.partition("#")[2]: _frozen(io_of(row.data)) for row in page.rows}
            for job, page in zip(jobs, pages, strict=True)
        }

    def _range(self, pk: str, prefix: str) -> RowQuery:
        return RowQuery(pk, low=f"{prefix}#{self.start}", high=f"{prefix}#{self.end}", limit=ROWS_MAX)

    def _rows(self, queries: Sequence[RowQuery]) -> list[Sequence[Row]]:
        pages = self.view.query(queries)
        for page in pages:
            if page.more:
                last = max(beginning(time_of(page.rows[-1])), just_after(self.start))
                self.complete_to = min(self.complete_to, last)
        return [page.rows for page in pages]


def _write(time: str, run: RunKey, facts: RunFacts, dataset: DatasetId) -> LaterRun | None:
    """Make a run's write of a dataset, with the schema of the run; None if the run sent no schema."""
    schemas = facts.written_facets.get(text_of(dataset), {}).get("schema", {})
    if len(schemas) > 1 or len(facts.terminals) > 1:
        return LaterRun(time, run, None)
    bodies = [body for _, _, body in schemas.values()]
    return LaterRun(time, run, schema_of({"schema": bodies[0]}).types) if bodies else None


def _in_order(runs: Iterable[LaterRun]) -> list[LaterRun]:
    return sorted(runs, key=lambda later: (later.time, later.run))


def io_of_nodes(nodes: Mapping[JobId, Mapping[str, Any]]) -> dict[JobId, IO]:
    """List the inputs and outputs of jobs by their nodes."""
    return {job: _frozen(io_of(node)) for job, node in nodes.items()}


def _frozen(io: tuple[Iterable[DatasetId], Iterable[DatasetId]]) -> IO:
    return frozenset(io[0]), frozenset(io[1])
