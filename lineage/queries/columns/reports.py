"""The reports: how a field was consumed in a time range (FLL-1), and where it came from (FLL-2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, TypeAlias

from lineage.graph.table import GraphTable
from lineage.graph.visibility import EVERYTHING, Visibility
from lineage.queries.columns.column_flow import ColumnTraversal, ReachedColumn, column_of, operations_in
from lineage.queries.columns.column_steps import Steps, find_steps_out, step_place_of
from lineage.queries.columns.current_columns import CurrentColumns
from lineage.queries.columns.path_ends import End, find_ends, is_cut, reads_of
from lineage.queries.columns.results import Flow, Provenance, TimeRange, TrueSource, Usage, Use
from lineage.queries.columns.run_range import BACKWARD, FORWARD, RunColumns, RunRange, RunRead
from lineage.queries.columns.similar_runs import Runs, merge_runs
from lineage.queries.current_facets import read_facets
from lineage.queries.dataset_groups import NamespaceDeletions
from lineage.queries.descriptions import describe, schema_of
from lineage_model.column_index import RelatedPaths
from lineage_model.columns import Column, ColumnSource, merge_columns, sources_at
from lineage_model.field_paths import parse_slashed
from lineage_model.ids import JobId
from lineage_model.operations import Read

Status: TypeAlias = Literal["alive", "dropped", "unknown"]
# Runs of one dataset and direction that are looked at, the newest: a year of three jobs that run every hour.
RUNS_MAX = 30_000
# Rows that one report reads, each of a run and a dataset: API Gateway waits 29 s for it.
ROWS_MAX = 100_000
# Uses that are told, the newest.
USES_MAX = 10_000


def report_usage(table: GraphTable, column: Column, window: TimeRange, visibility: Visibility = EVERYTHING) -> Usage:
    """Who used a column in the time range, and what it flowed into."""
    span = RunRange(table, window, RUNS_MAX, ROWS_MAX)
    span.load([(column.dataset, BACKWARD), (column.dataset, FORWARD)], operations=True)
    start = Column(span.primary(column.dataset), column.field)
    uses = _uses(start, span)
    journey = ColumnTraversal(span, start, FORWARD, visibility)
    reached = journey.run()
    shown = [one.column for one in reached if journey.opens(one.column)]
    status, jobs = _statuses(shown, span, table), journey.jobs_into()
    flows = [_flow(one, status.get(one.column, "unknown"), jobs.get(one.column, ())) for one in reached]
    cut = journey.truncated or len(uses) > USES_MAX
    return Usage(start, window, tuple(uses[:USES_MAX]), tuple(flows), cut)


def _uses(column: Column, span: RunRange) -> list[Use]:
    """Return what runs did with the column, under whichever names of its dataset, the newest first."""
    alike: dict[_Done, list[Runs]] = {}
    for runs, told in span.written_alike(column.dataset):
        for done in _writes(column, told):
            alike.setdefault(replace(done, job=runs.job), []).append(runs)
    every = span.read_alike(column.dataset)
    made = [told for _, readings in every for reading in readings for told in reading.made]
    steps = find_steps_out([ColumnSource(column.dataset, column.field)], {column.dataset: made}, span)[column.dataset]
    for runs, readings in every:
        for done in _reads(column, readings, steps, span):
            alike.setdefault(replace(done, job=runs.job), []).append(runs)
    uses = [_use(done, merge_runs(some)) for done, some in alike.items()]
    return sorted(uses, key=lambda use: (use.last, use.runs[0].key, use.kind, use.known), reverse=True)


def _flow(reached: ReachedColumn, status: Status, jobs: tuple[JobId, ...]) -> Flow:
    how = reached.direct, reached.masked, reached.certain, reached.failed
    return Flow(reached.column, reached.hops, *how, status, jobs)


@dataclass(frozen=True, slots=True)
class _Done:
    """Reports of one job's runs on what they did with the column."""

    kind: Literal["CREATE", "READ", "WRITE", "DELETE"]
    fields: tuple[ColumnSource, ...] = ()
    operations: tuple[str, ...] = ()
    known: bool = True
    job: JobId | None = None


def _use(done: _Done, runs: Runs) -> Use:
    states = tuple(sorted(runs.states.items()))
    about = done.fields, done.operations, done.known
    return Use(done.kind, done.job, runs.first, runs.last, runs.count, states, tuple(runs.newest), *about)


