"""JSON of news, of the coverage of jobs, of failing jobs and of old data; coverage as a table, too."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Literal, get_type_hints

from typing_extensions import TypedDict

from headwater.api.marquez.job_views import render_short_job
from headwater.api.marquez.types import ShortJob
from headwater.api.reports.tables import cut, flag, table
from headwater.api.types import Count, Id, Time
from headwater.api.values import render_id, when
from headwater.facts.result_page import ResultPage
from headwater.facts.run_attempts import State
from headwater.features.insights import broken_jobs, column_readers, coverage, durations, feed, old_data
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


class JobCoverage(TypedDict):
    """The coverage of a job, by its last run with datasets."""

    namespace: str
    name: str
    producer: str | None
    coverage: coverage.CoverageLevel
    updatedAt: Time
    outputs: int
    certainOutputs: int
    incomplete: bool
    """True if the producer could not read all of the job's lineage."""


class CoverageReport(CoverageCounts):
    """The part of the jobs' work that is reported."""

    namespaces: list[NamespaceCoverage]
    producers: list[ProducerCoverage]
    jobs: list[JobCoverage]
    """By namespace and name."""
    truncated: bool
    """True if there are more jobs than a request reads: 5,000."""


class BrokenJob(TypedDict):
    """A job that fails since its last good run."""

    nodeId: str
    data: ShortJob
    datasets: Count
    """The datasets downstream, up to 20 jobs away: they wait for the job."""
    since: Time
    """The end of the first failed run."""
    failedRuns: Count
    """Failed runs since the last good run, among its last 100."""
    failsLonger: bool
    """True if none of its last 100 runs is good: it may fail for longer."""
    runId: str
    """The last failed run."""
    error: str | None
    """The head of the run's error, without the frames of a stack."""


class BrokenReport(TypedDict):
    """The failing jobs since their last good run; a job is left out if only a task of it fails."""

    broken: list[BrokenJob]
    """The job with the most waiting datasets comes first, then the job that fails the longest."""
    totalCount: Count
    truncated: bool
    """True if more than the 50 jobs updated last may fail."""
    datasetsTruncated: bool
    """True if not all jobs and datasets downstream are counted, but 2,000: each number is a least."""


class OldDataset(TypedDict):
    """A dataset that is late or on old data."""

    nodeId: str
    lateSince: Time | None
    """The end of the first bad run since its writer's last good run; null if its writers are well."""
    onOldDataSince: Time | None
    """The earliest such time of a dataset upstream, at any distance, if the dataset was written since."""
    writtenAt: Time | None
    """The last write by a run that did not fail."""


class OldDataReport(TypedDict):
    """The datasets that are late, or on old data, over the whole graph."""

    datasets: list[OldDataset]
    """By namespace and name."""
    truncated: bool
    """True if more than 50 writers fail, or more than 2,000 jobs and datasets are below them."""


class JobDuration(TypedDict):
    """The duration of a job against the usual."""

    nodeId: str
    lastMs: Count
    """Of the last completed run."""
    usualMs: Count
    """The median of up to ten completed runs before, at least three."""
    againstUsual: float
    """The growth: 0.5 is half as long again, -0.5 half as long."""


class DurationReport(TypedDict):
    """Durations of jobs, the greatest growth first."""

    jobs: list[JobDuration]
    totalCount: Count
    truncated: bool
    """True if there are more than the 500 jobs updated last."""


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


_TABLE = ("section", *get_type_hints(JobCoverage))


def render_coverage(report: coverage.Coverage) -> CoverageReport:
    """Render the counts of all jobs, by namespace and by producer, and each job."""
    by_namespace = _grouped(report.jobs, lambda job: job.job.namespace)
    by_producer = _grouped(report.jobs, lambda job: job.producer or "")
    return {
        **_counts(report.jobs),
        "namespaces": [{"namespace": name, **_counts(jobs)} for name, jobs in by_namespace],
        "producers": [{"producer": uri or None, **_counts(jobs)} for uri, jobs in by_producer],
        "jobs": [_render_job(job) for job in report.jobs],
        "truncated": report.truncated,
    }


def coverage_table(report: coverage.Coverage) -> str:
    """Render a row for each job."""
    rows = (
        {"section": "job", **{name: _cell(value) for name, value in _render_job(job).items()}} for job in report.jobs
    )
    return table(_TABLE, [*rows, *cut(report.truncated)])


def _grouped(
    jobs: Iterable[coverage.JobCoverage], key: Callable[[coverage.JobCoverage], str]
) -> Sequence[tuple[str, Sequence[coverage.JobCoverage]]]:
    return [(name, list(group)) for name, group in groupby(sorted(jobs, key=key), key)]


def _counts(jobs: Sequence[coverage.JobCoverage]) -> CoverageCounts:
    levels = [job.level for job in jobs]
    return {
        "total": len(jobs),
        "columns": levels.count("columns"),
        "tables": levels.count("tables"),
        "nothing": levels.count("nothing"),
        "parent": levels.count("parent"),
        "silent": levels.count("silent"),
        "outputs": sum(job.outputs for job in jobs),
        "certainOutputs": sum(job.certain for job in jobs),
        "incompleteJobs": sum(job.incomplete for job in jobs),
    }


def _render_job(covered: coverage.JobCoverage) -> JobCoverage:
    return {
        **render_id(covered.job),
        "producer": covered.producer,
        "coverage": covered.level,
        "updatedAt": when(covered.updated),
        "outputs": covered.outputs,
        "certainOutputs": covered.certain,
        "incomplete": covered.incomplete,
    }


def _cell(value: object) -> str:
    return flag(value) if isinstance(value, bool) else "" if value is None else str(value)


def render_broken(broken: broken_jobs.Broken) -> BrokenReport:
    """Render the jobs of the page, in its order."""
    return {
        "broken": [
            {
                "nodeId": failing.job.id.node_id,
                "data": render_short_job(failing.job),
                "datasets": failing.datasets,
                "since": when(failing.since),
                "failedRuns": failing.failed_runs,
                "failsLonger": failing.cut,
                "runId": failing.run,
                "error": failing.error,
            }
            for failing in broken.jobs
        ],
        "totalCount": broken.total,
        "truncated": broken.truncated,
        "datasetsTruncated": broken.datasets_cut,
    }


def render_old_data(report: old_data.OldDataReport) -> OldDataReport:
    """Render the datasets of the report, in its order."""
    return {
        "datasets": [
            {
                "nodeId": old.dataset.node_id,
                "lateSince": when(old.late_since),
                "onOldDataSince": when(old.old_since),
                "writtenAt": when(old.written),
            }
            for old in report.datasets
        ],
        "truncated": report.truncated,
    }


def render_durations(report: ResultPage[durations.Duration]) -> DurationReport:
    """Render the jobs of the page, in its order."""
    return {
        "jobs": [
            {
                "nodeId": of.job.id.node_id,
                "lastMs": of.last_ms,
                "usualMs": of.usual_ms,
                "againstUsual": of.growth,
            }
            for of in report.items
        ],
        "totalCount": report.total,
        "truncated": report.truncated,
    }


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
