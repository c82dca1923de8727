"""Reporters of columns with their reports: runs, JobEvents and DatasetEvents."""

from __future__ import annotations

from dataclasses import dataclass

from headwater.events.event import Event
from headwater_model.columns import NO_COLUMNS, ColumnLineage, ColumnSource
from headwater_model.ids import DatasetId, JobId, RunKey, name_uuid
from tests.fields_model.operations import read_of, written
from tests.fields_model.reported import NOTHING, by_columns, of_column_lineage, of_lineage, united
from tests.runs_model.facets import merged


@dataclass(frozen=True, eq=False)
class ColumnReporter:
    """A `run` (started at `start`), or a Job- or DatasetEvent (`event`), as reporter of columns.

    `reported`: dataset -> its columns, by the names in the report. `explicit`: it has a `lineage` facet; datasets
    missing from the facet depend on nothing. `position` is None while it does not count yet. `operations` are its
    recorded sets. `named` are the sources of all its reports. `read` are its inputs now: of a run with windows, the
    inputs of the last window. `flows`: output -> its inputs in all windows.
    """

    id: RunKey
    job: JobId | None
    position: tuple | None
    start: str
    inputs: list
    outputs: list
    reported: dict
    explicit: bool
    run: RunKey | None = None
    event: Event | None = None
    operations: tuple = ()
    named: frozenset = frozenset()
    read: tuple = ()
    flows: dict | None = None

    def sources(self, names):
        """List the inputs possibly behind a dataset of these names."""
        return self.inputs if self.flows is None else {source for name in names for source in self.flows.get(name, ())}

    def columns(self, name):
        """Look up its columns of an output or reported dataset."""
        if name in self.reported or self.explicit:
            return self.reported.get(name, NO_COLUMNS)
        return unknown(self.sources([name]))


def unknown(inputs):
    """Make columns with an unknown dependency on all these datasets."""
    return ColumnLineage({}, {ColumnSource(dataset, None): NOTHING for dataset in inputs})


def named_as_sources(event):
    """List the source datasets of columns, and the reads of operations, in all facets of an event."""
    columns = [
        written_columns for operations in _operation_sets([event]) for written_columns in written(operations).values()
    ]
    columns += _base([event.job_facets.get("lineage")], [])[0].values()
    for use in (*event.outputs, *([event.dataset] if event.dataset else [])):
        lineage, older = (use.facets.get(name) for name in ("lineage", "columnLineage"))
        columns += [of_lineage(lineage)] if _there(lineage) else []
        columns += [of_column_lineage(older)] if _there(older) else []
    read = {dataset for operations in _operation_sets([event]) for dataset in read_of(operations)}
    return read | {source.dataset for reported in columns for source in sources_in(reported)}


def sources_in(columns):
    return {source for sources in [columns.dataset_level, *columns.fields.values()] for source in sources}


def every_reporter(statements):
    """List all reporters."""
    runs = [_of_run(run) for run in statements.runs.values() if run.events]
    jobs = [_of_job_event(event) for event in statements.events if event.kind == "JOB"]
    datasets = [_of_dataset_event(event) for event in statements.events if event.kind == "DATASET"]
    return runs + jobs + [reporter for reporter in datasets if reporter is not None]


def _of_run(run):
    sets = _operation_sets(run.events)
    operations = [columns for operation_set in sets for columns in written(operation_set).items()]
    base, explicit = _base([event.job_facets.get("lineage") for event in run.events], run.uses("out"))
    if run.windows and explicit:
        base = _base_of_windows(run)
    upper = _by_name(operations)
    reported = {
        name: by_columns(upper[name], base.get(name, NO_COLUMNS)) if name in upper else base[name]
        for name in {**base, **upper}
    }
    start = run.events[0].time
    sides = run.names("in"), run.names("out")
    named = frozenset(source.dataset for columns in (*base.values(), *upper.values()) for source in sources_in(columns))
    about = {"operations": tuple(sets), "named": named, "read": run.io_at()[0], "flows": run.flows}
    return ColumnReporter(run.key, run.job, run.position, start, *sides, reported, explicit, run.key, **about)


def _base_of_windows(run):
    """Collect a run's reports: of each dataset, the last window with the dataset in a `lineage` facet counts."""
    reported = {}
    for event in run.windows:
        facet = event.job_facets.get("lineage")
        reported |= _base([facet], [])[0] if _there(facet) else {}
    return {**_base([], run.uses("out"))[0], **reported}


def _operation_sets(events):
    facets = [event.run_facets.get("headwater_operations") for event in events]
    return [facet["operations"] for facet in facets if _there(facet)]


def _of_job_event(event):
    reported, explicit = _base([event.job_facets.get("lineage")], [(event, use) for use in event.outputs])
    id = RunKey.of(event.job, name_uuid(event.hash))  # noqa: A001 - the id
    inputs, outputs = (sorted({use.dataset for use in side}) for side in (event.inputs, event.outputs))
    position = (event.time, id)
    return ColumnReporter(
        id, event.job, position, event.time, inputs, outputs, reported, explicit, event=event, read=inputs
    )


def _of_dataset_event(event):
    """Make the reporter of a DatasetEvent; None if it has no facet of columns."""
    lineage, older = (event.dataset.facets.get(name) for name in ("lineage", "columnLineage"))
    if lineage is None and older is None:
        return None
    id = RunKey.of(event.dataset.dataset, name_uuid(event.hash))  # noqa: A001 - the id
    reported = {}
    if _there(lineage):
        reported = {event.dataset.dataset: of_lineage(lineage)}
    elif _there(older):
        reported = {event.dataset.dataset: of_column_lineage(older)}
    return ColumnReporter(
        id,
        None,
        (event.time, event.hash),
        event.time,
        [],
        [event.dataset.dataset],
        reported,
        explicit=True,
        event=event,
    )


def _base(lineage, uses):
    """Collect a run's reports besides its operations; True if they are from a `lineage` facet."""
    facets = [facet for facet in lineage if _there(facet)]
    if facets:
        entries = [entry for facet in facets for entry in facet.get("entries", []) if entry["type"] == "DATASET"]
        return _by_name((DatasetId(entry["namespace"], entry["name"]), of_lineage(entry)) for entry in entries), True
    reported = {}
    for name in {use.dataset for _, use in uses}:
        last = merged((event, use.facets) for event, use in uses if use.dataset == name).get("columnLineage")
        if last is not None:
            reported[name] = of_column_lineage(last)
    return reported, False


def _by_name(reports):
    reports_by_name = {}
    for name, columns in reports:
        reports_by_name.setdefault(name, []).append(columns)
    return {name: united(own_reports) for name, own_reports in reports_by_name.items()}


def _there(facet):
    return facet is not None and facet.get("_deleted") is not True
