"""The rows of the graph's tables (`tables`): a day's end, by the same rules as the API.

    jobs, datasets = named_ever(table)
    rows_of_jobs(jobs, table, "2026-11-20")          # (table, row) of jobs, of their runs on the day, of their edges
    rows_of_datasets(datasets, table, "2026-11-20")  # … of datasets, their columns, and edges of DatasetEvents
    rows_of_columns(datasets, table, "2026-11-20")   # … of the edges to the columns of datasets

The names come from the catalogue (`named_ever`), so a night reads jobs, datasets and the runs of a day, never the
whole table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from headwater.events.event import Facets
from headwater.facts.annotations import Annotations, annotations_of
from headwater.facts.catalogue import NAMES, read_catalogue
from headwater.facts.facts import dataset_of, job_of, text_of
from headwater.facts.index_scan import RunWithFacts, read_run_facts, run_of
from headwater.facts.job_nodes import summarize_run
from headwater.facts.keys import job_pk
from headwater.facts.run_facts import ended
from headwater.facts.table import GraphReader, RowQuery
from headwater.features.graph_tables.tables import COLUMN_EDGES, COLUMNS, DATASETS, JOBS, RUNS, TABLE_EDGES
from headwater.queries.graphs.edges import declared_sources
from headwater.queries.results.entities import Dataset, Job, description_of
from headwater.queries.view import GraphView, ResolvedDataset
from headwater.queries.view.descriptions import dataset_of_group, descriptions_in, read_facets, schema_of
from headwater.queries.view.nodes import under_primaries
from headwater.times import shift
from headwater_model.columns import ColumnSource, Transformation
from headwater_model.errors import Unavailable
from headwater_model.field_paths import parse_dotted, print_dotted
from headwater_model.ids import DatasetId, FieldPath, JobId, RunKey

# The name of a table, and a row of it as JSON.
TableRow: TypeAlias = tuple[str, Mapping[str, Any]]
# The two ends of an edge; None for an end without a dataset, or without a single dataset.
_Ends: TypeAlias = tuple[DatasetId | None, DatasetId | None]

# Edges of a job from each input to each output. Beyond them, a job has an edge from each input, and to each output.
PAIRS_MAX = 10_000
# Rows of each job's runs to read at a time.
_RUNS_AT_ONCE = 200
# The names of a chunk may have any number of aliases.
_ALIASES_MAX = 1_000_000_000
_OF_RUNS = ("RUN", "WITH_IO", "WITHOUT_IO")


def end_of_day(day: str) -> str:
    """Compute the end of the day: an earlier event is of the day or before.

    >>> end_of_day("2026-11-20")
    '2026-11-21T00:00:00.000000Z'
    """
    return f"{shift(day, 1)}T00:00:00.000000Z"


def named_ever(table: GraphReader) -> tuple[Sequence[JobId], Sequence[DatasetId]]:
    """List all jobs and datasets ever named by an event, hidden things and aliases too.

    Raises:
        Unavailable: the catalogue has more changes than a query reads; loaders compact it soon.
    """
    catalogue = read_catalogue(NAMES, table)
    if catalogue.truncated:
        raise Unavailable("the catalogue of names has more changes than one query reads")
    return list(map(job_of, catalogue["jobs"])), list(map(dataset_of, catalogue["datasets"]))


def rows_of_jobs(jobs: Sequence[JobId], table: GraphReader, day: str) -> Iterator[TableRow]:
    """Yield the rows of the jobs, of their runs on the day, and of their edges, as of the end of the day."""
    view = GraphView(table, end_of_day(day), aliases_max=_ALIASES_MAX)
    view.load(jobs=jobs)
    known = [job for job in map(view.stored_job, jobs) if job and job.created]
    yield from ((JOBS.name, _job_row(job)) for job in known)
    yield from ((RUNS.name, _run_row(run)) for run in _runs_on(day, [job.id for job in known], table))
    yield from _edges_of([job for job in known if not job.hidden], view)


def rows_of_datasets(names: Sequence[DatasetId], table: GraphReader, day: str) -> Iterator[TableRow]:
    """Yield the rows of the primary names among these datasets, and of the edges declared to them."""
    view = GraphView(table, end_of_day(day), aliases_max=_ALIASES_MAX)
    view.load(names)
    known = [group for name in names if (group := view.group(name)).known and group.primary == name]
    for group, facets in zip(known, read_facets(known, view), strict=True):
        yield DATASETS.name, _dataset_row(dataset_of_group(group, facets, hidden=view.hides(group)))
        yield from ((COLUMNS.name, row) for row in _column_rows(group, facets))
    visible = [group for group in known if not view.hides(group)]
    view.load(source for group in visible for source in declared_sources(group.facts))
    for group in visible:
        yield from _declared_edges(group, view)


def rows_of_columns(names: Sequence[DatasetId], table: GraphReader, day: str) -> Iterator[TableRow]:
    """Yield the edges to the columns of the visible primary names among these datasets.

    An edge without a column at both ends is an edge between datasets, and is not repeated here.
    """
    view = GraphView(table, end_of_day(day), aliases_max=_ALIASES_MAX)
    view.load_columns(names)
    for name in names:
        entry = view.columns(name) if view.primary(name) == name else None
        for job, reported in entry.known.by_job() if entry else ():
            targets = [*reported.fields.items(), (None, reported.dataset_level)]
            edges = ((path, source, how) for path, sources in targets for source, how in sources.items())
            for path, source, how in edges:
                if path or source.field:
                    yield from (
                        (COLUMN_EDGES.name, _column_edge_row(ColumnSource(name, path), source, transformation, job))
                        for transformation in how or (None,)
                    )


def _runs_on(day: str, jobs: Sequence[JobId], table: GraphReader) -> Iterator[RunWithFacts]:
    """Yield the jobs' runs that began or ended on the day, each once, as of the day's end.

    Each round has a view of its own: the facts of all runs of a day may be more than memory holds.
    """
    low, high = f"{day}T", end_of_day(day)
    pending = [
        RowQuery(job_pk(job), low=f"{prefix}#{low}", high=f"{prefix}#{high}", limit=_RUNS_AT_ONCE)
        for job in jobs
        for prefix in _OF_RUNS
    ]
    seen: set[RunKey] = set()
    while pending:
        view = GraphView(table, high)
        pages = view.query(pending)
        new = {run_of(row) for page in pages for row in page.rows} - seen
        seen |= new
        for run, facts in read_run_facts(new, view, high).items():
            times = facts.first or "", ended(facts) or ""
            if not facts.declared and any(low < time < high for time in times):
                yield run, facts
        rest = zip(pending, pages, strict=True)
        pending = [replace(query, low=f"{page.rows[-1].sk}\0") for query, page in rest if page.more]


def _edges_of(jobs: Sequence[Job], view: GraphView) -> Iterator[TableRow]:
    """Yield the edges of visible jobs with visible datasets, under the datasets' primary names."""
    view.load({name for job in jobs for name in (*job.inputs, *job.outputs)})
    for job in jobs:
        named = under_primaries(job, view.primary)
        shown = ({name for name in side if view.dataset(name)} for side in (named.inputs, named.outputs))
        for source, target in sorted(_ends_of(named, *shown), key=str):
            ends = (view.dataset(name) if name else None for name in (source, target))
            yield TABLE_EDGES.name, _edge_row(source, job.id, target, _first_time(job.id, *ends))


