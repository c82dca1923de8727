"""Runs of streaming queries: a run for each dataset written by a query, from the query's start to its end.

A query writes its sink, or its batches write datasets (`foreachBatch`). A batch's writes of a dataset replace the
columns of the batch before: a run reports the columns of the last batch. Events are rate-limited: rows, bytes and
files add up from each event to the next.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from headwater_model.columns import merge_columns
from headwater_model.ids import DatasetId
from spark_client.capturing.datasets.versions import NO_VERSIONS, Versions, read_at
from spark_client.capturing.model import (
    Commit,
    Failure,
    Phase,
    Q,
    StreamEnd,
    StreamProgress,
    StreamReport,
    StreamStart,
    Write,
    WriteStatistics,
)
from spark_client.capturing.session.worker import Guarded, Moment, StreamReader

# Most runs of a query, a dataset each; further writes are runs of their own, as outside of a stream.
_OUTPUTS_MAX = 100
_Key: TypeAlias = tuple[str, DatasetId]


@dataclass(slots=True)
class _Run:
    """Run of a query for a dataset; `due_s` is the earliest time of its next event, `is_new` if writes wait for it."""

    write: Write
    job_name: str
    run_id: str
    due_s: float
    at_ms: int
    is_new: bool = False


@dataclass(slots=True)
class _Query:
    """Running query; `runs` has its sink's run under None, and runs of its batches' writes under their keys."""

    run_id: str
    started_ms: int
    runs: dict[_Key | None, _Run] = field(default_factory=dict)


class StreamRuns:
    """Runs of an application's streaming queries; usable by many threads.

    Args:
        name: returns the name of a write's job.
        interval_s: least time between two events of a run, apart from its first and its last.
        clock: seconds, monotonic.
    """

    def __init__(
        self, name: Callable[[Write], str], interval_s: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._name = name
        self._interval_s = interval_s
        self._clock = clock
        self._lock = threading.Lock()
        self._queries: dict[str, _Query] = {}

    def take(self, moment: Moment[Q], reader: StreamReader[Q], guarded: Guarded) -> list[StreamReport]:
        """List the reports of a query's moment; `guarded` calls the reader, and catches its errors."""
        if isinstance(moment, StreamStart):
            return self.start(moment, guarded(reader.read_stream, moment))
        if isinstance(moment, StreamProgress):
            return self.progress(moment, reader.locate(moment.read_versions))
        return self.end(moment, reader.locate(moment.progress.read_versions))

    def start(self, start: StreamStart[Any], sink: Write | None) -> list[StreamReport]:
        """Begin a query; `sink` is its own write, None if its batches alone write."""
        with self._lock:
            query = self._queries[start.run_id] = _Query(start.run_id, start.started_ms)
            if sink is None:
                return []
            return [self._begin(query, None, sink, start.run_id)]

    def add(self, writes: Sequence[Write]) -> tuple[list[StreamReport], list[Write]]:
        """Take the writes of a batch; return the reports to emit, and the writes without a stream's run."""
        reports: list[StreamReport] = []
        others: list[Write] = []
        with self._lock:
            replaced: set[_Key] = set()
            for write in writes:
                query = self._queries.get(write.stream or "")
                key = (self._name(write), write.output.id) if query else ("", write.output.id)
                if query is None or (key not in query.runs and len(query.runs) >= _OUTPUTS_MAX):
                    others.append(write)
                    continue
                reports += self._take(query, key, write, is_first=key not in replaced)
                replaced.add(key)
            return [*reports, *self._due()], others

    def progress(self, progress: StreamProgress, versions: Versions = NO_VERSIONS) -> list[StreamReport]:
        """Count the batches' writes to a query's sink; `versions` are of the tables read by the last batch."""
        with self._lock:
            query = self._queries.get(progress.run_id)
            if query:
                _count(query, progress, versions)
            return list(self._due())

    def end(self, end: StreamEnd, versions: Versions = NO_VERSIONS) -> list[StreamReport]:
        """End a query's runs, as COMPLETE or FAIL; `versions` as above."""
        with self._lock:
            query = self._queries.pop(end.progress.run_id, None)
            if query is None:
                return []
            _count(query, end.progress, versions)
            return list(_ends(query, end.failure, end.progress.at_ms))

    def flush(self) -> list[StreamReport]:
        """List the reports of all writes by now, due or not."""
        with self._lock:
            return list(self._due(waiting=True))

    def close(self, failure: Failure | None, at_ms: int) -> list[StreamReport]:
        """End all runs as the application ends."""
        with self._lock:
            queries = list(self._queries.values())
            self._queries.clear()
        return [report for query in queries for report in _ends(query, failure, at_ms)]

    def _begin(self, query: _Query, key: _Key | None, write: Write, run_id: str) -> StreamReport:
        write = replace(write, started_ms=query.started_ms, written=WriteStatistics(), failure=None)
        run = _Run(write, self._name(write), run_id, self._clock(), query.started_ms)
        query.runs[key] = run
        return _report(run, "START", query.started_ms)

    def _take(self, query: _Query, key: _Key, write: Write, *, is_first: bool) -> Iterator[StreamReport]:
        """Put a write into its run; it joins the earlier writes of its batch, unless it is the first."""
        if key not in query.runs:
            name, output = key
            run_id = str(uuid.uuid5(uuid.UUID(query.run_id), f"{name} {output.namespace} {output.name}"))
            yield self._begin(query, key, write, run_id)
        run = query.runs[key]
        run.at_ms = write.ended_ms
        if write.failure is not None:
            return
        columns = write.columns if is_first else merge_columns([run.write.columns, write.columns])
        written = add_statistics(run.write.written, write.written)
        run.write = replace(write, started_ms=query.started_ms, columns=columns, written=written)
        run.is_new = True

    def _due(self, *, waiting: bool = False) -> Iterator[StreamReport]:
        now_s = self._clock()
        for query in self._queries.values():
            for run in query.runs.values():
                if run.is_new and (waiting or run.due_s <= now_s):
                    run.due_s = now_s + self._interval_s
                    yield _report(run, "RUNNING", run.at_ms)


