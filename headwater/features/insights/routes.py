"""Routes of news since a day, of the coverage of jobs, of failing jobs, old data, durations and readers of columns."""

from __future__ import annotations

from collections.abc import Sequence

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import choice, day, nonblank_text, number, words
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.marquez.parameters import LIMIT, OFFSET, read_paging
from headwater.api.marquez.responses import require, respond_list
from headwater.api.reports.route import IS_TABLE, is_table, report_route, respond
from headwater.api.route import Services, Within, list_route, read_route
from headwater.features.insights import broken_jobs, column_readers, coverage, durations, feed, old_data, views
from headwater.features.insights.feed_rows import FEED_DAYS
from headwater.times import day_of, days_between, from_seconds, shift
from headwater_model.errors import Invalid

_DEFAULT_DAYS = 7
_SINCE = day("since", f"The first day, at most {FEED_DAYS - 1} days ago.", "2025-11-20")
_DAYS = number(
    "days", f"In place of `since`: so many days, with today; by default {_DEFAULT_DAYS}.", least=1, most=FEED_DAYS
)
_UNTIL = day("until", "The last day; by default, today.", "2025-11-26")
_KIND = choice("kind", "Only news of this kind.", words(feed.KINDS))
_NAMESPACE = nonblank_text("namespace", "Only of datasets and jobs of this namespace.", "s3://flights")
_JOBS_NAMESPACE = nonblank_text("namespace", "Only jobs of this namespace.", "emissions")
_OWNER = nonblank_text("owner", "Only jobs of this owner.", "team:flights")
_DATASET_ID = nonblank_text("nodeId", "`dataset:<namespace>:<name>`.", "dataset:s3://flights:checked").required()
_SILENT_DAYS = number("days", "A job without an event for so many days is silent.", least=1, most=3650).default(30)
_OF_COVERAGE = (_JOBS_NAMESPACE, _SILENT_DAYS, IS_TABLE)


def list_feed(services: Services, request: HttpRequest) -> Response[str]:
    """List the news from a day to another: new and dropped datasets, changed schemas, jobs that began to fail.

    Days are UTC's, by the times of events. A dropped dataset is listed until an event mentions it, a failing job until
    it is well again. A schema is listed on the day of its first event. Up to 1,000 datasets and 200 jobs are read.

    Returns:
        The latest first.
    """
    kind, namespace = _KIND.read(request), _NAMESPACE.read(request)
    days = _days(services, request)
    view = services.queries.view()
    news = feed.list_feed(days, view, kind=kind, namespace=namespace, **read_paging(request))
    return respond_list(services.links, "news", news, map(views.render_news, news.items))


def _days(services: Services, request: HttpRequest) -> Sequence[str]:
    today = day_of(services.now_s())
    since, until, days = _SINCE.read(request), _UNTIL.read(request) or today, _DAYS.read(request)
    if since and days:
        raise Invalid.because("days", days, "must not be given with since")
    since = since or shift(today, 1 - (days or _DEFAULT_DAYS))
    if since < (least := shift(today, 1 - FEED_DAYS)):
        raise Invalid.because("since", since, f"must be {least} or later")
    if until < since:
        raise Invalid.because("until", until, f"must not be before since ({since})")
    return days_between(since, min(until, today))


def report_coverage(services: Services, request: HttpRequest) -> Response[str]:
    """Report how many jobs report columns, datasets alone, or nothing, by namespace and by producer.

    A job counts by its last run with datasets. In a table each row is a job. Every cell is quoted. Cells that a
    spreadsheet would compute begin with an apostrophe.

    Returns:
        The report; the jobs by namespace and name.
    """
    as_table, namespace, days = (
        is_table(request, _OF_COVERAGE),
        _JOBS_NAMESPACE.read(request),
        _SILENT_DAYS.read(request),
    )
    since = from_seconds(services.now_s() - days * 86_400)
    report = coverage.report_coverage(namespace, services.queries.view(), since=since)
    return respond(services, request, views.coverage_table(report) if as_table else views.render_coverage(report))


def report_broken(services: Services, request: HttpRequest) -> Response[str]:
    """Report the failing jobs since their last good run, with the number of datasets waiting for each.

    If only a task of a job fails, the task is listed, not the job. A single walk counts the datasets below all of them.

    Returns:
        The job with the most waiting datasets first.
    """
    broken = broken_jobs.report_broken(services.queries.view(), owner=_OWNER.read(request), **read_paging(request))
    return respond_json(services.links, broken)


def report_old_data(services: Services, _request: HttpRequest) -> Response[str]:
    """Report the datasets that are late, or made of late data, over the whole graph.

    A dataset is late if the last run of a writer failed or was aborted. A dataset downstream is on old data if it was
    written since. Writers and datasets outside the caller's rights are left out.

    Returns:
        The datasets, by namespace and name.
    """
    return respond_json(services.links, old_data.report_old_data(services.queries.view()))


def report_durations(services: Services, request: HttpRequest) -> Response[str]:
    """Report the jobs whose last completed run took longer than usual, or shorter.

    The usual duration is the median of the completed runs before, at least three. Of more than 500 jobs, the jobs
    updated last are compared.

    Returns:
        The job with the greatest growth first.
    """
    report = durations.report_durations(
        services.queries.view(),
        namespace=_JOBS_NAMESPACE.read(request),
        owner=_OWNER.read(request),
        **read_paging(request),
    )
    return respond_json(services.links, report)


def report_column_readers(services: Services, request: HttpRequest) -> Response[str]:
    """Report how many jobs read each column of a dataset now.

    Returns:
        The columns in the order of the schema; 0 jobs for a column that nobody reads.
    """
    node_id = _DATASET_ID.read(request)
    readers = column_readers.report_column_readers(node_id, services.queries.view())
    return respond_json(services.links, views.render_column_readers(require(readers, "Node", node_id)))


_OF_FEED = (_SINCE, _DAYS, _UNTIL, _KIND, _NAMESPACE, LIMIT, OFFSET)
_OF_DURATIONS = (_JOBS_NAMESPACE, _OWNER, LIMIT, OFFSET)
_REPORTS = "/api/v1/reports"
ROUTES = (
    list_route("/api/v1/feed", list_feed, Within.SEEN, _OF_FEED, views.Feed),
    report_route("coverage", report_coverage, Within.SEEN, _OF_COVERAGE, views.CoverageReport),
    list_route(f"{_REPORTS}/broken", report_broken, Within.SEEN, (_OWNER, LIMIT, OFFSET), broken_jobs.BrokenReport),
    read_route(
        f"{_REPORTS}/column-readers", report_column_readers, Within.NODE, (_DATASET_ID,), views.ColumnReadersReport
    ),
    list_route(f"{_REPORTS}/durations", report_durations, Within.SEEN, _OF_DURATIONS, durations.DurationReport),
    list_route(f"{_REPORTS}/old-data", report_old_data, Within.SEEN, (), old_data.OldDataReport),
)
