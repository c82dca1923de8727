"""Versions of jobs: a version for each reported set of datasets and code version, in the order of the runs.

A run without inputs and outputs makes a new job version only if its code location or version is new. This version has
the last known datasets, marked as unknown. It depends on the runs before, so the query computes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from headwater.facts.facts import RunFacts
from headwater.facts.index_scan import (
    IndexScan,
    RunWithFacts,
    advance,
    first_of_groups,
    last_with_io,
    last_without_io,
    scan_runs,
)
from headwater.facts.job_nodes import streamed_jobs, summarize_run
from headwater.facts.keys import facts_key, job_pk
from headwater.facts.run_facts import code_of, effective_time, has_io, io_at, io_times, job_version_id, owner
from headwater.facts.table import RowQuery
from headwater.queries.results.entities import JobVersion
from headwater.queries.view import GraphView
from headwater_model.ids import DatasetId, JobId, RunKey

# Runs and versions read of a job.
RUNS_MAX = 500
VERSIONS_MAX = 500
_ROWS = 8


@dataclass(frozen=True, slots=True)
class JobVersionEntry:
    """A job version by a run: it existed from `since` on; `position` is the run's time."""

    since: str
    position: str
    run: RunKey
    facts: RunFacts
    inputs: tuple[DatasetId, ...]
    outputs: tuple[DatasetId, ...]
    location: str | None
    code: str | None
    version: str
    unknown: bool = False

    @property
    def order(self) -> tuple[str, RunKey]:
        """The entry's sort key among the job's entries."""
        return self.position, self.run


@dataclass(frozen=True, slots=True)
class Code:
    """The location and version of a job's code, as its runs reported them last."""

    location: str | None
    version: str | None

    def then(self, location: str | None, version: str | None) -> Code:
        """Advance to the code of a next run; missing values stay, but no version at a new location."""
        if location is None or location == self.location:
            return Code(self.location, version or self.version)
        return Code(location, version)


def entries_of(run: RunKey, facts: RunFacts) -> Iterator[JobVersionEntry]:
    """Yield the entries of a run with inputs or outputs; a streaming run has an entry each time it reports more."""
    job, last = owner(facts), effective_time(facts)
    if job is None or last is None or not has_io(facts):
        return
    location, code = code_of(facts)
    firsts = sorted(io_times(facts)) if facts.streaming else [last]
    for number, first in enumerate(firsts, 1):
        whole = number == len(firsts)
        if not whole and first >= last:
            continue
        inputs, outputs = map(tuple, io_at(facts, first))
        version = job_version_id(job, inputs, outputs, location, code)
        since, at = (min(first, last), last) if whole else (first, first)
        yield JobVersionEntry(since, at, run, facts, inputs, outputs, location, code, version)


@dataclass(frozen=True, slots=True)
class JobVersionPage:
    """The job's newest entries, oldest first; `cut` if older runs were not read."""

    entries: Sequence[JobVersionEntry]
    cut: bool


def read_version_page(job: JobId, view: GraphView, until: str = "~") -> JobVersionPage:
    """Read the entries of the job's newest runs, up to a position."""
    scans = _scans_of(job, until, streamed=False)
    advance(scans, view, rows=RUNS_MAX, beside=[facts_key(job)])
    if streamed_jobs([job], view):
        scans = _scans_of(job, until, streamed=True)
        advance(scans, view, rows=RUNS_MAX)
    # Runs at the floor's time may be unread: no run of this time is shown.
    floor = max(scan.floor for scan in scans)[:1]
    runs = {run: facts for scan in scans for run, facts in scan.results.values()}
    placed = sorted(
        (place, run) for run, facts in runs.items() if (place := effective_time(facts)) and (place,) > floor
    )
    entries = _in_sequence([(run, runs[run]) for _, run in placed], cut=bool(floor))
    return JobVersionPage(sorted(entries, key=lambda entry: entry.order), cut=bool(floor))


def _scans_of(job: JobId, until: str, *, streamed: bool) -> list[IndexScan[RunWithFacts]]:
    """List the scans of a job's runs, with inputs and outputs or without, up to a position."""
    high = f"{until}#~"
    return [*last_with_io(job, high, streamed=streamed), *last_without_io(job, high, streamed=streamed)]


