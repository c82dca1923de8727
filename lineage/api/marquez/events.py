"""The route of raw events."""

from __future__ import annotations

from typing import Literal, get_args

from aws_lambda_powertools.event_handler import Response

from lineage.api.marquez import query
from lineage.api.marquez.answers import answer_list
from lineage.api.request import HttpRequest
from lineage.api.services import Services

Direction = Literal["desc", "asc"]
DIRECTIONS: tuple[Direction, ...] = get_args(Direction)


def list_events(services: Services, request: HttpRequest) -> Response[str]:
    """The run events as they were sent, by eventTime: from `after` on, and before `before`."""
    page = query.paging(request)
    events = services.event_log.list_events(
        before=query.moment(request, "before"),
        after=query.moment(request, "after"),
        newest_first=query.choice(request, "sortDirection", DIRECTIONS) != "asc",
        limit=page.limit,
        offset=page.offset,
    )
    return answer_list(services, "events", events, events.items)
