"""A run, from all its events and mentions."""

from __future__ import annotations

from dataclasses import dataclass, replace

from headwater.events.event import TERMINAL
from headwater.facts.run_facts import Attempt
from headwater_model.ids import DatasetId, RunKey
from tests.runs_model.facets import merged, text_in, when

_SIDES = ("in", "out")
_GRAVITY = ("COMPLETE", "ABORT", "FAIL")


def streams(event):
    """True if the event's job is streaming, or a service: its runs last."""
    return (text_in(event.job_facets, "jobType", "processingType") or "").upper() in ("STREAMING", "SERVICE")


def is_snapshot(event):
    """True if the event is a window: it names datasets, and its job emits complete snapshots."""
    pattern = event.job_facets.get("jobType", {}).get("emissionPattern", {})
    mode = pattern.get("eventContentMode", "COMPLETE_SNAPSHOT" if "windowDuration" in pattern else None)
    return mode == "COMPLETE_SNAPSHOT" and bool(event.inputs or event.outputs)


def lost_lineage(event):
    """True if the event reports unread lineage: errors of extraction, or losses of capture."""
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

    `all_events` has its events after the model's time, too: a run's parent is no matter of time.
    """

    key: RunKey
    events: list
    mentions: list
    all_events: list

    @property
    def id(self):
        return self.key.id

    @property
    def first_mention(self):
        """Its position among the runs of its id: by its first own event, then by the first mention of it."""
        return not self.events, min(event.time for event in self.events or [event for event, _ in self.mentions])

    @property
    def job(self):
        """The job of its events, and of its mentions as a parent or root."""
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
    def attempts(self):
        """Its events in parts: a START after an end begins the next. At equal times, a START comes first."""
        parts = [[]]
        for event in sorted(self.events, key=lambda event: (event.time, event.type != "START", *when(event))):
            if event.type == "START" and _end_of(parts[-1]):
                parts.append([])
            parts[-1].append(event)
        return parts

    @property
    def ended_attempts(self):
        return [part for part in self.attempts if _end_of(part)]

    @property
    def end(self):
        """The end of the last ended attempt."""
        return _end_of(self.ended_attempts[-1]) if self.ended_attempts else None

    @property
    def began(self):
        """The start of the attempt with this end: of the first, the run's."""
        return self._start_of((self.ended_attempts or self.attempts)[-1])

    @property
    def completed_before(self):
        """The end of the last completed attempt before the attempt with the run's end."""
        ends = [_end_of(part) for part in self.ended_attempts[:-1]]
        return next((end.time for end in ends[::-1] if end.type == "COMPLETE"), None)

    @property
    def shown_attempts(self):
        ends = [(self._start_of(part), _end_of(part)) for part in self.attempts if any(event.type for event in part)]
        return tuple(
            Attempt(TERMINAL[end.type], start, end.time) if end else Attempt("RUNNING", start) for start, end in ends
        )

    def _start_of(self, part):
        return self.started if part == self.attempts[0] else part[0].time

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
        """Make the run of its own events before a time."""
        return replace(self, events=[event for event in self.events if event.time < time])

    @property
    def parent(self):
        return next((event.parent for event in self.all_events[::-1] if event.parent), None)

    @property
    def facets(self):
        return merged((event, event.run_facets) for event in self.events)

    @property
    def job_facets(self):
        return merged((event, event.job_facets) for event in self.events)

    @property
    def incomplete(self):
        """True if an event reports unread lineage."""
        return any(map(lost_lineage, self.events))

    def uses(self, direction):
        """List (event, use) of all inputs or outputs."""
        return [(event, use) for event in self.events for use in (event.inputs if direction == "in" else event.outputs)]

    def names(self, direction):
        return sorted({use.dataset for _, use in self.uses(direction)})

    @property
    def windows(self):
        """Its window events: the last window alone has the run's datasets."""
        return [event for event in self.events if is_snapshot(event)]

    @property
    def io_times(self):
        """The times at which its inputs and outputs may change: its windows, and first mentions before them."""
        windows = [event.time for event in self.windows]
        firsts = {self.first_seen(side, [name]) for side in ("in", "out") for name in self.names(side)}
        return {*windows, *(first for first in firsts if not windows or first < windows[0])}

    def io_at(self, time=None):
        """List its inputs and outputs: of its last window up to a time, else all datasets named by then."""
        windows = [event for event in self.windows if time is None or event.time <= time]
        if windows:
            return io_of(windows[-1])
        sides = [
            [dataset for dataset in self.names(side) if time is None or self.first_seen(side, [dataset]) <= time]
            for side in _SIDES
        ]
        return tuple(map(tuple, sides))

    @property
    def flows(self):
        """Output -> its inputs in all windows; all inputs for an output outside of windows; None without a window."""
        if not self.windows:
            return None
        outputs = {output for event in self.windows for output in io_of(event)[1]}
        by_window = {output: set().union(*(_made_of(event, output) for event in self.windows)) for output in outputs}
        return {output: by_window.get(output, set(self.names("in"))) for output in self.names("out")}

    def first_seen(self, direction, names):
        return min(event.time for event, use in self.uses(direction) if use.dataset in names)


def _end_of(events):
    """Find the last terminal event of the gravest type: a failed attempt stays failed."""
    ends = [event for event in events if event.type in TERMINAL]
    return max(ends, key=lambda event: (_GRAVITY.index(event.type), *when(event)), default=None)


def io_of(event):
    """List the inputs and outputs of an event."""
    return tuple(tuple(sorted({use.dataset for use in uses})) for uses in (event.inputs, event.outputs))


def _made_of(event, output):
    """List the inputs behind a window's output, by its `lineage` facet; all inputs without a facet."""
    inputs, outputs = io_of(event)
    if output not in outputs:
        return set()
    flows = stated_flows(lineage_of([event]), inputs, outputs)
    return set(inputs) if flows is None else {source for source, target in flows if target == output}


def lineage_of(events):
    """List the `lineage` facets of the job in these events."""
    facets = [event.job_facets.get("lineage", _DELETED) for event in events]
    return tuple(facet for facet in facets if "_deleted" not in facet)


_DELETED = {"_deleted": True}


def stated_flows(lineage, inputs, outputs):
    """List the (input, output) pairs stated by `lineage` facets; None without a facet."""
    if not lineage:
        return None
    entries = [entry for facet in lineage for entry in facet["entries"] if entry["type"] == "DATASET"]
    stated = {(_dataset(source), _dataset(entry)) for entry in entries for source in sources_in(entry)}
    return {(source, output) for source, output in stated if source in inputs and output in outputs}


def inputs_in(entry):
    """List the inputs of an entry of a `lineage` facet, and of its columns."""
    columns = entry.get("fields", {}).values()
    return [*entry.get("inputs", []), *(source for column in columns for source in column["inputs"])]


def sources_in(entry):
    """List the datasets among the inputs of an entry."""
    return [source for source in inputs_in(entry) if source["type"] == "DATASET"]


def _dataset(form):
    return DatasetId(form["namespace"], form["name"])
