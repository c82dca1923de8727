"""The reports: how a field was consumed in a time range (FLL-1), and where it came from (FLL-2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, groupby
from typing import Literal, TypeAlias

from lineage.fields.answers.ends import End, find_ends, is_cut, reads_of
from lineage.fields.answers.journeys import Journey, Reached, column_of, operations_in, steps_of
from lineage.fields.answers.perhaps import How, Perhaps
from lineage.fields.answers.present import Present
from lineage.fields.answers.schemas import schema_of
from lineage.fields.answers.span import BACKWARD, FORWARD, Reading, RunThen, RunTold, Span
from lineage.fields.columns import Column, Source, unite
from lineage.fields.found import Flow, Provenance, TrueSource, Usage, Use, Window
from lineage.fields.operations import Read
from lineage.fields.paths import parse_slashed
from lineage.names import FieldPath
from lineage.runs.answers.described import describe
from lineage.runs.answers.hidden import Namespaces
from lineage.runs.facts.growing import facets_of
from lineage.runs.facts.table import GraphTable

Status: TypeAlias = Literal["alive", "dropped", "unknown"]
# Runs of one dataset that are looked at, the newest: API Gateway waits 29 s for a report, which reads what each told.
RUNS_MAX = 2_000
# Uses that are told, the newest.
USES_MAX = 10_000


def report_usage(table: GraphTable, column: Column, window: Window) -> Usage:
    """Who used a column in the time range, and what it flowed into."""
    span = Span(table, window, RUNS_MAX)
    span.load([(column.dataset, BACKWARD), (column.dataset, FORWARD)], operations=True)
    start = Column(span.primary(column.dataset), column.field)
    uses = sorted(_uses(start, span), key=lambda use: (use.started, use.run, use.kind), reverse=True)
    journey = Journey(span, start, FORWARD)
    reached = journey.travel()
    status, jobs = _statuses([one.column for one in reached], span, table), journey.jobs_into()
    flows = [
        Flow(one.column, one.hops, one.direct, one.masked, one.certain, status[one.column], jobs.get(one.column, ()))
        for one in reached
    ]
    cut = journey.truncated or len(uses) > USES_MAX
    return Usage(start, window, tuple(uses[:USES_MAX]), tuple(flows), cut)


def _uses(column: Column, span: Span) -> Iterator[Use]:
    """What each run did with the column, under whichever names of its dataset."""
    for run, told in groupby(span.written(column.dataset), key=lambda one: one.run):
        yield from _writes(column, run, list(told))
    for run, readings in groupby(span.read(column.dataset), key=lambda one: one.run):
        yield from _reads(column, run, list(readings), span)


def _writes(column: Column, run: RunThen, told: Sequence[RunTold]) -> Iterator[Use]:
    """A run that told nothing of what it wrote may have written the column."""
    columns = unite(one.columns for one in told if one.known)
    if not any(one.known for one in told):
        yield Use("WRITE", run.id, run.job, run.started, known=False)
    elif column.field in columns.fields:
        sources = columns.fields[column.field]
        fields = _in_order(one for one in sources if one.field is not None)
        kind: Literal["WRITE", "CREATE"] = "WRITE" if sources else "CREATE"
        how = [one for some in sources.values() for one in some]
        yield Use(kind, run.id, run.job, run.started, tuple(fields), operations_in(how))


def _reads(column: Column, run: RunThen, readings: Sequence[Reading], span: Span) -> Iterator[Use]:
    told = [one for reading in readings for one in reading.made]
    made = [step for one in told if one.known for step in _made_of(column, one)]
    recorded = [span.operations(one) for reading in readings for one in reading.operations]
    mum = not recorded and (not told or any(not one.known for one in told))
    taken = any(
        read.source == column.dataset and column.field in _fields(read) for one in recorded for read in one.reads
    )
    perhaps = {field for one in told for field in _perhaps_made_of(column, one)}
    if made or taken:
        fields = {field for field, _ in made} | {field for field in perhaps if field.field is None}
        operations = operations_in(chain(*(how for _, how in made)))
        yield Use("READ", run.id, run.job, run.started, _in_order(fields), operations)
    elif mum or perhaps:
        yield Use("READ", run.id, run.job, run.started, _in_order(perhaps), known=False)
    if any(column in one.dropped for one in recorded):
        yield Use("DELETE", run.id, run.job, run.started)


def _fields(read: Read) -> set[FieldPath]:
    return {parse_slashed(name) for name in read.outputs}


def _made_of(column: Column, told: RunTold) -> Iterator[tuple[Source, How]]:
    return ((Source(made.dataset, made.field), how) for _, made, how in steps_of(told, column, FORWARD))


def _perhaps_made_of(column: Column, told: RunTold) -> Iterator[Source]:
    uses = Perhaps(told.dataset, told.columns, column.dataset)
    return (made for made, _ in uses.of(Source(column.dataset, column.field)))


def _in_order(fields: Iterable[Source]) -> tuple[Source, ...]:
    return tuple(sorted(fields, key=lambda one: one.order))


def _statuses(columns: Sequence[Source], span: Span, table: GraphTable) -> dict[Source, Status]:
    """Return whether each column is still there; without a schema that tells it, those that are told of now are."""
    datasets = {column.dataset for column in columns}
    namespaces = Namespaces(table)
    namespaces.load(dataset.namespace for dataset in datasets)
    groups = {dataset: span.groups.group(dataset) for dataset in datasets}
    facets = {dataset: facets_of(group.facts.facets) for dataset, group in groups.items()}
    gone = {one for one in datasets if namespaces.hides(groups[one]) or describe(facets[one])["lifecycle"] == "DROP"}
    schemas = {dataset: schema_of(facets[dataset]) for dataset in datasets}
    present = Present(table)
    present.load(dataset for dataset in datasets - gone if not schemas[dataset].known)

    def status(column: Source) -> Status:
        schema = schemas[column.dataset]
        if column.dataset in gone:
            return "dropped"
        if column.field is None:
            return "alive"
        if schema.known:
            return "alive" if column.field in schema.types else "dropped"
        entry = present.entry(column.dataset)
        return "alive" if entry and column.field in entry.columns.fields else "unknown"

    return {column: status(column) for column in columns}


def report_provenance(table: GraphTable, column: Column, window: Window) -> Provenance:
    """Return what a column came from in the time range, up to the columns at which the way ends, with the reason."""
    span = Span(table, window, RUNS_MAX)
    span.load([(column.dataset, BACKWARD)])
    start = Column(span.primary(column.dataset), column.field)
    journey = Journey(span, start, BACKWARD)
    reached = [Reached(Source(start.dataset, start.field), 0, direct=True, masked=False, certain=True)]
    reached += journey.travel()
    steps = journey.steps()
    columns = [column_of(one.column) for one in reached]
    ends = find_ends(columns, span)
    sources = (_source(column, one, end) for column, one in zip(columns, reached, strict=True) for end in ends[column])
    return Provenance(start, window, tuple(sources), tuple(steps), journey.truncated or span.truncated or is_cut(ends))


def _source(column: Column, reached: Reached, end: End) -> TrueSource:
    way = reached.hops, reached.direct, reached.masked
    return TrueSource(column, *way, end.reason, tuple(sorted(end.jobs)), tuple(end.runs), reads_of(end))
