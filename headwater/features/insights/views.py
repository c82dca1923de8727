"""JSON of news, of the coverage of jobs and of the readers of columns; coverage as a table, too."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Literal, get_type_hints

from typing_extensions import TypedDict

from headwater.api.reports.tables import cut, flag, table
from headwater.api.types import Count, Id, Time
from headwater.api.values import render_id, when
from headwater.events.event import State
from headwater.features.insights import column_readers, coverage, feed
from headwater.queries.results import reports
from headwater_model.field_paths import print_dotted

# Of thousands of changed columns, a few show the change.
_FIELDS_MAX = 100


class TypedField(TypedDict):
    """A field with its type, as the schema facet has them; null for a missing type."""

    name: str
    type: str | None


class RetypedField(TypedDict):
    """A field whose type differs between the schemas."""

    name: str
    before: str
    after: str


class SchemaChange(TypedDict):
    """The difference from the schema stated before: of each kind up to 100 fields, by name."""

    added: list[TypedField]
    dropped: list[TypedField]
    retyped: list[RetypedField]
    leftOut: Count
    """The number of further changed fields."""


class News(TypedDict):
    """News of a dataset or a job."""

    kind: Literal["DATASET_NEW", "DATASET_DROPPED", "SCHEMA_CHANGED", "JOB_FAILS"]
    """DATASET_DROPPED: and no event mentions it since. JOB_FAILS: since its last good run, if it has a good run."""
    at: Time
    """The time of the event; of a failing job, the end of the first failed run."""
    nodeId: str
    owners: list[str]
    job: Id | None
    """The sender of the event; null for a DatasetEvent, and for a job hidden from the caller."""
    runId: str | None
    """The run of the event; of a failing job, its last failed run."""
    runState: State | None
    """The present state of the run: a schema stated by a failed run may never have been written."""
    failedRuns: Count | None
    """Of a failing job: the number of failed runs since its last good run, among its last 100."""
    change: SchemaChange | None
    """Of a changed schema."""


class Feed(TypedDict):
    """News of some days."""

    news: list[News]
    totalCount: Count
    truncated: bool
    """True if there is more than a request may read."""


class CoverageCounts(TypedDict):
    """Numbers of jobs by their reports, and of their outputs."""

    total: int
    columns: int
    """Jobs with reported columns of some output."""
    tables: int
    """Jobs with reported datasets, without columns."""
    nothing: int
    """Jobs without reported datasets."""
    parent: int
    """Jobs without reported datasets that started further jobs."""
    silent: int
    """Jobs without an event for `days`; they count in `total` and `incompleteJobs` alone."""
    outputs: int
    """Edges from a job to a dataset that it writes."""
    certainOutputs: int
    """Outputs with columns, of jobs with complete lineage."""
    incompleteJobs: int
    """Jobs whose producer could not read all of their lineage, silent jobs too."""


class NamespaceCoverage(CoverageCounts):
    """The coverage of a namespace."""

    namespace: str


class ProducerCoverage(CoverageCounts):
    """The coverage of a producer's jobs."""

    producer: str | None
    """The `_producer` of the jobs' `jobType` facet, with its version; null without the facet."""


class CoverageReport(CoverageCounts):
    """The part of the jobs' work that is reported."""

    namespaces: list[NamespaceCoverage]
    producers: list[ProducerCoverage]
    jobs: list[coverage.JobCoverage]
    """By namespace and name."""
    truncated: bool
    """True if there are more jobs than a request reads: 5,000."""


class ColumnReaders(TypedDict):
    """The readers of a column."""

    field: str
    jobs: Count
    """Jobs that derive columns from the column."""
    columns: Count
    """Columns derived from the column."""


class ColumnReadersReport(TypedDict):
    """The readers of each column of a dataset now."""

    nodeId: str
    columns: list[ColumnReaders]
    """In the order of the schema."""
    unreportedJobs: Count
    """Jobs that read the dataset without a report of columns: they may read any column."""
    truncated: bool


_TABLE = ("section", *get_type_hints(coverage.JobCoverage))


def render_coverage(report: coverage.Coverage) -> CoverageReport:
    """Render the counts of all jobs, by namespace and by producer, and each job."""
    by_namespace = _grouped(report.jobs, lambda job: job["namespace"])
    by_producer = _grouped(report.jobs, lambda job: job["producer"] or "")
    return {
        **_counts(report.jobs),
        "namespaces": [{"namespace": name, **_counts(jobs)} for name, jobs in by_namespace],
        "producers": [{"producer": uri or None, **_counts(jobs)} for uri, jobs in by_producer],
        "jobs": list(report.jobs),
        "truncated": report.truncated,
    }


def coverage_table(report: coverage.Coverage) -> str:
    """Render a row for each job."""
    rows = ({"section": "job", **{name: _cell(value) for name, value in job.items()}} for job in report.jobs)
    return table(_TABLE, [*rows, *cut(report.truncated)])


def _grouped(
    jobs: Iterable[coverage.JobCoverage], key: Callable[[coverage.JobCoverage], str]
) -> Sequence[tuple[str, Sequence[coverage.JobCoverage]]]:
    return [(name, list(group)) for name, group in groupby(sorted(jobs, key=key), key)]


def _counts(jobs: Sequence[coverage.JobCoverage]) -> CoverageCounts:
    levels = [job["coverage"] for job in jobs]
    return {
        "total": len(jobs),
        "columns": levels.count("columns"),
        "tables": levels.count("tables"),
        "nothing": levels.count("nothing"),
        "parent": levels.count("parent"),
        "silent": levels.count("silent"),
        "outputs": sum(job["outputs"] for job in jobs),
        "certainOutputs": sum(job["certainOutputs"] for job in jobs),
        "incompleteJobs": sum(job["incomplete"] for job in jobs),
    }


def _cell(value: object) -> str:
    return flag(value) if isinstance(value, bool) else "" if value is None else str(value)


def render_column_readers(readers: column_readers.Readers) -> ColumnReadersReport:
    """Render the numbers of readers, column by column."""
    return {
        "nodeId": readers.dataset.node_id,
        "columns": [
            {"field": print_dotted(of.path), "jobs": len(of.jobs), "columns": len(of.derived)} for of in readers.columns
        ],
        "unreportedJobs": len(readers.unreported),
        "truncated": readers.truncated,
    }


def render_news(news: feed.News) -> News:
    """Render a piece of news."""
    return {
        "kind": news.kind,
        "at": when(news.time),
        "nodeId": news.of.node_id,
        "owners": list(news.owners),
        "job": render_id(news.job) if news.job else None,
        "runId": news.run,
        "runState": news.run_state,
        "failedRuns": news.failed_runs,
        "change": _render_change(news.change) if news.change else None,
    }


def _render_change(change: reports.SchemaChange) -> SchemaChange:
    changed = (change.added, change.dropped, change.retyped)
    return {
        "added": [{"name": name, "type": of} for name, of in change.added[:_FIELDS_MAX]],
        "dropped": [{"name": name, "type": of} for name, of in change.dropped[:_FIELDS_MAX]],
        "retyped": [
            {"name": name, "before": before, "after": after} for name, before, after in change.retyped[:_FIELDS_MAX]
        ],
        "leftOut": sum(max(len(fields) - _FIELDS_MAX, 0) for fields in changed),
    }
