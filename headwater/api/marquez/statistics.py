"""Routes of statistics, and their JSON: the charts on the home of Marquez's page."""

from collections.abc import Callable
from datetime import timezone, tzinfo
from zoneinfo import ZoneInfo

from aws_lambda_powertools.event_handler import Response
from typing_extensions import TypedDict

from headwater.api.http.parameters import choice, text, words
from headwater.api.http.request import HttpRequest
from headwater.api.http.responses import respond_json
from headwater.api.route import Services, Within, list_route
from headwater.api.types import Count, Time
from headwater.api.values import when
from headwater.facts.created import Created
from headwater.queries.results.entities import Interval, Period
from headwater_model.errors import Invalid

_PERIODS: tuple[Period, ...] = ("DAY", "WEEK")
_PERIOD = choice("period", "The last 24 hours by the hour, or the last 7 days by the day.", words(_PERIODS)).required()
_TIMEZONE = text(
    "timezone",
    "The zone whose days are meant, by its IANA name (`Europe/Paris`); needed for a `WEEK`. Hours are UTC's.",
)


class _Interval(TypedDict):
    startInterval: Time
    endInterval: Time


class EventCounts(_Interval):
    """The numbers of run events of an hour or a day by type."""

    fail: Count
    start: Count
    complete: Count
    abort: Count


class ThingCount(_Interval):
    """The number of things at the end of an hour or a day."""

    count: Count


def count_lineage_events(services: Services, request: HttpRequest) -> Response[str]:
    """Count run events by the hour or the day of their time, and by type.

    Returns:
        Oldest first; the last is the present hour or day.
    """
    period, zone = _read(request)
    counted = services.queries.count_events(period, now_s=services.now_s(), zone=zone)
    return respond_json(services.links, [render_events(counts) for counts in counted])


def _counter(kind: Created) -> Callable[[Services, HttpRequest], Response[str]]:
    def handler(services: Services, request: HttpRequest) -> Response[str]:
        period, zone = _read(request)
        counted = services.queries.count_things(kind, period, now_s=services.now_s(), zone=zone)
        return respond_json(services.links, [render_count(count) for count in counted])

    handler.__name__ = f"count_{kind}"
    handler.__doc__ = f"""Count all {kind} there were at the end of each hour or day, deleted ones too.

    Returns:
        Oldest first; the last is the present hour or day.
    """
    return handler


def _read(request: HttpRequest) -> tuple[Period, tzinfo]:
    period, name = _PERIOD.read(request), _TIMEZONE.read(request)
    if name is None and period == "DAY":
        return period, timezone.utc
    if name is None:
        raise Invalid.because("timezone", name, "must be given for a period of WEEK")
    try:
        return period, ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise Invalid.because("timezone", name, "must be the IANA name of a time zone") from error


def render_events(interval: Interval) -> EventCounts:
    """Render Marquez's LineageMetric."""
    numbers = interval.numbers
    return {
        "startInterval": when(interval.start),
        "endInterval": when(interval.end),
        "fail": numbers["FAIL"],
        "start": numbers["START"],
        "complete": numbers["COMPLETE"],
        "abort": numbers["ABORT"],
    }


def render_count(interval: Interval) -> ThingCount:
    """Render Marquez's IntervalMetric."""
    return {
        "startInterval": when(interval.start),
        "endInterval": when(interval.end),
        "count": interval.numbers["count"],
    }


_KINDS: tuple[Created, ...] = ("jobs", "datasets", "sources")
_PARAMETERS = (_PERIOD, _TIMEZONE)
ROUTES = (
    list_route("/api/v1/stats/lineage-events", count_lineage_events, Within.DEPLOYMENT, _PARAMETERS, list[EventCounts]),
    *(
        list_route(f"/api/v1/stats/{kind}", _counter(kind), Within.DEPLOYMENT, _PARAMETERS, list[ThingCount])
        for kind in _KINDS
    ),
)
