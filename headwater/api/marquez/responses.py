"""Responses in Marquez's form: lists with their count, things by name, and the 404 of a missing one."""

from __future__ import annotations

from collections.abc import Iterable

from aws_lambda_powertools.event_handler import Response

from headwater.api.http.links import Links, respond_json
from headwater.api.http.responses import RESPONSE_BYTES_MAX, take_within
from headwater.facts.result_page import ResultPage, T
from headwater_model.errors import NotFound

_SHOWN_CHARS = 200
# What stands around a list: its name, the count, and if it was cut.
_FRAME_BYTES = 200


def respond_list(links: Links, name: str, listed: ResultPage[T], items: Iterable[object]) -> Response[str]:
    """Return `{name: [...], "totalCount", "truncated"}`: as much of the page as fits into a response, at least one.

    `truncated`: the page was cut to fit, or the count is only a lower bound.
    """
    page = list(take_within(items, RESPONSE_BYTES_MAX - _FRAME_BYTES))
    cut = listed.truncated or len(page) < len(listed.items)
    return respond_json(links, {name: page, "totalCount": listed.total, "truncated": cut})


def not_found(kind: str, name: str) -> NotFound:
    """Return Marquez's error for a name that is not there.

    >>> str(not_found("Job", "emissions.check"))
    "Job 'emissions.check' not found."
    """
    shown = name if len(name) <= _SHOWN_CHARS else f"{name[:_SHOWN_CHARS]}…"
    return NotFound(f"{kind} '{shown}' not found.")


def require(thing: T | None, kind: str, name: str) -> T:
    """Return the thing; raise `NotFound` if there is none."""
    if thing is None:
        raise not_found(kind, name)
    return thing