def _ends_of(job: Job, inputs: set[DatasetId], outputs: set[DatasetId]) -> set[_Ends]:
    """List the edges of a job: of each input to the outputs made of it, and the edges without a second end."""
    if job.flows is not None:
        pairs = {(source, output) for source, output in job.flows if source in inputs and output in outputs}
    elif len(inputs) * len(outputs) <= PAIRS_MAX:
        pairs = {(source, output) for source in inputs for output in outputs}
    else:
        pairs = set()
    alone = inputs - {source for source, _ in pairs}, outputs - {output for _, output in pairs}
    return {*pairs, *((source, None) for source in alone[0]), *((None, output) for output in alone[1])}


def _first_time(job: JobId, source: ResolvedDataset | None, target: ResolvedDataset | None) -> str | None:
    """Find the first event with both ends known; None if the facts do not name the job."""
    text = text_of(job)
    times = [source.facts.read_by.get(text)] if source else []
    times += [target.facts.written_by.get(text)] if target else []
    known = [time for time in times if time]
    return max(known) if len(known) == len(times) else None


def _declared_edges(group: ResolvedDataset, view: GraphView) -> Iterator[TableRow]:
    """Yield the edges to a dataset from the visible sources in its last DatasetEvent."""
    for source in view.datasets(declared_sources(group.facts)):
        if source.primary != group.primary:
            firsts = [source.facts.derived[text] for text in map(text_of, group.names) if text in source.facts.derived]
            yield TABLE_EDGES.name, _edge_row(source.primary, None, group.primary, min(firsts, default=None))


