"""Types of statistics, as Marquez's page reads them."""

from typing_extensions import TypedDict

from headwater.api.types import Count, Time


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
