"""Answers in Marquez's form: lists with their count, things by name, and the 404 of what has none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import orjson
from aws_lambda_powertools.event_handler import Response

from lineage.api.answers import ANSWER_BYTES_MAX, answer_within, size_of
from lineage.api.services import Services
from lineage.graph.entities import ResultPage, T
from lineage_model.errors import NotFound

_SHOWN_CHARS = 200
# What stands around a list: its name, the count, and whether it was cut.
_FRAME_BYTES = 200


def answer_whole(services: Services, form: Mapping[str, object]) -> Response[str]:
    """The JSON as the answer, or behind a link where it is larger than one may be."""
    return answer_within(services, orjson.dumps(form))


def answer_list(services: Services, name: str, listed: ResultPage[T], forms: Iterable[object]) -> Response[str]:
    """`{name: [...], "totalCount", "truncated"}`: as much of the page as fits into an answer, at least one.

    `truncated`: the page was cut to fit, or the count is only what is known.
    """
    kept = list(fitting(forms, ANSWER_BYTES_MAX - _FRAME_BYTES))
    cut = listed.truncated or len(kept) < len(listed.items)
    return answer_whole(services, {name: kept, "totalCount": listed.total, "truncated": cut})


def fitting(forms: Iterable[T], room: int) -> Iterator[T]:
    """The first of these, as many as fit into `room` bytes of an answer; the very first in any case."""
    for place, form in enumerate(forms):
        room -= size_of(orjson.dumps(form)) + 1
        if room < 0 and place > 0:
            return
        yield form


def not_found(kind: str, name: str) -> NotFound:
    """What Marquez says of a name that is not there.

    >>> str(not_found("Job", "emissions.check"))
    "Job 'emissions.check' not found."
    """
    shown = name if len(name) <= _SHOWN_CHARS else f"{name[:_SHOWN_CHARS]}…"
    return NotFound(f"{kind} '{shown}' not found.")


def found(thing: T | None, kind: str, name: str) -> T:
    """The thing, if there is one; else `NotFound`."""
    if thing is None:
        raise not_found(kind, name)
    return thing