def _writes(column: Column, told: Sequence[RunColumns]) -> Iterator[_Done]:
    """A run that told nothing of what it wrote may have written the column."""
    columns = merge_columns(one.columns for one in told if one.known)
    if not any(one.known for one in told):
        yield _Done("WRITE", known=False)
    elif related := RelatedPaths(columns.fields).find(column.field):
        sources = sources_at(columns.fields, related)
        fields = _in_order(one for one in sources if one.field is not None)
        how = [one for some in sources.values() for one in some]
        yield _Done("WRITE" if sources else "CREATE", fields, operations_in(how))


def _reads(column: Column, readings: Sequence[RunRead], steps: Steps, span: RunRange) -> Iterator[_Done]:
    told = [one for reading in readings for one in reading.made]
    taken = [step for one in told for step in steps[step_place_of(one)]]
    made = {(destination, how) for _, destination, how, certain in taken if certain}
    perhaps = {destination for _, destination, _, certain in taken if not certain}
    recorded = [span.operations(one) for reading in readings for one in reading.operations]
    mum = not recorded and (not told or any(not one.known for one in told))
    if made or any(_overlaps(column, _fields(read)) for one in recorded for read in one.reads):
        fields = {field for field, _ in made} | {field for field in perhaps if field.field is None}
        yield _Done("READ", _in_order(fields), operations_in(chain(*(how for _, how in made))))
    elif mum or perhaps:
        yield _Done("READ", _in_order(perhaps), known=False)
    if any(_overlaps(column, one.dropped) for one in recorded):
        yield _Done("DELETE")


def _fields(read: Read) -> set[Column]:
    return {Column(read.source, parse_slashed(name)) for name in read.outputs}


def _overlaps(column: Column, others: Iterable[Column]) -> bool:
    """True if any of the others is the column, lies inside it, or is a struct around it."""
    paths = {one.field for one in others if one.dataset == column.dataset}
    return bool(RelatedPaths(paths).overlapping(column.field))


def _in_order(fields: Iterable[ColumnSource]) -> tuple[ColumnSource, ...]:
    return tuple(sorted(fields, key=lambda one: one.order))


def _statuses(columns: Sequence[ColumnSource], span: RunRange, table: GraphTable) -> dict[ColumnSource, Status]:
    """Return whether each column is still there; without a schema that tells it, those that are told of now are."""
    datasets = {column.dataset for column in columns}
    namespaces = NamespaceDeletions(table)
    namespaces.load(dataset.namespace for dataset in datasets)
    groups = {dataset: span.groups.group(dataset) for dataset in datasets}
    facets = dict(zip(groups, read_facets(list(groups.values()), table), strict=True))
    gone = {one for one in datasets if namespaces.hides(groups[one]) or describe(facets[one])["lifecycle"] == "DROP"}
    schemas = {dataset: schema_of(facets[dataset]) for dataset in datasets}
    fields = {dataset: RelatedPaths(schema.types) for dataset, schema in schemas.items()}
    present = CurrentColumns(table)
    present.load(dataset for dataset in datasets - gone if not schemas[dataset].known)

    def status(column: ColumnSource) -> Status:
        schema = schemas[column.dataset]
        if column.dataset in gone:
            return "dropped"
        if column.field is None:
            return "alive"
        if schema.known:
            return "alive" if fields[column.dataset].describes(column.field) else "dropped"
        entry = present.entry(column.dataset)
        return "alive" if entry and entry.known.index.find(column.field) else "unknown"

    return {column: status(column) for column in columns}


def report_provenance(
    table: GraphTable, column: Column, window: TimeRange, visibility: Visibility = EVERYTHING
) -> Provenance:
    """Return what a column came from in the time range, up to the columns at which the way ends, with the reason."""
    span = RunRange(table, window, RUNS_MAX, ROWS_MAX)
    span.load([(column.dataset, BACKWARD)])
    start = Column(span.primary(column.dataset), column.field)
    journey = ColumnTraversal(span, start, BACKWARD, visibility)
    here = ColumnSource(start.dataset, start.field)
    reached = [ReachedColumn(here, 0, direct=True, masked=False, certain=True, failed=False)]
    reached += journey.run()
    steps = journey.steps()
    columns = [column_of(one.column) for one in reached]
    ends = find_ends(filter(journey.opens, columns), span)
    ends |= {column: [End("elsewhere")] for column in columns if not journey.opens(column)}
    sources = (_source(column, one, end) for column, one in zip(columns, reached, strict=True) for end in ends[column])
    return Provenance(start, window, tuple(sources), tuple(steps), journey.truncated or span.truncated or is_cut(ends))


def _source(column: Column, reached: ReachedColumn, end: End) -> TrueSource:
    way = reached.hops, reached.direct, reached.masked
    return TrueSource(column, *way, end.reason, tuple(sorted(end.jobs)), tuple(end.runs), reads_of(end))
