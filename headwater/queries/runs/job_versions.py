"""Versions of jobs: a version for each reported set of datasets and code version, in the order of the runs.

A run without inputs and outputs makes a new job version only if its code location or version is new. This version has
the last known datasets, marked as unknown. It depends on the runs before, so the query computes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from headwater.facts.facts import RunFacts
from headwater.facts.index_scan import (
    IndexScan,
    Position,
    RunWithFacts,
    advance,
    last_counted,
    scan_runs,
    streamed_jobs,
)
from headwater.facts.job_nodes import summarize_run
from headwater.facts.keys import facts_key, job_pk
from headwater.facts.run_facts import Code, code_of, effective_time
from headwater.facts.run_io import JobVersionEntry, entries_by
from headwater.facts.table import RowQuery
from headwater.queries.results.entities import JobVersion
from headwater.queries.view import GraphView
from headwater_model.ids import JobId, RunKey

# Runs and versions read of a job.
RUNS_MAX = 500
VERSIONS_MAX = 500
_ROWS = 8


@dataclass(frozen=True, slots=True)
class JobVersionPage:
    """The job's newest entries, oldest first; `cut` if older runs were not read."""

    entries: Sequence[JobVersionEntry]
    cut: bool


def read_version_page(job: JobId, view: GraphView, until: str = "~") -> JobVersionPage:
    """Read the entries of the job's newest runs, up to a position."""
    return _read_pages([job], view, until)[job]


def _read_pages(jobs: Sequence[JobId], view: GraphView, until: str = "~") -> dict[JobId, JobVersionPage]:
    scans = {job: last_counted(job, until, streamed=False) for job in jobs}
    view.load(rows=map(facts_key, jobs))
    advance([scan for of_job in scans.values() for scan in of_job], view, rows=RUNS_MAX)
    streams = {job: last_counted(job, until, streamed=True) for job in streamed_jobs(jobs, view)}
    advance([scan for of_job in streams.values() for scan in of_job], view, rows=RUNS_MAX)
    return {job: _page_of(job, streams.get(job, of_job)) for job, of_job in scans.items()}


def _page_of(job: JobId, scans: Sequence[IndexScan[RunWithFacts]]) -> JobVersionPage:
    # Runs at the watermark's time may be unread: no run of this time is shown.
    watermark = max(scan.watermark for scan in scans)[:1]
    runs = {run: facts for scan in scans for run, facts in scan.results.values()}
    entries = _in_sequence(job, runs, watermark)
    return JobVersionPage(sorted(entries, key=lambda entry: entry.order), cut=bool(watermark))


def _in_sequence(job: JobId, runs: Mapping[RunKey, RunFacts], watermark: Position) -> Iterator[JobVersionEntry]:
    """Yield the entries of the runs after a position, in the order of their effective times."""
    placed = ((place, run) for run, facts in runs.items() if (place := effective_time(facts)))
    last: JobVersionEntry | None = None
    begun = not watermark
    given = at_last = Code()
    changed = False
    for place, run in ((place, run) for place, run in sorted(placed) if (place,) > watermark):
        facts = runs[run]
        given = given.then(code_of(facts))
        own = sorted(entries_by(job, run, facts), key=lambda entry: entry.order)
        if own:
            last, at_last, changed, begun = own[-1], given, False, True
            yield from own
            continue
        changed = changed or given != at_last
        if begun and last and not changed:
            yield replace(last, since=place, position=place, run=run, facts=facts)
        elif begun:
            sides = (last.inputs, last.outputs) if last else ((), ())
            code = given if changed else Code()
            yield JobVersionEntry(job, place, place, run, facts, *sides, code, unknown=last is not None)


def versions_of(job: JobId, view: GraphView) -> tuple[list[JobVersion], bool]:
    """List the job's versions, the most recently used first; return true, too, if versions may be missing."""
    page = read_version_page(job, view)
    versions = _by_version(page.entries)
    if page.cut:
        rows = view.query([RowQuery(job_pk(job), prefix="VERSION#", limit=VERSIONS_MAX)])[0].rows
        names = [row.sk.removeprefix("VERSION#") for row in rows]
        older = _older(job, [version for version in names if version not in versions], view)
        versions |= sorted(older.items(), key=lambda item: item[1][-1].position, reverse=True)
    return list(map(_job_version, versions.values())), page.cut


def entries_of(job: JobId, version: str, view: GraphView) -> Sequence[JobVersionEntry]:
    """Read the entries of a version, `[JobVersionEntry(...)]`, oldest first; empty if the version is unknown."""
    page = read_version_page(job, view)
    newest = [entry for entry in page.entries if entry.version == version]
    return newest if newest or not page.cut else _older(job, [version], view).get(version, ())


def find_job_version(job: JobId, version: str, view: GraphView) -> JobVersion | None:
    """Find a version of a job by its id; None if there is none."""
    entries = entries_of(job, version, view)
    return _job_version(entries) if entries else None


def _by_version(entries: Sequence[JobVersionEntry]) -> dict[str, list[JobVersionEntry]]:
    """Group the entries by version, oldest first; the version of the newest entry comes first."""
    versions: dict[str, list[JobVersionEntry]] = {}
    for entry in reversed(entries):
        versions.setdefault(entry.version, []).insert(0, entry)
    return versions


def _job_version(entries: Sequence[JobVersionEntry]) -> JobVersion:
    newest = entries[-1]
    runs = [entry for entry in entries if not entry.facts.declared]
    return JobVersion(
        job=newest.job,
        version=newest.version,
        created=min(entry.since for entry in entries),
        updated=newest.position,
        inputs=newest.inputs,
        outputs=newest.outputs,
        location=newest.code.location,
        code_version=newest.code.version,
        latest_run=summarize_run(runs[-1].run, runs[-1].facts) if runs else None,
        lineage_unknown=all(entry.unknown for entry in entries),
    )


def _older(job: JobId, versions: Sequence[str], view: GraphView) -> dict[str, list[JobVersionEntry]]:
    """Read the newest entries of the versions, oldest first, in a round for all."""
    scans = [scan_runs(job, f"VERSION_RUN#{version}") for version in versions]
    advance(scans, view, rows=_ROWS)
    older: dict[str, list[JobVersionEntry]] = {}
    for version, scan in zip(versions, scans, strict=True):
        of_runs = (entry for run in scan.results.values() for entry in entries_by(job, *run))
        entries = [entry for entry in of_runs if entry.version == version]
        if entries:
            older[version] = sorted(entries, key=lambda entry: entry.order)
    return older


def current_versions_of(jobs: Sequence[JobId], view: GraphView) -> dict[JobId, tuple[str, bool]]:
    """Find the current version of each loaded job, and true if its datasets are unknown: of a run without datasets.

    A node has the version of the last run with datasets. Only a later run without datasets needs more reads.
    """
    later = [job for job in jobs if view.nodes[job].get("without_io")]
    newest = {job: page.entries[-1:] for job, page in _read_pages(later, view).items()}
    versions = {job: (entry.version, entry.unknown) for job, entries in newest.items() for entry in entries}
    nodes = {job: view.nodes[job] for job in jobs if job not in newest}
    return {**versions, **{job: (node["version"], False) for job, node in nodes.items() if "version" in node}}
