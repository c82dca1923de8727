"""The route of the feed, the news since a day, and its JSON. It is ours."""

from __future__ import annotations

from collections.abc import Sequence

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.parameters import choice, day, nonblank_text, number, words
from headwater.api.http.request import HttpRequest
from headwater.api.marquez import activity_types as types
from headwater.api.marquez.parameters import LIMIT, OFFSET, read_paging
from headwater.api.marquez.responses import respond_list
from headwater.api.route import Route, Services, Within
from headwater.api.values import render_id, when
from headwater.facts.feed_rows import FEED_DAYS
from headwater.queries.results.reports import KINDS, News, SchemaChange
from headwater.times import day_of, days_between, shift
from headwater_model.errors import Invalid

_DEFAULT_DAYS = 7
_SINCE = day("since", f"The first day, at most {FEED_DAYS - 1} days ago.", "2025-11-20")
_DAYS = number(
    "days", f"In place of `since`: so many days, with today; by default {_DEFAULT_DAYS}.", least=1, most=FEED_DAYS
)
_UNTIL = day("until", "The last day; by default, today.", "2025-11-26")
_KIND = choice("kind", "Only news of this kind.", words(KINDS))
_NAMESPACE = nonblank_text("namespace", "Only of datasets and jobs of this namespace.", "s3://flights")
# A few columns of a schema of thousands describe the change.
_FIELDS_MAX = 100


def list_feed(services: Services, request: HttpRequest) -> Response[str]:
    """List the news of a range of days: new and dropped datasets, changed schemas, jobs that began to fail.

    Days are UTC's, by the times of events. A dropped dataset, or a failing job, is listed as long as it stays so. A
    schema is listed on the day of its first event. Up to 1,000 datasets and 200 jobs are read.

    Returns:
        The latest first.
    """
    limit, offset = read_paging(request)
    kind, namespace = _KIND.read(request), _NAMESPACE.read(request)
    news = services.queries.list_feed(
        _days(services, request), kind=kind, namespace=namespace, limit=limit, offset=offset
    )
    return respond_list(services.links, "news", news, map(render_news, news.items))


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


def render_news(news: News) -> types.News:
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


def _render_change(change: SchemaChange) -> types.SchemaChange:
    changed = (change.added, change.dropped, change.retyped)
    return {
        "added": [{"name": name, "type": of} for name, of in change.added[:_FIELDS_MAX]],
        "dropped": [{"name": name, "type": of} for name, of in change.dropped[:_FIELDS_MAX]],
        "retyped": [
            {"name": name, "before": before, "after": after} for name, before, after in change.retyped[:_FIELDS_MAX]
        ],
        "leftOut": sum(max(len(fields) - _FIELDS_MAX, 0) for fields in changed),
    }


ROUTES = (
    Route(
        "GET",
        "/api/v1/feed",
        list_feed,
        scope="read",
        within=Within.SEEN,
        parameters=(_SINCE, _DAYS, _UNTIL, _KIND, _NAMESPACE, LIMIT, OFFSET),
        returns=types.Feed,
        errors=(400, 503),
    ),
)
