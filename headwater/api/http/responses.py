"""Responses, and how large they may be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeVar

import orjson
from aws_lambda_powertools.event_handler import Response

T = TypeVar("T")

# Lambda answers 6 MB, in which a body is JSON once more; what a body grows by then is counted.
RESPONSE_BYTES_MAX = 4 * 1024 * 1024
LINES = "application/x-ndjson"
JSON = "application/json"
CSV = "text/csv; charset=utf-8"


def respond(
    body: Mapping[str, object], *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """Return a JSON response."""
    return Response(status, JSON, orjson.dumps(body).decode(), headers)


def size_of(rendered: bytes) -> int:
    """Return the bytes that a body takes in the function's response.

    >>> size_of(b'{"a":1}')
    9
    """
    return len(orjson.dumps(rendered.decode())) - 2


def take_within(items: Iterable[T], budget: int) -> Iterator[T]:
    """Yield the first items, as many as fit into `budget` bytes of a response; the very first in any case."""
    for index, item in enumerate(items):
        budget -= size_of(orjson.dumps(item)) + 1
        if budget < 0 and index > 0:
            return
        yield item


def within(lines: Iterator[bytes], budget: int = RESPONSE_BYTES_MAX) -> tuple[str | None, Iterator[bytes]]:
    """Return the lines as one body if they fit; else None, and every line from the first on."""
    head: list[bytes] = []
    for line in lines:
        head.append(line)
        budget -= size_of(line)
        if budget < 0:
            return None, chain(head, lines)
    return b"".join(head).decode(), iter(())
