"""A run, from all events that mention it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.events.event import TERMINAL
from headwater_model.ids import RunKey
from tests.runs_model.facets import merged, text_in, when

_GRAVITY = ("COMPLETE", "ABORT", "FAIL")


def streams(event):
    """Return True if the event says that its job is streaming, or a service: its runs last."""
    return (text_in(event.job_facets, "jobType", "processingType") or "").upper() in ("STREAMING", "SERVICE")


def lost_lineage(event):
    """Return True if the event says that part of the lineage could not be read."""
    facet = event.run_facets.get("extractionError", {})
    captured = event.run_facets.get("headwater_capture", {})
    parts = {"unknown", "unknownInputs", "unknownOutput", "misread"} & {name for name in captured if captured[name]}
    cut = {"columnLineage", "indirect", "inputs", "unknown"}.intersection(captured.get("cut", []))
    lost = captured.get("counts", {}).get("lost", 0) > 0
    return bool(
        facet.get("errors") or facet.get("failedTasks") or parts or cut or lost or captured.get("tier") == "doubtful"
    )


@dataclass(frozen=True)
class Run:
    """A run's own events in order, and (event, job) for each mention of it as a parent or root.

    `every`: its own events with those after the time of the model: who started a run is no matter of time.
    """

    key: RunKey
    events: list
    mentions: list
    every: list

    @property
    def id(self):
        return self.key.id

    @property
    def first_mention(self):
        """Its position among the runs of its id: by its first own event, then by the first mention of it."""
        return not self.events, min(event.time for event in self.events or [event for event, _ in self.mentions])

    @property
    def job(self):
        """The job with which its events, and those that name it as a parent, name it."""
        (job,) = {event.job for event in self.events} | {job for _, job in self.mentions}
        return job

    @property
    def created(self):
        return min([event.time for event in self.events] + [event.time for event, _ in self.mentions])

    @property
    def updated(self):
        return max(event.time for event in (self.events or [event for event, _ in self.mentions]))

    @property
    def started(self):
        return self.events[0].time if self.events else None

    @property
    def end(self):
        """The last terminal event of the gravest type: a failed run stays one."""
        ends = [event for event in self.events if event.type in TERMINAL]
        return max(ends, key=lambda event: (_GRAVITY.index(event.type), *when(event)), default=None)

    @property
    def ended(self):
        return self.end.time if self.end else None

    @property
    def state(self):
        if self.end:
            return TERMINAL[self.end.type]
        return "RUNNING" if any(event.type for event in self.events) else "NEW"

    @property
    def failed(self):
        return self.state in ("FAILED", "ABORTED")

    @property
    def streaming(self):
        return any(map(streams, self.events))

    @property
    def active(self):
        """True if it streams and has not ended."""
        return self.streaming and not self.end

    @property
    def made(self):
        """True if it counts: done, or streaming."""
        return self.streaming or self.end is not None

    @property
    def position(self):
        return (self.ended or self.updated, self.key) if self.made else None

    def as_of(self, time):
        """Return the run with its own events before a time."""
        return replace(self, events=[event for event in self.events if event.time < time])

    @property
    def parent(self):
        return next((event.parent for event in self.every[::-1] if event.parent), None)

    @property
    def facets(self):
        return merged((event, event.run_facets) for event in self.events)

    @property
    def job_facets(self):
        return merged((event, event.job_facets) for event in self.events)

    @property
    def incomplete(self):
        """True if an event says that its lineage could not be read whole."""
        return any(map(lost_lineage, self.events))

    def uses(self, direction):
        """Return (event, use) of every input or output."""
        return [(event, use) for event in self.events for use in (event.inputs if direction == "in" else event.outputs)]

    def names(self, direction):
        return sorted({use.dataset for _, use in self.uses(direction)})

    def first_seen(self, direction, names):
        return min(event.time for event, use in self.uses(direction) if use.dataset in names)