def _edge_row(
    source: DatasetId | None, job: JobId | None, target: DatasetId | None, first: str | None
) -> Mapping[str, Any]:
    return {**_named("source", source), **_named("job", job), **_named("target", target), "first_time": first}


def _named(prefix: str, thing: DatasetId | JobId | None) -> Mapping[str, str | None]:
    return {f"{prefix}_namespace": thing.namespace if thing else None, f"{prefix}_name": thing.name if thing else None}


def _annotated(annotations: Annotations) -> Mapping[str, Any]:
    return {"owners": [owner.name for owner in annotations.owners], "tags": list(annotations.names)}


def _job_row(job: Job) -> Mapping[str, Any]:
    latest = job.latest_run
    return {
        "namespace": job.id.namespace,
        "name": job.id.name,
        "type": job.type,
        "description": description_of(job),
        "location": job.location,
        **_annotated(job.annotations),
        **_named("parent", job.parent.job if job.parent else None),
        "first_seen": job.created,
        "last_seen": job.updated,
        "latest_run_id": latest.id if latest else None,
        "latest_run_state": latest.state if latest else None,
        "is_deleted": job.hidden,
    }


def _run_row(run_with_facts: RunWithFacts) -> Mapping[str, Any]:
    run = summarize_run(*run_with_facts)
    return {
        "run_id": run.id,
        **_named("job", run.job),
        "state": run.state,
        "started_at": run.started,
        "ended_at": run.ended,
        "updated_at": run.updated,
        "nominal_start": run.nominal_start,
        "nominal_end": run.nominal_end,
        "parent_run_id": run.parent.run if run.parent else None,
        **_named("parent", run.parent.job if run.parent else None),
        "is_incomplete": run.incomplete,
    }


def _column_rows(group: ResolvedDataset, facets: Facets) -> Iterator[Mapping[str, Any]]:
    """Yield a row for each field of the schema, with the tags and the text of its path."""
    annotations, sent = annotations_of(group.facts), descriptions_in(facets)
    tags: dict[FieldPath, list[str]] = {}
    for tag in annotations.tags:
        if tag.field is not None:
            tags.setdefault(parse_dotted(tag.field), []).append(tag.name)
    texts = {parse_dotted(text.field): text.text for text in annotations.texts if text.field is not None}
    for path, kind in schema_of(facets).types.items():
        yield {
            **_named("dataset", group.primary),
            "name": print_dotted(path),
            "type": kind,
            "tags": tags.get(path, []),
            "description": texts.get(path) or sent.get(path),
        }


def _column_edge_row(
    target: ColumnSource, source: ColumnSource, how: Transformation | None, job: JobId | None
) -> Mapping[str, Any]:
    return {
        **_named("target", target.dataset),
        "target_column": print_dotted(target.field) if target.field else None,
        **_named("source", source.dataset),
        "source_column": print_dotted(source.field) if source.field else None,
        "transformation_type": how.type if how else None,
        "transformation_subtype": how.subtype if how else None,
        "is_masking": how.masking if how else None,
        **_named("job", job),
    }


def _dataset_row(dataset: Dataset) -> Mapping[str, Any]:
    return {
        "namespace": dataset.id.namespace,
        "name": dataset.id.name,
        "type": dataset.type,
        "source_name": dataset.source_name,
        "description": description_of(dataset),
        **_annotated(dataset.annotations),
        "first_seen": dataset.created,
        "last_seen": dataset.updated,
        "lifecycle": dataset.lifecycle,
        "is_deleted": dataset.deleted,
        "is_temporary": dataset.temporary,
    }
