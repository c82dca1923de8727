"""Versions of a job: inputs, outputs and code, as its runs and JobEvents report them in turn."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater_model.ids import JobId, RunKey, name_uuid
from tests.runs_model.facets import merged, text_in
from tests.runs_model.run import inputs_in, io_of, lineage_of, stated_flows


@dataclass(frozen=True)
class Entry:
    """The report of a run (or JobEvent, then `run` is None) about its job; `created` is the time of the whole report.

    `unknown`: with new code but without datasets, it has the datasets of an earlier report. `lineage` are its
    `lineage` facets.
    """

    position: tuple
    created: str
    run: RunKey | None
    inputs: tuple
    outputs: tuple
    location: str | None
    code: str | None
    unknown: bool = False
    lineage: tuple = ()

    @property
    def flows(self):
        """(input, output) pairs of its `lineage` facets; None without a facet."""
        return stated_flows(self.lineage, self.inputs, self.outputs)

    @property
    def known(self):
        return bool(self.inputs or self.outputs)

    def version(self, job):
        """Compute Marquez's id, with the code version, if any, hashed after it."""
        sides = [
            ":".join(f"{dataset.namespace}:{dataset.name}" for dataset in side) for side in (self.inputs, self.outputs)
        ]
        code = [text for text in (self.location, self.code) if text is not None]
        return name_uuid(":".join([job.namespace, job.name, *sides, *code]))


def source_jobs(facet, own):
    """List the source jobs of an event's own job by a `lineage` facet."""

    def job_of(form):
        return JobId(form["namespace"], form["name"]) if "name" in form else own

    entries = [entry for entry in facet["entries"] if entry["type"] == "DATASET" or job_of(entry) == own]
    return {job_of(source) for entry in entries for source in inputs_in(entry) if source["type"] == "JOB"}


def entries_of(statements, job):
    """List an entry for each done or streaming run of the job, and for each JobEvent, by position."""
    of_runs = [_entry_of_run(run) for run in _runs_of(statements, job)]
    of_events = [_entry_of_event(event) for event in statements.events_of_job(job) if event.kind == "JOB"]
    return sorted(of_runs + of_events, key=lambda entry: entry.position)


def prefixes_of(statements, job):
    """List the partial entries of the job's streams, at each time when part of the datasets were reported."""
    return [prefix for run in _runs_of(statements, job) if run.streaming for prefix in _prefixes_of_run(run)]


def _runs_of(statements, job):
    return [run for run in statements.runs.values() if run.job == job and run.made]


def _entry_of_run(run):
    location, code = _code(run.job_facets)
    # A stream's report is complete when its last dataset was first seen, or its last window.
    created = min(max(run.io_times), run.position[0]) if run.streaming and run.io_times else run.position[0]
    lineage = lineage_of(run.windows[-1:] or run.events)
    return Entry(run.position, created, run.key, *run.io_at(), location, code, lineage=lineage)


def _prefixes_of_run(run):
    whole = _entry_of_run(run)
    partial = [(time, *run.io_at(time)) for time in sorted(run.io_times) if time < whole.created]
    return [
        replace(whole, position=(time, run.key), created=time, inputs=inputs, outputs=outputs)
        for time, inputs, outputs in partial
    ]


def _entry_of_event(event):
    location, code = _code(merged([(event, event.job_facets)]))
    stands_for = RunKey.of(event.job, name_uuid(event.hash))
    return Entry((event.time, stands_for), event.time, None, *io_of(event), location, code, lineage=lineage_of([event]))


def _code(job_facets):
    return text_in(job_facets, "sourceCodeLocation", "url"), text_in(job_facets, "sourceCodeLocation", "version")


def resolved(entries, entry):
    """Return the entry itself if it reported datasets; else with the datasets of the last entry before it.

    The code given since replaces the code of the last entry, if both differ.
    """
    if entry.known:
        return entry
    known = [earlier for earlier in entries if earlier.known and earlier.position < entry.position]
    base = known[-1] if known else replace(entry, location=None, code=None)
    before = [earlier for earlier in entries if known and earlier.position <= base.position]
    since = [earlier for earlier in entries[len(before) :] if earlier.position <= entry.position]
    changed = any(_given(entries[: len(before) + count + 1]) != _given(before) for count in range(len(since)))
    location, code = _given(before + since) if changed else (base.location, base.code)
    return replace(
        entry,
        inputs=base.inputs,
        outputs=base.outputs,
        location=location,
        code=code,
        unknown=changed and bool(known),
    )


def _given(entries):
    """Find the latest location of the entries, and the latest version of the code there."""
    given = [(entry.location, entry.code) for entry in entries]
    locations = [(number, location) for number, (location, _) in enumerate(given) if location]
    if not locations:
        return None, next((code for _, code in given[::-1] if code), None)
    last = locations[-1][1]
    moved = max((number for number, location in locations if location != last), default=-1)
    arrived = min((number for number, location in locations if location == last and number > moved))
    # Versions given before the location are of different code.
    return last, next((code for _, code in given[arrived:][::-1] if code), None)


def versions_of(statements, job):
    """List the job's versions as (id, its entries by position), the latest first."""
    entries = entries_of(statements, job)
    resolved_entries = [resolved(entries, entry) for entry in entries] + prefixes_of(statements, job)
    groups = {}
    for entry in sorted(resolved_entries, key=lambda entry: entry.position):
        groups.setdefault(entry.version(job), []).append(entry)
    return sorted(groups.items(), key=lambda group: (group[1][-1].position, group[0]), reverse=True)
