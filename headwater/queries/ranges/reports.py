"""Reports on a field in a time range: its uses and flows, and its provenance (docs/api.md, Reports)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, TypeAlias

from headwater.queries.lists.tags import read_tagged
from headwater.queries.ranges.column_flow import (
    ColumnTraversal,
    ReachedColumn,
    Steps,
    column_of,
    find_steps_out,
    operations_in,
)
from headwater.queries.ranges.path_ends import End, find_ends, is_cut, reads_of
from headwater.queries.ranges.runs_in_range import RunColumns, RunRead, RunsInRange
from headwater.queries.ranges.similar_runs import Runs, merge_runs
from headwater.queries.results.columns import TimeRange
from headwater.queries.results.graphs import DOWN, UP
from headwater.queries.results.reports import Flow, Provenance, TaggedColumn, TagUsage, TrueSource, Usage, Use
from headwater.queries.view import GraphView
from headwater_model.columns import Column, ColumnSource, merge_columns, sources_at
from headwater_model.field_paths import RelatedPaths, parse_slashed
from headwater_model.ids import DatasetId, FieldPath, JobId

Status: TypeAlias = Literal["alive", "dropped", "unknown"]
# Runs read of a dataset and direction, the newest: a year of three jobs that run every hour.
RUNS_MAX = 30_000
# Rows read for a report, each of a run and a dataset: API Gateway waits 29 s for it.
ROWS_MAX = 100_000
# Tagged columns at the start of a report.
STARTS_MAX = 1_000
# Uses in a report, the newest.
USES_MAX = 10_000


def report_usage(view: GraphView, dataset: DatasetId, field: FieldPath, time_range: TimeRange) -> Usage:
    """Report the uses of a column in the time range, and its flows into other columns."""
    range_runs = RunsInRange(view, time_range, RUNS_MAX, ROWS_MAX)
    range_runs.load_datasets([(dataset, UP), (dataset, DOWN)], operations=True)
    start = Column(range_runs.primary(dataset), field)
    uses = _uses(start, range_runs)
    traversal = ColumnTraversal(range_runs, [ColumnSource(start.dataset, start.field)], DOWN)
    flows = _flows(traversal, traversal.run(), view)
    cut = traversal.truncated or len(uses) > USES_MAX
    return Usage(start, time_range, tuple(uses[:USES_MAX]), flows, cut)


def report_tag(view: GraphView, tag: str, time_range: TimeRange) -> TagUsage:
    """Report the columns with the tag now, and the unmasked columns derived from them in the time range."""
    tagged = read_tagged(tag, view, kinds=("DATASET",))
    columns = {column: tags for dataset in tagged.datasets for column, tags in dataset.columns(whole=True).items()}
    starts = sorted(columns)
    cut = tagged.truncated or len(starts) > STARTS_MAX
    range_runs = RunsInRange(view, time_range, RUNS_MAX, ROWS_MAX)
    range_runs.load_datasets((column.dataset, DOWN) for column in starts[:STARTS_MAX])
    traversal = ColumnTraversal(range_runs, starts[:STARTS_MAX], DOWN)
    reached = [reached_column for reached_column in traversal.run() if not reached_column.masked]
    flows = _flows(traversal, reached, view)
    shown = tuple(TaggedColumn(column, tuple(columns[column])) for column in starts[:STARTS_MAX])
    return TagUsage(tag, time_range, shown, flows, cut or traversal.truncated)


def _flows(traversal: ColumnTraversal, reached: Sequence[ReachedColumn], view: GraphView) -> tuple[Flow, ...]:
    """Make a flow of each reached column, with the status of the columns shown in full."""
    shown = [reached_column.column for reached_column in reached if traversal.opens(reached_column.column)]
    status, jobs = _statuses(shown, view), traversal.jobs_into()
    return tuple(
        _flow(reached_column, status.get(reached_column.column, "unknown"), jobs.get(reached_column.column, ()))
        for reached_column in reached
    )


def _uses(column: Column, range_runs: RunsInRange) -> list[Use]:
    """List the uses of the column under all names of its dataset, newest first."""
    alike: dict[_UseKey, list[Runs]] = {}
    for runs, reported in range_runs.written_alike(column.dataset):
        for done in _writes(column, reported):
            alike.setdefault(replace(done, job=runs.job), []).append(runs)
    reads_alike = range_runs.read_alike(column.dataset)
    derived = [report for _, run_reads in reads_alike for run_read in run_reads for report in run_read.derived]
    node = ColumnSource(column.dataset, column.field)
    steps = find_steps_out([node], {column.dataset: derived}, range_runs)[column.dataset]
    for runs, run_reads in reads_alike:
        for done in _reads(column, run_reads, steps, range_runs):
            alike.setdefault(replace(done, job=runs.job), []).append(runs)
    uses = [_use(done, merge_runs(groups)) for done, groups in alike.items()]
    return sorted(uses, key=lambda use: (use.last, use.runs[0].key, use.kind, use.known), reverse=True)


def _flow(reached: ReachedColumn, status: Status, jobs: tuple[JobId, ...]) -> Flow:
    how = reached.direct, reached.masked, reached.certain, reached.failed
    return Flow(reached.column, reached.hops, *how, status, jobs)


@dataclass(frozen=True, slots=True)
class _UseKey:
    """A use of the column, the same in the reports of several runs of a job."""

    kind: Literal["CREATE", "READ", "WRITE", "DELETE"]
    fields: tuple[ColumnSource, ...] = ()
    operations: tuple[str, ...] = ()
    known: bool = True
    job: JobId | None = None


def _use(done: _UseKey, runs: Runs) -> Use:
    states = tuple(sorted(runs.states.items()))
    about = done.fields, done.operations, done.known
    return Use(done.kind, done.job, runs.first, runs.last, runs.count, states, tuple(runs.newest), *about)


def _writes(column: Column, reported: Sequence[RunColumns]) -> Iterator[_UseKey]:
    """Yield the write of the column, if any; a run without a report may have written the column."""
    columns = merge_columns(report.columns for report in reported if report.known)
    if not any(report.known for report in reported):
        yield _UseKey("WRITE", known=False)
    elif related := RelatedPaths(columns.fields).find(column.field):
        sources = sources_at(columns.fields, related)
        fields = _in_order(source for source in sources if source.field is not None)
        how = [transformation for transformations in sources.values() for transformation in transformations]
        yield _UseKey("WRITE" if sources else "CREATE", fields, operations_in(how))


def _reads(column: Column, run_reads: Sequence[RunRead], steps: Steps, range_runs: RunsInRange) -> Iterator[_UseKey]:
    reported = [report for run_read in run_reads for report in run_read.derived]
    taken = [step for report in reported for step in steps[report.place]]
    derived = {(destination, how) for _, destination, how, certain in taken if certain}
    perhaps = {destination for _, destination, _, certain in taken if not certain}
    recorded = [range_runs.operations(ref) for run_read in run_reads for ref in run_read.operations]
    is_unreported = not recorded and (not reported or any(not report.known for report in reported))
    if derived or any(
        _overlaps(column, {Column(read.source, parse_slashed(name)) for name in read.outputs})
        for operations in recorded
        for read in operations.reads
    ):
        fields = {field for field, _ in derived} | {field for field in perhaps if field.field is None}
        yield _UseKey("READ", _in_order(fields), operations_in(chain(*(how for _, how in derived))))
    elif is_unreported or perhaps:
        yield _UseKey("READ", _in_order(perhaps), known=False)
    if any(_overlaps(column, operations.dropped) for operations in recorded):
        yield _UseKey("DELETE")


def _overlaps(column: Column, others: Iterable[Column]) -> bool:
    """True if any of the others is the column, is inside it, or is a struct around it."""
    paths = {other.field for other in others if other.dataset == column.dataset}
    return bool(RelatedPaths(paths).overlapping(column.field))


def _in_order(fields: Iterable[ColumnSource]) -> tuple[ColumnSource, ...]:
    return tuple(sorted(fields, key=lambda field: field.order))


def _statuses(columns: Sequence[ColumnSource], view: GraphView) -> dict[ColumnSource, Status]:
    """Find the status of each column; without a schema, a reported column is alive."""
    live = view.live_schemas(map(view.group, {column.dataset for column in columns}))
    schemas = {dataset: schema for dataset, schema in live.items() if schema is not None}
    fields = {dataset: RelatedPaths(schema.types) for dataset, schema in schemas.items()}
    view.load_columns(dataset for dataset, schema in schemas.items() if not schema.known)

    def status(column: ColumnSource) -> Status:
        if column.dataset not in schemas:
            return "dropped"
        if column.field is None:
            return "alive"
        if schemas[column.dataset].known:
            return "alive" if fields[column.dataset].describes(column.field) else "dropped"
        entry = view.columns(column.dataset)
        return "alive" if entry and entry.known.index.find(column.field) else "unknown"

    return {column: status(column) for column in columns}


def report_provenance(view: GraphView, dataset: DatasetId, field: FieldPath, time_range: TimeRange) -> Provenance:
    """Report the provenance of a column in the time range: all steps, and the columns where paths end, with reasons."""
    range_runs = RunsInRange(view, time_range, RUNS_MAX, ROWS_MAX)
    range_runs.load_datasets([(dataset, UP)])
    start = Column(range_runs.primary(dataset), field)
    here = ColumnSource(start.dataset, start.field)
    traversal = ColumnTraversal(range_runs, [here], UP)
    reached = [ReachedColumn(here, 0, direct=True, masked=False, certain=True, failed=False)]
    reached += traversal.run()
    steps = traversal.steps()
    columns = [column_of(reached_column.column) for reached_column in reached]
    ends = find_ends(filter(traversal.opens, columns), range_runs)
    ends |= {column: [End("elsewhere")] for column in columns if not traversal.opens(column)}
    sources = (
        _source(column, reached_column, end)
        for column, reached_column in zip(columns, reached, strict=True)
        for end in ends[column]
    )
    return Provenance(
        start, time_range, tuple(sources), tuple(steps), traversal.truncated or range_runs.truncated or is_cut(ends)
    )


def _source(column: Column, reached: ReachedColumn, end: End) -> TrueSource:
    way = reached.hops, reached.direct, reached.masked
    return TrueSource(column, *way, end.reason, tuple(sorted(end.jobs)), tuple(end.runs), reads_of(end))