def _count(query: _Query, progress: StreamProgress, versions: Versions) -> None:
    for run in query.runs.values():
        run.write = replace(run.write, inputs=tuple(read_at(run.write.inputs, versions)))
    sink = query.runs.get(None)
    if sink is not None and progress.batches:
        commit = progress.commit or Commit(None)
        output = replace(sink.write.output, version=commit.version, branch=commit.branch, rows=commit.rows)
        sink.write = replace(sink.write, output=output, written=add_statistics(sink.write.written, progress.written))
        sink.at_ms, sink.is_new = progress.at_ms, True


def _ends(query: _Query, failure: Failure | None, at_ms: int) -> Iterable[StreamReport]:
    phase: Phase = "COMPLETE" if failure is None else "ABORT" if failure.is_abort else "FAIL"
    for run in query.runs.values():
        run.write = replace(run.write, failure=failure)
        yield _report(run, phase, at_ms)


def _report(run: _Run, phase: Phase, at_ms: int) -> StreamReport:
    """Report the run as of now, and begin to count anew."""
    report = StreamReport(replace(run.write, ended_ms=at_ms), run.job_name, run.run_id, phase, at_ms)
    run.write = replace(run.write, written=WriteStatistics())
    run.is_new = False
    return report


def add_statistics(first: WriteStatistics, second: WriteStatistics) -> WriteStatistics:
    """Add two statistics; a number of a single side stays: `None` and 3 files are 3 files."""
    return WriteStatistics(
        _sum(first.rows, second.rows), _sum(first.size_bytes, second.size_bytes), _sum(first.files, second.files)
    )


def _sum(first: int | None, second: int | None) -> int | None:
    return second if first is None else first if second is None else first + second
