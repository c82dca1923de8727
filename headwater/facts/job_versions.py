"""Versions of a job, by its runs' facts in order: the datasets that each run read and wrote, with its code.

A run without inputs and outputs makes a new job version only if its code location or version is new. This version has
the last known datasets, marked as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from headwater.facts.facts import RunFacts, facet_of
from headwater.facts.run_facts import effective_time, has_io, owner, text_in
from headwater.facts.windows import io_at, io_times
from headwater_model.ids import DatasetId, JobId, RunKey, name_uuid


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


def in_sequence(runs: Iterable[tuple[RunKey, RunFacts]], *, cut: bool) -> Iterator[JobVersionEntry]:
    """Yield the entries of runs in order: `in_sequence(runs, cut=False)`; further runs follow."""
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


def entries_of(run: RunKey, facts: RunFacts) -> Iterator[JobVersionEntry]:
    """Yield the entries of a run with datasets: one `JobVersionEntry`; of a stream, one for each further report."""
    job, last = owner(facts), effective_time(facts)
    if job is None or last is None or not has_io(facts):
        return
    location, code = code_of(facts)
    firsts = sorted(io_times(facts)) if facts.streaming else [last]
    for number, first in enumerate(firsts, 1):
        whole = number == len(firsts)
        if not whole and first >= last:
            continue
        inputs, outputs = io_at(facts, first)
        version = job_version_id(job, inputs, outputs, location, code)
        since, at = (min(first, last), last) if whole else (first, first)
        yield JobVersionEntry(since, at, run, facts, inputs, outputs, location, code, version)


def code_of(facts: RunFacts) -> tuple[str | None, str | None]:
    """Read the location and version of the run's code, from the `sourceCodeLocation` facet."""
    facet = facet_of(facts.job_facets, "sourceCodeLocation")
    return text_in(facet, "url"), text_in(facet, "version")


def version_times(facts: RunFacts) -> list[str]:
    """List the effective times at which the job version may change: the run's ends, and a stream's `io_times`."""
    return sorted(facts.ends.union(io_times(facts) if facts.streaming else ()))


def version_at(facts: RunFacts, time: str) -> str | None:
    """Compute the job version of the run at this effective time; None without datasets by then."""
    job, (inputs, outputs) = owner(facts), io_at(facts, time)
    if job is None or not (inputs or outputs):
        return None
    return job_version_id(job, inputs, outputs, *code_of(facts))


# The runs of a job mostly share a version. Few are kept: each may have thousands of datasets.
@lru_cache(maxsize=256)
def job_version_id(
    job: JobId,
    inputs: tuple[DatasetId, ...],
    outputs: tuple[DatasetId, ...],
    location: str | None = None,
    code: str | None = None,
) -> str:
    """Compute the id of a job version; without a code version it equals Marquez's (`Utils.java`).

    >>> job_version_id(JobId("ns", "job"), (DatasetId("ns", "a"), DatasetId("ns", "b")), (DatasetId("ns", "c"),))
    '27b12297-0463-32be-bc26-b463467b981c'
    """
    sides = [":".join(f"{dataset.namespace}:{dataset.name}" for dataset in sorted(side)) for side in (inputs, outputs)]
    return name_uuid(":".join([job.namespace, job.name, *sides, *filter(None, (location, code))]))
