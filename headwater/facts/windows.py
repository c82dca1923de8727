"""Windows: events of a run with complete snapshots. The last window decides the job's inputs and outputs.

A job announces snapshots by `emissionPattern` in its `jobType` facet (OpenLineage 2-0-4): `eventContentMode` is
COMPLETE_SNAPSHOT, or events have a `windowDuration` and no mode. Without snapshots, a run's events add up. A snapshot
without datasets is no window: a service that rests for five minutes keeps its lineage. A run's facts hold its latest
hundred windows, by content; as of an earlier time, its events add up.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from headwater.events.event import Event, is_deleted
from headwater.facts.facts import IdText, RunFacts, dataset_of, text_of
from headwater.facts.run_facts import ended
from headwater_model.ids import DatasetId, JobId

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


def window_at(facts: RunFacts, time: str | None = None) -> Window | None:
    """Find the last window of a run up to a time; None without a window."""
    earlier = [window for window in windows_of(facts) if time is None or window.time <= time]
    return earlier[-1] if earlier else None


def io_times(facts: RunFacts) -> set[str]:
    """List the times at which inputs and outputs may change: windows, and first mentions before the first window."""
    windows = [window.time for window in windows_of(facts)]
    firsts = {*facts.inputs.values(), *facts.outputs.values()}
    return {*windows, *(first for first in firsts if not windows or first < windows[0])}


def io_at(facts: RunFacts, time: str) -> tuple[tuple[DatasetId, ...], tuple[DatasetId, ...]]:
    """List the sorted inputs and outputs, `((raw,), (checked,))`: a stream's as mentioned by the time, at its end all.

    A run with windows has the inputs and outputs of its last window alone.
    """
    whole = not facts.streaming or time == ended(facts)
    if facts.windows and (window := window_at(facts, None if whole else time)):
        return tuple(map(dataset_of, window.inputs)), tuple(map(dataset_of, window.outputs))

    def mentioned(side: Mapping[IdText, str]) -> tuple[DatasetId, ...]:
        return tuple(dataset_of(text) for text in sorted(side) if whole or side[text] <= time)

    return mentioned(facts.inputs), mentioned(facts.outputs)


def _is_snapshot(event: Event) -> bool:
    job_type = event.job_facets.get("jobType", {})
    pattern = job_type.get("emissionPattern")
    if not isinstance(pattern, Mapping) or is_deleted(job_type):
        return False
    mode = pattern.get("eventContentMode")
    if mode is None:
        return pattern.get("windowDuration") is not None
    return isinstance(mode, str) and mode.upper() == "COMPLETE_SNAPSHOT"
