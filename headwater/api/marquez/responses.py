"""Responses in Marquez's form: lists with their count, the 404 of a missing thing, and a thing just written.

Marquez's clients write a thing, and read it at once. A queued change is loaded within a second or two. The request
waits for it, in place of its client's next request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import orjson
from aws_lambda_powertools.event_handler import Response

from headwater.api.http.responses import RESPONSE_BYTES_MAX, Links, fit_within, respond_json
from headwater.api.route import Services
from headwater.facts.result_page import ResultPage, T
from headwater_model.errors import NotFound

_SHOWN_CHARS = 200
# The bytes around a list: its name, the count, and the mark of a cut.
_FRAME_BYTES = 200
# The waits for a written thing, three seconds together.
WAITS_S = (0.2, 0.4, 0.8, 1.6)


def respond_list(links: Links, name: str, listed: ResultPage[T], items: Iterable[object]) -> Response[str]:
    """Respond with `{name: [...], "totalCount", "truncated"}`: as much of the page as fits, at least one item.

    `truncated`: the page was cut to fit, or the count is only a lower bound.
    """
    # Each item is rendered once: to be counted, and for the response.
    page = list(map(orjson.Fragment, fit_within(map(orjson.dumps, items), RESPONSE_BYTES_MAX - _FRAME_BYTES)))
    cut = listed.truncated or len(page) < len(listed.items)
    return respond_json(links, {name: page, "totalCount": listed.total, "truncated": cut})


def not_found(kind: str, name: str) -> NotFound:
    """Build Marquez's error for an unknown name.

    >>> str(not_found("Job", "emissions.check"))
    "Job 'emissions.check' not found."
    """
    shown = name if len(name) <= _SHOWN_CHARS else f"{name[:_SHOWN_CHARS]}…"
    return NotFound(f"{kind} '{shown}' not found.")


def require(thing: T | None, kind: str, name: str) -> T:
    """Check the thing; raise `NotFound` without it."""
    if thing is None:
        raise not_found(kind, name)
    return thing


def wait_until_shown(
    services: Services, find: Callable[[], T | None], is_changed: Callable[[T], bool], *, otherwise: T
) -> T:
    """Wait for the change of a thing, and return it as readers see it; `otherwise` after the last wait."""
    for wait_s in WAITS_S:
        services.sleep(wait_s)
        thing = find()
        if thing is not None and is_changed(thing):
            return thing
    return otherwise