def _in_sequence(runs: Iterable[RunWithFacts], *, cut: bool) -> Iterator[JobVersionEntry]:
    """Yield the entries of runs in order; entries of runs without inputs and outputs follow from the runs before."""
    last: JobVersionEntry | None = None
    begun = not cut
    given = at_last = Code(None, None)
    changed = False
    for run, facts in runs:
        given = given.then(*code_of(facts))
        own = sorted(entries_of(run, facts), key=lambda entry: entry.order)
        if own:
            last, at_last, changed, begun = own[-1], given, False, True
            yield from own
            continue
        changed = changed or given != at_last
        if begun:
            yield _unknown(run, facts, last, given if changed else None)


def _unknown(run: RunKey, facts: RunFacts, last: JobVersionEntry | None, given: Code | None) -> JobVersionEntry:
    job, at = owner(facts), effective_time(facts) or ""
    if job is None:
        raise ValueError(f"run {run} has no job")
    if last is not None and given is None:
        return replace(last, since=at, position=at, run=run, facts=facts)
    inputs, outputs = (last.inputs, last.outputs) if last else ((), ())
    location, code = (given.location, given.version) if given else (None, None)
    version = job_version_id(job, inputs, outputs, location, code)
    return JobVersionEntry(at, at, run, facts, inputs, outputs, location, code, version, unknown=last is not None)


def versions_of(job: JobId, view: GraphView) -> tuple[list[JobVersion], bool]:
    """List the job's versions, the most recently used first; return true, too, if versions may be missing."""
    page = read_version_page(job, view)
    versions = [_job_version(job, entries) for entries in _by_version(page.entries).values()]
    if page.cut:
        versions = [*versions, *_older(job, {version.version for version in versions}, view)]
    return versions, page.cut


def _by_version(entries: Sequence[JobVersionEntry]) -> dict[str, list[JobVersionEntry]]:
    """Group the entries by version, oldest first; the version of the newest entry comes first."""
    versions: dict[str, list[JobVersionEntry]] = {}
    for entry in reversed(entries):
        versions.setdefault(entry.version, []).insert(0, entry)
    return versions


def _job_version(job: JobId, entries: Sequence[JobVersionEntry]) -> JobVersion:
    newest = entries[-1]
    runs = [entry for entry in entries if not entry.facts.declared]
    return JobVersion(
        job=job,
        version=newest.version,
        created=min(entry.since for entry in entries),
        updated=newest.position,
        inputs=newest.inputs,
        outputs=newest.outputs,
        location=newest.location,
        code_version=newest.code,
        latest_run=summarize_run(runs[-1].run, runs[-1].facts) if runs else None,
        lineage_unknown=all(entry.unknown for entry in entries),
    )


def _older(job: JobId, newer: set[str], view: GraphView) -> list[JobVersion]:
    """List versions by runs before the page, with their newest run."""
    page = view.query([RowQuery(job_pk(job), prefix="VERSION#", limit=VERSIONS_MAX)])[0]
    versions = [row.sk.removeprefix("VERSION#") for row in page.rows]
    left = [version for version in versions if version not in newer]
    if not left:
        return []
    scans = [scan_runs(job, f"VERSION_RUN#{version}") for version in left]
    advance(scans, view, rows=_ROWS)
    older = []
    for version, scan in zip(left, scans, strict=True):
        runs = dict(scan.results.values())
        entries = [entry for run in runs.items() for entry in entries_of(*run) if entry.version == version]
        if entries:
            older.append(_job_version(job, sorted(entries, key=lambda entry: entry.order)))
    return sorted(older, key=lambda version: version.updated, reverse=True)


def last_entries(jobs: Sequence[JobId], streamed: Set[JobId], view: GraphView) -> dict[JobId, JobVersionEntry]:
    """Find the newest entry of each job, its current version; `streamed` are the jobs that had a stream."""
    kinds = (last_with_io, last_without_io)
    runs = first_of_groups([last(job, streamed=job in streamed) for job in jobs for last in kinds], view)
    newest = {}
    for job, with_io, after in zip(jobs, runs[::2], runs[1::2], strict=True):
        entries = sorted(entries_of(*with_io), key=lambda entry: entry.order) if with_io else []
        if after and (not entries or (effective_time(after[1]) or "", after[0]) > entries[-1].order):
            entries = list(read_version_page(job, view).entries)
        if entries:
            newest[job] = entries[-1]
    return newest
