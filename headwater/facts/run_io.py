"""Inputs and outputs of a run, and the job version that they make with the run's code.

Windows are events of a run with complete snapshots. The last window decides the job's inputs and outputs.

A job announces snapshots by `emissionPattern` in its `jobType` facet (OpenLineage 2-0-4): `eventContentMode` is
COMPLETE_SNAPSHOT, or events have a `windowDuration` and no mode. Without snapshots, a run's events add up. A snapshot
without datasets is no window: a service that rests for five minutes keeps its lineage. A run's facts hold its latest
hundred windows, by content; as of an earlier time, its events add up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from headwater.events.event import Event, is_deleted
from headwater.facts.facts import IdText, RunFacts, dataset_of, text_of
from headwater.facts.run_facts import Code, code_of, effective_time, ended, has_io
from headwater_model.ids import DatasetId, JobId, RunKey, name_uuid

# Of an event's hash, in a window's stamp: enough to order events of the same time.
_HASH_LENGTH = 8


@dataclass(frozen=True, slots=True)
class Window:
    """A window of a run: its sorted inputs and outputs, the ref of its `lineage` facet, and the jobs in the facet.

    `job_sources` are sorted: the jobs whose data the run takes without a dataset between.
    """

    time: str
    inputs: Sequence[IdText]
    outputs: Sequence[IdText]
    lineage: str | None = None
    job_sources: Sequence[IdText] = ()


def window_of(
    event: Event, stamp: str, lineage: str | None, job_sources: Iterable[JobId]
) -> Mapping[str, Sequence[Any]]:
    """Make an event's window as the facts of its run hold it: `{content hash: [body, stamp]}`; empty for no window.

    `lineage` is the ref of the event's `lineage` facet, `job_sources` the jobs in the facet.
    """
    if event.kind != "RUN" or not (event.inputs or event.outputs) or not _is_snapshot(event):
        return {}
    inputs, outputs = (sorted({text_of(use.dataset) for use in uses}) for uses in (event.inputs, event.outputs))
    sources = sorted(map(text_of, job_sources))
    about = {"lineage": lineage, "job_sources": sources}
    body = {"inputs": inputs, "outputs": outputs, **{name: value for name, value in about.items() if value}}
    content = hashlib.sha256(orjson.dumps(body)).hexdigest()[:32]
    time, _, digest = stamp.partition("#")
    return {content: [body, f"{time}#{digest[:_HASH_LENGTH]}"]}


def windows_of(facts: RunFacts) -> Iterator[Window]:
    """Yield the windows in a run's facts, `Window("2026-11-20T12:00:00.000000Z", ...)`, in the order of time."""
    stamped = [(stamp, content) for content, (_, *stamps) in facts.windows.items() for stamp in stamps]
    for stamp, content in sorted(stamped):
        yield Window(stamp.partition("#")[0], **facts.windows[content][0])


def io_times(facts: RunFacts) -> set[str]:
    """List the times at which inputs and outputs may change: windows, and first mentions before the first window.

    `{"2026-11-20T12:00:00.000000Z", ...}`
    """
    windows = [window.time for window in windows_of(facts)]
    firsts = {*facts.inputs.values(), *facts.outputs.values()}
    return {*windows, *(first for first in firsts if not windows or first < windows[0])}


def io_at(facts: RunFacts, time: str) -> tuple[tuple[IdText, ...], tuple[IdText, ...]]:
    r"""List the sorted inputs and outputs, `(("s3://lake\0raw",), ("s3://lake\0checked",))`.

    A stream has them as mentioned by the time, at its end all; a run with windows has its last window alone.
    """
    windows = list(windows_of(facts)) if facts.windows else []
    whole = not facts.streaming or time == ended(facts)
    if earlier := [window for window in windows if whole or window.time <= time]:
        return tuple(earlier[-1].inputs), tuple(earlier[-1].outputs)
    inputs, outputs = (
        tuple(text for text in sorted(side) if whole or side[text] <= time) for side in (facts.inputs, facts.outputs)
    )
    return inputs, outputs


def version_times(facts: RunFacts) -> list[str]:
    """List the effective times at which the job version may change: the run's ends, and a stream's `io_times`."""
    return sorted(facts.ends.union(io_times(facts) if facts.streaming else ()))


def version_at(facts: RunFacts, time: str) -> str | None:
    """Compute the job version of the run at this effective time; None without datasets by then."""
    sides = io_at(facts, time)
    return _version_id(facts.job, *sides, *code_of(facts)) if facts.job and any(sides) else None


def job_version_id(
    job: JobId,
    inputs: Iterable[DatasetId],
    outputs: Iterable[DatasetId],
    location: str | None = None,
    code: str | None = None,
) -> str:
    """Compute the id of a job version; without a code version it equals Marquez's (`Utils.java`).

    >>> job_version_id(JobId("ns", "job"), (DatasetId("ns", "a"), DatasetId("ns", "b")), (DatasetId("ns", "c"),))
    '27b12297-0463-32be-bc26-b463467b981c'
    """
    sides = (tuple(map(text_of, sorted(side))) for side in (inputs, outputs))
    return _version_id(text_of(job), *sides, location, code)


# The runs of a job mostly share a version. Few are kept: each may have thousands of datasets.
@lru_cache(maxsize=256)
def _version_id(
    job: IdText, inputs: Sequence[IdText], outputs: Sequence[IdText], location: str | None, code: str | None
) -> str:
    names = [":".join(text.replace("\0", ":", 1) for text in side) for side in (inputs, outputs)]
    return name_uuid(":".join([job.replace("\0", ":", 1), *names, *filter(None, (location, code))]))


@dataclass(frozen=True, slots=True)
class JobVersionEntry:
    """A job version by a run: it existed from `since` on; `position` is the run's time."""

    job: JobId
    since: str
    position: str
    run: RunKey
    facts: RunFacts
    inputs: tuple[DatasetId, ...]
    outputs: tuple[DatasetId, ...]
    code: Code
    unknown: bool = False

    @property
    def version(self) -> str:
        """The version's id."""
        return job_version_id(self.job, self.inputs, self.outputs, *self.code)

    @property
    def order(self) -> tuple[str, RunKey]:
        """The entry's sort key among the job's entries."""
        return self.position, self.run


def entries_by(job: JobId, run: RunKey, facts: RunFacts) -> Iterator[JobVersionEntry]:
    """Yield the entries of a run with datasets: one `JobVersionEntry`; of a stream, one for each further report."""
    last = effective_time(facts)
    if last is None or not has_io(facts):
        return
    firsts = sorted(io_times(facts)) if facts.streaming else [last]
    for number, first in enumerate(firsts, 1):
        whole = number == len(firsts)
        if not whole and first >= last:
            continue
        inputs, outputs = (tuple(map(dataset_of, side)) for side in io_at(facts, first))
        since, at = (min(first, last), last) if whole else (first, first)
        yield JobVersionEntry(job, since, at, run, facts, inputs, outputs, code_of(facts))


def _is_snapshot(event: Event) -> bool:
    job_type = event.job_facets.get("jobType", {})
    pattern = job_type.get("emissionPattern")
    if not isinstance(pattern, Mapping) or is_deleted(job_type):
        return False
    mode = pattern.get("eventContentMode")
    if mode is None:
        return pattern.get("windowDuration") is not None
    return isinstance(mode, str) and mode.upper() == "COMPLETE_SNAPSHOT"
